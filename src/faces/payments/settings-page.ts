import { escapeHtml } from '../../http/reply.ts'
import type { Connection } from '../../payments/connection.ts'
import type { ShownSetting } from '../../settings/settings.ts'

/** `/admin/settings/payment/` for people: a form that works without scripts. */
export type SettingsPage = {
  readonly settings: readonly ShownSetting[]
  readonly csrfToken: string
  readonly errors?: Readonly<Record<string, string>>
  readonly saved?: boolean
  readonly connection?: Connection
}

const groups = [
  { title: 'Общее', has: (name: string) => !/^LK_GW[AB]_/.test(name), gateway: null },
  { title: 'Шлюз A', has: (name: string) => name.startsWith('LK_GWA_'), gateway: 'gwa' },
  { title: 'Шлюз B', has: (name: string) => name.startsWith('LK_GWB_'), gateway: 'gwb' },
] as const

export function settingsPage({ settings, csrfToken, errors = {}, saved, connection }: SettingsPage): string {
  const body = groups.map(({ title, has, gateway }) => {
    const fields = settings.filter(({ name }) => has(name)).map((setting) => field(setting, errors[setting.name]))
    const button =
      gateway === null
        ? ''
        : `<button name="check" value="${gateway}">Сохранить и проверить связь</button>${verdict(connection, gateway)}`
    return `<fieldset><legend>${title}</legend>${fields.join('')}${button}</fieldset>`
  })
  const other = Object.entries(errors).filter(([name]) => !settings.some((setting) => setting.name === name))
  return `<!doctype html><html lang="ru"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Приём платежей</title><style>${style}</style></head><body><h1>Приём платежей</h1>
${saved ? '<p class="good" role="status">Сохранено.</p>' : ''}${other.map(([name, text]) => fault(`${name}: ${text}`)).join('')}
<form method="post" action="/admin/settings/payment/">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(csrfToken)}">
${body.join('')}<button>Сохранить</button></form></body></html>`
}

function field({ name, value, type, description, secret, choices }: ShownSetting, error: string | undefined): string {
  const attributes = `id="${name}" name="${name}"${error === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-error"`}`
  const options = type === 'boolean' ? booleans : choices?.map((choice) => [choice, choice] as const)
  const shown = type === 'boolean' ? (value ? '1' : '0') : String(value)
  const control = options
    ? `<select ${attributes}>${options.map(([code, text]) => `<option value="${escapeHtml(code)}"${code === shown ? ' selected' : ''}>${escapeHtml(text)}</option>`).join('')}</select>`
    : `<input ${attributes} ${secret ? 'type="password" autocomplete="new-password"' : 'type="text"'} value="${escapeHtml(shown)}">`
  return `<label for="${name}">${escapeHtml(description)} <small>${name}</small></label>${control}${error === undefined ? '' : fault(error, `${name}-error`)}`
}

const booleans = [
  ['1', 'да'],
  ['0', 'нет'],
] as const

const verdict = (connection: Connection | undefined, gateway: string): string =>
  connection?.gateway === gateway
    ? `<p class="${connection.ok ? 'good' : 'bad'}" role="status">${escapeHtml(connection.message)}</p>`
    : ''

const fault = (text: string, id = ''): string =>
  `<p class="bad" role="alert"${id && ` id="${id}"`}>${escapeHtml(text)}</p>`

const style = `body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}fieldset{margin:1rem 0;border:1px solid #bbb}
label{display:block;margin-top:.8rem}small{color:#666}input,select,button{font:inherit;padding:.4rem;box-sizing:border-box}
input,select{width:100%}button{margin-top:1rem}.good{color:#0a6b2d}.bad{color:#b00020}`

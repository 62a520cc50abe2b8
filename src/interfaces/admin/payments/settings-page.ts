import { type Connection, connectionWords } from '../../../billing/payments/connection.ts'
import type { Language } from '../../../domain/language.ts'
import { escapeHtml } from '../../../platform/http/reply.ts'
import type { ShownSetting } from '../../../platform/settings/settings.ts'
import { settingsWords, type Words } from './settings-words.ts'

/** `/admin/settings/payment/` for people: a form that works without scripts. */
export type SettingsPage = {
  readonly settings: readonly ShownSetting[]
  readonly csrfToken: string
  readonly language: Language
  readonly errors?: Readonly<Record<string, string>>
  readonly saved?: boolean
  readonly connection?: Connection
}

const groups = [
  { name: 'common', has: (name: string) => !/^LK_GW[AB]_/.test(name), gateway: null },
  { name: 'gatewayA', has: (name: string) => name.startsWith('LK_GWA_'), gateway: 'gwa' },
  { name: 'gatewayB', has: (name: string) => name.startsWith('LK_GWB_'), gateway: 'gwb' },
] as const

export function settingsPage({ settings, csrfToken, language, errors = {}, saved, connection }: SettingsPage): string {
  const words = settingsWords[language]
  const body = groups.map(({ name: group, has, gateway }) => {
    const fields = settings.filter(({ name }) => has(name)).map((one) => field(words, one, errors[one.name]))
    const button =
      gateway === null
        ? ''
        : `<button name="check" value="${gateway}">${words.check}</button>${verdict(connection, gateway, language)}`
    return `<fieldset><legend>${words[group]}</legend>${fields.join('')}${button}</fieldset>`
  })
  const other = Object.entries(errors).filter(([name]) => !settings.some((setting) => setting.name === name))
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${words.title}</title><style>${style}</style></head><body><h1>${words.title}</h1>
${saved ? `<p class="good" role="status">${words.saved}</p>` : ''}${other.map(([name, text]) => fault(`${name}: ${text}`)).join('')}
<form method="post" action="/admin/settings/payment/">
<input type="hidden" name="csrfmiddlewaretoken" value="${escapeHtml(csrfToken)}">
${body.join('')}<button>${words.save}</button></form></body></html>`
}

function field(words: Words, setting: ShownSetting, error: string | undefined): string {
  const { name, value, type, description, secret, choices } = setting
  const said = words.settings?.[name]
  const attributes = `id="${name}" name="${name}"${error === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-error"`}`
  const booleans = [
    ['1', words.yes],
    ['0', words.no],
  ] as const
  const options = type === 'boolean' ? booleans : choices?.map((choice) => [choice, choice] as const)
  const shown = type === 'boolean' ? (value ? '1' : '0') : String(value)
  const control = options
    ? `<select ${attributes}>${options.map(([code, text]) => `<option value="${escapeHtml(code)}"${code === shown ? ' selected' : ''}>${escapeHtml(text)}</option>`).join('')}</select>`
    : `<input ${attributes} ${secret ? 'type="password" autocomplete="new-password"' : 'type="text"'} value="${escapeHtml(shown)}">`
  const wrong = error === undefined ? '' : fault(said ? `${words.needed}: ${said.must}.` : error, `${name}-error`)
  return `<label for="${name}">${escapeHtml(said?.label ?? description)} <small>${name}</small></label>${control}${wrong}`
}

const verdict = (connection: Connection | undefined, gateway: string, language: Language): string =>
  connection?.gateway === gateway
    ? `<p class="${connection.fault ? 'bad' : 'good'}" role="status">${escapeHtml(connectionWords(connection, language))}</p>`
    : ''

const fault = (text: string, id = ''): string =>
  `<p class="bad" role="alert"${id && ` id="${id}"`}>${escapeHtml(text)}</p>`

const style = `body{font:16px system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}fieldset{margin:1rem 0;border:1px solid #bbb}
label{display:block;margin-top:.8rem}small{color:#666}input,select,button{font:inherit;padding:.4rem;box-sizing:border-box}
input,select{width:100%}button{margin-top:1rem}.good{color:#0a6b2d}.bad{color:#b00020}`

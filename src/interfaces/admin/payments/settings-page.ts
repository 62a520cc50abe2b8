import { type Connection, connectionWords } from '../../../billing/payments/connection.ts'
import type { Language } from '../../../domain/language.ts'
import { type Markup, markup, type Piece } from '../../../platform/formats/html.ts'
import type { ShownSetting } from '../../../platform/settings/settings.ts'
import { paymentsPage } from './page.ts'
import { type SettingsWords, settingsWords } from './settings-words.ts'

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
  const fieldsets = groups.map(({ name: group, has, gateway }) => {
    const fields = settings.filter(({ name }) => has(name)).map((one) => field(words, one, errors[one.name]))
    const check =
      gateway !== null &&
      markup`<button name="check" value="${gateway}">${words.check}</button>${verdict(connection, gateway, language)}`
    return markup`<fieldset><legend>${words[group]}</legend>${fields}${check}</fieldset>`
  })
  const others = Object.entries(errors).filter(([name]) => !settings.some((setting) => setting.name === name))
  const body = markup`<h1>${words.title}</h1>
${saved && markup`<p class="good" role="status">${words.saved}</p>`}${others.map(([name, text]) => fault(`${name}: ${text}`))}
<form method="post" action="/admin/settings/payment/"><input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}">
${fieldsets}<button>${words.save}</button></form>`
  return paymentsPage({ language, title: words.title, body })
}

function field(words: SettingsWords, setting: ShownSetting, error: string | undefined): Markup {
  const { name, value, type, secret, choices } = setting
  const attributes = markup`id="${name}" name="${name}"${error !== undefined && markup` aria-invalid="true" aria-describedby="${name}-error"`}`
  const booleans = [
    ['1', words.yes],
    ['0', words.no],
  ] as const
  const options = type === 'boolean' ? booleans : choices?.map((choice) => [choice, choice] as const)
  const shown = type === 'boolean' ? (value ? '1' : '0') : String(value)
  const option = ([code, text]: readonly [string, string]) =>
    markup`<option value="${code}"${code === shown && markup` selected`}>${text}</option>`
  const kind = secret ? markup`type="password" autocomplete="new-password"` : markup`type="text"`
  const control = options
    ? markup`<select ${attributes}>${options.map(option)}</select>`
    : markup`<input ${attributes} ${kind} value="${shown}">`
  const wrong = error !== undefined && fault(words.wrong(setting, error), `${name}-error`)
  return markup`<label for="${name}">${words.label(setting)} <small>${name}</small></label>${control}${wrong}`
}

const verdict = (connection: Connection | undefined, gateway: string, language: Language): Piece =>
  connection?.gateway === gateway &&
  markup`<p class="${connection.fault ? 'bad' : 'good'}" role="status">${connectionWords(connection, language)}</p>`

const fault = (text: string, id = ''): Markup =>
  markup`<p class="bad" role="alert"${id && markup` id="${id}"`}>${text}</p>`

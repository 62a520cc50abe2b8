import Type from 'typebox'
import { type Connection, connectionWords } from '../../../billing/payments/connection.ts'
import { isGatewayName } from '../../../billing/payments/notice.ts'
import type { Payments } from '../../../billing/payments/payments.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { readCookie } from '../../../platform/http/cookies.ts'
import { csrfCookie } from '../../../platform/http/csrf.ts'
import { readFields } from '../../../platform/http/form.ts'
import { preferredLanguage } from '../../../platform/http/languages.ts'
import { html, json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, okObject, schemas } from '../../../platform/http/schemas.ts'
import type { SettingName } from '../../../platform/settings/catalog.ts'
import type { Settings, ShownSetting } from '../../../platform/settings/settings.ts'
import { addressRule, setAudited, settingSchema, valueSchema } from '../provider/settings.ts'
import { settingsPage } from './settings-page.ts'

const page = { path: '/admin/settings/payment', door: 'page' } as const
const rights = recordRights.setting

const isOfPayments = (name: string): name is SettingName =>
  /^LK_(PAYMENT|GWA|GWB)_/.test(name) || name === 'LK_MOBILE_SCHEMES'

export type PaymentSettingsParts = {
  readonly settings: Settings
  readonly payments: Pick<Payments, 'checkConnection'>
}

/** The settings of payments: a form for people, JSON for programs, and a button that checks each gateway. */
export const paymentSettingRoutes = (parts: PaymentSettingsParts): Route[] => [
  { ...page, method: 'GET', right: rights.read, doc: listDoc, handler: (call) => show(parts, call) },
  {
    ...page,
    method: 'POST',
    right: rights.change,
    forAllOrganizations: rights.isShared,
    doc: changeDoc,
    handler: (call) => change(parts, call),
  },
]

type Outcome = {
  readonly errors?: Readonly<Record<string, string>>
  readonly saved?: boolean
  readonly connection?: Connection
}

const shownSettings = (settings: Settings): ShownSetting[] => settings.list().filter(({ name }) => isOfPayments(name))

function show(parts: PaymentSettingsParts, call: Call, outcome: Outcome = {}): Reply {
  const settings = shownSettings(parts.settings)
  const status = outcome.errors ? 400 : 200
  if (wantsJson(call)) return json(bodyOf(settings, outcome), status)
  const csrfToken = readCookie(call.header('cookie'), csrfCookie)
  const language = preferredLanguage(call.header('accept-language'))
  return html(settingsPage({ settings, csrfToken, language, ...outcome }), status, [
    ['Cache-Control', 'no-store'],
    ['Vary', 'Accept, Accept-Language'],
  ])
}

function bodyOf(settings: readonly ShownSetting[], { errors, connection }: Outcome): object {
  if (!errors) return { ok: true, settings, ...(connection && { connection: shownConnection(connection) }) }
  const error = Object.entries(errors)
    .map(([name, text]) => `${name}: ${text}`)
    .join(' ')
  return { ok: false, error, errors }
}

function shownConnection(connection: Connection): object {
  const { gateway, protocol, fault } = connection
  return { gateway, protocol, ok: fault === null, message: connectionWords(connection, 'en') }
}

async function change(parts: PaymentSettingsParts, call: Call): Promise<Reply> {
  const read = readFields(call)
  if (read.kind === 'refused') return show(parts, call, { errors: { body: read.detail } })
  const { csrfmiddlewaretoken: _, check, ...values } = read.fields
  if (check !== undefined && !isGatewayName(check))
    return show(parts, call, { errors: { check: 'It must be gwa or gwb.' } })
  const unknown = Object.keys(values).find((name) => !isOfPayments(name))
  if (unknown !== undefined) return show(parts, call, { errors: { [unknown]: 'It is no setting of payments.' } })
  // The check button sends all fields of the form, so the gateway is checked with the values on the screen.
  const outcome = await setAudited(parts.settings, call, values)
  if ('errors' in outcome) return show(parts, call, { errors: outcome.errors })
  if (!isGatewayName(check)) return show(parts, call, { saved: true })
  return show(parts, call, { connection: await parts.payments.checkConnection(check) })
}

/** A browser accepts text/html; a program that wants JSON does not. */
const wantsJson = (call: Call): boolean =>
  call.query.get('format') === 'json' ||
  call.header('content-type').startsWith('application/json') ||
  (call.header('accept').includes('application/json') && !call.header('accept').includes('text/html'))

const connectionSchema = Type.Object({
  gateway: Type.Enum(['gwa', 'gwb']),
  protocol: Type.Enum(['rest', 'http', 'form']),
  ok: schemas.boolean,
  message: schemas.text,
})

const tag = 'Settings'
const asPage = ['text/html']
const description = 'A page; JSON with `Accept: application/json`, `?format=json` or a JSON body.'

const listDoc: RouteDoc = {
  tag,
  summary: 'The settings of payments',
  description,
  answers: {
    200: { doc: 'All of them', schema: okObject({ settings: Type.Array(settingSchema) }), otherTypes: asPage },
  },
}

const changeDoc: RouteDoc = {
  tag,
  summary: 'Change settings of payments, and check a gateway',
  description: `${description} \`check\` with gwa or gwb tries that gateway after the change. ${addressRule}`,
  body: Type.Object({ check: Type.Optional(Type.Enum(['gwa', 'gwb'])) }, { additionalProperties: valueSchema }),
  isFormToo: true,
  answers: {
    200: {
      doc: 'They are in effect',
      schema: Type.Object({
        ok: Type.Literal(true),
        settings: Type.Array(settingSchema),
        connection: Type.Optional(connectionSchema),
      }),
      otherTypes: asPage,
    },
    400: { doc: 'A value is wrong or a name unknown; nothing has changed', schema: errorSchema, otherTypes: asPage },
  },
}

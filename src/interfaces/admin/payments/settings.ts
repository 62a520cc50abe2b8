import Type from 'typebox'
import { type Connection, connectionWords } from '../../../billing/payments/connection.ts'
import { isGatewayName } from '../../../billing/payments/notice.ts'
import type { Payments } from '../../../billing/payments/payments.ts'
import type { Language } from '../../../domain/language.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { SettingName } from '../../../platform/settings/catalog.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { readBody } from '../body.ts'
import { answers, get, post } from '../doors.ts'
import { addressRule, setAudited, settingSchema, valueSchema, wrongValues } from '../provider/settings.ts'

const path = '/admin/settings/payment'
const rights = recordRights.setting

const isOfPayments = (name: string): name is SettingName =>
  /^LK_(PAYMENT|GWA|GWB)_/.test(name) || name === 'LK_MOBILE_SCHEMES'

export type PaymentSettingsParts = {
  readonly settings: Settings
  readonly payments: Pick<Payments, 'checkConnection'>
}

/** The settings of payments, and a check of each gateway. */
export const paymentSettingRoutes = (parts: PaymentSettingsParts): Route[] => [
  get(path, listDoc, () => answer(parts), { right: rights.read }),
  post(path, changeDoc, (call) => change(parts, call), {
    right: rights.change,
    forAllOrganizations: rights.isShared,
  }),
]

function answer({ settings }: PaymentSettingsParts, connection?: Connection): Reply {
  const shown = settings.list().filter(({ name }) => isOfPayments(name))
  return json({ ok: true, settings: shown, ...(connection && { connection: shownConnection(connection) }) })
}

function shownConnection(connection: Connection): object {
  const { gateway, protocol, fault } = connection
  const said = (language: Language) => connectionWords(connection, language)
  return { gateway, protocol, ok: fault === null, message: said('en'), messages: { ru: said('ru'), en: said('en') } }
}

async function change(parts: PaymentSettingsParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const { check, ...values } = body.fields
  if (check !== undefined && !isGatewayName(check)) return wrongValues({ check: 'It must be gwa or gwb.' })
  const unknown = Object.keys(values).find((name) => !isOfPayments(name))
  if (unknown !== undefined) return wrongValues({ [unknown]: 'It is no setting of payments.' })
  // A form sends its fields with the check, so the gateway is tried with the values on the screen.
  const outcome = await setAudited(parts.settings, call, values)
  if ('errors' in outcome) return wrongValues(outcome.errors)
  return answer(parts, isGatewayName(check) ? await parts.payments.checkConnection(check) : undefined)
}

const connectionSchema = Type.Object({
  gateway: Type.Enum(['gwa', 'gwb']),
  protocol: Type.Enum(['rest', 'http', 'form']),
  ok: schemas.boolean,
  message: schemas.text,
  messages: Type.Object({ ru: schemas.text, en: schemas.text }),
})

const tag = 'Settings'

const listDoc: RouteDoc = {
  tag,
  summary: 'The settings of payments',
  answers: answers('All of them', { settings: Type.Array(settingSchema) }),
}

const changeDoc: RouteDoc = {
  tag,
  summary: 'Change settings of payments, and check a gateway',
  description: `\`check\` with gwa or gwb tries that gateway after the change. ${addressRule}`,
  body: Type.Object({ check: Type.Optional(Type.Enum(['gwa', 'gwb'])) }, { additionalProperties: valueSchema }),
  answers: answers(
    'They are in effect',
    { settings: Type.Array(settingSchema), connection: Type.Optional(connectionSchema) },
    { 400: 'A value is wrong or a name unknown; nothing has changed' },
  ),
}

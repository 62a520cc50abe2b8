import type { SettingName } from '../../platform/settings/catalog.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import type { GatewayName, Protocol } from './notice.ts'

/** The settings of the gateways. They are read each time, so that a change takes effect at once. */
export type PaymentSettings = Pick<Settings, 'get'>

/** Gateway A speaks REST v3 with a key of the new form, the HTTP protocol with a shopPassword (specification 4.4). */
export const isRestKey = (key: string): boolean => /^(live|test)_/.test(key) || key.length > 30

export const protocolOf = (gateway: GatewayName, settings: PaymentSettings): Protocol => {
  if (gateway === 'gwb') return 'form'
  return isRestKey(settings.get('LK_GWA_SECRET_KEY')) ? 'rest' : 'http'
}

/** What each gateway needs whatever protocol it speaks; with none of it, nobody uses the gateway. */
export const neededOf = {
  gwa: ['LK_GWA_SHOP_ID', 'LK_GWA_SECRET_KEY'],
  gwb: ['LK_GWB_MERCHANT_ID', 'LK_GWB_SECRET_KEY'],
} as const satisfies Record<GatewayName, readonly SettingName[]>

const needed = {
  rest: ['LK_GWA_API_URL', 'LK_GWA_SHOP_ID', 'LK_GWA_SECRET_KEY'],
  http: ['LK_GWA_FORM_URL', 'LK_GWA_SHOP_ID', 'LK_GWA_SCID', 'LK_GWA_SECRET_KEY'],
  form: ['LK_GWB_FORM_URL', 'LK_GWB_MERCHANT_ID', 'LK_GWB_SECRET_KEY'],
} as const satisfies Record<Protocol, readonly SettingName[]>

/** The required settings of a protocol that are empty. */
export const missingFor = (protocol: Protocol, settings: PaymentSettings): SettingName[] =>
  needed[protocol].filter((name) => settings.get(name) === '')

/** Gateway A can be asked by REST v3 now. */
export const speaksRest = (settings: PaymentSettings): boolean =>
  protocolOf('gwa', settings) === 'rest' && missingFor('rest', settings).length === 0

/** Why a gateway cannot be used. */
export type ConnectionFault =
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'unsafeAddress' }
  | { readonly kind: 'privateAddress' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'unknownShop' }
  /** `status` is that of HTTP. */
  | { readonly kind: 'answered'; readonly status: string }

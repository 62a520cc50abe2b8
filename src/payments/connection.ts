import type { GatewayACalls } from './gateway-a-client.ts'
import { isSafeAddress } from './gateway-a-client.ts'
import { missingFor, type PaymentSettings, protocolOf } from './gateways.ts'
import type { GatewayName, Protocol } from './notice.ts'

export type Connection = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  readonly ok: boolean
  /** A sentence for the operator. */
  readonly message: string
}

const patienceMs = 5_000

/** The Check connection button: are all settings there, and does the gateway answer (for REST: does it know us). */
export async function checkConnection(
  gateway: GatewayName,
  { settings, gatewayA }: { settings: PaymentSettings; gatewayA: Pick<GatewayACalls, 'check'> },
): Promise<Connection> {
  const protocol = protocolOf(gateway, settings)
  const missing = missingFor(protocol, settings)
  const fault =
    missing.length > 0
      ? `Not set: ${missing.join(', ')}.`
      : protocol === 'rest'
        ? await gatewayA.check()
        : await formFault(settings.get(protocol === 'http' ? 'LK_GWA_FORM_URL' : 'LK_GWB_FORM_URL'))
  return { gateway, protocol, ok: fault === null, message: fault ?? connected[protocol] }
}

const connected = {
  rest: 'The gateway answers and knows the shop.',
  http: 'The payment form answers. Whether shop id and password are right shows with the first payment.',
  form: 'The payment form answers. Whether merchant id and key are right shows with the first payment.',
} as const satisfies Record<Protocol, string>

/** A form without fields is refused by the gateway, which is an answer. */
async function formFault(address: string): Promise<string | null> {
  if (!isSafeAddress(address)) return 'The address of the form is not an https:// address.'
  try {
    const response = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
    await response.body?.cancel()
    return response.status >= 500 ? `The payment form answers ${response.status}.` : null
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message?: string }
    return `The payment form cannot be reached: ${cause?.code ?? message ?? 'unknown'}.`
  }
}

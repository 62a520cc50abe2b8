import { catalogue, type Language } from '../../domain/language.ts'
import { isSafeAddress, privateAddressesVariable } from '../../platform/outgoing/destinations.ts'
import type { OutgoingHttp } from '../../platform/outgoing/outgoing-http.ts'
import { connectionFaultOf, type GatewayAClient } from './gateway-a-client.ts'
import { type ConnectionFault, missingFor, type PaymentSettings, protocolOf } from './gateways.ts'
import type { GatewayName, Protocol } from './notice.ts'

export type Connection = {
  readonly gateway: GatewayName
  readonly protocol: Protocol
  /** Null: the gateway can be used. */
  readonly fault: ConnectionFault | null
}

const timeoutMs = 5_000

/**
 * The Check connection button: checks that all settings are present and that the gateway answers; with REST also that
 * it accepts our credentials.
 */
export async function checkConnection(
  gateway: GatewayName,
  {
    settings,
    gatewayA,
    http,
  }: { settings: PaymentSettings; gatewayA: Pick<GatewayAClient, 'check'>; http: OutgoingHttp },
): Promise<Connection> {
  const protocol = protocolOf(gateway, settings)
  const names = missingFor(protocol, settings)
  if (names.length > 0) return { gateway, protocol, fault: { kind: 'missing', names } }
  if (protocol === 'rest') return { gateway, protocol, fault: await gatewayA.check() }
  const address = settings.get(protocol === 'http' ? 'LK_GWA_FORM_URL' : 'LK_GWB_FORM_URL')
  return { gateway, protocol, fault: await formFault(http, address) }
}

/** The gateway refuses a form without fields, which shows that it answers. */
async function formFault(http: OutgoingHttp, address: string): Promise<ConnectionFault | null> {
  if (!isSafeAddress(address)) return { kind: 'unsafeAddress' }
  try {
    const { status } = await http.request(address, { signal: AbortSignal.timeout(timeoutMs), answerBytesMax: 0 })
    return status >= 500 ? { kind: 'answered', status: String(status) } : null
  } catch (error) {
    return connectionFaultOf(error)
  }
}

const wording = catalogue({
  ru: {
    connected: {
      rest: 'Шлюз отвечает и знает магазин.',
      http: 'Платёжная форма отвечает. Верны ли shopId и пароль, покажет первый платёж.',
      form: 'Платёжная форма отвечает. Верны ли номер магазина и ключ, покажет первый платёж.',
    },
    missing: (names: string) => `Не задано: ${names}.`,
    unsafeAddress: 'Адрес шлюза начинается не с https://.',
    privateAddress: `Адрес шлюза — в частной сети, которой нет в ${privateAddressesVariable}.`,
    unreachable: (reason: string) => `До шлюза не достучаться: ${reason}.`,
    unknownShop: 'Шлюз не знает такого магазина с таким ключом.',
    answered: (status: string) => `Шлюз ответил ${status}.`,
  },
  en: {
    connected: {
      rest: 'The gateway answers and knows the shop.',
      http: 'The payment form answers. Whether shop id and password are right shows with the first payment.',
      form: 'The payment form answers. Whether merchant id and key are right shows with the first payment.',
    },
    missing: (names) => `Not set: ${names}.`,
    unsafeAddress: 'The address of the gateway is not an https:// address.',
    privateAddress: `The address of the gateway is one of a private network that ${privateAddressesVariable} does not list.`,
    unreachable: (reason) => `The gateway cannot be reached: ${reason}.`,
    unknownShop: 'The gateway does not know this shop id and secret key.',
    answered: (status) => `The gateway answered ${status}.`,
  },
})

/** The result of the check as a sentence for the operator. */
export function connectionWords({ protocol, fault }: Connection, language: Language): string {
  const words = wording[language]
  if (!fault) return words.connected[protocol]
  switch (fault.kind) {
    case 'missing':
      return words.missing(fault.names.join(', '))
    case 'unreachable':
      return words.unreachable(fault.reason)
    case 'answered':
      return words.answered(fault.status)
    default:
      return words[fault.kind]
  }
}

import { attributes } from '../network/radius/wire/attribute-types.ts'
import { codes } from '../network/radius/wire/packet.ts'
import type { PacketWriter } from '../network/radius/wire/writer.ts'

const statusTypes = { start: 1, stop: 2, interim: 3 } as const

type AccountingStatus = keyof typeof statusTypes

export type AccountingRequest = {
  readonly status: AccountingStatus
  /** NAS-IP-Address, dotted. */
  readonly nasIp: string
  readonly session: {
    readonly login: string
    readonly sessionId: string
    readonly station: string
    readonly ip: string | null
    readonly className: string | null
  }
  /** Null: the record has no counters. Octets beyond 2^32 are written as gigawords. */
  readonly counters: { readonly seconds: number; readonly input: bigint; readonly output: bigint } | null
  /** Acct-Terminate-Cause of a stop. */
  readonly cause: number
}

/** Begins an Accounting-Request as a NAS writes it. The caller may add attributes and finishes the packet. */
export function beginAccounting(writer: PacketWriter, identifier: number, request: AccountingRequest): void {
  const { status, nasIp, session, counters, cause } = request
  writer.begin(codes.accountingRequest, identifier)
  writer.integer(attributes.acctStatusType, statusTypes[status])
  writer.octets(attributes.nasIpAddress, ipv4Octets(nasIp))
  writer.text(attributes.userName, session.login)
  writer.text(attributes.acctSessionId, session.sessionId)
  writer.text(attributes.callingStationId, session.station)
  if (session.ip) writer.octets(attributes.framedIpAddress, ipv4Octets(session.ip))
  if (session.className) writer.text(attributes.class, session.className)
  if (counters) {
    writer.integer(attributes.acctSessionTime, counters.seconds)
    writer.integer(attributes.acctInputOctets, Number(counters.input % 2n ** 32n))
    writer.integer(attributes.acctInputGigawords, Number(counters.input / 2n ** 32n))
    writer.integer(attributes.acctOutputOctets, Number(counters.output % 2n ** 32n))
    writer.integer(attributes.acctOutputGigawords, Number(counters.output / 2n ** 32n))
  }
  if (status === 'stop') writer.integer(attributes.acctTerminateCause, cause)
}

const ipv4Octets = (address: string): Buffer => Buffer.from(address.split('.').map(Number))

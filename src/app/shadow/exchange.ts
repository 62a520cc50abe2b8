import type { PacketView } from '../../network/radius/wire/packet.ts'

/** The source cannot be read, or not any further. The message is for the operator. */
export class SourceFault extends Error {}

/** An attribute as a detail file has it. */
export type WrittenAttribute = { readonly name: string; readonly value: string }

/** A packet as it was captured, or what a detail file tells of one. */
export type Told =
  | { readonly kind: 'packet'; readonly packet: PacketView }
  | { readonly kind: 'written'; readonly code: number; readonly attributes: readonly WrittenAttribute[] }

/** What the other server was asked, and what it said. */
export type Exchange = {
  /** When it was asked, milliseconds since 1970. */
  readonly atMs: number
  /** The address of the NAS: 16 octets as parseAddress has them. */
  readonly source: Uint8Array
  readonly request: Told
  /** Null: it was not answered, as far as the source tells. */
  readonly reply: Told | null
  /** Several of this NAS came in one second, and only the order says which answer belongs to which. */
  readonly isByOrder: boolean
}

/** What a source has besides exchanges, and why it makes none of it. */
export const leftOut = {
  cutShort: 'packets that the capture has only the beginning of; `tcpdump -s 0` takes them whole',
  fragmented: 'packets that came in several IP fragments',
  notRadius: 'packets that are no RADIUS',
  replyAlone: 'answers whose request is not there',
  ambiguous:
    'requests and answers of one NAS in one second that are not equally many, so that nothing tells which belong together',
  unreadable: 'records that are not as FreeRADIUS writes them',
  noAddress: 'requests of which the file does not tell the NAS',
} as const

/** What a source counts while it is read. */
export class Seen {
  readonly leftOut = new Map<keyof typeof leftOut, number>()
  /** Retransmissions, and what is neither Access-Request nor its answer. */
  repeated = 0
  others = 0
  /** How much has been read, of how much; `totalBytes` is null where nobody knows. */
  bytes = 0
  totalBytes: number | null = null

  leave(reason: keyof typeof leftOut, number = 1): void {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + number)
  }
}

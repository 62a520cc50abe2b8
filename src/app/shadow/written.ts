import { parseAddress } from '../../network/radius/wire/address.ts'
import { codes } from '../../network/radius/wire/packet.ts'
import { type DetailRecord, readRecords } from './detail-records.ts'
import type { Exchange, Seen, Told, WrittenAttribute } from './exchange.ts'

/** What a detail file tells of one packet. */
type Written = {
  readonly atMs: number
  /** What it has in common with the other packet of its exchange. */
  readonly key: string
  readonly told: Told & { readonly kind: 'written' }
}

/** All packets of one key: those of one NAS in one second, where nothing tells them apart. */
type Group = { readonly atMs: number; readonly requests: Written[]; readonly replies: Written[] }

export type DetailStreams = {
  readonly requests: AsyncIterable<Buffer>
  readonly replies: AsyncIterable<Buffer>
  /** The NAS, where its packets do not tell it. */
  readonly folderAddress: Uint8Array | null
}

/** FreeRADIUS gives a request up after 30 s (max_request_time), and its answer bears the time of the request. */
const exchangeMs = 60_000
/** The most packets that are held until it is clear that nothing more belongs to them. */
const heldMax = 100_000

const packetTypes: Readonly<Record<string, number>> = {
  'Access-Request': codes.accessRequest,
  'Access-Accept': codes.accessAccept,
  'Access-Reject': codes.accessReject,
  'Access-Challenge': codes.accessChallenge,
}

/**
 * The exchanges of a file of requests and one of answers. rlm_detail writes no identifier; it begins both with the same
 * line, because the line is made of the request, and with `log_packet_header` tells the port of the NAS. Where several
 * have the same key and are equally many, their order decides.
 */
export async function* writtenExchanges(streams: DetailStreams, seen: Seen): AsyncGenerator<Exchange> {
  const groups = new Map<string, Group>()
  const requests = new Lookahead(packetsOf(readRecords(streams.requests), seen))
  const replies = new Lookahead(packetsOf(readRecords(streams.replies), seen))
  let held = 0
  for (;;) {
    const [request, reply] = [await requests.peek(), await replies.peek()]
    if (request === null && reply === null) break
    const isRequest = reply === null || (request !== null && request.atMs <= reply.atMs)
    const written = isRequest ? request! : reply!
    ;(isRequest ? requests : replies).skip()
    add(groups, written)
    held++
    const nowMs = Math.min(requests.lastMs, replies.lastMs)
    for (const [key, group] of groups) {
      if (held < heldMax && Math.abs(nowMs - group.atMs) <= exchangeMs) break
      groups.delete(key)
      held -= group.requests.length + group.replies.length
      yield* exchangesOf(group, streams.folderAddress, seen)
    }
  }
  for (const group of groups.values()) yield* exchangesOf(group, streams.folderAddress, seen)
}

/** Looks at what comes next without taking it. */
class Lookahead {
  /** When what was seen last was asked; infinite when there is no more, because nothing waits for it then. */
  lastMs = Number.NEGATIVE_INFINITY
  readonly #packets: AsyncIterator<Written>
  #next: Written | null | undefined

  constructor(packets: AsyncIterable<Written>) {
    this.#packets = packets[Symbol.asyncIterator]()
  }

  async peek(): Promise<Written | null> {
    if (this.#next !== undefined) return this.#next
    const { done, value } = await this.#packets.next()
    this.#next = done ? null : value
    this.lastMs = this.#next?.atMs ?? Number.POSITIVE_INFINITY
    return this.#next ?? null
  }

  skip(): void {
    this.#next = undefined
  }
}

function add(groups: Map<string, Group>, written: Written): void {
  const { key, atMs, told } = written
  const group = groups.get(key) ?? { atMs, requests: [], replies: [] }
  groups.set(key, group)
  ;(told.code === codes.accessRequest ? group.requests : group.replies).push(written)
}

function* exchangesOf(group: Group, folderAddress: Uint8Array | null, seen: Seen): Generator<Exchange> {
  const { requests, replies } = group
  if (requests.length === 0) seen.leave('replyAlone', replies.length)
  else if (replies.length > 0 && replies.length !== requests.length) seen.leave('ambiguous', requests.length)
  else
    for (const [index, { atMs, told: request }] of requests.entries()) {
      const source = addressOf(request.attributes) ?? folderAddress ?? ownAddressOf(request.attributes)
      const reply = replies[index]?.told ?? null
      if (source === null) seen.leave('noAddress')
      else yield { atMs, source, request, reply, isByOrder: reply !== null && requests.length > 1 }
    }
}

/** Accounting is written without Packet-Type. */
async function* packetsOf(records: AsyncIterable<DetailRecord | null>, seen: Seen): AsyncGenerator<Written> {
  for await (const record of records) {
    const atMs = record && timeOf(record)
    const code = record && packetTypes[valueIn(record.attributes, 'Packet-Type') ?? '']
    if (record === null || atMs === null) seen.leave('unreadable')
    else if (!code) seen.others++
    else yield { atMs, key: keyOf(record, code), told: { kind: 'written', code, attributes: record.attributes } }
  }
}

function keyOf({ header, attributes }: DetailRecord, code: number): string {
  const way = code === codes.accessRequest ? 'Src' : 'Dst'
  const address = valueIn(attributes, `Packet-${way}-IP-Address`) ?? valueIn(attributes, `Packet-${way}-IPv6-Address`)
  return `${header}\n${address}\n${valueIn(attributes, `Packet-${way}-Port`)}`
}

const dateForm = /\b[A-Z][a-z]{2} +\d{1,2} \d{2}:\d{2}:\d{2} \d{4}\b/

/** By Timestamp, otherwise by `%t`, in the time zone of the machine, wherever it stands in the first line. */
function timeOf({ header, attributes }: DetailRecord): number | null {
  const seconds = valueIn(attributes, 'Timestamp') ?? ''
  if (/^\d{1,10}$/.test(seconds)) return Number(seconds) * 1000
  const [date] = dateForm.exec(header) ?? []
  return date === undefined ? null : Date.parse(date) || null
}

/** The address that the packet came from. */
const addressOf = (attributes: readonly WrittenAttribute[]): Uint8Array | null =>
  parsed(valueIn(attributes, 'Packet-Src-IP-Address') ?? valueIn(attributes, 'Packet-Src-IPv6-Address'))

/** The address that the NAS says is its own. */
const ownAddressOf = (attributes: readonly WrittenAttribute[]): Uint8Array | null =>
  parsed(valueIn(attributes, 'NAS-IP-Address') ?? valueIn(attributes, 'NAS-IPv6-Address'))

const parsed = (text: string | null) => (text === null ? null : parseAddress(text))

export const valueIn = (attributes: readonly WrittenAttribute[], name: string): string | null =>
  attributes.find((attribute) => attribute.name === name)?.value ?? null

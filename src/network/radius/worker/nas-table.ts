import { mix } from '../../access/station.ts'
import type { NasSlot } from './messages.ts'
import { addressWords, datagramWord } from '../udp/udp-port.ts'
import { parseAddress } from '../wire/address.ts'
import { attributes } from '../wire/attribute-types.ts'
import { codes, type PacketView } from '../wire/packet.ts'
import { secretKeyBytes } from '../wire/shared-secret.ts'
import { type KnownNas, knownNas } from './signature-rules.ts'

const { address: addressAt } = datagramWord
const addressBits = 128
/** The bits of ::ffff:0:0, below which IPv4 addresses are described. */
const mappedBits = 96
const mappedWord = new Int32Array(Uint8Array.of(0, 0, 0xff, 0xff).buffer)[0]!

type Named = { readonly identifier: Uint8Array; readonly nas: KnownNas }

/** The records of one address or network. */
type Place = {
  /** The record without a NAS-Identifier, which gets all packets that are not for one of the others. */
  plain: KnownNas | null
  /** The others, by a hash of their NAS-Identifier; null for none. */
  named: Map<number, Named[]> | null
  /** The narrowest network around it that has records. */
  wider: Place | null
}

/** The places of one prefix length and family. */
type Network = { readonly isIpv4: boolean; readonly bits: number; readonly mask: Int32Array; readonly places: Places }

/**
 * Every NAS by its source address, found without making a string. A single address comes before a network and a narrow
 * network before a wide one; within each, the record with the NAS-Identifier of the packet comes before that without
 * one. A record that is switched off shuts its place and does not leave it to a wider one. What `auto` has learned
 * comes with the record.
 */
export class NasTable {
  /** The prepared secrets, each at offset KnownNas.key × secretKeyBytes. */
  readonly keys: Uint8Array
  readonly #known: KnownNas[] = []
  readonly #single: Places
  /** From the longest prefix to the shortest. */
  readonly #networks: readonly Network[]
  readonly #masked = new Int32Array(addressWords)

  constructor(list: readonly NasSlot[]) {
    const sorted = list.flatMap((record) => {
      const prefix = prefixOf(record)
      return prefix === null ? [] : [{ record, ...prefix }]
    })
    sorted.sort((a, b) => b.bits - a.bits)
    this.#single = new Places(sorted.length)
    const networks = new Map<string, Network>()
    for (const { record, address, bits, isIpv4 } of sorted) {
      const key = `${isIpv4} ${bits}`
      const network = networks.get(key) ?? { isIpv4, bits, mask: maskOf(bits), places: new Places(sorted.length) }
      if (record.network) networks.set(key, network)
      this.#add(record.network ? network.places.placeOf(address) : this.#single.placeOf(address), record)
    }
    this.#networks = [...networks.values()]
    for (const [place, address] of this.#single.all()) place.wider = this.#networkOf(address, 0, addressBits + 1)
    for (const { bits, places } of this.#networks)
      for (const [place, address] of places.all()) place.wider = this.#networkOf(address, 0, bits)
    this.keys = this.#writeKeys()
  }

  /** The records of the source address that is described from words[at] on, before one of them is chosen. */
  find(words: Int32Array, at: number): Place | null {
    return (
      this.#single.find(words, at + addressAt) ??
      (this.#networks.length === 0 ? null : this.#networkOf(words, at + addressAt, addressBits + 1))
    )
  }

  /** The record that the packet belongs to; null when there is none, or when it is switched off. */
  choose(place: Place, packet: PacketView): KnownNas | null {
    const at = place.named === null && place.wider === null ? -1 : packet.offsetOf(attributes.nasIdentifier)
    for (let here: Place | null = place; here !== null; here = here.wider) {
      const nas = (at !== -1 && here.named !== null ? namedIn(here.named, packet, at) : null) ?? here.plain
      if (nas !== null) return nas.record.enabled ? nas : null
    }
    // A proxy that asks whether we are alive may name itself, and then any record of its address answers.
    return packet.code === codes.statusServer ? firstOf(place) : null
  }

  /** When two records have the same place and identifier, the later one counts. */
  #add(place: Place, record: NasSlot): void {
    const nas = knownNas(record)
    this.#known.push(nas)
    if (!record.identifier) {
      place.plain = nas
      return
    }
    const identifier = Buffer.from(record.identifier)
    const hash = hashOf(identifier, 0, identifier.length)
    place.named ??= new Map()
    const others = place.named.get(hash)?.filter((named) => !identifier.equals(named.identifier)) ?? []
    place.named.set(hash, [...others, { identifier, nas }])
  }

  /** The place of the narrowest network with a prefix shorter than `below` around an address. */
  #networkOf(words: Int32Array, at: number, below: number): Place | null {
    const isIpv4 = words[at] === 0 && words[at + 1] === 0 && words[at + 2] === mappedWord
    for (const network of this.#networks) {
      if (network.bits >= below || network.isIpv4 !== isIpv4) continue
      for (let part = 0; part < addressWords; part++) this.#masked[part] = words[at + part]! & network.mask[part]!
      const place = network.places.find(this.#masked, 0)
      if (place !== null) return place
    }
    return null
  }

  #writeKeys(): Uint8Array {
    const keys = new Uint8Array(this.#known.length * 2 * secretKeyBytes)
    for (const [position, nas] of this.#known.entries()) {
      const key = position * 2
      if (nas.secret.writeKey(keys, key * secretKeyBytes)) nas.key = key
      if (nas.other?.writeKey(keys, (key + 1) * secretKeyBytes)) nas.otherKey = key + 1
    }
    return keys
  }
}

/** Places by address, in open addressing. */
class Places {
  readonly #places: Place[] = []
  readonly #addresses: Int32Array
  /** The index in `#places` plus one; 0 is an empty slot. */
  readonly #slots: Int32Array
  readonly #mask: number

  constructor(count: number) {
    let slots = 16
    while (slots < count * 2) slots *= 2
    this.#slots = new Int32Array(slots)
    this.#mask = slots - 1
    this.#addresses = new Int32Array(count * addressWords)
  }

  find(words: Int32Array, at: number): Place | null {
    const position = this.#slots[this.#slotOf(words, at)]!
    return position === 0 ? null : this.#places[position - 1]!
  }

  placeOf(address: Int32Array): Place {
    const slot = this.#slotOf(address, 0)
    const position = this.#slots[slot]!
    if (position !== 0) return this.#places[position - 1]!
    const place = { plain: null, named: null, wider: null }
    this.#addresses.set(address, this.#places.length * addressWords)
    this.#slots[slot] = this.#places.push(place)
    return place
  }

  *all(): Generator<[Place, Int32Array]> {
    for (const [position, place] of this.#places.entries())
      yield [place, this.#addresses.subarray(position * addressWords, (position + 1) * addressWords)]
  }

  /** The slot of the address, or the empty slot where it would be. */
  #slotOf(words: Int32Array, at: number): number {
    const hash = mix(words[at]! ^ Math.imul(words[at + 1]!, 0x9e3779b1) ^ mix(words[at + 2]! ^ mix(words[at + 3]!)))
    const addresses = this.#addresses
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const position = this.#slots[slot]!
      if (position === 0) return slot
      const known = (position - 1) * addressWords
      if (
        addresses[known] === words[at] &&
        addresses[known + 1] === words[at + 1] &&
        addresses[known + 2] === words[at + 2] &&
        addresses[known + 3] === words[at + 3]
      )
        return slot
    }
  }
}

/** The address and length of a record's prefix, IPv4 below ::ffff:0:0; null for a text that is none. */
function prefixOf({ ip, network }: NasSlot): { address: Int32Array; bits: number; isIpv4: boolean } | null {
  const [text = '', length] = (network ?? ip ?? '').split('/')
  const bytes = parseAddress(text)
  if (bytes === null) return null
  const address = new Int32Array(bytes.buffer)
  const isIpv4 = !text.includes(':') || (address[0] === 0 && address[1] === 0 && address[2] === mappedWord)
  const bits = !network || length === undefined ? addressBits : Number(length) + (text.includes(':') ? 0 : mappedBits)
  return { address: address.map((word, part) => word & maskOf(bits)[part]!), bits, isIpv4 }
}

function maskOf(bits: number): Int32Array {
  const bytes = new Uint8Array(addressBits / 8)
  for (let bit = 0; bit < bits; bit++) bytes[bit >> 3]! |= 0x80 >> (bit & 7)
  return new Int32Array(bytes.buffer)
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0
  for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + bytes[at]!) & 0x3fffffff
  return hash
}

/** `at` is the offset of the packet's NAS-Identifier. */
function namedIn(named: Map<number, Named[]>, { bytes }: PacketView, at: number): KnownNas | null {
  const end = at + bytes[at + 1]!
  const found = named.get(hashOf(bytes, at + 2, end))
  if (found === undefined) return null
  for (const { identifier, nas } of found) {
    let same = identifier.length === end - at - 2
    for (let index = 0; same && index < identifier.length; index++) same = identifier[index] === bytes[at + 2 + index]
    if (same) return nas
  }
  return null
}

function firstOf({ named }: Place): KnownNas | null {
  for (const some of named?.values() ?? []) for (const { nas } of some) if (nas.record.enabled) return nas
  return null
}

import { isIP } from 'node:net'
import { phoneDigits } from '../../../domain/contacts.ts'
import { parseId } from '../../../domain/ids.ts'
import { normalMac } from '../../../domain/mac.ts'
import { searchWords } from '../../../domain/search-words.ts'
import { readNetwork } from '../../../platform/formats/addresses.ts'
import { formatIpv6, parseIpv4, parseIpv6, parseIpv6Prefix } from '../../../network/radius/wire/address.ts'

/** What somebody typed, read in every way that it can be meant. */
export type Question = {
  /** As typed, without the spaces around it. */
  readonly text: string
  /** For names; none where the text is an address, a MAC or a phone. */
  readonly words: readonly string[]
  /** `1024`, `#1024` or `№ 1024`: the number of an operation or a ticket. */
  readonly number: number | null
  readonly phone: Phone | null
  readonly mac: string | null
  /** One address of either family. */
  readonly ip: string | null
  /** IPv6 prefixes in which the address lies, or the one that was typed. */
  readonly prefixes: readonly string[]
  /** A network of either family, as `10.0.0.0/24`. */
  readonly network: string | null
  readonly home: HomeQuestion | null
}

/** Digits that a stored phone begins or ends with. */
type Phone = { readonly beginnings: readonly string[]; readonly end: string }

/** `ул. Ленина, д. 15, кв. 3`: the words of city and street, and the numbers of house and flat. */
type HomeQuestion = { readonly words: readonly string[]; readonly numbers: readonly string[] }

/** More words than the longest name has only make the search dearer. */
const wordsMax = 8

export function readQuestion(text: string): Question {
  const mac = normalMac(text)
  const ip = isIP(text) === 0 || text.includes('%') ? null : text
  const prefixes = prefixesOf(text)
  const network = text.includes('/') ? readNetwork(text) : null
  // Twelve digits may also be anything else.
  const isAddress = ip !== null || prefixes.length > 0 || network !== null || (mac !== null && /\D/.test(text))
  const phone = isAddress ? null : readPhone(text)
  // Digits apart are those of a phone, not words.
  const hasWords = !isAddress && (phone === null || /^\d+$/.test(text))
  const words = hasWords ? [...new Set(searchWords(text))].slice(0, wordsMax) : []
  return {
    text,
    words,
    number: parseId(text.replace(/^[#№]\s*/, '')),
    phone,
    mac,
    ip,
    prefixes,
    network,
    home: readHome(words),
  }
}

/** Networks larger than these are given to nobody. */
const bitsMin = 16

function prefixesOf(text: string): string[] {
  const prefix = parseIpv6Prefix(text)
  if (prefix) return [`${formatIpv6(prefix.address)}/${prefix.bits}`]
  const address = parseIpv4(text) === null && !text.includes('%') ? parseIpv6(text) : null
  if (!address) return []
  const around: string[] = []
  for (let bits = 128; bits >= bitsMin; bits--) {
    around.push(`${formatIpv6(address)}/${bits}`)
    address[(bits - 1) >> 3]! &= ~(0x80 >> ((bits - 1) & 7))
  }
  return around
}

/** Fewer are found by too many phones. */
const phoneDigitsMin = 4

function readPhone(text: string): Phone | null {
  if (!/^[+\d\s().-]+$/.test(text)) return null
  const digits = phoneDigits(text)
  if (digits.length < phoneDigitsMin || digits.length > 15) return null
  // An unfinished Russian number lacks its country code, or has 8 in its place.
  const unfinished = /^8/.test(digits) ? [`7${digits.slice(1)}`] : /^9/.test(digits) ? [`7${digits}`] : []
  return { beginnings: [digits, ...unfinished], end: digits }
}

/** What kind of place a name is of, which people say or leave out. */
const placeKinds = new Set(
  (
    'г город с село д дер деревня пос поселок рп мкр микрорайон ул улица пр прт просп проспект пер переулок пл площадь ' +
    'ш шоссе б р бул бульвар наб набережная проезд тупик дом корп корпус к стр строение кв квартира оф офис под подъезд ' +
    'city street st avenue ave road rd house no apt flat'
  ).split(' '),
)

function readHome(words: readonly string[]): HomeQuestion | null {
  const named = words.filter((word) => !placeKinds.has(word) && !/^\d/.test(word))
  return named.length === 0 ? null : { words: named, numbers: words.filter((word) => /^\d/.test(word)) }
}

import { type AttributeKind, type KnownAttribute, usualFormat, type VendorFormat } from './entry.ts'

/** Where a file of dictionaries continues: the text of an included file by its name, or why there is none. */
export type ReadIncluded = (name: string, from: string) => { path: string; text: string } | { fault: string }

type Definition = Omit<KnownAttribute, 'values'> & { values: Map<string, number> }
type Vendor = { number: number; format: VendorFormat }
type Line = { readonly words: readonly string[]; readonly at: string; readonly path: string }
type Fault = string | null

const kinds: ReadonlyMap<string, AttributeKind> = new Map(
  Object.entries<AttributeKind>({
    string: 'text',
    octets: 'octets',
    abinary: 'octets',
    integer: 'integer',
    uint32: 'integer',
    integer64: 'integer64',
    uint64: 'integer64',
    signed: 'signed',
    int32: 'signed',
    short: 'short',
    uint16: 'short',
    byte: 'byte',
    uint8: 'byte',
    date: 'date',
    ipaddr: 'ipv4',
    ipv4prefix: 'ipv4Prefix',
    ipv6addr: 'ipv6',
    ipv6prefix: 'ipv6Prefix',
    'combo-ip': 'anyIp',
    ifid: 'interfaceId',
    ether: 'ether',
    tlv: 'container',
    vsa: 'container',
    extended: 'container',
    'long-extended': 'container',
    evs: 'container',
  }),
)

/** The first and the last attribute whose space RFC 6929 extends, and the number of its vendor-specific attribute. */
export const extendedTypes = { first: 241, firstLong: 245, last: 246, vendorSpecific: 26 } as const
const isExtended = (type: number) => type >= extendedTypes.first && type <= extendedTypes.last
const vendorMax = 0xff_ffff
const includesMax = 500

/** Files in the format of FreeRADIUS's dictionaries, read line by line. */
export class DictionaryParser {
  readonly attributes: KnownAttribute[] = []
  readonly vendors = new Map<number, VendorFormat>()
  readonly #read: ReadIncluded
  readonly #byName: Map<string, Definition>
  readonly #vendors: Map<string, Vendor>
  /** Names of attributes that exist inside FreeRADIUS only; their values are passed over. */
  readonly #internal = new Set<string>()
  /** Values may stand before their attribute, so they are looked up at the end. */
  readonly #values: Line[] = []
  #vendor: (Vendor & { name: string; carrier: number | null }) | null = null
  #parents: Definition[] = []
  #includes = 0

  /**
   * The fault of a line is told with its file and its number, `dictionary.acme[12]: …`. What `before` has read may be
   * referred to: vendors, and attributes that get further values.
   */
  static parse(
    path: string,
    text: string,
    read: ReadIncluded,
    before: DictionaryParser | null = null,
  ): DictionaryParser | { fault: string } {
    const parser = new DictionaryParser(read, before)
    const fault = parser.#file(path, text) ?? parser.#nameValues()
    return fault === null ? parser : { fault }
  }

  private constructor(read: ReadIncluded, before: DictionaryParser | null) {
    this.#read = read
    this.#byName = new Map(before === null ? [] : before.#byName)
    this.#vendors = new Map(before === null ? [] : before.#vendors)
  }

  #file(path: string, text: string): Fault {
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const words = raw
        .replace(/(^|\s)#.*$/, '')
        .trim()
        .split(/\s+/)
      if (words[0] === '') continue
      const at = `${path}[${index + 1}]`
      const line: Line = { words, at, path }
      // The fault of an included file names the line of that file.
      const fault = words[0]!.toUpperCase().startsWith('$INCLUDE') ? this.#include(line) : located(at, this.#line(line))
      if (fault !== null) return fault
    }
    if (this.#vendor === null && this.#parents.length === 0) return null
    const open =
      this.#parents.length > 0 ? `BEGIN-TLV ${this.#parents.at(-1)!.name}` : `BEGIN-VENDOR ${this.#vendor!.name}`
    return `${path}: ${open} has no end.`
  }

  #include({ words, at, path }: Line): Fault {
    if (words.length !== 2) return `${at}: $INCLUDE needs the name of one file.`
    if (++this.#includes > includesMax) return `${at}: the files include each other without end.`
    const found = this.#read(words[1]!, path)
    if ('text' in found) return this.#file(found.path, found.text)
    return words[0] === '$INCLUDE-' ? null : `${at}: ${found.fault}`
  }

  #line(line: Line): Fault {
    switch (line.words[0]!.toUpperCase()) {
      case 'ATTRIBUTE':
        return this.#attribute(line.words)
      case 'VALUE':
        this.#values.push(line)
        return line.words.length === 4 ? null : 'VALUE needs an attribute, a name and a number.'
      case 'VENDOR':
        return this.#defineVendor(line.words)
      case 'BEGIN-VENDOR':
        return this.#beginVendor(line.words)
      case 'END-VENDOR':
        if (this.#vendor?.name !== line.words[1]?.toLowerCase()) return 'END-VENDOR ends no vendor that has begun.'
        this.#vendor = null
        return null
      case 'BEGIN-TLV': {
        const parent = this.#byName.get(line.words[1]?.toLowerCase() ?? '')
        if (parent?.kind !== 'container') return `"${line.words[1]}" is no attribute of the type tlv.`
        this.#parents.push(parent)
        return null
      }
      case 'END-TLV':
        if (this.#parents.at(-1)?.name.toLowerCase() !== line.words[1]?.toLowerCase())
          return 'END-TLV ends no TLV that has begun.'
        this.#parents.pop()
        return null
      default:
        return `"${line.words[0]}" is not a word of a dictionary.`
    }
  }

  #defineVendor([, name, numberText, formatText]: readonly string[]): Fault {
    const number = numberOf(numberText)
    if (name === undefined || number === null || number < 1 || number > vendorMax) {
      return `VENDOR needs a name and a number from 1 to ${vendorMax}.`
    }
    const format = formatText === undefined ? usualFormat : readFormat(formatText)
    if (format === null) return `"${formatText}" is no format of a vendor; formats are as in format=2,1.`
    this.#vendors.set(name.toLowerCase(), { number, format })
    this.vendors.set(number, format)
    return null
  }

  #beginVendor([, name, options]: readonly string[]): Fault {
    const vendor = this.#vendors.get(name?.toLowerCase() ?? '')
    if (!vendor) return `There is no VENDOR "${name}".`
    if (this.#vendor) return `BEGIN-VENDOR ${this.#vendor.name} has not ended.`
    let carrier: number | null = null
    if (options !== undefined) {
      const parent = this.#byName.get(/^(?:format|parent)=(.+)$/i.exec(options)?.[1]?.toLowerCase() ?? '')
      if (parent?.nested[0] !== extendedTypes.vendorSpecific || !isExtended(parent.type)) {
        return `"${options}" names no attribute of the type evs.`
      }
      carrier = parent.type
    }
    this.#vendor = { ...vendor, name: name!.toLowerCase(), carrier }
    return null
  }

  #attribute([, name, numbersText, typeText, ...options]: readonly string[]): Fault {
    if (name === undefined || numbersText === undefined || typeText === undefined) {
      return 'ATTRIBUTE needs a name, a number and a type.'
    }
    const named = options.length > 0 ? this.#vendors.get(options[0]!.toLowerCase()) : undefined
    const vendor = named ? { ...named, carrier: null } : this.#vendor
    const path = this.#pathOf(numbersText)
    if (path === null) return `"${numbersText}" is no number of an attribute.`
    const [, bare = '', lengthText] = /^([a-z0-9-]+)(?:\[(\d+)\])?$/i.exec(typeText) ?? []
    const kind = kinds.get(bare.toLowerCase())
    if (kind === undefined) return `"${typeText}" is no type of an attribute.`
    const flags = readFlags(options.slice(named ? 1 : 0))
    if (typeof flags === 'string') return flags
    const format = vendor?.carrier == null ? (vendor?.format ?? usualFormat) : usualFormat
    const [type = 0, ...nested] = path
    if (vendor === null && nested.length === 0 && (type > 255 || flags.isVirtual)) {
      this.#internal.add(name.toLowerCase())
      return null
    }
    const typeMax = vendor === null ? 255 : Math.min(256 ** format.typeBytes, 2 ** 29) - 1
    if (type > typeMax || (vendor === null && type < 1) || nested.some((number) => number > 255)) {
      return `"${numbersText}" is no number of an attribute.`
    }
    this.#define({
      name,
      type,
      vendor: vendor?.number ?? null,
      nested,
      format,
      carrier: vendor?.carrier ?? null,
      kind: flags.isHidden ? 'hidden' : flags.hasTag ? (kind === 'integer' ? 'taggedInteger' : 'taggedText') : kind,
      length: lengthText === undefined ? null : Number(lengthText),
      encryption: flags.encryption,
      isSplit: flags.isSplit,
      values: new Map(),
    })
    return null
  }

  #define(attribute: Definition): void {
    this.#byName.set(attribute.name.toLowerCase(), attribute)
    this.attributes.push(attribute)
  }

  /** `26`, `0x1a` or `146.1`; within BEGIN-TLV the numbers of the parents come first. */
  #pathOf(text: string): number[] | null {
    const own = text.split('.').map(numberOf)
    if (own.some((number) => number === null) || own.length > 6) return null
    const parent = this.#parents.at(-1)
    return [...(parent ? [parent.type, ...parent.nested] : []), ...(own as number[])]
  }

  #nameValues(): Fault {
    for (const { words, at } of this.#values) {
      const [, attributeName = '', name = '', numberText] = words
      const attribute = this.#byName.get(attributeName.toLowerCase())
      const number = numberOf(numberText)
      if (!attribute && this.#internal.has(attributeName.toLowerCase())) continue
      if (!attribute) return `${at}: there is no ATTRIBUTE "${attributeName}".`
      // Values of 64 bits have no names in what we send.
      if (number === null) return `${at}: "${numberText}" is no number.`
      attribute.values.set(name.toLowerCase(), number)
    }
    return null
  }
}

const located = (at: string, fault: Fault): Fault => (fault === null ? null : `${at}: ${fault}`)

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^(0x[0-9a-f]{1,8}|\d{1,10})$/i.test(text) ? Number(text) : null
}

function readFormat(text: string): VendorFormat | null {
  const match = /^format=([124]),([012])(,c)?$/i.exec(text)
  return match && { typeBytes: Number(match[1]), lengthBytes: Number(match[2]), hasFlags: match[3] !== undefined }
}

type Flags = { hasTag: boolean; encryption: 0 | 1 | 2; isHidden: boolean; isSplit: boolean; isVirtual: boolean }

/** `has_tag,encrypt=2`. Flags that change nothing of what is sent are passed over. */
function readFlags(options: readonly string[]): Flags | string {
  const flags: Flags = { hasTag: false, encryption: 0, isHidden: false, isSplit: false, isVirtual: false }
  for (const flag of options.join(',').toLowerCase().split(',')) {
    if (flag === '' || flag === 'array' || flag === 'secret') continue
    if (flag === 'has_tag') flags.hasTag = true
    else if (flag === 'concat') flags.isSplit = true
    else if (flag === 'virtual') flags.isVirtual = true
    else if (flag === 'encrypt=1' || flag === 'encrypt=user-password') flags.encryption = 1
    else if (flag === 'encrypt=2' || flag === 'encrypt=tunnel-password') flags.encryption = 2
    else if (flag === 'encrypt=3' || flag === 'encrypt=ascend-secret') flags.isHidden = true
    else if (flag !== 'encrypt=0') return `"${flag}" is no flag of an attribute.`
  }
  return flags
}

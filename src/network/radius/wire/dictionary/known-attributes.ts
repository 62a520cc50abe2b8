import { join } from 'node:path'
import { attributes as numbers, microsoft, vendors } from '../attribute-types.ts'
import { type AttributeKind, type KnownAttribute, usualFormat, type VendorFormat } from './entry.ts'
import { readDictionaries } from './folder.ts'
import type { DictionaryParser } from './parser.ts'

/** Passwords, challenges and what RFC 2865, 2869 and 3579 use to carry an exchange on, or to prove it. */
const protocolTypes: ReadonlySet<number> = new Set([3, 24, 26, 33, 60, 70, 79, 80, 84])

const microsoftProtocol: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 11, 25, 26, 27])
const microsoftKeys: ReadonlySet<number> = new Set([
  microsoft.chapMppeKeys,
  microsoft.mppeSendKey,
  microsoft.mppeRecvKey,
])

const byName = new Map<string, KnownAttribute>()
const byNumber = new Map<string, KnownAttribute>()
const formats = new Map<number, VendorFormat>()

/**
 * The attributes an operator may name, in one place. Names and numbers of those shipped are those of FreeRADIUS's
 * dictionaries, so that what is written in manuals and forums can be pasted.
 */
const shipped = readShipped()
take(shipped)

function readShipped(): DictionaryParser {
  const read = readDictionaries(join(import.meta.dirname, '../dictionaries'))
  if ('fault' in read) throw new Error(read.fault)
  return read
}

/**
 * Adds the dictionaries of a folder of the operator; a name that is known already is defined anew. Returns what is
 * wrong with them, or null.
 */
export function addDictionaries(folder: string): string | null {
  const read = readDictionaries(folder, shipped)
  if ('fault' in read) return read.fault
  take(read)
  return null
}

function take({ attributes, vendors }: DictionaryParser): void {
  for (const [vendor, format] of vendors) formats.set(vendor, format)
  for (const parsed of attributes) {
    const reserved = reservedKind(parsed)
    const attribute = reserved === null ? parsed : { ...parsed, kind: reserved }
    byName.set(attribute.name.toLowerCase(), attribute)
    if (!isPlain(attribute)) continue
    const key = `${attribute.vendor} ${attribute.type}`
    if (!byNumber.has(key)) byNumber.set(key, attribute)
  }
}

/** The kind of an attribute that only the program may write; null for one that an operator may configure. */
function reservedKind({ vendor, type, nested, carrier }: KnownAttribute): AttributeKind | null {
  if (carrier !== null || nested.length > 0) return null
  if (vendor === null) return type === numbers.userPassword ? 'hidden' : protocolTypes.has(type) ? 'protocol' : null
  if (vendor !== vendors.microsoft) return null
  return microsoftKeys.has(type) ? 'hidden' : microsoftProtocol.has(type) ? 'protocol' : null
}

/** Whether an attribute stands in an answer by itself, under a number of one octet. */
function isPlain({ nested, carrier, kind, format }: KnownAttribute): boolean {
  return nested.length === 0 && carrier === null && kind !== 'container' && format.typeBytes === 1
}

/** By its name in any case of letters. */
export function findAttribute(name: string): KnownAttribute | null {
  return byName.get(name.toLowerCase()) ?? null
}

/** By its number; the vendor is null for the attributes of the RFCs. For showing packets to people. */
export function attributeOf(type: number, vendor: number | null = null): KnownAttribute | null {
  return byNumber.get(`${vendor} ${type}`) ?? null
}

/** An attribute that no dictionary names; its value is octets. */
export const unknownAttribute = (name: string, type: number, vendor: number | null): KnownAttribute => ({
  name,
  type,
  vendor,
  nested: [],
  format: formatOf(vendor),
  carrier: null,
  kind: 'octets',
  length: null,
  encryption: 0,
  isSplit: false,
  values: new Map(),
})

const formatOf = (vendor: number | null): VendorFormat => (vendor === null ? null : formats.get(vendor)) ?? usualFormat

/** Every attribute that may be named. */
export const knownAttributes = (): KnownAttribute[] => [...byName.values()]

/** The names of those that stand by themselves, for completion in a form. */
export function attributeNames(): string[] {
  return knownAttributes().flatMap((attribute) => (isPlain(attribute) ? [attribute.name] : []))
}

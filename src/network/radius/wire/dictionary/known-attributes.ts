import { join } from 'node:path'
import { type KnownAttribute, usualFormat, type VendorFormat } from './entry.ts'
import { readDictionaries } from './folder.ts'
import type { DictionaryParser } from './parser.ts'
import { reservedKind } from './reserved.ts'

export type { KnownAttribute } from './entry.ts'

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

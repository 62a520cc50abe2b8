import { type AttributeFault, faultOf } from './attribute-fault.ts'
import { type AttributeKey, keyOf } from './attribute-key.ts'
import { attributes } from './attribute-types.ts'
import { isNamedValue, type NamedValue, readName } from './dictionary.ts'
import { isRepeatable } from './dictionary/repeatable.ts'
import { type CompiledLine, type PlaceValues, place, placeNames, renderLine } from './template-line.ts'

export const templateParts = ['accept', 'coa', 'garden'] as const
export type TemplatePart = (typeof templateParts)[number]

export type CompiledTemplate = Readonly<Record<TemplatePart, readonly CompiledLine[]>>

const samples: readonly PlaceValues[] = [
  { downKbit: 100_000, upKbit: 50_000, vlan: 1, list: 'debtors' },
  { downKbit: 0x7fff_ffff, upKbit: 1, vlan: 4094, list: 'debtors' },
]

/** Attributes of an Access-Accept that the program writes itself. */
const ownAttributes: ReadonlySet<AttributeKey> = new Set([
  attributes.framedIpAddress,
  attributes.framedIpv6Prefix,
  attributes.delegatedIpv6Prefix,
  attributes.sessionTimeout,
  attributes.acctInterimInterval,
  attributes.class,
])

/** What is wrong, and the line that it is about, counted from 0. */
export type TemplateFault = AttributeFault & { readonly part: TemplatePart; readonly line: number }

/** The template of a NasEntry for the workers, or what is wrong with it. */
export function compileTemplate(
  template: Readonly<Record<TemplatePart, readonly NamedValue[]>>,
): CompiledTemplate | TemplateFault {
  const compiled: Record<TemplatePart, CompiledLine[]> = { accept: [], coa: [], garden: [] }
  for (const part of templateParts) {
    for (const [line, written] of template[part].entries()) {
      const read = compileLine(written)
      if ('fault' in read) return { ...read, part, line }
      compiled[part].push(read)
    }
  }
  return repeated(compiled, ['accept', 'garden']) ?? repeated(compiled, ['coa']) ?? compiled
}

/** Whether a value that is not trusted can be one part of a template. */
export const isTemplatePart = (lines: unknown): lines is NamedValue[] =>
  Array.isArray(lines) && lines.every(isNamedValue)

function compileLine({ name, value }: NamedValue): CompiledLine | AttributeFault {
  const named = readName(name)
  if ('fault' in named) return named
  const { attribute, tag } = named
  const text = String(value)
  for (const [written, inside] of text.matchAll(place)) {
    if (!placeNames.includes(inside!)) {
      const names = placeNames.map((one) => `{${one}}`).join(', ')
      return faultOf('place', { attribute: attribute.name, value: written, names })
    }
  }
  const key = keyOf(attribute)
  if (ownAttributes.has(key)) return faultOf('own', { attribute: attribute.name })
  if (attribute.encryption !== 0) return faultOf('encrypted', { attribute: attribute.name })
  const line = { attribute, tag, key, value: text }
  for (const sample of samples) {
    const encoded = renderLine(line, sample)
    if (encoded !== null && 'fault' in encoded) return encoded
  }
  return line
}

/** The second of two lines with an attribute that one answer of these parts carries once. */
function repeated(template: CompiledTemplate, parts: readonly TemplatePart[]): TemplateFault | null {
  const seen = new Set<AttributeKey>()
  for (const part of parts) {
    for (const [line, { attribute, key }] of template[part].entries()) {
      if (isRepeatable(attribute)) continue
      if (seen.has(key)) return { ...faultOf('repeated', { attribute: attribute.name }), part, line }
      seen.add(key)
    }
  }
  return null
}

import { type AttributeKey, keyOf } from './attribute-key.ts'
import { attributes } from './attribute-types.ts'
import { readName } from './dictionary.ts'
import { isRepeatable } from './dictionary/repeatable.ts'
import { type CompiledLine, type PlaceValues, place, placeNames, renderLine } from './template-line.ts'

type Line = { readonly name: string; readonly value: string | number }

const templateParts = ['accept', 'coa', 'garden'] as const
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

/** The template of a NasEntry for the workers, or what is wrong with it, a sentence for the operator. */
export function compileTemplate(
  template: Readonly<Record<TemplatePart, readonly Line[]>>,
): CompiledTemplate | { fault: string } {
  const compiled: Record<TemplatePart, CompiledLine[]> = { accept: [], coa: [], garden: [] }
  for (const part of templateParts) {
    for (const line of template[part]) {
      const read = compileLine(line)
      if ('fault' in read) return read
      compiled[part].push(read)
    }
  }
  const twice = repeated([...compiled.accept, ...compiled.garden]) ?? repeated(compiled.coa)
  return twice === null ? compiled : { fault: `${twice} stands once in an answer, and this template has it twice.` }
}

/** Whether this can be one part of a template; it is not trusted. */
export const isTemplatePart = (lines: unknown): lines is Line[] => Array.isArray(lines) && lines.every(isLine)

function isLine(line: unknown): line is Line {
  if (typeof line !== 'object' || line === null || !('name' in line) || !('value' in line)) return false
  return typeof line.name === 'string' && (typeof line.value === 'string' || typeof line.value === 'number')
}

function compileLine({ name, value }: Line): CompiledLine | { fault: string } {
  const named = readName(name)
  if ('fault' in named) return named
  const { attribute, tag } = named
  const text = String(value)
  for (const [written, inside] of text.matchAll(place)) {
    if (!placeNames.includes(inside!)) {
      return {
        fault: `${attribute.name}: ${written} is no place; there are ${placeNames.map((one) => `{${one}}`).join(', ')}.`,
      }
    }
  }
  const key = keyOf(attribute)
  if (ownAttributes.has(key)) return { fault: `${attribute.name} is written by the program itself.` }
  if (attribute.encryption !== 0) return { fault: `${attribute.name} is encrypted and has no place in a template.` }
  const line = { attribute, tag, key, value: text }
  for (const sample of samples) {
    const encoded = renderLine(line, sample)
    if (encoded !== null && 'fault' in encoded) return encoded
  }
  return line
}

function repeated(lines: readonly CompiledLine[]): string | null {
  const single = lines.filter(({ attribute }) => !isRepeatable(attribute))
  return (
    single.find(({ key }, index) => single.slice(0, index).some((line) => line.key === key))?.attribute.name ?? null
  )
}

import { splitForm, unescaped } from '../../platform/http/form.ts'

/**
 * A posted form whose values are kept as bytes, because signatures are made over bytes and the encoding differs:
 * gateway B writes windows-1251, the others UTF-8.
 */
export class FormBytes {
  readonly fields: readonly { readonly name: string; readonly value: Buffer }[]

  constructor(fields: readonly { name: string; value: Buffer }[]) {
    this.fields = fields
  }

  has(name: string): boolean {
    return this.fields.some((field) => field.name === name)
  }

  /** The bytes of the first value of this name; an empty buffer when the field was not sent. */
  bytes(name: string): Buffer {
    return this.fields.find((field) => field.name === name)?.value ?? nothing
  }

  /** The first value of this name as text, see `textOf`. */
  text(name: string): string {
    return textOf(this.bytes(name))
  }
}

const nothing = Buffer.alloc(0)
const utf8 = new TextDecoder('utf-8', { fatal: true })
const windows1251 = new TextDecoder('windows-1251')

/** Decodes bytes as UTF-8, or as windows-1251 when they are not valid UTF-8. */
export function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return windows1251.decode(bytes)
  }
}

const byteOfCharacter = new Map(
  Array.from({ length: 256 }, (_, byte) => [windows1251.decode(Uint8Array.of(byte)), byte] as const),
)

/**
 * UTF-8 bytes re-encoded as windows-1251; null when they are not valid UTF-8 or hold a character windows-1251 lacks.
 */
export function asWindows1251(bytes: Buffer): Buffer | null {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return null
  }
  const mapped: number[] = []
  for (const character of text) {
    const byte = byteOfCharacter.get(character)
    if (byte === undefined) return null
    mapped.push(byte)
  }
  return Buffer.from(mapped)
}

/** Parses a form without guessing an encoding. Returns null when there are more fields than any gateway sends. */
export function readFormBytes(body: Buffer): FormBytes | null {
  const fields = splitForm(body)?.map(({ name, value }) => ({
    name: unescaped(name).toString('latin1'),
    value: unescaped(value),
  }))
  return fields ? new FormBytes(fields) : null
}

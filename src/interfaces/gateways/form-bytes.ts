/**
 * No gateway sends so many fields. Without the limit, a megabyte of one-letter fields would take far more memory than
 * its own size.
 */
const fieldsMax = 1000

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

/**
 * Parses application/x-www-form-urlencoded without guessing an encoding. A percent sign that two hexadecimal digits do
 * not follow is taken literally. Returns null when there are more fields than any gateway sends.
 */
export function readFormBytes(body: Buffer): FormBytes | null {
  const fields: { name: string; value: Buffer }[] = []
  for (let from = 0; from < body.length; ) {
    const at = body.indexOf(0x26, from)
    const end = at < 0 ? body.length : at
    if (end > from) {
      if (fields.length === fieldsMax) return null
      const pair = body.subarray(from, end)
      const equals = pair.indexOf(0x3d)
      const name = unescaped(equals < 0 ? pair : pair.subarray(0, equals)).toString('latin1')
      fields.push({ name, value: equals < 0 ? nothing : unescaped(pair.subarray(equals + 1)) })
    }
    from = end + 1
  }
  return new FormBytes(fields)
}

function unescaped(bytes: Buffer): Buffer {
  const plain = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    const escaped = byte === 0x25 ? (digitOf(bytes[at + 1]) << 4) | digitOf(bytes[at + 2]) : -1
    if (escaped >= 0) at += 2
    plain[length++] = escaped >= 0 ? escaped : byte === 0x2b ? 0x20 : byte
  }
  return plain.subarray(0, length)
}

/** The value of a hexadecimal digit, or -1. All bits of -1 are set, so `|` with another digit stays negative. */
function digitOf(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

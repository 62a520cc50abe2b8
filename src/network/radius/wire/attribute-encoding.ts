import { frameAttribute } from './attribute-frame.ts'
import { kinds } from './attribute-value.ts'
import type { KnownAttribute } from './dictionary/entry.ts'
import { passwordBytesMax } from './passwords.ts'
import { prepareSecret } from './secret-attributes.ts'

/** The attribute with its head, and where in it the octets begin that a worker encrypts; 0 for none. */
export function encodeAttribute(
  attribute: KnownAttribute,
  tag: number | null,
  value: string | number,
): { bytes: Buffer; secretAt: number } | { fault: string } {
  const encoded = kinds[attribute.kind].encode(String(value).trim(), attribute, tag)
  if (typeof encoded === 'string') return { fault: `${attribute.name} ${encoded}` }
  if (encoded.length === 0) return { fault: `${attribute.name} needs a value.` }
  if (attribute.length !== null && encoded.length !== attribute.length) {
    return { fault: `${attribute.name} holds ${attribute.length} bytes, and this value has ${encoded.length}.` }
  }
  if (attribute.encryption === 1 && encoded.length > passwordBytesMax) {
    return { fault: `${attribute.name} holds at most ${passwordBytesMax} bytes, and this value has ${encoded.length}.` }
  }
  const tagBytes = attribute.kind === 'taggedText' ? 1 : 0
  const prepared = attribute.encryption === 0 ? encoded : prepareSecret(attribute.encryption, encoded, tagBytes)
  const bytes = frameAttribute(attribute, prepared)
  if (typeof bytes === 'string') return { fault: `${attribute.name} ${bytes}` }
  if (attribute.encryption === 0) return { bytes, secretAt: 0 }
  if (bytes[1] !== bytes.length) return { fault: `${attribute.name} is too long to be encrypted.` }
  return { bytes, secretAt: bytes.length - prepared.length + (attribute.encryption === 2 ? tagBytes : 0) }
}

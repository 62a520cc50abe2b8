import { digestBytes } from './md5.ts'
import { encryptSalted } from './mppe.ts'
import { hidePassword } from './passwords.ts'
import type { SharedSecret } from './shared-secret.ts'
import type { PacketWriter } from './writer.ts'

/** RFC 2868 section 3.5: two octets of salt and one of length stand before the password. */
const saltBytes = 2

/**
 * A value as it is stored until a worker encrypts it: padded to whole blocks. One that is encrypted like a
 * Tunnel-Password (2) also has its tag, room for the salt, and its length.
 */
export function prepareSecret(encryption: 1 | 2, value: Buffer, tagBytes: number): Buffer {
  const clear = value.subarray(tagBytes)
  const head = encryption === 1 ? [] : [clear.length]
  const padded = Buffer.alloc(Math.max(1, Math.ceil((head.length + clear.length) / digestBytes)) * digestBytes)
  padded.set(head)
  padded.set(clear, head.length)
  const front = encryption === 1 ? [] : [...value.subarray(0, tagBytes), ...new Uint8Array(saltBytes)]
  return Buffer.concat([Uint8Array.from(front), padded])
}

/** Attributes one behind the other, each after two octets: how it is encrypted, and from where in it. */
export const packSecrets = (
  list: readonly { bytes: Uint8Array; encryption: 0 | 1 | 2; secretAt: number }[],
): Uint8Array =>
  Buffer.concat(list.flatMap(({ bytes, encryption, secretAt }) => [Uint8Array.of(encryption, secretAt), bytes]))

/**
 * Writes the attributes packed in packed[from..to), encrypted for one answer. No two attributes of a packet may share a
 * salt, so each takes the next one; returns the last that was taken.
 */
export function writeSecrets(
  writer: PacketWriter,
  packed: Uint8Array,
  from: number,
  to: number,
  requestAuthenticator: Uint8Array,
  secret: SharedSecret,
  lastSalt: number,
): number {
  let salt = lastSalt
  for (let at = from; at < to; ) {
    const begin = at + 2
    const end = begin + packed[begin + 1]!
    const start = writer.length
    if (writer.encoded(packed, begin, end)) {
      const value = writer.bytes.subarray(start + packed[at + 1]!, writer.length)
      if (packed[at] === 1) value.set(hidePassword(value, requestAuthenticator, secret))
      else {
        salt = (salt + 1) & 0x7fff
        encryptSalted(value, requestAuthenticator, secret, salt)
      }
    }
    at = end
  }
  return salt
}

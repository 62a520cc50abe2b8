import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { GcmBatch, nonceBytes, tagBytes } from './gcm-batch.ts'

/** The prefix of an encrypted text, before the id of its key; another number means another format. */
const version = 'sealed2:'
/** Texts that an earlier Tollgate sealed do not name their key. */
const withoutKeyId = 'sealed1:'
export const keyBytes = 32
const keyIdDigits = 8

/** A stored secret whose key is not known here, or that is damaged. */
export class SecretUnreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SecretUnreadable'
  }
}

/** Encrypts what must not be readable in a table. */
export type Sealing = { seal(clear: string): string }

/**
 * Passwords of logins, secrets of NAS and the like as they lie in the tables: AES-256-GCM, a new nonce each time, and
 * before it the id of the key.
 */
export class Secrets {
  /** Of the key that seals: 8 hexadecimal digits, which say nothing about the key. */
  readonly keyId: string
  readonly #key: Buffer
  readonly #prefix: string
  /** What opens, by the id of its key; the key that seals is the first. */
  readonly #sealing: ReadonlyMap<string, Buffer>
  readonly #batch: GcmBatch

  /** `key` seals; values that were sealed with one of the old keys open too. */
  constructor(key: Buffer, oldKeys: readonly Buffer[] = []) {
    this.#key = key
    this.keyId = keyIdOf(key)
    this.#prefix = `${version}${this.keyId}:`
    this.#sealing = new Map([key, ...oldKeys].map((one) => [keyIdOf(one), derivedKey(one, 'seal')]))
    this.#batch = new GcmBatch(this.#sealing.get(this.keyId)!)
  }

  /** The key that seals first, then the old ones. */
  get keyIds(): readonly string[] {
    return [...this.#sealing.keys()]
  }

  seal(text: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#sealing.get(this.keyId)!, nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return this.#prefix + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** Throws SecretUnreadable. */
  open(sealed: string): string {
    const opened = this.#opened(sealed)
    if (opened instanceof SecretUnreadable) throw opened
    return opened
  }

  /** As open for each of them, at a tenth of the cost for those that the present key has sealed. */
  openAll(sealed: readonly string[]): (string | SecretUnreadable)[] {
    const bytes = Buffer.allocUnsafe(sealed.reduce((sum, { length }) => sum + length, 0))
    const ends: number[] = []
    const places: number[] = []
    let end = 0
    for (const [place, one] of sealed.entries()) {
      if (!this.isSealedAnew(one)) continue
      const length = bytes.write(one.slice(this.#prefix.length), end, 'base64')
      if (length < nonceBytes + tagBytes) continue
      places.push(place)
      end += length
      ends.push(end)
    }
    const texts = this.#batch.open(bytes.subarray(0, end), ends)
    const opened: (string | null)[] = sealed.map(() => null)
    for (const [index, place] of places.entries()) opened[place] = texts[index]!
    return opened.map((text, place) => text ?? this.#opened(sealed[place]!))
  }

  #opened(sealed: string): string | SecretUnreadable {
    const found = this.#find(sealed)
    return 'fault' in found ? new SecretUnreadable(found.fault) : found.text
  }

  /** The id of the key that opens it; null: none that is known here. */
  openerOf(sealed: string): string | null {
    const found = this.#find(sealed)
    return 'fault' in found ? null : found.keyId
  }

  #find(sealed: string): { keyId: string; text: string } | { fault: string } {
    const keyEnd = version.length + keyIdDigits
    const named = sealed.startsWith(version) ? sealed.slice(version.length, keyEnd) : null
    if (named === null && !sealed.startsWith(withoutKeyId)) return { fault: 'This value was not sealed by Tollgate.' }
    const bytes = Buffer.from(sealed.slice(named === null ? withoutKeyId.length : keyEnd + 1), 'base64')
    if (bytes.length < nonceBytes + tagBytes) return { fault: 'This sealed value is cut short.' }
    for (const [keyId, key] of this.#sealing) {
      const text = named === null || named === keyId ? opened(bytes, key) : null
      if (text !== null) return { keyId, text }
    }
    return { fault: `This value was sealed with another key${named === null ? '' : `, ${named}`}, or is damaged.` }
  }

  /** Whether the key that seals now has sealed this. */
  isSealedAnew(sealed: string): boolean {
    return sealed.startsWith(this.#prefix)
  }

  /** A key of 32 bytes for another purpose (`jwt`); knowing one says nothing about the others. */
  derive(purpose: string): Buffer {
    return derivedKey(this.#key, purpose)
  }
}

const derivedKey = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `tollgate ${purpose}`, keyBytes))

export function keyIdOf(key: Buffer): string {
  if (key.length !== keyBytes) throw new Error(`A secret key has ${keyBytes} bytes, not ${key.length}.`)
  return derivedKey(key, 'key id').toString('hex').slice(0, keyIdDigits)
}

/** Null: sealed with another key, or damaged. */
function opened(bytes: Buffer, key: Buffer): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

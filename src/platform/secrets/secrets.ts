import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The prefix of an encrypted text, before the id of its key; another number means another format. */
const version = 'sealed2:'
/** Texts that an earlier Tollgate sealed do not name their key. */
const withoutKeyId = 'sealed1:'
const nonceBytes = 12
const tagBytes = 16
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
  /** The key that seals first, then the old ones. Whoever has them opens everything. */
  readonly keys: readonly Buffer[]
  readonly #prefix: string
  /** What opens, by the id of its key; the key that seals is the first. */
  readonly #sealing: ReadonlyMap<string, Buffer>

  /** `key` seals; values that were sealed with one of the old keys open too. */
  constructor(key: Buffer, oldKeys: readonly Buffer[] = []) {
    this.keys = [key, ...oldKeys]
    this.keyId = keyIdOf(key)
    this.#prefix = `${version}${this.keyId}:`
    this.#sealing = new Map(this.keys.map((one) => [keyIdOf(one), derivedKey(one, 'seal')]))
  }

  /** Those of another thread, which were sent as `keys`. */
  static ofKeys(keys: readonly Uint8Array[]): Secrets {
    const [key, ...oldKeys] = keys.map((bytes) => Buffer.from(bytes))
    return new Secrets(key!, oldKeys)
  }

  /** Of `keys`, in their order. */
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
    const found = this.#find(sealed)
    if ('fault' in found) throw new SecretUnreadable(found.fault)
    return found.text
  }

  /** Null for a value that `open` throws for. */
  openOrNull(sealed: string): string | null {
    const found = this.#find(sealed)
    return 'fault' in found ? null : found.text
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
    return derivedKey(this.keys[0]!, purpose)
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

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scryptSync } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartRefusal } from '../postgres/data-folder.ts'

/** The prefix of an encrypted text; another number means another format. */
const version = 'sealed1:'
const nonceBytes = 12
const tagBytes = 16
const keyBytes = 32
const fileName = 'secret.key'

/** A stored secret that this key does not decrypt, or that is damaged. */
export class SecretUnreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SecretUnreadable'
  }
}

/** Encrypts what must not be readable in a table. */
export type Sealing = { seal(clear: string): string }

/** Passwords of logins, secrets of NAS and the like as they lie in the tables: AES-256-GCM, a new nonce each time. */
export class Secrets {
  readonly #key: Buffer
  readonly #sealing: Buffer

  constructor(key: Buffer) {
    if (key.length !== keyBytes) throw new Error(`A secret key has ${keyBytes} bytes, not ${key.length}.`)
    this.#key = key
    this.#sealing = this.derive('seal')
  }

  seal(text: string): string {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return version + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** Throws SecretUnreadable. */
  open(sealed: string): string {
    if (!sealed.startsWith(version)) throw new SecretUnreadable('This value was not sealed by Tollgate.')
    const bytes = Buffer.from(sealed.slice(version.length), 'base64')
    if (bytes.length < nonceBytes + tagBytes) throw new SecretUnreadable('This sealed value is cut short.')
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#sealing, bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      throw new SecretUnreadable(
        `This value was sealed with another key. Start with the TOLLGATE_SECRET_KEY, or the file ${fileName} of the data folder, it was sealed with.`,
      )
    }
  }

  /** A key of 32 bytes for another purpose (`jwt`); knowing one says nothing about the others. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `tollgate ${purpose}`, keyBytes))
  }
}

/**
 * The key of this installation: stretched from TOLLGATE_SECRET_KEY where that is set, else the one in the data folder,
 * made there the first time (mode 0600). Throws StartRefusal.
 */
export function loadOrCreateSecretKey(dataDir: string, fromEnvironment?: string | null): Buffer {
  // The salt is fixed: every node that is given the same text must arrive at the same key.
  if (fromEnvironment) return scryptSync(fromEnvironment, 'tollgate secret key', keyBytes, { N: 2 ** 14, r: 8, p: 1 })
  const file = join(dataDir, fileName)
  return readKey(file) ?? createKey(file)
}

function readKey(file: string): Buffer | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartRefusal(
      `The key that opens stored secrets cannot be read from ${file}: ${(error as Error).message}.`,
    )
  }
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new StartRefusal(
    `${file} does not hold a key (64 hexadecimal digits). Bring it back from a backup: without it stored passwords cannot be read.`,
  )
}

/** Written aside and linked into place, so that nobody reads half a key and of two programs one wins. */
function createKey(file: string): Buffer {
  const key = randomBytes(keyBytes)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, file)
    return key
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readKey(file) : null
    if (winner) return winner
    throw new StartRefusal(`The key that seals secrets cannot be written to ${file}: ${(error as Error).message}.`)
  } finally {
    rmSync(draft, { force: true })
  }
}

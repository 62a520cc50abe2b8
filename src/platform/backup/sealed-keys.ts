import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import type { KeptKeys } from '../storage/key-source.ts'
import { parsed } from './manifest.ts'
import { BackupRefusal } from './refusal.ts'

/** A guess costs 128 MB of memory and a third of a second of CPU. */
const cost = { N: 2 ** 17, r: 8, p: 1 } as const
const method = 'aes-256-gcm'
/** A shorter one, which could be guessed, is refused. */
const authTagLength = 16
const memoryBytesMax = 512 * 2 ** 20

const sealedSchema = Type.Object({
  method: Type.Literal('scrypt, AES-256-GCM'),
  // An archive from elsewhere must not take all memory there is.
  N: Type.Integer({ minimum: 2, maximum: 2 ** 20 }),
  r: Type.Integer({ minimum: 1, maximum: 16 }),
  p: Type.Integer({ minimum: 1, maximum: 4 }),
  salt: Type.String(),
  nonce: Type.String(),
  tag: Type.String(),
  sealed: Type.String(),
})
type Sealed = Static<typeof sealedSchema>
const isSealed = new Ajv({ meta: false, validateSchema: false }).compile(sealedSchema)

/** Seals the keys by a passphrase, together with the manifest: whoever opens them knows that it was not altered. */
export async function sealKeys(keys: KeptKeys, passphrase: string, manifest: Buffer): Promise<Sealed> {
  const salt = randomBytes(16)
  const nonce = randomBytes(12)
  const cipher = createCipheriv(method, await stretched(passphrase, salt, cost), nonce, { authTagLength })
  cipher.setAAD(manifest)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(keys)), cipher.final()])
  return {
    method: 'scrypt, AES-256-GCM',
    ...cost,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    sealed: sealed.toString('base64'),
  }
}

/** Throws BackupRefusal when the passphrase is another, or the archive is not as it was made. */
export async function openKeys(text: string, passphrase: string, manifest: Buffer): Promise<KeptKeys> {
  const sealed = parsed(text)
  if (!isSealed(sealed)) throw new BackupRefusal('The sealed keys of the archive are damaged: take another copy of it.')
  const { salt, nonce, tag, sealed: bytes, N, r, p } = sealed as Sealed
  try {
    const key = await stretched(passphrase, Buffer.from(salt, 'base64'), { N, r, p })
    const decipher = createDecipheriv(method, key, Buffer.from(nonce, 'base64'), { authTagLength })
    decipher.setAAD(manifest)
    decipher.setAuthTag(Buffer.from(tag, 'base64'))
    const opened = Buffer.concat([decipher.update(Buffer.from(bytes, 'base64')), decipher.final()])
    return JSON.parse(opened.toString()) as KeptKeys
  } catch {
    throw new BackupRefusal(
      'The passphrase does not open the keys of this archive: it is another one, or somebody has altered the archive.',
    )
  }
}

const derive = promisify((text: string, salt: Buffer, of: object, done: (error: Error | null, key: Buffer) => void) =>
  scrypt(text, salt, 32, of, done),
)

const stretched = (passphrase: string, salt: Buffer, of: { N: number; r: number; p: number }): Promise<Buffer> =>
  derive(passphrase.normalize('NFC'), salt, { ...of, maxmem: memoryBytesMax })

import { withAdvisoryLock } from './advisory-locks.ts'
import { createKeyFile, type KeyConfig, keepOldKey, newKey, readKeySource, replaceKeyFile } from './key-source.ts'
import { replaceSealed, sealedColumns, sealedPages } from './sealed-values.ts'
import { fitOf, forgetOtherKeys, neededKeys, outgoingKeys, useLock, writeNeededKeys } from './secret-keys.ts'
import { keyIdOf, Secrets } from '../secrets/secrets.ts'
import type { Client } from './sql.ts'

export type RotationOutcome =
  | { readonly kind: 'refused'; readonly sentence: string }
  | {
      readonly kind: 'rotated'
      readonly keyId: string
      readonly oldKeyIds: readonly string[]
      readonly resealed: number
      /** Values that no known key opens; they stay as they are. */
      readonly unreadable: number
      /** Files that the old keys are kept in; none where the keys come from the environment. */
      readonly keptFiles: readonly string[]
    }

/**
 * Seals every value with a new key. It may be cut off anywhere and is completed by the next call: both keys are known
 * from before the first value is sealed anew until after the last one, first in the key file and then in the database.
 * `onStep` is called between any two things that are written.
 */
export async function rotateKey(
  url: string,
  config: KeyConfig,
  onStep: () => void = () => {},
): Promise<RotationOutcome> {
  return await withAdvisoryLock(url, 'secretKeys', async (client) => {
    const source = readKeySource(config)
    const fit = await fitOf(client, source)
    if (fit.kind === 'refused') return fit
    if (source.keys.length === 0)
      return { kind: 'refused', sentence: 'There is no key yet; the first start makes one.' }
    // A second key in the file is what a rotation that was cut off has left.
    const keys = source.kind === 'file' && source.keys.length === 1 ? [newKey(), ...source.keys] : source.keys
    const [key, ...old] = keys as readonly [Buffer, ...Buffer[]]
    const secrets = new Secrets(key, old)
    const oldKeyIds = outgoingKeys(source, secrets, fit.needed)
    if (oldKeyIds.length === 0 && source.kind === 'environment')
      return { kind: 'refused', sentence: environmentSentence }
    if (await isInUse(client, oldKeyIds)) return { kind: 'refused', sentence: inUseSentence(oldKeyIds) }
    if (source.kind === 'file') replaceKeyFile(source.file, keys)
    onStep()
    await writeNeededKeys(client, [...fit.needed, secrets.keyId])
    onStep()
    const sealed = await resealAll(client, secrets, onStep)
    await forgetOtherKeys(client, secrets.keyId)
    onStep()
    const keptFiles = source.kind === 'file' ? old.map((one) => keepOldKey(source.file, one)) : []
    onStep()
    if (source.kind === 'file') replaceKeyFile(source.file, [key])
    return { kind: 'rotated', keyId: secrets.keyId, oldKeyIds, ...sealed, keptFiles }
  })
}

/**
 * For a key that is lost for good: the database no longer needs it, and the present key, or a new one, seals from now
 * on. What the lost key sealed stays unreadable.
 */
export async function forgetLostKey(
  url: string,
  config: KeyConfig,
): Promise<{ kind: 'refused'; sentence: string } | { kind: 'forgotten'; keyId: string }> {
  return await withAdvisoryLock(url, 'secretKeys', async (client) => {
    const source = readKeySource(config)
    if ((await fitOf(client, source)).kind === 'fits')
      return { kind: 'refused', sentence: 'The key is not lost: it opens the secrets of this database.' }
    const lost = await neededKeys(client)
    if (await isInUse(client, lost)) return { kind: 'refused', sentence: inUseSentence(lost) }
    const keyId = keyIdOf(source.keys[0] ?? createKeyFile(config))
    await writeNeededKeys(client, [keyId])
    await forgetOtherKeys(client, keyId)
    return { kind: 'forgotten', keyId }
  })
}

const environmentSentence =
  'The key comes from TOLLGATE_SECRET_KEY: stop Tollgate on every node, set TOLLGATE_SECRET_KEY_OLD to its present text and TOLLGATE_SECRET_KEY to a new one (`openssl rand -hex 32` makes one) on all of them, and run this again.'

const inUseSentence = (keyIds: readonly string[]): string =>
  `Tollgate, or a command of it, runs on this database with key ${keyIds.join(' or ')} and would not understand what another key seals: stop it on every node, and run this again.`

/** Whether a program that seals with one of these keys runs. If not, none begins to while the connection lasts. */
async function isInUse(client: Client, keyIds: readonly string[]): Promise<boolean> {
  for (const id of keyIds) {
    const { rows } = await client.query<{ free: boolean }>(`SELECT pg_try_advisory_lock(${useLock(id)}) AS free`)
    if (!rows[0]!.free) return true
  }
  return false
}

async function resealAll(client: Client, secrets: Secrets, onStep: () => void) {
  // Nothing changes for those who hold these rows in memory, so they need no notice.
  await client.query(`SET tollgate.writer = 'on'`)
  let resealed = 0
  let unreadable = 0
  for (const column of sealedColumns) {
    for await (const page of sealedPages(client, column)) {
      const old = page.filter(({ value }) => !secrets.isSealedAnew(value))
      const readable = old.filter(({ value }) => secrets.openerOf(value) !== null)
      const values = readable.map(({ key, value }) => ({
        key,
        before: value,
        after: secrets.seal(secrets.open(value)),
      }))
      if (values.length > 0) await replaceSealed(client, column, values)
      resealed += values.length
      unreadable += old.length - values.length
      onStep()
    }
  }
  return { resealed, unreadable }
}

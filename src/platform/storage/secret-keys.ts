import { StartRefusal } from '../start-refusal.ts'
import { advisoryLocks, withAdvisoryLock } from './advisory-locks.ts'
import { createKeyFile, type KeyConfig, type KeySource, readKeySource } from './key-source.ts'
import { someSealedValues } from './sealed-values.ts'
import { Secrets } from '../secrets/secrets.ts'
import type { Client } from './sql.ts'

/** How keys and database stand to each other. */
export type KeyFit =
  /** `needed`: the ids of the keys that seal its values, as far as known; `secrets` null: there is no key at all. */
  | { readonly kind: 'fits'; readonly secrets: Secrets | null; readonly needed: readonly string[] }
  | { readonly kind: 'refused'; readonly sentence: string }

/** The keys of this installation, checked against what the database needs. Changes nothing. */
export async function fitOf(client: Client, source: KeySource): Promise<KeyFit> {
  const [key, ...old] = source.keys
  const secrets = key ? new Secrets(key, old) : null
  const needed = await neededKeys(client)
  const missing = needed.filter((id) => !secrets?.keyIds.includes(id))
  if (missing.length > 0)
    return { kind: 'refused', sentence: refusalOf(`key ${missing.join(' and ')}`, source, secrets) }
  if (needed.length > 0) return { kind: 'fits', secrets, needed }
  // Nothing has been written down yet: the database is new, or of an earlier Tollgate.
  const values = await someSealedValues(client)
  const openers = new Set(values.map((value) => secrets?.openerOf(value)).filter((id) => typeof id === 'string'))
  if (values.length > 0 && openers.size === 0)
    return { kind: 'refused', sentence: refusalOf('another key', source, secrets) }
  return { kind: 'fits', secrets, needed: [...openers] }
}

/** The keys that a rotation takes out of use: those beside the one that seals. */
export const outgoingKeys = (source: KeySource, secrets: Secrets, needed: readonly string[]): readonly string[] =>
  // Of the environment's, one that nothing is sealed with any more was left there, perhaps for another database.
  (source.kind === 'file' ? secrets.keyIds : needed).filter((id) => id !== secrets.keyId)

/** Oldest first; none when nobody has written them down yet. */
export async function neededKeys(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ key_id: string }>('SELECT key_id FROM secret_keys ORDER BY since, key_id')
  return rows.map(({ key_id }) => key_id)
}

export const writeNeededKeys = (client: Client, keyIds: readonly string[]) =>
  client.query('INSERT INTO secret_keys (key_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [keyIds])

export const forgetOtherKeys = (client: Client, keyId: string) =>
  client.query('DELETE FROM secret_keys WHERE key_id <> $1', [keyId])

function refusalOf(needed: string, source: KeySource, secrets: Secrets | null): string {
  const present =
    source.kind === 'environment'
      ? `TOLLGATE_SECRET_KEY gives key ${secrets?.keyId}`
      : secrets
        ? `${source.file} holds key ${secrets.keyId}`
        : `there is no ${source.file}`
  return `The secrets of this database were sealed with ${needed}, and ${present}: bring back the file secret.key that belongs to this database from a backup, or set TOLLGATE_SECRET_KEY to what it was; if that key is lost for good, \`tollgate secret_key --help\` says how to go on without it.`
}

/** Shared by everybody who seals with a key; a rotation takes it of a key that nobody seals with any more. */
export const useLock = (keyId: string): string => `${advisoryLocks.secretKeyUse}, ${Number.parseInt(keyId, 16) | 0}`

/**
 * The secrets of a migrated database. An empty one gets a new key, unless one is given. `hold` runs a statement on a
 * connection that lasts as long as the secrets are used, so that no rotation takes their key away meanwhile. Throws
 * StartRefusal when the keys are not those of the database.
 */
export async function openSecrets(
  url: string,
  config: KeyConfig,
  hold: (sql: string) => Promise<unknown>,
): Promise<Secrets> {
  return await withAdvisoryLock(url, 'secretKeys', async (client) => {
    const fit = await fitOf(client, readKeySource(config))
    if (fit.kind === 'refused') throw new StartRefusal(fit.sentence)
    const secrets = fit.secrets ?? new Secrets(createKeyFile(config))
    await writeNeededKeys(client, [...fit.needed, secrets.keyId])
    await hold(`SELECT pg_advisory_lock_shared(${useLock(secrets.keyId)})`)
    return secrets
  })
}

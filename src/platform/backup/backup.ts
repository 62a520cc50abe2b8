import { type KeyConfig, keyIdsOf, readKeptKeys } from '../storage/key-source.ts'
import { ArchiveWriter, type Sink } from './archive-writer.ts'
import { dumpDatabase, type Told } from './dump.ts'
import { folderEntries } from './folder-files.ts'
import { BackupRefusal } from './refusal.ts'
import { sealKeys } from './sealed-keys.ts'

export type BackupOrder = {
  /** Of any role that may read every table. */
  readonly url: string
  readonly keys: KeyConfig
  readonly version: string
  /** Null: the keys of the secrets are left out. */
  readonly passphrase: string | null
  readonly now: Date
  readonly tell?: Told
}

export type MadeBackup = {
  readonly bytes: number
  readonly tables: number
  readonly rows: number
  /** Keys that the archive does not have, and that are needed to open its secrets. */
  readonly keysLeftOut: readonly string[]
}

/** Writes an archive of the installation as it is now. */
export async function makeBackup(order: BackupOrder, write: Sink): Promise<MadeBackup> {
  const { url, keys, version, passphrase, now, tell } = order
  const writer = await ArchiveWriter.begin(write, { tollgate: version, madeAt: now })
  for await (const entry of folderEntries(keys.dataDir)) await writer.add(entry)
  const dumped = await dumpDatabase(url, (entry) => writer.add(entry), tell)
  const kept = readKeptKeys(keys)
  const missing = dumped.secretKeys.filter((id) => !keyIdsOf(kept).includes(id))
  if (passphrase !== null && missing.length > 0)
    throw new BackupRefusal(
      `The secrets of this database were sealed with key ${missing.join(' and ')}, which is not here to be put into the archive: bring back secret.key or TOLLGATE_SECRET_KEY, or leave --passphrase-file out.`,
    )
  await writer.finish(dumped, passphrase === null ? null : (manifest) => sealKeys(kept, passphrase, manifest))
  const rows = dumped.tables.reduce((sum, table) => sum + table.rows, 0)
  const keysLeftOut = passphrase === null ? dumped.secretKeys : []
  return { bytes: writer.bytes, tables: dumped.tables.length, rows, keysLeftOut }
}

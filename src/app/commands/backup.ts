import { once } from 'node:events'
import { noteBackup } from '../../billing/jobs/backup-job.ts'
import { archivePath, writeArchive } from '../../platform/backup/archive-file.ts'
import type { Sink } from '../../platform/backup/archive-writer.ts'
import { type BackupOrder, type MadeBackup, makeBackup } from '../../platform/backup/backup.ts'
import { BackupRefusal } from '../../platform/backup/refusal.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import { verifyArchive } from '../archive-verification.ts'
import { version } from '../../platform/release.ts'
import { type CommandContext, CommandRefusal, defineCommand } from './command.ts'
import { keyConfigOf, withDatabase } from './database.ts'
import { passphraseOption, readPassphrase } from './passphrase.ts'
import { ByteProgress } from './byte-progress.ts'

const details = `An archive has every table as it was at one moment, the accounting that waits in the spool, and the dictionaries of the
data folder; Tollgate may run meanwhile. It is a tar file, readable by its owner alone, with a checksum of everything in it.
<path> is a file that does not exist, a folder, where it is named by its time, or - for standard output:

  tollgate backup /var/backups/tollgate
  tollgate backup - | age -r age1… > tollgate.tar.age

With --passphrase-file the keys of the stored secrets go along, sealed. Without, keep the file secret.key (or what
TOLLGATE_SECRET_KEY is) somewhere else: nobody signs in from a backup without it. Everything else in an archive, such as
names and addresses of subscribers, can be read by whoever has it.

With --verify <path> is an archive that is tried: it is restored into a temporary place, the ledger is proved, and a login
signs in by RADIUS. Nothing of it is sent anywhere. Exit status 1 when something is wrong with it.`

export default defineCommand({
  about: 'Writes an archive of the whole installation, also while it runs; tries one with --verify.',
  details,
  operands: ['<path>'],
  options: {
    'passphrase-file': passphraseOption,
    verify: { type: 'boolean', about: 'Restore the archive into a temporary place and say whether it is good' },
  },
  async run({ 'passphrase-file': file, verify }, context, [path = '']) {
    const passphrase = readPassphrase(file)
    const progress = new ByteProgress(process.stderr)
    try {
      if (verify) return await verifyArchive({ ...context, path, passphrase, tell: (far) => progress.at(far) })
      return await backUp(context, path, { passphrase, progress })
    } catch (error) {
      throw error instanceof BackupRefusal ? new CommandRefusal(error.message) : error
    } finally {
      progress.end()
    }
  },
})

async function backUp(
  context: CommandContext,
  path: string,
  { passphrase, progress }: { passphrase: string | null; progress: ByteProgress },
): Promise<number> {
  const now = new Date()
  const keys = keyConfigOf(context)
  const isPiped = path === '-'
  if (isPiped && process.stdout.isTTY)
    throw new CommandRefusal('An archive on a terminal is of no use: pipe it into a program or a file.')
  const target = isPiped ? 'standard output' : await archivePath(path, now)
  const made = await withDatabase(context, async ({ url }) => {
    const order: BackupOrder = { url, keys, version, passphrase, now, tell: (far) => progress.at(far) }
    const written = isPiped
      ? await makeBackup(order, toStandardOutput())
      : await writeArchive(target, (write) => makeBackup(order, write))
    // A standby, and a database of an earlier version, are backed up as well.
    await withConnection(url, (client) => noteBackup(client, now, written)).catch((error) =>
      context.log.warn('the database could not note when it was backed up', { error }),
    )
    return written
  })
  progress.end()
  // Standard output carries the archive.
  const say = isPiped ? (line: string) => process.stderr.write(`${line}\n`) : context.print
  for (const line of report(made, target)) say(line)
  return 0
}

function report({ bytes, tables, rows, keysLeftOut }: MadeBackup, target: string): string[] {
  const lines = [`${target}: ${(bytes / 1e6).toFixed(1)} MB, ${rows} rows of ${tables} tables.`]
  if (keysLeftOut.length > 0)
    lines.push(
      `The key of the secrets (${keysLeftOut.join(', ')}) is not in it: keep secret.key, or what TOLLGATE_SECRET_KEY is, with it, or use --passphrase-file.`,
    )
  return lines
}

/** Writes to standard output, and refuses to go on when the program that reads it has ended. */
function toStandardOutput(): Sink {
  const { stdout } = process
  let failure: Error | null = null
  stdout.on('error', (error) => {
    failure = error
  })
  return async (bytes) => {
    if (failure === null && !stdout.write(bytes)) await once(stdout, 'drain').catch(() => {})
    if (failure !== null)
      throw new BackupRefusal(`Standard output was closed before the archive was complete: ${failure.message}.`)
  }
}

import { openArchive } from '../../platform/backup/archive.ts'
import { BackupRefusal } from '../../platform/backup/refusal.ts'
import { restoreArchive } from '../../platform/backup/restore.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import { serverCheck } from '../own-server.ts'
import { ByteProgress } from './byte-progress.ts'
import { CommandRefusal, defineCommand } from './command.ts'
import { keyConfigOf } from './database.ts'
import { passphraseOption, readPassphrase } from './passphrase.ts'

const details = `The data folder (TOLLGATE_DATA_DIR) must have no database, or, with DATABASE_URL, that database must be empty: nothing is
overwritten. The archive is read whole before anything is written; one that is cut off, damaged or made by a newer version is
refused, and whatever fails later leaves nothing behind. Afterwards \`tollgate serve\` goes on where the archive was made: what
waited to be sent then is sent, and what has become due is charged. To look at an old state without that, use
\`tollgate backup --verify\`, or set READ_ONLY_MODE and take the machine off the network.`

export default defineCommand({
  about: 'Makes an installation of an archive of `backup`, in an empty data folder or database.',
  details,
  operands: ['<archive>'],
  options: {
    'passphrase-file': passphraseOption,
    'without-keys': {
      type: 'boolean',
      about: 'Leave the sealed keys out; the passphrase is lost, or the keys are here',
    },
  },
  async run({ 'passphrase-file': file, 'without-keys': withoutKeys }, context, [path = '']) {
    const passphrase = readPassphrase(file)
    const keys = keyConfigOf(context)
    const progress = new ByteProgress(process.stderr)
    try {
      const archive = await openArchive(path)
      try {
        if (archive.sealed !== null && passphrase === null && !withoutKeys)
          throw new CommandRefusal(
            'The keys of the secrets are in this archive, sealed: give their passphrase with --passphrase-file, or leave them out by --without-keys.',
          )
        const { log, config } = context
        const { databaseUrl } = config
        if (databaseUrl !== null)
          await withConnection(databaseUrl, async (client) => serverCheck(config).check?.(client))
        const { missingKeys } = await restoreArchive({
          archive,
          keys,
          databaseUrl,
          passphrase,
          log,
          tell: (far) => progress.at(far),
        })
        progress.end()
        const { madeAt, tollgate, tables } = archive.manifest
        const rows = tables.reduce((sum, table) => sum + table.rows, 0)
        context.print(
          `Restored as it was at ${madeAt} with Tollgate ${tollgate}: ${rows} rows of ${tables.length} tables.`,
        )
        if (missingKeys.length > 0)
          context.print(
            `Its secrets were sealed with key ${missingKeys.join(' and ')}, which is not here: put the secret.key of that time into ${keys.dataDir}, or set TOLLGATE_SECRET_KEY to what it was, before the start.`,
          )
        return 0
      } finally {
        await archive.close()
      }
    } catch (error) {
      throw error instanceof BackupRefusal ? new CommandRefusal(error.message) : error
    } finally {
      progress.end()
    }
  },
})

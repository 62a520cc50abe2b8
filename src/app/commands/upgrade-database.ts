import { verifyLedger } from '../../billing/jobs/ledger/verification.ts'
import { summaryOf } from '../../billing/jobs/ledger-check.ts'
import { BackupRefusal } from '../../platform/backup/refusal.ts'
import { upgradeDatabase } from '../../platform/backup/upgrade.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import { version } from '../../platform/release.ts'
import { ByteProgress } from './byte-progress.ts'
import { CommandRefusal, defineCommand } from './command.ts'

const details = `A version of Tollgate that brings another major of PostgreSQL refuses the data folder of the former one. Stop Tollgate, keep the
former installation (or install the former PostgreSQL beside, such as Debian's postgresql-18), and run this: the tables are read
by the old binaries and written by the new ones into a cluster of their own, the ledger is proved there, and then the two change
places. It needs the room of the database once more. The old cluster stays as postgres.<major>; delete it when all is well. To go
back, stop Tollgate, move postgres and postgres.json away, and postgres.<major> and postgres.<major>.json to their places: what
was written after the upgrade is not in them.

It may be cut off anywhere; run it again then.`

export default defineCommand({
  about: 'Carries the PostgreSQL of the data folder over to the major that this version brings.',
  details,
  options: {
    binaries: { type: 'string', value: '<folder>', about: 'Where the binaries of the old major are, in bin' },
  },
  async run({ binaries = null }, { config, log, print }) {
    if (config.databaseUrl !== null)
      throw new CommandRefusal(
        'DATABASE_URL names a PostgreSQL of your own, which is upgraded by its own means (pg_upgrade). This command is for that of the data folder.',
      )
    const progress = new ByteProgress(process.stderr)
    let proof = ''
    const prove = async (url: string) => {
      const found = await withConnection(url, (client) => verifyLedger(client))
      proof = summaryOf(found)
      if (found.broken > 0)
        throw new BackupRefusal(
          `The ledger does not prove, and nothing was changed: ${proof} See \`tollgate verify_ledger\` of the former version.`,
        )
    }
    try {
      const { dataDir } = config
      const upgraded = await upgradeDatabase({
        dataDir,
        binaries,
        version,
        log,
        prove,
        tell: (far) => progress.at(far),
      })
      progress.end()
      if (upgraded === null) {
        print('The database is of this major already.')
        return 0
      }
      const { from, to, kept } = upgraded
      print(`The database was carried over from PostgreSQL ${from} to ${to}.${proof && ` The ledger: ${proof}`}`)
      print(`The old one is kept in ${kept}; delete it when all is well.`)
      return 0
    } catch (error) {
      throw error instanceof BackupRefusal ? new CommandRefusal(error.message) : error
    } finally {
      progress.end()
    }
  },
})

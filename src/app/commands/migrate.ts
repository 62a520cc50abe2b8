import { migrate } from '../../platform/storage/migrate.ts'
import { serverCheck } from '../own-server.ts'
import { defineCommand } from './command.ts'
import { withDatabase } from './database.ts'

export default defineCommand({
  about: 'Brings the tables of the database up to this version. `serve` does so by itself when it starts.',
  options: {},
  async run(_, context) {
    const { config, log } = context
    const applied = await withDatabase(context, ({ ownerUrl: url }) => migrate({ url, log, ...serverCheck(config) }))
    for (const name of applied) context.print(`applied ${name}`)
    context.print(applied.length > 0 ? 'The database is up to date now.' : 'The database was up to date already.')
    return 0
  },
})

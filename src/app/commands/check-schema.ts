import { startTemporaryPostgres } from '../../platform/postgres/server.ts'
import { checkSchema } from '../../platform/storage/schema-check.ts'
import { defineCommand } from './command.ts'

export default defineCommand({
  about: 'Checks that the migrations make exactly the tables the entities describe, on a database of its own.',
  options: {},
  async run(_, { log, print }) {
    const postgres = await startTemporaryPostgres(log)
    try {
      const differences = await checkSchema(postgres.url)
      for (const difference of differences) print(difference)
      if (differences.length === 0) print('The migrations and the entities agree.')
      else print(`The migrations and the entities differ in ${differences.length} places: write a migration.`)
      return differences.length === 0 ? 0 : 1
    } finally {
      await postgres.stop()
    }
  },
})

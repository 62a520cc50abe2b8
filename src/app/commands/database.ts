import { Client } from 'pg'
import { startPostgres } from '../../platform/postgres/server.ts'
import { migrate } from '../../platform/storage/migrate.ts'
import type { CommandContext } from './command.ts'

/**
 * Runs the work on the configured database: that of DATABASE_URL, or else the embedded one, which is shared with a
 * running `serve` or started for as long as the work takes.
 */
export async function withDatabase<T>({ config, log }: CommandContext, work: (url: string) => Promise<T>): Promise<T> {
  if (config.databaseUrl !== null) return await work(config.databaseUrl)
  const postgres = await startPostgres({ dataDir: config.dataDir, log })
  try {
    return await work(postgres.url)
  } finally {
    await postgres.stop()
  }
}

/** One connection to the migrated database. int8 arrives as text. */
export async function withConnection<T>(context: CommandContext, work: (client: Client) => Promise<T>): Promise<T> {
  return await withDatabase(context, async (url) => {
    await migrate({ url, log: context.log })
    const client = new Client({ connectionString: url })
    // Losing the connection shows in the next query; without a listener it would end the process.
    client.on('error', () => {})
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end().catch(() => {})
    }
  })
}

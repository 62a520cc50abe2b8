import type { Client } from 'pg'
import { openDataFolder } from '../../platform/postgres/data-folder.ts'
import { startPostgres } from '../../platform/postgres/server.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import type { KeyConfig } from '../../platform/storage/key-source.ts'
import { migrate } from '../../platform/storage/migrate.ts'
import { openSecrets } from '../../platform/storage/secret-keys.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { serverCheck } from '../own-server.ts'
import type { CommandContext } from './command.ts'

/**
 * Runs the work on the configured database: that of DATABASE_URL, or else the embedded one, which is shared with a
 * running `serve` or started for as long as the work takes. `ownerUrl` is of the role that may migrate.
 */
export async function withDatabase<T>(
  { config, log }: CommandContext,
  work: (urls: { url: string; ownerUrl: string }) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== null) return await work({ url: config.databaseUrl, ownerUrl: config.databaseUrl })
  const postgres = await startPostgres({ dataDir: config.dataDir, log })
  try {
    return await work({ url: postgres.workingUrl, ownerUrl: postgres.url })
  } finally {
    await postgres.stop()
  }
}

/** One connection to the migrated database. int8 arrives as text. */
export const withMigrated = <T>(
  context: CommandContext,
  work: (client: Client, url: string) => Promise<T>,
): Promise<T> =>
  withDatabase(context, async ({ url, ownerUrl }) => {
    await migrate({ url: ownerUrl, log: context.log, ...serverCheck(context.config) })
    return await withConnection(url, (client) => work(client, url))
  })

/** The same with the secrets of the database, for commands that encrypt. */
export async function withSecrets<T>(
  context: CommandContext,
  work: (client: Client, secrets: Secrets, url: string) => Promise<T>,
): Promise<T> {
  const keys = keyConfigOf(context)
  return await withMigrated(context, async (client, url) => {
    const secrets = await openSecrets(url, keys, (sql) => client.query(sql))
    return await work(client, secrets, url)
  })
}

/** The data folder is made where it is missing. Throws StartRefusal when it cannot be used. */
export function keyConfigOf({ config: { dataDir, secretKey, oldSecretKey } }: CommandContext): KeyConfig {
  return { dataDir: openDataFolder(dataDir).path, secretKey, oldSecretKey }
}

import type { Log } from '../platform/log.ts'
import { checkServer, heed, type ServerUser } from '../platform/server/server-checks.ts'
import { connectionsOf } from '../platform/storage/database.ts'
import { type MigrationOrder, requireNotNewer } from '../platform/storage/migrate.ts'
import type { Config } from './config.ts'

/** This program as its server sees it. */
export const serverUser = ({ node: name }: Pick<Config, 'node'>): ServerUser => ({
  name,
  role: 'full',
  connections: () => connectionsOf(),
})

/**
 * Looks at a PostgreSQL of the operator's own before anything is written there; a log is told what is not as it should
 * be. The embedded one is as it has to be, but its tables may be those of a newer version.
 */
export const serverCheck = (
  { databaseUrl, node: name }: Pick<Config, 'databaseUrl' | 'node'>,
  log?: Log,
): Pick<MigrationOrder, 'check'> =>
  databaseUrl === null
    ? { check: requireNotNewer }
    : {
        check: async (client) => heed(await checkServer(client, databaseUrl, serverUser({ node: name })), log),
      }

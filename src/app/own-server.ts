import type { Log } from '../platform/log.ts'
import { checkServer, heed } from '../platform/server/server-checks.ts'
import { connectionsOf } from '../platform/storage/database.ts'
import { type MigrationOrder, requireNotNewer } from '../platform/storage/migrate.ts'
import type { Config } from './config.ts'

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
        check: async (client) =>
          heed(await checkServer(client, databaseUrl, { name, role: 'full', connections: () => connectionsOf() }), log),
      }

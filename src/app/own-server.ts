import type { Client } from 'pg'
import type { Log } from '../platform/log.ts'
import { checkServer, heed, type ServerUser } from '../platform/server/server-checks.ts'
import { connectionsOf, type DatabaseConnections } from '../platform/storage/database.ts'
import { type MigrationOrder, requireNotNewer } from '../platform/storage/migrate.ts'
import type { Config } from './config.ts'

/** An edge writes accounting and little else, and reads one thing after the other. */
export const edgeConnections = { general: 2, ledger: 1 } as const satisfies DatabaseConnections

/** This program as its server sees it. */
export const serverUser = ({ node: name, role }: Pick<Config, 'node' | 'role'>): ServerUser => ({
  name,
  role,
  connections: (of) => connectionsOf(of === 'edge' ? edgeConnections : undefined),
})

/** Refuses what the program cannot work with, and tells a log of what is not as it should be. */
export async function heedServer(
  client: Client,
  url: string,
  config: Pick<Config, 'node' | 'role'>,
  log?: Log,
): Promise<void> {
  heed(await checkServer(client, url, serverUser(config)), log)
}

/**
 * Looks at a PostgreSQL of the operator's own before anything is written there; a log is told what is not as it should
 * be. The embedded one is as it has to be, but its tables may be those of a newer version.
 */
export const serverCheck = (
  config: Pick<Config, 'databaseUrl' | 'node' | 'role'>,
  log?: Log,
): Pick<MigrationOrder, 'check'> => {
  const { databaseUrl } = config
  return { check: databaseUrl === null ? requireNotNewer : (client) => heedServer(client, databaseUrl, config, log) }
}

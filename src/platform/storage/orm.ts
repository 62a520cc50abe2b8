import { UnderscoreNamingStrategy } from '@mikro-orm/core'
import { defineConfig, type EntityManager, MikroORM, type Options } from '@mikro-orm/postgresql'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { entities } from './entities/index.ts'
import { schemasOf } from './schema.ts'
import type { Client } from './sql.ts'

export type Orm = MikroORM
export type { EntityManager }

/** Entities carry column names as they are; foreign keys are named as PostgreSQL itself names them. */
class Names extends UnderscoreNamingStrategy {
  override indexName(
    table: string,
    columns: string[],
    type: 'primary' | 'foreign' | 'unique' | 'index' | 'sequence' | 'check' | 'default',
  ): string {
    return type === 'foreign' ? `${table}_${columns.join('_')}_fkey` : super.indexName(table, columns, type)
  }
}

let opening: Promise<Orm> | null = null

/**
 * One serves the whole process, whatever the databases: it knows the tables, which are the same in all, and every
 * EntityManager is given its connection.
 */
export function ormOfProcess(): Promise<Orm> {
  opening ??= openMikroOrm({ dbName: 'that of each connection', driverOptions: dialectOn(noConnection) })
  return opening
}

async function noConnection(): Promise<never> {
  throw new Error('An EntityManager was used outside of the transaction that it belongs to.')
}

/**
 * What this EntityManager writes belongs to the transaction that `client` is in, and is committed or rolled back with
 * it.
 */
export async function managerOf(client: Client): Promise<EntityManager> {
  const manager = (await ormOfProcess()).em.fork()
  const ofTransaction = { query: client.query.bind(client), release: () => {} } as PostgresPoolClient
  manager.setTransactionContext(new Kysely({ dialect: dialectOn(async () => ofTransaction) }))
  return manager
}

const dialectOn = (connect: PostgresPool['connect']): PostgresDialect =>
  new PostgresDialect({ pool: { connect, end: async () => {} } as PostgresPool })

/** One connection; pg reads the address itself, so that sslmode and the like work as in every other pool. */
export const connectionTo = (url: string): Options => ({
  clientUrl: url,
  driverOptions: { connectionString: url, max: 1 },
})

/** What every use of MikroORM has in common; `more` says whose connections it takes. */
export const openMikroOrm = (more: Options): Promise<Orm> =>
  MikroORM.init(
    defineConfig({
      entities: schemasOf(entities),
      namingStrategy: Names,
      ensureDatabase: false,
      ...more,
    }),
  )

import { type Constructor, type MigrationObject, UnderscoreNamingStrategy } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { defineConfig, MikroORM, type Options } from '@mikro-orm/postgresql'
import { entities } from './entities/index.ts'
import { schemasOf } from './schema.ts'
import { migrationNames, migrationsFolder, migrationsTable } from './migrations.ts'

export type Orm = MikroORM

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

/** `pool` goes to pg as it is: sizes and time limits. */
export async function openOrm(url: string, pool: Record<string, unknown> = {}): Promise<Orm> {
  return MikroORM.init(
    defineConfig({
      entities: schemasOf(entities),
      clientUrl: url,
      // pg reads the address itself, so that sslmode and the like work as in every other pool.
      driverOptions: { connectionString: url, ...pool },
      namingStrategy: Names,
      extensions: [Migrator],
      migrations: {
        migrationsList: await readMigrations(),
        tableName: migrationsTable,
        snapshot: false,
        silent: true,
      },
      ensureDatabase: false,
    } satisfies Options),
  )
}

/** Imported here because Node 22 runs the files as they are. */
async function readMigrations(): Promise<MigrationObject[]> {
  const names = await migrationNames()
  return Promise.all(
    names.map(async (name) => {
      const file = new URL(`${name}.ts`, migrationsFolder).href
      const module = (await import(file)) as Record<string, Constructor<Migration>>
      const [migration] = Object.values(module)
      if (!migration) throw new Error(`migrations/${name}.ts exports no migration.`)
      return { name, class: migration }
    }),
  )
}

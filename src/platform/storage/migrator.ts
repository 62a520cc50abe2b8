import type { Constructor, MigrationObject } from '@mikro-orm/core'
import { type Migration, Migrator } from '@mikro-orm/migrations'
import { migrationModule, migrationNames, migrationsTable } from './migrations.ts'
import { connectionTo, openMikroOrm, type Orm } from './orm.ts'

/**
 * MikroORM with a connection of its own, for migrations. It knows none of the tables: migrations are SQL, and to look
 * through all entities takes longer than most migrations.
 */
export async function openMigrator(url: string): Promise<Orm> {
  return openMikroOrm({
    ...connectionTo(url),
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: await readMigrations(),
      tableName: migrationsTable,
      snapshot: false,
      silent: true,
    },
  })
}

async function readMigrations(): Promise<MigrationObject[]> {
  const names = await migrationNames()
  return Promise.all(
    names.map(async (name) => {
      const module = (await import(migrationModule(name).href)) as Record<string, Constructor<Migration>>
      const [migration] = Object.values(module)
      if (!migration) throw new Error(`The migration ${name} exports no class.`)
      return { name, class: migration }
    }),
  )
}

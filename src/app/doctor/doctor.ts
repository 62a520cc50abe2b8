import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkServer } from '../../platform/server/server-checks.ts'
import { StartRefusal } from '../../platform/start-refusal.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import { codeOf } from '../../platform/storage/unavailability.ts'
import type { CommandContext } from '../commands/command.ts'
import { withDatabase } from '../commands/database.ts'
import { serverUser } from '../own-server.ts'
import { type Check, fail, ok } from './check.ts'
import { checkMachine } from './machine.ts'
import { askRunning, checkRunning, type Figures } from './running.ts'
import { checkStored } from './stored.ts'

/** Looks at the machine, the running program and the database. Writes nothing but one small file, which it removes. */
export async function examine(context: CommandContext, now = new Date()): Promise<Check[]> {
  const figures = await askRunning(context.config)
  return [
    ...(await checkMachine(context.config, figures, now)),
    ...checkRunning(figures),
    ...(await checkDatabase(context, now, figures)),
  ]
}

/** Calls what it is given with the address of the database. */
type Reach = <T>(work: (urls: { url: string }) => Promise<T>) => Promise<T>

async function checkDatabase(context: CommandContext, now: Date, figures: Figures | null): Promise<Check[]> {
  const { dataDir, databaseUrl } = context.config
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres')))
    return [
      ok('tables', 'There is no database yet; the first start makes one.', 'Базы ещё нет; её создаст первый запуск.'),
    ]
  return await checkTables({ ...context, figures }, now, (work) => withDatabase(context, work))
}

/** Looks at a PostgreSQL of the operator's own, and at what the tables say. */
export async function checkTables(
  { config, figures }: Pick<CommandContext, 'config'> & { readonly figures: Figures | null },
  now: Date,
  reach: Reach,
): Promise<Check[]> {
  const { databaseUrl } = config
  try {
    return await reach(({ url }) =>
      withConnection(url, async (client) => {
        const ofServer = databaseUrl === null ? [] : await checkServer(client, databaseUrl, serverUser(config))
        return ofServer.some(({ state }) => state === 'fail')
          ? ofServer
          : [...ofServer, ...(await checkStored(client, now, figures))]
      }),
    )
  } catch (error) {
    if (error instanceof StartRefusal) return [fail('connection', error.message, error.message)]
    // The message of the driver may hold the address of the database, and that address a password.
    const why = codeOf(error) || 'the connection failed'
    const [todo, inRussian] =
      databaseUrl === null
        ? ['`tollgate serve` says at its start why.', 'Почему, говорит при запуске `tollgate serve`.']
        : ['Is PostgreSQL running, and DATABASE_URL right?', 'Работает ли PostgreSQL и верен ли DATABASE_URL?']
    return [
      fail(
        'connection',
        `The database cannot be reached (${why}). ${todo}`,
        `База данных недоступна (${why}). ${inRussian}`,
      ),
    ]
  }
}

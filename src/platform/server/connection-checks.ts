import type { Client } from 'pg'
import { withConnection } from '../storage/connection.ts'
import { ledgerUrlOf } from '../storage/database.ts'
import { codeOf } from '../storage/unavailability.ts'
import type { ServerCheck } from './server-check.ts'

/**
 * Whether connections keep what they are given: by this one and, where it may not lead to PostgreSQL itself, by another
 * one of the same address, like those of the ledger. Rejects when the server does not answer.
 */
export async function checkConnections(client: Client, url: string): Promise<ServerCheck[]> {
  const { pid, port } = await ask<{ pid: number; port: number | null }>(client, whoText)
  if (port !== null && port === localPortOf(client)) return [settingsArrive, poolerIsNone]
  try {
    return await withConnection(ledgerUrlOf(url), async (other) => {
      await other.query('BEGIN')
      const given = await ask<Given>(other, givenText)
      const after = await ask<{ pid: number }>(client, whoText)
      await other.query('COMMIT')
      return [settingsOf(given), poolingOf(pid, after.pid, given.pid)]
    })
  } catch (error) {
    if (codeOf(error) !== protocolViolation) throw error
    return [notPassed((error as Error).message)]
  }
}

const ask = async <Row extends object>(client: Client, text: string): Promise<Row> =>
  (await client.query<Row>(text)).rows[0]!

/** Where PostgreSQL sees the port that we connect from, there is nothing between us. */
const localPortOf = (client: Client): number | undefined =>
  (client as unknown as { connection: { stream: { localPort?: number } } }).connection.stream.localPort

const whoText = 'SELECT pg_backend_pid() AS pid, inet_client_port() AS port'

type Given = { readonly pid: number; readonly jit: string; readonly writer: string | null }

const givenText = `SELECT pg_backend_pid() AS pid, current_setting('jit') AS jit, current_setting('tollgate.writer', true) AS writer`

/** What a pooler answers to a startup parameter that it does not know. */
const protocolViolation = '08P01'

const direct =
  'Let DATABASE_URL lead to PostgreSQL itself, or through something that passes whole connections on, such as HAProxy.'

const directRussian =
  'Пусть DATABASE_URL ведёт прямо к PostgreSQL или через то, что передаёт соединения целиком, например HAProxy.'

const settingsArrive: ServerCheck = {
  name: 'connection settings',
  state: 'ok',
  sentence: 'Connections have the settings that Tollgate gives them.',
  russian: 'Соединения получают настройки, которые задаёт Tollgate.',
}

const notPassed = (found: string): ServerCheck => ({
  name: 'connection settings',
  state: 'fail',
  sentence: `The settings that Tollgate gives its connections do not reach PostgreSQL (${found}): a pooler before it does not pass the startup parameter \`options\`. ${direct}`,
  russian: `Настройки, которые Tollgate задаёт соединениям, до PostgreSQL не доходят (${found}): пулер перед ним не передаёт параметр запуска \`options\`. ${directRussian}`,
})

const settingsOf = ({ jit, writer }: Given): ServerCheck =>
  jit === 'off' && writer === 'on'
    ? settingsArrive
    : notPassed(`jit is ${jit}, tollgate.writer ${writer === 'on' ? 'on' : 'unset'}`)

const poolerIsNone: ServerCheck = {
  name: 'pooler',
  state: 'ok',
  sentence: 'A connection to DATABASE_URL is one connection of PostgreSQL.',
  russian: 'Соединение с DATABASE_URL — одно соединение PostgreSQL.',
}

/** While a transaction holds one connection of the server, a pooler in transaction mode has to take another. */
const poolingOf = (before: number, after: number, other: number): ServerCheck =>
  before === after && before !== other
    ? poolerIsNone
    : {
        name: 'pooler',
        state: 'fail',
        sentence: `Statements of one connection reach several connections of PostgreSQL, as by a pooler in transaction mode (PgBouncer: pool_mode), so locks and notifications would be lost. ${direct}`,
        russian: `Запросы одного соединения попадают в разные соединения PostgreSQL, как у пулера в режиме transaction (PgBouncer: pool_mode), и блокировки с уведомлениями потеряются. ${directRussian}`,
      }

import type { Pool, PoolClient } from 'pg'
import type { Database } from './database.ts'
import type { EntityManager } from './orm.ts'
import { limited } from './sql.ts'
import { Unavailable } from '../unavailable.ts'
import { asUnavailable, codeOf } from './unavailability.ts'

/** The limit of a query with filters. It is below the limit of the pool, which would leave the query running. */
const statementTimeoutMs = 3_000

/** Whose database, and in which zone days begin. */
export type TransactionScope = {
  readonly database: { readonly pool: Pool }
  /** TIME_ZONE: days and months of filters, and datetimes without an offset, are of this zone. */
  readonly timeZone: () => string
}

/** The same for those who write records through an EntityManager. */
export type PersistenceScope = TransactionScope & { readonly database: Pick<Database, 'manager'> }

/**
 * One snapshot for a page and its count. A query that may take longer than the pool's limit is made patient too.
 */
export const reading = <T>(
  scope: TransactionScope,
  work: (client: PoolClient) => Promise<T>,
  timeoutMs = statementTimeoutMs,
): Promise<T> => inTransaction(scope, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work, timeoutMs)

/**
 * Makes queries wait for as long as their transaction may take. The pool's own limit is a little above that of the
 * server, so that the error of the server, which says more, comes first.
 */
export const patientFor =
  (timeoutMs: number) =>
  <Query extends object>(query: Query): Query =>
    limited(query, timeoutMs + 500)

/** Committed when `work` resolves: a refusal is returned before the first write. */
export const writing = <T>(scope: TransactionScope, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(scope, 'BEGIN', work, statementTimeoutMs)

/** A job writes what follows from the snapshot that it reads, and takes its time. */
export const rewriting = <T>(
  scope: TransactionScope,
  work: (client: PoolClient) => Promise<T>,
  timeoutMs: number,
): Promise<T> => inTransaction(scope, 'BEGIN ISOLATION LEVEL REPEATABLE READ', work, timeoutMs)

/** As `writing`, with an EntityManager, whose writes belong to the transaction. */
export const persisting = <T>(
  scope: PersistenceScope,
  work: (client: PoolClient, manager: EntityManager) => Promise<T>,
): Promise<T> => writing(scope, async (client) => work(client, await scope.database.manager(client)))

/** A query whose answer is too long to be held at once. Rows are arrays in the order of its columns. */
export type LongQuery = { readonly text: string; readonly values: readonly unknown[] }

/**
 * One snapshot of a long answer, batch by batch, from a cursor of the server: nothing is read ahead of who asks. The
 * connection is held until the last batch or until the caller returns. `timeoutMs` is for one batch; an empty answer is
 * no batch.
 */
export async function* readingBatches<Row extends unknown[]>(
  scope: TransactionScope,
  { text, values }: LongQuery,
  { batchRows, timeoutMs }: { batchRows: number; timeoutMs: number },
): AsyncGenerator<Row[], void, undefined> {
  const client = await scope.database.pool.connect().catch(fail)
  const patient = patientFor(timeoutMs)
  let isOver = false
  let broken = false
  try {
    await client.query(beginText('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', scope, timeoutMs))
    await client.query(patient({ text: `DECLARE batches NO SCROLL CURSOR FOR ${text}`, values: [...values] }))
    for (let isLast = false; !isLast; ) {
      const { rows } = await client.query<Row>(
        patient({ text: `FETCH ${batchRows} FROM batches`, rowMode: 'array' as const }),
      )
      isLast = rows.length < batchRows
      if (rows.length > 0) yield rows
    }
    await client.query('COMMIT')
    isOver = true
  } catch (error) {
    broken = asUnavailable(error) !== null
    fail(error)
  } finally {
    if (!isOver && !broken) broken = await failsToRollBack(client)
    client.release(broken)
  }
}

async function inTransaction<T>(
  scope: TransactionScope,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  const client = await scope.database.pool.connect().catch(fail)
  let broken = false
  try {
    await client.query(beginText(begin, scope, timeoutMs))
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A server that did not answer in time would not answer this either, and the caller has waited long enough.
    broken = asUnavailable(error) !== null || (await failsToRollBack(client))
    return fail(error)
  } finally {
    client.release(broken)
  }
}

/** No page is worth a compilation, which may take longer than the query. */
const beginText = (begin: string, scope: TransactionScope, timeoutMs: number): string =>
  `${begin}; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL jit = off; ${zoneClause(scope.timeZone())}`

const failsToRollBack = (client: PoolClient): Promise<boolean> =>
  client.query('ROLLBACK').then(
    () => false,
    () => true,
  )

const zonePattern = /^[\w+\-/]{1,64}$/

/** SET takes no parameters, so the name is checked before it becomes part of the text. */
function zoneClause(zone: string): string {
  if (!zonePattern.test(zone)) throw new Error(`TIME_ZONE is not a name of a time zone: ${zone}`)
  return `SET LOCAL TIME ZONE '${zone}'`
}

/** What may be asked again becomes Unavailable (503); everything else stays what it is. */
function fail(error: unknown): never {
  const state = codeOf(error)
  if (state === '57014') throw new Unavailable('deadline', 'The query takes too long; narrow it down.')
  if (state === '55P03' || state.startsWith('40')) throw new Unavailable('database', 'The record is busy; ask again.')
  throw asUnavailable(error) ?? error
}

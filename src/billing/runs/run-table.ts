import type { Pool } from 'pg'
import type { IdempotencyKeys } from '../accounts/operation-keys.ts'
import { isLockedSql } from '../jobs/job-locks.ts'
import type { Author } from '../../domain/author.ts'
import type { StaffId } from '../../domain/ids.ts'
import { type VisibleOrganizations, visibleSql } from '../../platform/staff/visible-organizations.ts'
import type { StaffRun as StaffRunTable, StaffRunFault } from '../../platform/storage/entities/program.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

export const runKinds = ['import', 'blocks', 'tariffs', 'promises'] as const
export type RunKind = (typeof runKinds)[number]

/**
 * What is left of an import is noted by chunks of so many lines, each by the line before it. A change of this number
 * would leave lines out where an import that was cut off goes on.
 */
export const importChunkLines = 5_000

type Told = Readonly<Record<string, unknown>>

export type RunOrder = {
  readonly kind: RunKind
  readonly author: Author
  /** What was asked for, as lists show it. */
  readonly asked: Told
  readonly keys: IdempotencyKeys | null
}

/** A run as its user sees it. */
export type Run = {
  readonly id: number
  readonly kind: RunKind
  readonly user: string
  readonly asked: Told
  readonly state: 'running' | 'done' | 'failed' | 'cut_off'
  readonly total: number | null
  readonly done: number
  readonly result: Told | null
  /** Of a run that was cut off or has failed: how many records it has not gone through, where that is known. */
  readonly rest: number | null
  readonly startedAt: Date
  readonly endedAt: Date | null
}

/** How a run ended, and how far it came. */
export type RunEnd = Pick<Run, 'state' | 'total' | 'done' | 'result'>

/** Whose runs somebody sees: their own; null: those of everybody. */
export type RunsOf = StaffId | null

type Row = RowOf<
  typeof StaffRunTable,
  'id' | 'kind' | 'user_name' | 'state' | 'total' | 'done' | 'started_at' | 'ended_at'
> & { readonly asked: Told; readonly result: Told | null; readonly is_locked: boolean; readonly rest: number | null }

const columns = `run.id, run.kind, run.user_name, run.asked, run.state, run.total, run.done, run.result, run.started_at, run.ended_at,
  ${isLockedSql('run.lock')} AS is_locked`

/** How many records a run has left; of an import how many lines, while its file is kept. */
const restSql = `CASE WHEN run.kind <> 'import' THEN count(*)::int4
  WHEN EXISTS (SELECT FROM staff_run_files AS file WHERE file.run_id = run.id)
  THEN coalesce(sum(least(greatest(coalesce(run.total - record, ${importChunkLines}), 1), ${importChunkLines})), 0)::int4 ELSE 0 END`

export class RunTable {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Records a start, under the lock. Runs of the same lock that have no end were killed. Null: the key was taken
   * meanwhile.
   */
  async begin({ kind, author, asked, keys }: RunOrder, lock: string): Promise<number | null> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `WITH killed AS (UPDATE staff_runs SET state = 'cut_off' WHERE lock = $2 AND state = 'running')
        INSERT INTO staff_runs (kind, lock, staff_id, user_name, key, request, asked) VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (key) DO NOTHING RETURNING id`,
      [kind, lock, author.staffId, author.name, keys?.own ?? null, keys?.withBody ?? null, JSON.stringify(asked)],
    )
    return rows[0] ? Number(rows[0].id) : null
  }

  async progress(id: number, total: number | null, done: number): Promise<void> {
    await this.#pool.query(`UPDATE staff_runs SET total = $2, done = $3 WHERE id = $1 AND state = 'running'`, [
      id,
      total,
      done,
    ])
  }

  async end(id: number, { state, total, done, result }: RunEnd): Promise<void> {
    await this.#pool.query(
      'UPDATE staff_runs SET state = $2, total = $3, done = $4, result = $5, ended_at = clock_timestamp() WHERE id = $1',
      [id, state, total, done, JSON.stringify(result)],
    )
  }

  async addFaults(id: number, faults: readonly RunFault[]): Promise<void> {
    if (faults.length === 0) return
    await this.#pool.query(
      `INSERT INTO staff_run_faults (run_id, record, name, reason)
        SELECT $1, record, name, reason FROM unnest($2::int8[], $3::text[], $4::text[]) AS fault(record, name, reason)
        ON CONFLICT DO NOTHING`,
      [id, faults.map(({ record }) => record), faults.map(({ name }) => name), faults.map(({ reason }) => reason)],
    )
  }

  /** Notes what a run is to go through, before it begins. */
  async keepRest(id: number, records: readonly number[]): Promise<void> {
    const text = 'INSERT INTO staff_run_rest (run_id, record) SELECT $1, unnest($2::int8[])'
    for (const some of sliced(records)) await this.#pool.query(text, [id, some])
  }

  /** Takes over what another run has left of these records. Of two who do so at once one gets each. */
  async takeRest(id: number, from: number, records: readonly number[]): Promise<ReadonlySet<number>> {
    const text = 'UPDATE staff_run_rest SET run_id = $1 WHERE run_id = $2 AND record = ANY($3::int8[]) RETURNING record'
    const taken = new Set<number>()
    for (const some of sliced(records)) {
      const { rows } = await this.#pool.query<{ record: string }>(text, [id, from, some])
      for (const { record } of rows) taken.add(Number(record))
    }
    return taken
  }

  /** The run has gone through these. */
  async settleRest(id: number, records: readonly number[]): Promise<void> {
    await this.#pool.query('DELETE FROM staff_run_rest WHERE run_id = $1 AND record = ANY($2::int8[])', [id, records])
  }

  /** The run of a key; `isOther`: its request was another one. */
  async ofKey({ own, withBody }: IdempotencyKeys): Promise<{ id: number; isOther: boolean } | null> {
    const { rows } = await this.#pool.query<RowOf<typeof StaffRunTable, 'id' | 'request'>>(
      'SELECT id, request FROM staff_runs WHERE key = $1',
      [own],
    )
    return rows[0] ? { id: Number(rows[0].id), isOther: rows[0].request !== withBody } : null
  }

  /** Null: there is none, or it is of somebody else. */
  async find(id: number, of: RunsOf): Promise<Run | null> {
    const [run] = await this.#read('run.id = $1 AND ($2::int8 IS NULL OR run.staff_id = $2)', [id, of])
    return run ?? null
  }

  /** The newest first. */
  async list(
    of: RunsOf,
    {
      kind,
      before,
      limit,
    }: { readonly kind?: RunKind | undefined; readonly before: number | null; readonly limit: number },
  ): Promise<readonly Run[]> {
    return this.#read(
      `($1::int8 IS NULL OR run.staff_id = $1) AND ($2::text IS NULL OR run.kind = $2) AND ($3::int8 IS NULL OR run.id < $3)
        ORDER BY run.id DESC LIMIT $4`,
      [of, kind ?? null, before, limit],
    )
  }

  /** Those of subscribers whom somebody sees, after a record; of an import, whose records are lines, all of them. */
  async faults(
    { id, kind }: Pick<Run, 'id' | 'kind'>,
    visible: VisibleOrganizations,
    after: number,
    limit: number,
  ): Promise<readonly RunFault[]> {
    const { rows } = await this.#pool.query<RowOf<typeof StaffRunFault, 'record' | 'name' | 'reason'>>(
      `SELECT record, name, reason FROM staff_run_faults AS fault WHERE run_id = $1 AND record > $2
        AND ($4::int8[] IS NULL OR EXISTS (SELECT FROM abonents AS client WHERE client.id = fault.record
          AND ${visibleSql('client.organization_id', '$4')})) ORDER BY record LIMIT $3`,
      [id, after, limit, kind === 'import' ? null : visible],
    )
    return rows.map(({ record, name, reason }) => ({ record: Number(record), name, reason }))
  }

  async #read(selection: string, values: readonly unknown[]): Promise<readonly Run[]> {
    const text = `SELECT run.*, CASE WHEN run.state <> 'done' AND NOT run.is_locked
        THEN (SELECT ${restSql} FROM staff_run_rest WHERE run_id = run.id) END AS rest
      FROM (SELECT ${columns} FROM staff_runs AS run WHERE ${selection}) AS run ORDER BY run.id DESC`
    const read = () => this.#pool.query<Row>(text, [...values])
    let { rows } = await read()
    // The statement saw the rows as they were when it began, and the locks later, so a run may have ended in between.
    if (rows.some(isKilled)) rows = (await read()).rows
    return rows.map(runOf)
  }
}

/** A list of a hundred thousand ids as one parameter would hold up the event loop. */
const recordsAtOnce = 5_000

function* sliced(records: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < records.length; at += recordsAtOnce) yield records.slice(at, at + recordsAtOnce)
}

/** A record that was left as it is, and why. */
export type RunFault = { readonly record: number; readonly name: string | null; readonly reason: string }

const isKilled = ({ state, is_locked }: Row): boolean => state === 'running' && !is_locked

function runOf(row: Row): Run {
  const { id, kind, user_name: user, asked, total, done, result, rest, started_at: startedAt, ended_at: endedAt } = row
  const state = isKilled(row) ? 'cut_off' : row.state
  return { id: Number(id), kind, user, asked, state, total, done, result, rest, startedAt, endedAt }
}

import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { EventOf } from '../../domain/events.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Log } from '../../platform/log.ts'
import { ahead } from '../../platform/storage/ahead.ts'
import { type Change, watchChanges } from '../../platform/storage/changes.ts'
import { type CopiedFields, copiedRows } from '../../platform/storage/copied-rows.ts'
import type { Database } from '../../platform/storage/database.ts'
import { limited, startReadMs } from '../../platform/storage/sql.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import { slotsAtOnce } from '../radius/accounting/session-search.ts'
import type { SessionTable } from '../radius/accounting/session-table.ts'
import { NumbersById } from './numbers-by-id.ts'
import { type HouseCounting, type HouseCounts, type SubscriberHome, SubscriberHomes } from './subscriber-homes.ts'

type HousesParts = {
  readonly database: Database
  readonly sessions: SessionTable
  readonly clock: Clock
  readonly log: Log
}

/** Of whose session ended so lately, and who has none now, it is said that he has been lost. */
export const lostMinutes = 30
const batchRows = 5_000
/** The maximum of ids in one query. */
const namedMax = 5_000
const retryMs = 1_000

/**
 * How many of the subscribers of each house are online. The live sessions are in memory anyway, and so the houses of
 * all subscribers are kept beside them: in the tables a million subscribers would have to be joined with them.
 */
export class Houses {
  readonly #parts: HousesParts
  readonly #stopWatching: () => void
  #homes = new SubscriberHomes()
  /** When the last session of a subscriber ended, in epoch seconds. */
  readonly #ended = new NumbersById(Uint32Array)
  #loading: Promise<void> | null = null
  #changed: Set<number> | '*' = new Set()
  #following: Promise<void> | null = null
  #isClosed = false

  constructor(parts: HousesParts) {
    this.#parts = parts
    this.#stopWatching = watchChanges(parts.database, (change) => this.#noticed(change))
  }

  /** Reads the house of every subscriber, once; who asks before has to wait. Rejects while the database is away. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = null
      throw asUnavailable(error) ?? error
    })
    return this.#loading
  }

  close(): void {
    this.#isClosed = true
    this.#stopWatching()
  }

  sessionStopped({ session: { subscriberId, endedAt } }: EventOf<'sessionStopped'>): void {
    if (subscriberId !== null && endedAt !== null) this.#endedAt(subscriberId, endedAt.getTime() / 1000)
  }

  /** The houses that are wanted, in no order. */
  async count(wanted: Pick<HouseCounting, 'isVisible' | 'isWanted'>): Promise<HouseCounts[]> {
    await this.load()
    const online = await onlineIn(this.#parts.sessions)
    const lostSince = this.#parts.clock.now().getTime() / 1000 - lostMinutes * 60
    return this.#homes.count({ ...wanted, online, ended: this.#ended, lostSince })
  }

  async #load(): Promise<void> {
    const { rows } = await this.#parts.database.pool.query<{ id: number; ended: number }>(
      limited({ text: endsSql }, startReadMs),
    )
    for (const { id, ended } of rows) this.#endedAt(id, ended)
    await this.#readAll()
  }

  #endedAt(subscriber: number, seconds: number): void {
    this.#ended.set(subscriber, Math.max(this.#ended.get(subscriber), Math.floor(seconds)))
  }

  #noticed({ table, ids }: Change): void {
    // Before the first reading there is nothing that could be wrong.
    if (table !== 'abonents' || this.#loading === null) return
    this.#gather(ids)
    this.#following ??= this.#follow().finally(() => {
      this.#following = null
    })
  }

  #gather(ids: Iterable<number> | '*'): void {
    if (ids === '*') this.#changed = '*'
    else if (this.#changed !== '*') for (const id of ids) this.#changed.add(id)
  }

  /** One reading follows the other, so that what was read last is what holds. */
  async #follow(): Promise<void> {
    await this.#loading?.catch(() => {})
    // Waiting for the next turn of the event loop combines a burst of notices into one reading.
    await nextTurn()
    while (this.#changed === '*' || this.#changed.size > 0) {
      if (this.#isClosed) return
      const changed = this.#takeChanged()
      try {
        if (changed === '*') await this.#readAll()
        else await this.#readSome(changed)
      } catch (error) {
        // They will not be told of again.
        this.#gather(changed)
        this.#parts.log.warn('The houses of changed subscribers could not be read; trying again.', { error })
        await pause(retryMs, null, { ref: false })
      }
    }
  }

  #takeChanged(): readonly number[] | '*' {
    if (this.#changed === '*') {
      this.#changed = new Set()
      return '*'
    }
    const taken: number[] = []
    for (const id of this.#changed) {
      if (taken.length === namedMax) break
      taken.push(id)
      this.#changed.delete(id)
    }
    return taken
  }

  async #readAll(): Promise<void> {
    const homes = new SubscriberHomes()
    for await (const rows of ahead(allHomes(this.#parts.database))) for (const row of rows) homes.put(row)
    this.#homes = homes
  }

  async #readSome(ids: readonly number[]): Promise<void> {
    const { rows } = await this.#parts.database.pool.query<SubscriberHome>(someSql, [ids])
    for (const row of rows) this.#homes.put(row)
  }
}

async function onlineIn(table: SessionTable): Promise<NumbersById<Uint8Array>> {
  const online = new NumbersById(Uint8Array)
  for (let from = 0; from < table.view.slots; from += slotsAtOnce) {
    if (from > 0) await nextTurn()
    const { slots, numbers } = table.view
    const { nasId, subscriberId } = numbers
    const to = Math.min(slots, from + slotsAtOnce)
    for (let slot = from; slot < to; slot++)
      if (nasId[slot] !== 0 && subscriberId[slot] !== 0) online.set(subscriberId[slot]!, 1)
  }
  return online
}

async function* allHomes({ pool }: Database): AsyncGenerator<Iterable<SubscriberHome>> {
  for (let last = 0; ; ) {
    const select = `SELECT id, home_id, organization_id FROM abonents
      WHERE id > ${last} AND NOT deleted AND home_id IS NOT NULL ORDER BY id LIMIT ${batchRows}`
    const rows = await copiedRows(pool, select, copiedHome, startReadMs)
    yield rows
    if (rows.length < batchRows) return
    last = rows.last()!.id
  }
}

const copiedHome = (fields: CopiedFields): SubscriberHome => ({
  id: fields.int()!,
  home: fields.int(),
  organization: fields.int(),
})

/** Of each of the subscribers $1, also of those who are gone. */
const someSql = `SELECT named.id::float8 AS id, CASE WHEN NOT client.deleted THEN client.home_id::float8 END AS home,
    client.organization_id::float8 AS organization
  FROM unnest($1::int8[]) AS named (id) LEFT JOIN abonents AS client ON client.id = named.id`

const endsSql = `SELECT session.abonent_id::float8 AS id, extract(epoch FROM max(over.ended_at))::float8 AS ended
  FROM radius_ended_sessions AS over JOIN radius_sessions AS session ON session.id = over.session_id
  WHERE over.ended_at > now() - interval '${lostMinutes} minutes' AND session.abonent_id IS NOT NULL GROUP BY 1`

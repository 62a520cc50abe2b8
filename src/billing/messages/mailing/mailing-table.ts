import type { Pool, PoolClient } from 'pg'
import type { StaffId } from '../../../domain/ids.ts'
import type { Mailing as MailingEntity } from '../../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { limited } from '../../../platform/storage/sql.ts'
import type { Channel } from '../message.ts'
import { fateCountsSql } from './fates.ts'

/** auto: the best channel that each recipient has. */
export type MailingChannel = Channel | 'auto'

export const onlyChannel = (channel: MailingChannel): Channel | null => (channel === 'auto' ? null : channel)

type Told = Readonly<Record<string, unknown>>

/** SQL: conditions over `client`, a subscriber, and `account`, his account; and the values in them. */
export type Audience = { readonly conditions: string; readonly values: readonly unknown[] }

/** SQL: the subscribers of an audience, as `client`. */
export const audienceSql = ({ conditions }: Pick<Audience, 'conditions'>): string =>
  `FROM abonents AS client LEFT JOIN admin_accounts AS account ON account.id = client.account_id WHERE ${conditions}`

/** A mailing as its user sees it. */
export type Mailing = {
  readonly id: number
  readonly user: string
  readonly asked: Told
  readonly channel: MailingChannel
  readonly title: string
  readonly text: string
  readonly state: 'gathering' | 'sending' | 'done' | 'stopped' | 'cut_off'
  readonly total: number | null
  /** Recipients that have a message or a reason why not. */
  readonly done: number
  readonly messages: number
  readonly sent: number
  readonly waiting: number
  readonly failed: number
  readonly opted_out: number
  readonly no_address: number
  readonly no_provider: number
  readonly deleted: number
  readonly starts_at: Date
  readonly created_at: Date
  readonly ended_at: Date | null
}

/** Whose mailings somebody sees: their own; null: those of everybody. */
export type MailingsOf = StaffId | null

export type NewMailing = Pick<Mailing, 'user' | 'asked' | 'channel' | 'title' | 'text'> & {
  readonly staff: StaffId | null
  readonly startsAt: Date
  readonly key: string | null
  readonly request: string | null
}

type Row = RowOf<
  typeof MailingEntity,
  | ('id' | 'user_name' | 'channel' | 'title' | 'text' | 'state' | 'total' | 'done' | 'messages')
  | ('opted_out' | 'no_address' | 'no_provider' | 'deleted' | 'starts_at' | 'created_at' | 'ended_at')
> & { readonly asked: Told; readonly waiting: number; readonly failed: number }

const columns = `mailing.id, mailing.user_name, mailing.asked, mailing.channel, mailing.title, mailing.text, mailing.state,
  mailing.total, mailing.done, mailing.messages, mailing.opted_out, mailing.no_address, mailing.no_provider, mailing.deleted,
  mailing.starts_at, mailing.created_at, mailing.ended_at`

/** A million recipients are gathered in some seconds, and nobody waits for it. */
const gatherMs = 120_000

/** The rows of `mailings`, and the recipients of each. `now` comes from the caller's clock. */
export class MailingTable {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Null: the key was taken meanwhile. `client`: the transaction that it belongs to. */
  async begin(client: Pick<PoolClient, 'query'>, order: NewMailing): Promise<number | null> {
    const { rows } = await client.query<{ id: string }>(
      `INSERT INTO mailings (staff_id, user_name, key, request, asked, channel, title, text, starts_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (key) DO NOTHING RETURNING id`,
      [
        ...[order.staff, order.user, order.key, order.request, JSON.stringify(order.asked)],
        ...[order.channel, order.title, order.text, order.startsAt],
      ],
    )
    return rows[0] ? Number(rows[0].id) : null
  }

  /** The mailing of a key; `isOther`: its request was another one. */
  async ofKey(key: string, request: string): Promise<{ id: number; isOther: boolean } | null> {
    const { rows } = await this.#pool.query<RowOf<typeof MailingEntity, 'id' | 'request'>>(
      'SELECT id, request FROM mailings WHERE key = $1',
      [key],
    )
    return rows[0] ? { id: Number(rows[0].id), isOther: rows[0].request !== request } : null
  }

  /**
   * Fixes the audience as it is now, all of it or nothing. From then on the mailing goes on by itself, also after a
   * restart. False: it was stopped before.
   */
  async gather(id: number, audience: Audience, timeZone: string): Promise<boolean> {
    const { values } = audience
    const at = values.length + 1
    const text = `WITH gathering AS (SELECT id FROM mailings WHERE id = $${at}::int8 AND state = 'gathering' FOR UPDATE),
          gathered AS (INSERT INTO mailing_recipients (mailing_id, subscriber_id)
            SELECT gathering.id, audience.id FROM gathering, (SELECT client.id ${audienceSql(audience)}) AS audience RETURNING 1)
        UPDATE mailings SET total = (SELECT count(*) FROM gathered), state = 'sending'
          WHERE id = (SELECT id FROM gathering)`
    const client = await this.#pool.connect()
    let isBroken = true
    try {
      // Days of the filter are those of the provider.
      await client.query('BEGIN')
      await client.query(`SELECT set_config('TimeZone', $1, true)`, [timeZone])
      const { rowCount } = await client.query(limited({ text, values: [...values, id] }, gatherMs))
      await client.query('COMMIT')
      isBroken = false
      return rowCount === 1
    } finally {
      client.release(isBroken)
    }
  }

  /** A program that was killed while it gathered has sent nothing; its mailing is not taken up again. */
  async giveUpGathering(now: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE mailings SET state = 'cut_off', ended_at = $1 WHERE id IN (SELECT id FROM mailings
        WHERE state = 'gathering' AND created_at < $1::timestamptz - $2 * interval '1 millisecond' FOR UPDATE SKIP LOCKED)`,
      [now, gatherMs],
    )
  }

  async cutOff(id: number, now: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE mailings SET state = 'cut_off', ended_at = $2 WHERE id = $1 AND state = 'gathering'`,
      [id, now],
    )
  }

  /** Those under way, whether or not their time has come; the first begun first. */
  async open(): Promise<readonly OpenMailing[]> {
    const { rows } = await this.#pool.query<RowOf<typeof MailingEntity, 'id' | 'starts_at' | 'total' | 'done'>>(
      `SELECT id, starts_at, total, done FROM mailings WHERE state = 'sending' ORDER BY id`,
    )
    return rows.map(({ id, starts_at, total, done }) => ({
      id: Number(id),
      startsAt: starts_at,
      left: (total ?? 0) - done,
    }))
  }

  /** How many messages wait, counted up to `most`, and how many of these have not been tried yet. */
  async countWaiting(id: number, most: number): Promise<{ readonly waiting: number; readonly untried: number }> {
    const { rows } = await this.#pool.query<{ waiting: number; untried: number }>(
      `SELECT count(*)::int4 AS waiting, (count(*) FILTER (WHERE attempts = 0))::int4 AS untried
        FROM (SELECT attempts FROM notifications WHERE mailing_id = $1 AND state = 'waiting' LIMIT $2) AS found`,
      [id, most],
    )
    return rows[0]!
  }

  /** Ends a mailing of which everybody is done and no message waits. Returns whether it has ended. */
  async finish(id: number, now: Date): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `UPDATE mailings SET state = 'done', ended_at = $2 WHERE id = $1 AND state = 'sending' AND done = total
        AND NOT EXISTS (SELECT FROM notifications WHERE mailing_id = $1 AND state = 'waiting')`,
      [id, now],
    )
    return rowCount === 1
  }

  /**
   * Nothing more is written, and what waits is given up; a message that is just being sent tells how that ends. False:
   * the mailing is not under way.
   */
  async stop(client: Pick<PoolClient, 'query'>, id: number, now: Date): Promise<boolean> {
    const { rowCount } = await client.query(
      `UPDATE mailings SET state = 'stopped', ended_at = $2 WHERE id = $1 AND state IN ('gathering', 'sending')`,
      [id, now],
    )
    if (rowCount === 0) return false
    await client.query(
      `UPDATE notifications SET state = 'failed', next_try_at = NULL, error = 'The mailing was stopped.'
        WHERE mailing_id = $1 AND state = 'waiting'`,
      [id],
    )
    return true
  }

  /** Null: there is none, or it is of somebody else. */
  async find(id: number, of: MailingsOf): Promise<Mailing | null> {
    const [found] = await this.#read('mailing.id = $1 AND ($2::int8 IS NULL OR mailing.staff_id = $2)', [id, of])
    return found ?? null
  }

  /** The newest first, before the mailing of this id. */
  list(of: MailingsOf, before: number | null, limit: number): Promise<readonly Mailing[]> {
    return this.#read(
      `($1::int8 IS NULL OR mailing.staff_id = $1) AND ($2::int8 IS NULL OR mailing.id < $2) ORDER BY mailing.id DESC LIMIT $3`,
      [of, before, limit],
    )
  }

  async #read(selection: string, values: readonly unknown[]): Promise<readonly Mailing[]> {
    const { rows } = await this.#pool.query<Row>(
      `SELECT ${columns}, fate.* FROM mailings AS mailing CROSS JOIN LATERAL (${fateCountsSql('mailing.id')}) AS fate
        WHERE ${selection}`,
      [...values],
    )
    return rows.map(({ id, user_name: user, ...row }) => {
      const { messages, waiting, failed } = row
      return { ...row, id: Number(id), user, sent: messages - waiting - failed }
    })
  }
}

export type OpenMailing = { readonly id: number; readonly startsAt: Date; readonly left: number }

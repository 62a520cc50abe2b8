import type { Pool, PoolClient } from 'pg'
import { subscriberId } from '../../domain/ids.ts'
import type { Notification } from '../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { limited, startReadMs } from '../../platform/storage/sql.ts'
import { type Addressee, addressColumns, type Destination, destinationsFor } from './addresses.ts'
import type { Channel, Message } from './message.ts'

/** A message claimed for one attempt. */
export type Claimed = Message & {
  readonly attempts: number
  /** False: its device has been removed in the meantime, or is another subscriber's. */
  readonly hasAddress: boolean
}

/** Seconds until the next attempt, by the number of attempts so far. The last one repeats until the message expires. */
const waitSeconds = [60, 300, 900, 3_600, 10_800, 21_600] as const

/** For so long a claimed message belongs to who has claimed it; then it is due again, to whichever program is first. */
export const claimMs = waitSeconds[0] * 1_000

/**
 * How often a message without an address is checked again: somebody may have entered one. A new provider needs no
 * check, because it takes a restart, which reconsiders all messages.
 */
export const noAddressSeconds = 3_600

const rowsAtOnce = 500

/** The rows of `notifications` that are not finished. `now` comes from the caller's clock. */
export class MessageTable {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Clears the addresses of messages whose channel has no provider, because the providers may differ after a restart.
   */
  async reconsider(served: ReadonlySet<Channel>, now: Date): Promise<void> {
    const text = `UPDATE notifications SET channel = NULL, device_id = NULL, address = NULL, next_try_at = $2
      WHERE state = 'waiting' AND (channel IS NULL OR channel <> ALL($1::text[]))`
    await this.#pool.query(limited({ text, values: [[...served], now] }, startReadMs))
  }

  /** Gives up messages that have expired. Returns how many by channel. */
  async expire(now: Date): Promise<ReadonlyMap<Channel | null, number>> {
    const { rows } = await this.#pool.query<{ channel: Channel | null; count: string }>({
      name: 'messages-expire',
      text: `WITH gone AS (
          UPDATE notifications SET state = 'failed', next_try_at = NULL,
            error = concat_ws(' ', error, 'Given up: it was not sent while it was of use.')
          WHERE state = 'waiting' AND next_try_at <= $1 AND expires_at <= $1 RETURNING channel)
        SELECT channel, count(*) AS count FROM gone GROUP BY channel`,
      values: [now],
    })
    return new Map(rows.map(({ channel, count }) => [channel, Number(count)]))
  }

  /**
   * Assigns addresses to at most `rowsAtOnce` messages that have none: those for several devices, each of which gets a
   * copy, those whose device is gone, and those that somebody may have entered an address for in the meantime.
   * Returns how many were checked, and whether none are left.
   */
  async assignAddresses(
    served: ReadonlySet<Channel>,
    now: Date,
  ): Promise<{ readonly checked: number; readonly isLast: boolean }> {
    return await this.#transaction(async (client) => {
      const { rows } = await client.query<UnaddressedRow>(
        `SELECT message.id, ${addressColumns('message.subscriber_id')},
            (SELECT nullif(mailings.channel, 'auto') FROM mailings WHERE mailings.id = message.mailing_id) AS only_channel
          FROM notifications AS message LEFT JOIN abonents AS abonent ON abonent.id = message.subscriber_id
          WHERE state = 'waiting' AND channel IS NULL AND next_try_at <= $1 AND expires_at > $1
          ORDER BY next_try_at, message.id LIMIT ${rowsAtOnce} FOR UPDATE OF message SKIP LOCKED`,
        [now],
      )
      if (rows.length > 0) await writeDestinations(client, rows, served, now)
      return { checked: rows.length, isLast: rows.length < rowsAtOnce }
    })
  }

  /**
   * Claims due messages of mailings, or all others, for one attempt each. The attempt is counted and the next one
   * scheduled before anything is sent, so that a crash does not repeat a message at once.
   */
  async claim(channel: Channel, which: 'mailings' | 'others', max: number, now: Date): Promise<Claimed[]> {
    const { rows } = await this.#pool.query<ClaimedRow>({
      name: `messages-claim-${which}`,
      text: `UPDATE notifications AS message SET attempts = attempts + 1, next_try_at = least(expires_at,
            $2::timestamptz + ($4::int4[])[least(attempts + 1, cardinality($4))] * interval '1 second')
        FROM (SELECT id FROM notifications
          WHERE state = 'waiting' AND channel = $1 AND next_try_at <= $2 AND expires_at > $2
            AND mailing_id IS ${which === 'mailings' ? 'NOT NULL' : 'NULL'}
          ORDER BY next_try_at LIMIT $3 FOR UPDATE SKIP LOCKED) AS due
        WHERE message.id = due.id
        RETURNING message.id, kind, title, text, attempts,
          CASE WHEN mailing_id IS NOT NULL THEN subscriber_id END AS "mailingTo", CASE WHEN channel = 'push'
          THEN (SELECT token FROM push_devices AS device
            WHERE device.id = message.device_id AND device.subscriber_id = message.subscriber_id)
          ELSE address END AS "to"`,
      values: [channel, now, max, waitSeconds],
    })
    return rows.map(({ id, to, mailingTo, ...row }) => ({
      ...row,
      id: Number(id),
      to: to ?? '',
      hasAddress: to !== null,
      mailingTo: mailingTo === null ? null : subscriberId(Number(mailingTo)),
    }))
  }

  async sent(id: number, now: Date): Promise<void> {
    await this.#pool.query(
      `UPDATE notifications SET state = 'sent', sent_at = $2, next_try_at = NULL, error = NULL WHERE id = $1`,
      [id, now],
    )
  }

  /** Marks a message as failed for good, unless another attempt has sent it. */
  async refused(id: number, reason: string): Promise<void> {
    await this.#pool.query(
      `UPDATE notifications SET state = 'failed', next_try_at = NULL, error = $2 WHERE id = $1 AND state = 'waiting'`,
      [id, reason],
    )
  }

  /** Leaves a message to its next attempt, which is scheduled already. `notBefore`: the time the provider asked for. */
  async postponed(id: number, reason: string, notBefore: Date | null): Promise<void> {
    await this.#pool.query(
      `UPDATE notifications SET error = $2, next_try_at = least(expires_at, greatest(next_try_at, $3))
        WHERE id = $1 AND state = 'waiting'`,
      [id, reason, notBefore],
    )
  }

  /**
   * Records that the device of a message is gone. When no other device has the message or may still get it, the message
   * waits for another address. Returns whether it does.
   */
  async deviceGone(id: number, reason: string, now: Date): Promise<boolean> {
    return await this.#transaction(async (client) => {
      // The copies of a message are locked in turn, or two devices that are gone would each rely on the other one.
      await client.query(
        `SELECT FROM notifications WHERE id = (SELECT coalesce(original_id, id) FROM notifications WHERE id = $1) FOR UPDATE`,
        [id],
      )
      const { rows } = await client.query<{ state: string }>(
        `WITH family AS (SELECT other.id, other.state FROM notifications AS this JOIN notifications AS other
            ON coalesce(other.original_id, other.id) = coalesce(this.original_id, this.id)
            WHERE this.id = $1 AND other.id <> $1 AND other.state <> 'failed')
          UPDATE notifications SET error = $2, device_id = NULL,
            channel = CASE WHEN EXISTS (SELECT FROM family) THEN channel END,
            address = CASE WHEN EXISTS (SELECT FROM family) THEN address END,
            state = CASE WHEN EXISTS (SELECT FROM family) THEN 'failed' ELSE 'waiting' END,
            next_try_at = CASE WHEN EXISTS (SELECT FROM family) THEN NULL ELSE $3::timestamptz END
          WHERE id = $1 AND state = 'waiting' RETURNING state`,
        [id, reason, now],
      )
      return rows[0]?.state === 'waiting'
    })
  }

  /**
   * Starts a message over with the subscriber's current addresses. Asked for by an operator. One that `isBeingSent` and
   * still waiting for its outcome is left alone, because starting over would send it twice.
   */
  async retry(
    id: number,
    { now, lifetimeHours, isBeingSent }: { now: Date; lifetimeHours: number; isBeingSent: boolean },
  ): Promise<'waiting' | 'sent' | 'missing'> {
    const { rows } = await this.#pool.query<{ state: 'waiting' | 'sent' }>(
      `WITH left_alone AS (
          SELECT id, state FROM notifications WHERE id = $1 AND (state = 'sent' OR $4 AND state = 'waiting')),
        again AS (
          UPDATE notifications SET state = 'waiting', channel = NULL, device_id = NULL, address = NULL, attempts = 0, error = NULL,
            next_try_at = $2, expires_at = $2::timestamptz + $3 * interval '1 hour'
          WHERE id = $1 AND id NOT IN (SELECT id FROM left_alone) AND state <> 'sent' RETURNING state)
        SELECT state FROM again UNION ALL SELECT state FROM left_alone`,
      [id, now, lifetimeHours, isBeingSent],
    )
    return rows[0]?.state ?? 'missing'
  }

  async countWaiting(): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(
      `SELECT count(*) AS count FROM notifications WHERE state = 'waiting'`,
    )
    return Number(rows[0]!.count)
  }

  async #transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let isBroken = true
    try {
      await client.query('BEGIN')
      const result = await work(client)
      await client.query('COMMIT')
      isBroken = false
      return result
    } finally {
      // A connection in the middle of a transaction is closed, which rolls it back.
      client.release(isBroken)
    }
  }
}

type ClaimedRow = RowOf<typeof Notification, 'id' | 'kind' | 'title' | 'text' | 'attempts'> & {
  readonly to: string | null
  readonly mailingTo: string | null
}

type UnaddressedRow = Addressee & { readonly id: string; readonly only_channel: Channel | null }

const targetRows = `json_to_recordset($1::json) AS target(id int8, channel text, device_id int8, address text, error text)`

async function writeDestinations(
  client: PoolClient,
  rows: readonly UnaddressedRow[],
  served: ReadonlySet<Channel>,
  now: Date,
): Promise<void> {
  const firsts: (Partial<Destination> & { id: string; device_id?: number | null; error?: string })[] = []
  const copies: { id: string; channel: Channel; device_id: number | null; address: string }[] = []
  for (const { id, only_channel: only, ...addressee } of rows) {
    const found = destinationsFor(addressee, served, only)
    if ('reason' in found) {
      firsts.push({ id, error: found.reason })
      continue
    }
    const [first, ...others] = found.destinations.map(({ deviceId, ...destination }) => ({
      id,
      ...destination,
      device_id: deviceId,
    }))
    firsts.push(first!)
    copies.push(...others)
  }
  await client.query(
    `UPDATE notifications AS message SET channel = target.channel, device_id = target.device_id, address = target.address, error = target.error,
        next_try_at = CASE WHEN target.channel IS NULL THEN least(expires_at, $2::timestamptz + interval '${noAddressSeconds} seconds') ELSE $2 END
      FROM ${targetRows} WHERE message.id = target.id`,
    [JSON.stringify(firsts), now],
  )
  if (copies.length === 0) return
  await client.query(
    `INSERT INTO notifications (account_id, subscriber_id, kind, original_id, mailing_id, channel, device_id, address, title, text, next_try_at, expires_at,
        created_at)
      SELECT account_id, subscriber_id, kind, coalesce(original_id, message.id), mailing_id, target.channel, target.device_id, target.address, title, text,
        $2, expires_at, created_at
      FROM ${targetRows} JOIN notifications AS message ON message.id = target.id`,
    [JSON.stringify(copies), now],
  )
}

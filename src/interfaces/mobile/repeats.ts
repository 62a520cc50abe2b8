import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { idempotencyKeyMax } from '../../billing/accounts/operation-keys.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { phoneKey } from '../../domain/money-keys.ts'
import { stringifyJson } from '../../platform/formats/json.ts'
import type { Reply } from '../../platform/http/call.ts'
import { jsonText } from '../../platform/http/reply.ts'
import { isAliveSql } from '../../platform/nodes/nodes-table.ts'
import { thisNodeSql } from '../../platform/storage/columns.ts'
import type { ClientAnswer } from '../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { PhoneCall } from './parts.ts'
import { refused, refusedDetail } from './refusal.ts'

type Row = RowOf<typeof ClientAnswer, 'request_hash' | 'status' | 'body' | 'node'> & {
  /** Another node that is alive is at work. */
  readonly is_busy: boolean
}

/** One attempt to carry out a request. */
export type Attempt = {
  /** The ledger accepts a movement of money under each of these keys only once. */
  readonly keys: readonly string[]
  /** An earlier request with this key failed before its answer was stored, but may have been carried out. */
  readonly isRetry: boolean
  /**
   * Stores the answer in the transaction of the work, as its last write, so that both are committed or neither is.
   * Rejects, which rolls the transaction back, when another node has taken the request over from this one. For work
   * that no key of the ledger keeps from being done twice.
   */
  readonly keep: (client: Client, reply: Reply) => Promise<void>
}

type Work = (attempt: Attempt) => Promise<Reply>

/** Between two looks at what another node does, and how many there are: as long as a phone waits. */
const waitMs = 50
const waitsMax = 200

const knownText = `SELECT request_hash, status, body, node,
    node IS DISTINCT FROM ${thisNodeSql}
      AND EXISTS (SELECT FROM nodes WHERE number = client_answers.node AND ${isAliveSql}) AS is_busy
  FROM client_answers WHERE subscriber_id = $1 AND key = $2`

/** While this node is at work. One that stood still for long finds that another has taken the request over. */
const oursText = `subscriber_id = $1 AND key = $2 AND status IS NULL AND node IS NOT DISTINCT FROM ${thisNodeSql}`

/**
 * Idempotency keys of phones (contract section 3). Answers are stored in client_answers and given again to repeated
 * requests. The row is inserted before the work, so that of two concurrent requests one works while the other waits for
 * it, be it of another node on the database; a node that is gone died at it. Only successful answers are stored; after
 * a refusal the key is free again.
 */
export class Repeats {
  readonly #pool: Client
  readonly #working = new Map<string, Promise<unknown>>()

  constructor(pool: Client) {
    this.#pool = pool
  }

  /** Carries out a request at most once per key. `request` has everything that defines it besides method and path. */
  async once(phone: PhoneCall, request: Readonly<Record<string, unknown>>, work: Work): Promise<Reply> {
    const { call, client } = phone
    const key = call.header('idempotency-key').trim()
    if (key === '') return work({ keys: [], isRetry: false, keep: async () => {} })
    if (key.length > idempotencyKeyMax) return refusedDetail(phone, 'key', { most: idempotencyKeyMax })
    const requestHash = hashOf(call.method, call.path, request)
    const requestKey = `${client.subscriberId}\n${key}`
    while (this.#working.has(requestKey)) await this.#working.get(requestKey)!.catch(() => {})
    const working = this.#once(phone, key, requestHash, work)
    this.#working.set(requestKey, working)
    try {
      return await working
    } finally {
      this.#working.delete(requestKey)
    }
  }

  async #once(phone: PhoneCall, key: string, requestHash: string, work: Work): Promise<Reply> {
    const { subscriberId } = phone.client
    const known = await this.#take(subscriberId, key, requestHash)
    if (known && known.request_hash !== requestHash) return refused(phone, 409, 'conflict')
    if (known && known.status !== null) return jsonText(known.body ?? '', known.status)
    // The key is new, or its first request failed midway. In that case the keys of the ledger prevent a second movement
    // of money.
    let isKept = false
    const keep = async (client: Client, reply: Reply) => {
      if (!(await this.#keep(client, phone, key, reply))) throw takenOver()
      isKept = true
    }
    const attempt = { keys: [phoneKey.of(subscriberId, key)], isRetry: known !== null, keep }
    const reply = await work(attempt).catch(async (error: unknown) => {
      await this.#leave(subscriberId, key).catch(() => {})
      throw error
    })
    if (isKept) return reply
    if (reply.status < 300) await this.#keep(this.#pool, phone, key, reply)
    else await this.#forget(subscriberId, key)
    return reply
  }

  /** Takes the key. Returns null if it was free, else the row of the earlier request. */
  async #take(subscriber: SubscriberId, key: string, requestHash: string): Promise<Row | null> {
    const taking = `INSERT INTO client_answers (subscriber_id, key, request_hash) VALUES ($1, $2, $3)
      ON CONFLICT DO NOTHING`
    for (let waits = 0; waits < waitsMax; waits++) {
      if ((await this.#pool.query(taking, [subscriber, key, requestHash])).rowCount === 1) return null
      const row = (await this.#pool.query<Row>(knownText, [subscriber, key])).rows[0]
      if (row && (row.status !== null || row.request_hash !== requestHash)) return row
      if (row && !row.is_busy && (await this.#takeOver(subscriber, key, row.node))) return row
      await pause(waitMs)
    }
    throw new Unavailable('deadline', 'Another program is still at work on the first request with this key.')
  }

  /** False: another program has been quicker. */
  async #takeOver(subscriber: SubscriberId, key: string, node: number | null): Promise<boolean> {
    const text = `UPDATE client_answers SET node = DEFAULT
      WHERE subscriber_id = $1 AND key = $2 AND status IS NULL AND node IS NOT DISTINCT FROM $3`
    return (await this.#pool.query(text, [subscriber, key, node])).rowCount === 1
  }

  /** False: another node has taken the request over. */
  async #keep(sql: Client, { client }: PhoneCall, key: string, { status, body }: Reply): Promise<boolean> {
    const text = `UPDATE client_answers SET status = $3, body = $4 WHERE ${oursText}`
    return (await sql.query(text, [client.subscriberId, key, status, String(body ?? '')])).rowCount === 1
  }

  /** What failed may have been done all the same, so whoever asks again, of whichever node, is at a retry. */
  async #leave(subscriber: SubscriberId, key: string): Promise<void> {
    await this.#pool.query(`UPDATE client_answers SET node = NULL WHERE ${oursText}`, [subscriber, key])
  }

  async #forget(subscriber: SubscriberId, key: string): Promise<void> {
    await this.#pool.query(`DELETE FROM client_answers WHERE ${oursText}`, [subscriber, key])
  }
}

const takenOver = () =>
  new Unavailable('deadline', 'Another program has taken over the request with this key meanwhile.')

/** The hash that identifies a request; the order of the members does not matter. */
function hashOf(method: string, path: string, request: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', `${method} ${path}\n${stringifyJson(members)}`)
}

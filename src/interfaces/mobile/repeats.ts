import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { idempotencyKeyMax } from '../../billing/accounts/operation-keys.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { phoneKey } from '../../domain/money-keys.ts'
import { stringifyJson } from '../../platform/formats/json.ts'
import type { Reply } from '../../platform/http/call.ts'
import type { ClientAnswer } from '../../platform/storage/entities/client-answer.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { PhoneCall } from './door.ts'
import { refused, refusedDetail } from './refusal.ts'

type Row = RowOf<typeof ClientAnswer, 'request_hash' | 'status' | 'body'>

/**
 * `keys` are names under which the ledger takes a movement of money once. `isAgain`: an earlier request under this key
 * died before its answer was kept, and may have done its work.
 */
type Work = (keys: readonly string[], isAgain: boolean) => Promise<Reply>

/**
 * Answers that repeated requests get again (contract section 3): rows of client_answers. The row is taken before the
 * work, so of two requests at once one works and the other waits for it; only what was done is kept, a refusal leaves
 * the key free.
 */
export class Repeats {
  readonly #pool: Pick<Pool, 'query'>
  readonly #working = new Map<string, Promise<unknown>>()

  constructor(pool: Pick<Pool, 'query'>) {
    this.#pool = pool
  }

  /** `request` is everything it says beside its path. */
  async once(phone: PhoneCall, request: Readonly<Record<string, unknown>>, work: Work): Promise<Reply> {
    const { call, client } = phone
    const key = call.header('idempotency-key').trim()
    if (key === '') return work([], false)
    if (key.length > idempotencyKeyMax) return refusedDetail(phone, 'key', { most: idempotencyKeyMax })
    const hash = requestHash(call.method, call.path, request)
    const requestKey = `${client.subscriberId}\n${key}`
    while (this.#working.has(requestKey)) await this.#working.get(requestKey)!.catch(() => {})
    const working = this.#once(phone, key, hash, work)
    this.#working.set(requestKey, working)
    try {
      return await working
    } finally {
      this.#working.delete(requestKey)
    }
  }

  async #once(phone: PhoneCall, key: string, hash: string, work: Work): Promise<Reply> {
    const { subscriberId } = phone.client
    const known = await this.#take(subscriberId, key, hash)
    if (known && known.request_hash !== hash) return refused(phone, 409, 'conflict')
    if (known && known.status !== null) return again(known.status, known.body ?? '')
    // New, or its first request died at it: what that one had done by then, the keys of money know.
    const reply = await work([phoneKey.of(subscriberId, key)], known !== null).catch(async (error: unknown) => {
      await this.#forget(subscriberId, key).catch(() => {})
      throw error
    })
    if (reply.status < 300) await this.#keep(subscriberId, key, reply)
    else await this.#forget(subscriberId, key)
    return reply
  }

  /** Null: the key was free and is taken now. */
  async #take(subscriber: SubscriberId, key: string, hash: string): Promise<Row | null> {
    const made = await this.#pool.query(
      'INSERT INTO client_answers (subscriber_id, key, request_hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [subscriber, key, hash],
    )
    if (made.rowCount === 1) return null
    const { rows } = await this.#pool.query<Row>(
      'SELECT request_hash, status, body FROM client_answers WHERE subscriber_id = $1 AND key = $2',
      [subscriber, key],
    )
    return rows[0] ?? null
  }

  async #keep(subscriber: SubscriberId, key: string, { status, body }: Reply): Promise<void> {
    await this.#pool.query('UPDATE client_answers SET status = $3, body = $4 WHERE subscriber_id = $1 AND key = $2', [
      subscriber,
      key,
      status,
      String(body ?? ''),
    ])
  }

  async #forget(subscriber: SubscriberId, key: string): Promise<void> {
    await this.#pool.query('DELETE FROM client_answers WHERE subscriber_id = $1 AND key = $2 AND status IS NULL', [
      subscriber,
      key,
    ])
  }
}

const again = (status: number, body: string): Reply => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body,
})

/** The same members in another order are the same request. */
function requestHash(method: string, path: string, request: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(`${method} ${path}\n${stringifyJson(members)}`)
    .digest('hex')
}

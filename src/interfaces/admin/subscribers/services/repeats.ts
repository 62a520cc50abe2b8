import type { IdempotencyKeys } from '../../../../billing/accounts/operation-keys.ts'
import type { Call, Reply } from '../../../../platform/http/call.ts'
import { json } from '../../../../platform/http/reply.ts'
import { visibleTo } from '../../../../platform/staff/visible-records.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { keysOf, replyToRepeat, takenBeforeReply } from '../../accounts/money-request.ts'
import { readBody } from '../../body.ts'
import { findService } from './record.ts'

/** Takes the keys of a request in the transaction that carries it out. False: another request has taken them. */
export async function takeKeys(client: Client, call: Call, subscriber: number): Promise<boolean> {
  const body = readBody(call)
  const asked = 'refused' in body ? body : keysOf(call, body.fields)
  if ('refused' in asked || !asked.keys) return true
  const keys = [asked.keys.own, asked.keys.withBody]
  // Waits for a transaction that is taking the same keys.
  const { rowCount } = await client.query(
    `INSERT INTO money_keys (key, account_id) SELECT key, account_id FROM abonents, unnest($2::text[]) AS key
      WHERE abonents.id = $1 ON CONFLICT (key) DO NOTHING`,
    [subscriber, keys],
  )
  return rowCount === keys.length
}

/** The service that an earlier request has given; null: it is the first. */
export const givenBefore = (scope: TransactionScope, call: Call, keys: IdempotencyKeys | null): Promise<Reply | null> =>
  replyToRepeat(scope, keys, () =>
    reading(scope, async (client) => {
      // The keys were taken at the moment at which the service was made: that of their transaction.
      const { rows } = await client.query<{ id: string }>(
        `SELECT link.id FROM money_keys AS taken JOIN abonents ON abonents.account_id = taken.account_id
          JOIN users_uslugas AS link ON link.abonent_id = abonents.id AND link.create_date = taken.created_at
          WHERE taken.key = $1`,
        [keys!.own],
      )
      const found = await findService(client, Number(rows[0]?.id ?? 0), visibleTo(call))
      return found ? json({ ok: true, ...found.shown }) : takenBeforeReply()
    }),
  )

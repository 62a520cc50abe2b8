import type { SubscriberId } from '../../domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../domain/money.ts'
import { promiseServices, promiseType } from '../../domain/promise.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { UsersUsluga } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { Client } from '../../platform/storage/sql.ts'

type ActivationRow = {
  object_id: string
  diff: { abonent_id: number; usluga_id: number; limit: string; end_time: string; fee?: string }
}

/**
 * The promise that an operation activated, as `POST` answers it: as it was when activated. Read from the audit, which
 * keeps it after the service row is deleted. `fee` is the operator's fee for the activation.
 */
export async function promisedBy(sql: Client, operationId: number | string) {
  const { rows } = await sql.query<ActivationRow>(
    `SELECT activation.object_id, activation.diff FROM finance_operations AS operation
       JOIN audit_operations AS activation ON activation.at = operation.system_date
     WHERE operation.op_id = $1 AND activation.table_name = 'USERS_USLUGA' AND activation.action = 'activate'
       AND (activation.diff->>'op_id')::int8 = operation.op_id`,
    [operationId],
  )
  const row = rows[0]
  if (!row) return null
  const { abonent_id, usluga_id, limit, end_time, fee = '0.00' } = row.diff
  const type = promiseType(usluga_id)
  return { promise_id: Number(row.object_id), abonent_id, usluga_id, type, limit, end_time, fee }
}

/** The promises of a subscriber as `GET` answers them (specification 4.3). Null: there is no such subscriber. */
export async function promiseView(sql: Client, id: SubscriberId) {
  const { rows } = await sql.query<SubscriberRow>(
    'SELECT name, promise_pay, promise_date_end FROM abonents WHERE id = $1',
    [id],
  )
  const subscriber = rows[0]
  if (!subscriber) return null
  const links = await sql.query<LinkRow>(
    `SELECT id, usluga_id, "limit", end_time, comment, create_date FROM users_uslugas
     WHERE abonent_id = $1 AND usluga_id = ANY($2::int8[]) AND enabled ORDER BY id`,
    [id, Object.values(promiseServices)],
  )
  return {
    abonent_id: id,
    abonent_name: subscriber.name,
    promise_pay: inRubles(subscriber.promise_pay),
    promise_date_end: subscriber.promise_date_end,
    active_promises: links.rows.map((link) => ({
      id: Number(link.id),
      usluga_id: Number(link.usluga_id),
      type: promiseType(Number(link.usluga_id)),
      limit: inRubles(link.limit),
      end_time: link.end_time,
      comment: link.comment,
      create_date: link.create_date,
    })),
  }
}

type SubscriberRow = RowOf<typeof Abonent, 'name' | 'promise_pay' | 'promise_date_end'>
type LinkRow = RowOf<typeof UsersUsluga, 'id' | 'usluga_id' | 'limit' | 'end_time' | 'comment' | 'create_date'>

const inRubles = (units: string | null): string => formatRubles(moneyFromUnits(units ?? 0))

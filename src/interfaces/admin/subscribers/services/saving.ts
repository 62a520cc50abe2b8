import type { Author } from '../../../../domain/author.ts'
import { isPromiseService } from '../../../../domain/promise.ts'
import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import { findVisible } from '../../../../platform/staff/visible-records.ts'
import { type Diff, writeAudit } from '../../../../platform/storage/audit.ts'
import type { UsersUsluga } from '../../../../platform/storage/entities/users-usluga.ts'
import type { RowOf } from '../../../../platform/storage/entity.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import type { ServiceWish } from './body.ts'
import { leaveCharges, takeCharges } from './charged.ts'
import { type FoundService, findService, type ShownService } from './record.ts'

export type Rejection = { readonly reason: string; readonly sentence: string }

const rejected = (reason: string, sentence: string): Rejection => ({ reason, sentence })
const isMissing = rejected('missing', '')

const isAPromise = rejected(
  'promise',
  'This is a promise payment: it is activated at promise_pay, and ended by switching it off or deleting it.',
)

/** A new service of a subscriber, in the transaction of `client`. */
export async function createService(
  client: Client,
  wish: ServiceWish,
  visible: VisibleOrganizations,
  author: Author,
  zone: string,
): Promise<ShownService | Rejection> {
  if (wish.subscriberId === undefined) return rejected('wrong_field', 'abonent_id: This field is required.')
  if (wish.uslugaId === undefined) return rejected('wrong_field', 'usluga_id: This field is required.')
  const subscriber = await findVisible(client, 'subscriber', wish.subscriberId, visible)
  if (subscriber === null) return isMissing
  if (isPromiseService(wish.uslugaId)) return isAPromise
  const { rows } = await client.query<{ deleted: boolean; enabled: boolean | null; system_type: number | null }>(
    `SELECT abonents.deleted, uslugas.enabled, uslugas.system_type FROM abonents LEFT JOIN uslugas ON uslugas.id = $2
     WHERE abonents.id = $1 FOR SHARE OF abonents`,
    [subscriber, wish.uslugaId],
  )
  const { deleted, enabled, system_type } = rows[0]!
  if (deleted) return rejected('deleted', 'The subscriber is deleted.')
  if (enabled === null) return rejected('wrong_field', 'usluga_id: There is no such service.')
  if (!enabled) return rejected('service_off', 'The service is switched off and is not given to anybody any more.')
  // From here it is written.
  const columns: Record<string, unknown> = {
    abonent_id: subscriber,
    usluga_id: wish.uslugaId,
    system_type,
    ...columnsOf(wish),
  }
  const names = Object.keys(columns)
  const places = names.map((_, at) => `$${at + 1}`)
  const made = await client.query<RowOf<typeof UsersUsluga, 'id'>>(
    `INSERT INTO users_uslugas (${names.join(', ')}) VALUES (${places.join(', ')}) RETURNING id`,
    Object.values(columns),
  )
  const after = (await findService(client, Number(made.rows[0]!.id), null))!
  await takeCharges(client, after.shown, zone)
  await audit(client, author, null, after)
  return after.shown
}

/** Changes what the wish names; of which subscriber and service it is stays. */
export async function changeService(
  client: Client,
  id: number,
  wish: ServiceWish,
  visible: VisibleOrganizations,
  author: Author,
): Promise<ShownService | Rejection> {
  const before = await findService(client, id, visible, { isLocked: true })
  if (!before) return isMissing
  const { shown } = before
  if (wish.subscriberId !== undefined && wish.subscriberId !== shown.abonent_id)
    return rejected('wrong_field', 'abonent_id: A service stays with its subscriber; make a new one.')
  if (wish.uslugaId !== undefined && wish.uslugaId !== shown.usluga_id)
    return rejected('wrong_field', 'usluga_id: Take this service away and give the other one.')
  const columns = columnsOf(wish)
  // What is left of a promise that has ended may be put away, and no more.
  const { enabled, ...others } = columns
  if (shown.is_promise && (before.isActivePromise || enabled !== false || Object.keys(others).length > 0))
    return isAPromise
  const names = Object.keys(columns)
  if (names.length === 0) return shown
  const sets = names.map((name, at) => `${name} = $${at + 2}`)
  await client.query(`UPDATE users_uslugas SET ${sets.join(', ')} WHERE id = $1`, [id, ...Object.values(columns)])
  const after = (await findService(client, id, null))!
  await audit(client, author, before, after)
  return after.shown
}

export async function removeService(
  client: Client,
  id: number,
  visible: VisibleOrganizations,
  author: Author,
  zone: string,
): Promise<'removed' | Rejection> {
  const before = await findService(client, id, visible, { isLocked: true })
  if (!before) return isMissing
  // It has become one since it was looked at: the account has to end it.
  if (before.isActivePromise) return isAPromise
  await leaveCharges(client, before.shown, zone)
  await client.query('DELETE FROM users_uslugas WHERE id = $1', [id])
  await audit(client, author, before, null)
  return 'removed'
}

function columnsOf({ summ, countt, endTime, enabled, comment }: ServiceWish): Record<string, unknown> {
  return {
    ...(summ !== undefined && { summ }),
    ...(countt !== undefined && { countt }),
    ...(endTime !== undefined && { end_time: endTime }),
    ...(enabled !== undefined && { enabled }),
    ...(comment !== undefined && { comment }),
  }
}

const audited = ['abonent_id', 'usluga_id', 'summ', 'countt', 'end_time', 'enabled', 'comment'] as const

/** A save that changes nothing leaves no trace. */
async function audit(
  client: Client,
  author: Author,
  before: FoundService | null,
  after: FoundService | null,
): Promise<void> {
  const diff: Diff = Object.fromEntries(
    audited
      .map((name) => [name, [before?.shown[name] ?? null, after?.shown[name] ?? null]] as const)
      .filter(([, [was, is]]) => was !== is),
  )
  if (Object.keys(diff).length === 0) return
  const { shown, organizationId } = (after ?? before)!
  await writeAudit(client, {
    author,
    table: 'USERS_USLUGA',
    id: String(shown.id),
    action: before ? (after ? 'change' : 'delete') : 'create',
    diff,
    organizationId,
  })
}

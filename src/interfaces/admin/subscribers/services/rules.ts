import { AccountStore } from '../../../../billing/accounts/account-store.ts'
import { accountId } from '../../../../domain/ids.ts'
import { isPromiseService } from '../../../../domain/promise.ts'
import type { Step, Steps } from '../../../../platform/records/record-writer.ts'
import { notFound, type Refusal } from '../../../../platform/records/refusals.ts'
import type { Column } from '../../../../platform/records/rows.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import { toIdOrNull } from '../../../../platform/storage/int8.ts'
import { findVisible } from '../../../../platform/staff/visible-records.ts'
import { leaveCharges, takeCharges } from './charged.ts'
import { takeKeys } from './repeats.ts'
import { findService, type ShownService } from './record.ts'

/** A refusal with a sentence for people and a code for programs. */
const refused = (code: string, detail: string): Refusal => ({
  kind: 'refused',
  status: 400,
  detail,
  more: { code },
})

const isAPromise = refused(
  'promise',
  'This is a promise payment: it is activated at promise_pay, and ended by switching it off or deleting it.',
)

/** The same request has been carried out while this one was on its way. */
export const repeated = refused('repeated', 'This request was carried out before.')

/** The rules for writing services. `zone` is the time zone in which charged periods begin. */
export const serviceSteps = (zone: () => string, now: () => Date): Steps => ({
  lock: async (client, id) => {
    if (id !== null) await fenceAccount(client, id)
  },
  derive: (step) => (step.before ? changeRefused(step) : columnsOfNew(step)),
  also: async ({ client, before, values }, id) => {
    const { abonent_id, usluga_id } = plainValues(values)
    if (!before) await takeCharges(client, serviceOf(id, abonent_id, usluga_id), zone(), now())
  },
  mayRemove: async ({ client }, id) =>
    // It has become an active promise payment in the meantime, which only the account can end.
    (await findService(client, Number(id), null))?.isActivePromise ? isAPromise : null,
  alsoRemoved: async ({ client, before }, id) =>
    leaveCharges(client, serviceOf(id, before?.abonent_id, before?.usluga_id), zone(), now()),
  organizationOf: async (client, { abonent_id }) => {
    const text = 'SELECT organization_id AS id FROM abonents WHERE id = $1'
    const { rows } = await client.query<{ id: string | null }>(text, [abonent_id])
    return toIdOrNull(rows[0]!.id)
  },
})

/** A turn of the account that has read this service before decides again, so nothing is given back for what is gone. */
async function fenceAccount(client: Client, id: string): Promise<void> {
  const { rows } = await client.query<{ account_id: string }>(
    'SELECT account_id FROM users_uslugas JOIN abonents ON abonents.id = abonent_id WHERE users_uslugas.id = $1::int8',
    [id],
  )
  const [found] = rows
  if (found) await new AccountStore(client).fence(accountId(found.account_id))
}

const serviceOf = (
  id: string,
  subscriber: unknown,
  service: unknown,
): Pick<ShownService, 'id' | 'abonent_id' | 'usluga_id'> => ({
  id: Number(id),
  abonent_id: Number(subscriber),
  usluga_id: Number(service),
})

async function columnsOfNew({ client, values, visible, call }: Step): Promise<readonly Column[] | Refusal> {
  const { abonent_id, usluga_id } = plainValues(values)
  const subscriber = await findVisible(client, 'subscriber', abonent_id, visible)
  if (subscriber === null) return notFound
  if (isPromiseService(usluga_id as number)) return isAPromise
  const { rows } = await client.query<{ deleted: boolean; enabled: boolean | null; system_type: number | null }>(
    `SELECT abonents.deleted, uslugas.enabled, uslugas.system_type FROM abonents LEFT JOIN uslugas ON uslugas.id = $2
     WHERE abonents.id = $1 FOR SHARE OF abonents`,
    [subscriber, usluga_id],
  )
  const { deleted, enabled, system_type } = rows[0]!
  if (deleted) return refused('deleted', 'The subscriber is deleted.')
  if (enabled === null) return refused('wrong_field', 'usluga_id: There is no such service.')
  if (!enabled) return refused('service_off', 'The service is switched off and is not given to anybody any more.')
  if (!(await takeKeys(client, call, subscriber))) return repeated
  return [{ column: 'system_type', value: system_type }]
}

/**
 * The subscriber and the service of a record cannot change. The record of a promise payment that has ended can be
 * disabled, and nothing else.
 */
async function changeRefused({ client, before, values }: Step): Promise<readonly Column[] | Refusal> {
  const { abonent_id, usluga_id, enabled, ...others } = plainValues(values)
  if (abonent_id !== undefined && abonent_id !== before!.abonent_id)
    return refused('wrong_field', 'abonent_id: A service stays with its subscriber; make a new one.')
  if (usluga_id !== undefined && usluga_id !== before!.usluga_id)
    return refused('wrong_field', 'usluga_id: Take this service away and give the other one.')
  const { shown, isActivePromise } = (await findService(client, before!.id as number, null))!
  const isRefused = shown.is_promise && (isActivePromise || enabled !== false || Object.keys(others).length > 0)
  return isRefused ? isAPromise : []
}

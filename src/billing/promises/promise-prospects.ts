import type { PoolClient, QueryConfig } from 'pg'
import { moneyFromUnits } from '../../domain/money.ts'
import { offerPromise, type PromisePolicy, promiseServices, serviceOfPath } from '../../domain/promise.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import {
  promiseFactsColumns,
  promiseFactsJoins,
  promiseFactsOf,
  type PromiseFactsRow,
} from '../accounts/account-store.ts'
import { usualTerms } from './operator-promise.ts'

export type PromiseProspects = readonly ReturnType<typeof offerPromise>[]

/**
 * What an operator's promise payment would be for each of some subscribers, in their order, by the decision of the
 * activation and the tables as they are now. The first of two subscribers of one account changes what the second has,
 * which is not foreseen.
 */
export async function promiseProspects(
  client: PoolClient,
  ids: readonly number[],
  policy: PromisePolicy,
  now: Date,
  patient: (query: QueryConfig) => QueryConfig,
): Promise<PromiseProspects> {
  const text = `SELECT abonent.deleted, abonent.promise_last_date, abonent.promise_date_end, account.ostatok, ${promiseFactsColumns}
    FROM unnest($1::int8[]) WITH ORDINALITY AS asked(id, place) JOIN abonents AS abonent ON abonent.id = asked.id
      JOIN admin_accounts AS account ON account.id = abonent.account_id ${promiseFactsJoins('$2')}
    ORDER BY asked.place`
  const { rows } = await client.query<Row>(patient({ text, values: [[...ids], serviceOfPath.operator] }))
  return rows.map((row) =>
    offerPromise(promiseeOf(row), { path: 'operator', ...usualTerms }, promiseFactsOf(row), policy, now),
  )
}

type Row = RowOf<typeof Abonent, 'deleted' | 'promise_last_date' | 'promise_date_end'> &
  RowOf<typeof AdminAccount, 'ostatok'> &
  PromiseFactsRow

/** Of a promise payment that is active nothing but that counts. */
const promiseeOf = ({ deleted, promise_last_date: lastPromiseAt, promise_date_end: until, ostatok }: Row) => ({
  balance: moneyFromUnits(ostatok),
  deleted,
  lastPromiseAt,
  promise: until && {
    linkId: null,
    uslugaId: promiseServices.portal,
    limit: moneyFromUnits(0),
    until,
    operationId: null,
  },
})

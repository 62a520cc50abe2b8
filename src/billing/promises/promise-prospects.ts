import type { PoolClient } from 'pg'
import { moneyFromUnits, moneyOrNull } from '../../domain/money.ts'
import {
  offerByStanding,
  type PromiseAnswer,
  promiseBounds,
  type PromisePolicy,
  serviceOfPath,
} from '../../domain/promise.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import type { Parameters } from '../../platform/storage/parameters.ts'
import { promiseServiceOf, type PromiseServiceRow } from '../accounts/account-store.ts'
import { usualTerms } from './operator-promise.ts'

/**
 * SQL over `client` and `account`: what decides about an operator's promise payment. Most subscribers have no debt and
 * the same in all of it.
 */
export function standingColumns(policy: PromisePolicy, now: Date, parameters: Parameters): string[] {
  const { youngFrom, coolingFrom } = promiseBounds(policy, now)
  const isLate = (column: string, from: Date | null) =>
    from === null ? 'false' : `coalesce(client.${column} >= ${parameters.add(from, 'timestamptz')}, false)`
  return [
    'client.deleted',
    'client.tarif_id',
    'least(account.ostatok, 0) AS balance',
    'client.promise_date_end IS NOT NULL AS is_active',
    `${isLate('create_date', youngFrom)} AS is_young`,
    `${isLate('promise_last_date', coolingFrom)} AS is_cooling`,
  ]
}

export type StandingRow = RowOf<typeof Abonent, 'deleted' | 'tarif_id'> &
  Joined<RowOf<typeof Tarif, 'price'>> & {
    readonly balance: RowOf<typeof AdminAccount, 'ostatok'>['ostatok']
    readonly is_active: boolean
    readonly is_young: boolean
    readonly is_cooling: boolean
  }

/**
 * What an operator's promise payment would be for whoever has such a row, by the decision of the activation and the
 * tables as they are now. The first of two subscribers of one account changes what the second has, which is not
 * foreseen.
 */
export async function promiseProspects(
  client: PoolClient,
  policy: PromisePolicy,
  now: Date,
): Promise<(row: StandingRow) => PromiseAnswer> {
  const { rows } = await client.query<PromiseServiceRow>(
    'SELECT enabled, summa, end_count_days FROM uslugas WHERE id = $1',
    [serviceOfPath.operator],
  )
  const service = rows[0] ? promiseServiceOf(rows[0]) : null
  return ({ deleted, balance, price, is_active, is_young, is_cooling }) => {
    const standing = {
      balance: moneyFromUnits(balance),
      tariffPrice: moneyOrNull(price),
      deleted,
      isActive: is_active,
      isYoung: is_young,
      isCoolingDown: is_cooling,
    }
    return offerByStanding(standing, { path: 'operator', ...usualTerms }, service, policy, now)
  }
}

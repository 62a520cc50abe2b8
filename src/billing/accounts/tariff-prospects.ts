import type { PoolClient, QueryConfig } from 'pg'
import { inDebt } from '../../domain/account.ts'
import { type Day, monthOf } from '../../domain/calendar.ts'
import { settlementOf } from '../../domain/charges.ts'
import { type Money, minus, moneyFromUnits, plus, zero } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { isCharged } from './account-store.ts'
import type { TariffPlan } from './messages.ts'
import { isSamePlan, tariffObstacle } from './tariff-decision.ts'

/** A tariff that is to be given to many: at once, or from a moment on. */
export type WantedTariff = { readonly id: number; readonly price: Money; readonly from: Date | null }

/** What a change of tariff would come to for one subscriber. */
export type TariffProspectOfMany =
  | { readonly kind: 'refused'; readonly reason: 'deleted' }
  /** The tariff, or the plan, is this one already. */
  | { readonly kind: 'same' }
  | {
      readonly kind: 'changes'
      /** What is charged at once; below zero: given back. */
      readonly settled: Money
      /** By how much the month's price grows. */
      readonly monthly: Money
      /** The account is not in debt now and will be. */
      readonly closes: boolean
    }

/**
 * What a change of tariff would do to each of some subscribers, in their order, by the rules of the change and the
 * tables as they are now. Whether an account falls into debt is told for each subscriber by itself.
 */
export async function tariffProspects(
  client: PoolClient,
  ids: readonly number[],
  wanted: WantedTariff,
  { now, day }: { readonly now: Date; readonly day: Day },
  patient: (query: QueryConfig) => QueryConfig,
): Promise<readonly TariffProspectOfMany[]> {
  // A plan settles nothing, so it does not ask for what has been charged.
  const periods = wanted.from ? [] : [monthOf(day), day]
  const [month = 'false', ofDay = 'false'] = periods.map((_, at) =>
    isCharged(chargeKeys.tariff.sql('abonent.id', `$${at + 2}`)),
  )
  const text = `SELECT abonent.deleted, abonent.enabled, abonent.tarif_id, abonent.next_tarif_id, abonent.next_tarif_date, tarif.price,
      account.ostatok, account."limit", account.unlimited, account.unlimited_date,
      ${month} AS month_charged, ${ofDay} AS day_charged
    FROM unnest($1::int8[]) WITH ORDINALITY AS asked(id, place) JOIN abonents AS abonent ON abonent.id = asked.id
      JOIN admin_accounts AS account ON account.id = abonent.account_id LEFT JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
    ORDER BY asked.place`
  const { rows } = await client.query<Row>(patient({ text, values: [[...ids], ...periods] }))
  return rows.map((row) => prospectOf(row, wanted, { now, day }))
}

type Row = RowOf<typeof Abonent, 'deleted' | 'enabled' | 'tarif_id' | 'next_tarif_id' | 'next_tarif_date'> &
  Joined<RowOf<typeof Tarif, 'price'>> &
  RowOf<typeof AdminAccount, 'ostatok' | 'limit' | 'unlimited' | 'unlimited_date'> & {
    readonly month_charged: boolean
    readonly day_charged: boolean
  }

function prospectOf(
  row: Row,
  wanted: WantedTariff,
  at: { readonly now: Date; readonly day: Day },
): TariffProspectOfMany {
  const { deleted, tarif_id, month_charged, day_charged } = row
  const obstacle = tariffObstacle({ deleted, tariffId: tarif_id === null ? null : Number(tarif_id) }, wanted.id)
  if (obstacle === 'deleted') return { kind: 'refused', reason: obstacle }
  const plan = wanted.from && { tariffId: wanted.id, from: wanted.from }
  if (obstacle === 'tariffSame' || (plan && isSamePlan(planOf(row), plan))) return { kind: 'same' }
  const oldPrice = moneyFromUnits(row.price ?? 0)
  const monthly = minus(wanted.price, oldPrice)
  if (plan) return { kind: 'changes', settled: zero, monthly, closes: false }
  const charged = month_charged ? 'month' : day_charged ? 'day' : 'nothing'
  const settled = settlementOf({ oldPrice, newPrice: wanted.price, day: at.day, charged })
  return { kind: 'changes', settled, monthly, closes: closesBy(row, settled, at.now) }
}

const planOf = ({ next_tarif_id, next_tarif_date }: Row): TariffPlan | null =>
  next_tarif_id !== null && next_tarif_date ? { tariffId: Number(next_tarif_id), from: next_tarif_date } : null

function closesBy({ enabled, ostatok, limit, unlimited, unlimited_date }: Row, due: Money, now: Date): boolean {
  const account = {
    balance: minus(moneyFromUnits(ostatok), due),
    limit: moneyFromUnits(limit),
    unlimited,
    unlimitedUntil: unlimited_date,
  }
  return enabled && inDebt(account, now) && !inDebt({ ...account, balance: plus(account.balance, due) }, now)
}

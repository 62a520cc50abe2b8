import type { PoolClient, QueryConfig } from 'pg'
import { inDebt } from '../../domain/account.ts'
import { type Day, monthOf } from '../../domain/calendar.ts'
import { settlementOf } from '../../domain/charges.ts'
import { type Money, minus, moneyFromUnits, plus } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { Joined, RowOf } from '../../platform/storage/entity.ts'
import { isCharged } from './account-store.ts'
import type { TariffPlan } from './messages.ts'
import { isSamePlan, tariffObstacle } from './tariff-decision.ts'

/** A tariff that is to be given to many. */
export type WantedTariff = { readonly id: number; readonly price: Money }

type Unchanged =
  | { readonly kind: 'refused'; readonly reason: 'deleted' }
  /** The tariff, or the plan, is this one already. */
  | { readonly kind: 'same' }

type Changes = {
  readonly kind: 'changes'
  /** By how much the month's price grows. */
  readonly monthly: Money
}

/** What a change of tariff at once would come to for one subscriber. */
export type TariffProspectOfMany =
  | Unchanged
  | (Changes & {
      /** What is charged at once; an amount below zero is given back. */
      readonly settled: Money
      /** Whether the account is not in debt now and will be afterwards. */
      readonly closes: boolean
    })

/** The columns that decide about a planned tariff. A plan settles nothing, so neither account nor charges matter. */
export type PlannedRow = RowOf<typeof Abonent, 'deleted' | 'tarif_id' | 'next_tarif_id' | 'next_tarif_date'> &
  Joined<RowOf<typeof Tarif, 'price'>>

/** What the plan of a tariff from a moment on would come to for whoever has such a row. */
export function planProspect(row: PlannedRow, wanted: WantedTariff & { readonly from: Date }): Unchanged | Changes {
  const unchanged = unchangedBy(row, wanted)
  if (unchanged) return unchanged
  if (isSamePlan(planOf(row), { tariffId: wanted.id, from: wanted.from })) return { kind: 'same' }
  return { kind: 'changes', monthly: minus(wanted.price, moneyFromUnits(row.price ?? 0)) }
}

function unchangedBy({ deleted, tarif_id }: PlannedRow, { id }: WantedTariff): Unchanged | null {
  const obstacle = tariffObstacle({ deleted, tariffId: tarif_id === null ? null : Number(tarif_id) }, id)
  if (obstacle === 'deleted') return { kind: 'refused', reason: obstacle }
  return obstacle === 'tariffSame' ? { kind: 'same' } : null
}

/**
 * What a change of tariff at once would do to each of some subscribers, in their order, by the rules of the change and
 * the tables as they are now. Whether an account falls into debt is told for each subscriber by itself.
 */
export async function tariffProspects(
  client: PoolClient,
  ids: readonly number[],
  wanted: WantedTariff,
  { now, day }: { readonly now: Date; readonly day: Day },
  patient: (query: QueryConfig) => QueryConfig,
): Promise<readonly TariffProspectOfMany[]> {
  const periods = [monthOf(day), day]
  const [month, ofDay] = periods.map((_, at) => isCharged(chargeKeys.tariff.sql('abonent.id', `$${at + 2}`)))
  const text = `SELECT abonent.deleted, abonent.enabled, abonent.tarif_id, abonent.next_tarif_id, abonent.next_tarif_date, tarif.price,
      account.ostatok, account."limit", account.unlimited, account.unlimited_date,
      ${month} AS month_charged, ${ofDay} AS day_charged
    FROM unnest($1::int8[]) WITH ORDINALITY AS asked(id, place) JOIN abonents AS abonent ON abonent.id = asked.id
      JOIN admin_accounts AS account ON account.id = abonent.account_id LEFT JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
    ORDER BY asked.place`
  const { rows } = await client.query<Row>(patient({ text, values: [[...ids], ...periods] }))
  return rows.map((row) => prospectOf(row, wanted, { now, day }))
}

type Row = PlannedRow &
  RowOf<typeof Abonent, 'enabled'> &
  RowOf<typeof AdminAccount, 'ostatok' | 'limit' | 'unlimited' | 'unlimited_date'> & {
    readonly month_charged: boolean
    readonly day_charged: boolean
  }

function prospectOf(
  row: Row,
  wanted: WantedTariff,
  at: { readonly now: Date; readonly day: Day },
): TariffProspectOfMany {
  const unchanged = unchangedBy(row, wanted)
  if (unchanged) return unchanged
  const { price, month_charged, day_charged } = row
  const oldPrice = moneyFromUnits(price ?? 0)
  const charged = month_charged ? 'month' : day_charged ? 'day' : 'nothing'
  const settled = settlementOf({ oldPrice, newPrice: wanted.price, day: at.day, charged })
  return {
    kind: 'changes',
    settled,
    monthly: minus(wanted.price, oldPrice),
    closes: closesBy(row, settled, at.now),
  }
}

const planOf = ({ next_tarif_id, next_tarif_date }: PlannedRow): TariffPlan | null =>
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

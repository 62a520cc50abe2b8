import type { StaffId } from '../../domain/ids.ts'
import { type Money, moneyFromUnits, plus, zero } from '../../domain/money.ts'
import { Semaphore } from '../../platform/actors/semaphore.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { deskOperations, isCashSql } from './desk-sql.ts'

/** The most cash of one day of TIME_ZONE, in all that was received less what was given back; zero: no limit. */
export type CashLimits = {
  /** By one cashier: CASH_LIMIT_CASHIER. */
  readonly cashier: Money
  /** By all cashiers: CASH_LIMIT_DAY. */
  readonly day: Money
}

export type CashRefusal = 'cash_limit_cashier' | 'cash_limit_day'

export const cashRefusalText = {
  cash_limit_cashier: 'This is more cash than one cashier may take in a day (CASH_LIMIT_CASHIER).',
  cash_limit_day: 'This is more cash than all cashiers may take in a day (CASH_LIMIT_DAY).',
} as const satisfies Record<CashRefusal, string>

const waitingMax = 1_000

/** Keeps cash that staff take below the limits. */
export class CashDesk {
  readonly #scope: TransactionScope
  readonly #limits: () => CashLimits
  /** Where there are limits, one payment follows another, so that two at once do not exceed them together. */
  readonly #turns = new Semaphore({
    insideMax: 1,
    waitingMax,
    full: () => new Unavailable('mailboxFull', 'Too many payments wait at the cash desks.'),
  })

  constructor(scope: TransactionScope, limits: () => CashLimits) {
    this.#scope = scope
    this.#limits = limits
  }

  get limits(): CashLimits {
    return this.#limits()
  }

  /** Carries out `post`, which takes this much cash, or says why so much may not be taken. */
  async take<T extends object>(
    staffId: StaffId,
    amount: Money,
    post: () => Promise<T>,
  ): Promise<T | { readonly exceeded: CashRefusal }> {
    const { cashier, day } = this.limits
    if (cashier === zero && day === zero) return post()
    return this.#turns.through(async () => {
      const { own, all } = await reading(this.#scope, (client) => cashOfToday(client, staffId))
      if (cashier > zero && plus(own, amount) > cashier) return { exceeded: 'cash_limit_cashier' as const }
      if (day > zero && plus(all, amount) > day) return { exceeded: 'cash_limit_day' as const }
      return post()
    })
  }
}

/** The cash that one cashier and all of them have taken today, less what they have given back. */
export async function cashOfToday(client: Client, staffId: StaffId): Promise<{ own: Money; all: Money }> {
  const { rows } = await client.query<{ own: string; all: string }>(
    `SELECT coalesce(sum(taken.sum) FILTER (WHERE staff.id = $1), 0)::text AS own, coalesce(sum(taken.sum), 0)::text AS all
      FROM staff CROSS JOIN LATERAL (SELECT sum(operation.op_summa) AS sum FROM ${deskOperations}
        AND operation.owner_id = staff.id AND operation.system_date >= date_trunc('day', now()) AND ${isCashSql}) AS taken`,
    [staffId],
  )
  return { own: moneyFromUnits(rows[0]!.own), all: moneyFromUnits(rows[0]!.all) }
}

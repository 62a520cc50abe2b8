import type { StaffId } from '../../domain/ids.ts'
import { magnitude, type Money, moneyFromUnits, plus, zero } from '../../domain/money.ts'
import type { OperationDetails, OperationSign } from '../../domain/operation.ts'
import { Semaphore } from '../../platform/actors/semaphore.ts'
import { type VisibleOrganizations, visibleSql } from '../../platform/staff/visible-organizations.ts'
import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { type TransactionScope, writing } from '../../platform/storage/transactions.ts'
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

  /**
   * Carries out `post`, which has an account take `posting`, or says why so much cash may not be taken. What was taken
   * before is known by its keys: a repeat takes nothing, so no limit keeps it from its first answer.
   */
  async take<T extends object>(
    staffId: StaffId,
    posting: Posting,
    post: () => Promise<T>,
  ): Promise<T | { readonly exceeded: CashRefusal }> {
    const { cashier, day } = this.limits
    if (!isCashReceipt(posting) || (cashier === zero && day === zero)) return post()
    const amount = magnitude(posting.amount)
    const inTurn = async (client: Client) => {
      // Until the payment is committed, neither does another program on the database count without it.
      await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.cash])
      if (await isAnyTaken(client, posting.keys)) return post()
      const { own, all } = await cashOfToday(client, staffId, null)
      if (cashier > zero && plus(own, amount) > cashier) return { exceeded: 'cash_limit_cashier' as const }
      if (day > zero && plus(all, amount) > day) return { exceeded: 'cash_limit_day' as const }
      return post()
    }
    return this.#turns.through(() => writing(this.#scope, inTurn))
  }
}

/** What is to be posted, as the account is asked for it. */
type Posting = {
  readonly sign: OperationSign
  readonly amount: Money
  readonly details: OperationDetails
  readonly keys: readonly string[]
}

const isCashReceipt = ({ sign, amount, details }: Posting): boolean =>
  details.isCash === true && sign > 0 && amount !== zero

async function isAnyTaken(client: Client, keys: readonly string[]): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM money_keys WHERE key = ANY($1::text[]) LIMIT 1', [keys])
  return rowCount !== 0
}

/** The cash that one cashier and all of them, there in `visible`, have taken today, less what they have given back. */
export async function cashOfToday(
  client: Client,
  staffId: StaffId,
  visible: VisibleOrganizations,
): Promise<{ own: Money; all: Money }> {
  const { rows } = await client.query<{ own: string; all: string }>(
    `SELECT coalesce(sum(taken.sum) FILTER (WHERE staff.id = $1), 0)::text AS own,
        coalesce(sum(taken.seen), 0)::text AS all
      FROM staff CROSS JOIN LATERAL (SELECT sum(operation.op_summa) AS sum,
          sum(operation.op_summa) FILTER (WHERE ${visibleSql('operation.organization_id', '$2')}) AS seen
        FROM ${deskOperations} AND operation.owner_id = staff.id
          AND operation.system_date >= date_trunc('day', now()) AND ${isCashSql}) AS taken`,
    [staffId, visible],
  )
  return { own: moneyFromUnits(rows[0]!.own), all: moneyFromUnits(rows[0]!.all) }
}

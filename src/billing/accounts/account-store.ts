import type { Account } from '../../domain/account.ts'
import { type Day, type Month, monthOf } from '../../domain/calendar.ts'
import {
  type AccountId,
  accountId,
  defaultOrganization,
  type OperationId,
  operationId,
  organizationId,
  staffId,
  type SubscriberId,
  subscriberId,
} from '../../domain/ids.ts'
import { moneyFromUnits, moneyOrNull } from '../../domain/money.ts'
import { chargeKeys } from '../../domain/money-keys.ts'
import type { Operation, OperationDetails } from '../../domain/operation.ts'
import type { PromiseFacts } from '../../domain/promise.ts'
import { BatchedReads } from '../../platform/storage/batched-reads.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import { FinanceOperation } from '../../platform/storage/entities/accounts.ts'
import type { Tarif, Usluga } from '../../platform/storage/entities/services.ts'
import { columnList, columnNames, type Joined, type RowOf } from '../../platform/storage/entity.ts'
import { ReservedIds } from '../../platform/storage/reserved-ids.ts'
import { hiddenFromPlanner, type Sql } from '../../platform/storage/sql.ts'
import { accountColumns, type AccountRow, accountRowOrder, accountRows, accountsOf } from './account-row.ts'
import type { CommitVerdict, Statement } from './commit-statement.ts'
import { givenBackSql } from './given-back.ts'
import type { TariffPlan } from './messages.ts'
import { type ServiceFacts, serviceFactsOf, serviceFactsText, type ServiceFactsRow } from './service-decision.ts'
import type { Tariff, TariffFacts } from './tariff-decision.ts'

/**
 * Reads accounts and operations for the turns of the actors, and sends their commits. It knows rows and decides
 * nothing.
 */
export class AccountStore {
  readonly #sql: Sql
  readonly #operationIds: ReservedIds
  readonly #outboxIds: ReservedIds
  readonly #linkIds: ReservedIds
  readonly #accounts: BatchedReads<AccountId, Account>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#accounts = new BatchedReads((ids) => this.#loadAll(ids))
    this.#operationIds = new ReservedIds(sql, 'finance_operations_op_id_seq')
    this.#outboxIds = new ReservedIds(sql, 'outbox_id_seq')
    this.#linkIds = new ReservedIds(sql, 'users_uslugas_id_seq')
  }

  /** Null: there is no such account. */
  load(id: AccountId): Promise<Account | null> {
    return this.#accounts.get(id)
  }

  /** Loads the accounts with these ids that exist. */
  loadMany(ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, Account>> {
    return this.#loadAll(ids)
  }

  async operation(id: OperationId): Promise<Operation | null> {
    const { rows } = await this.#sql.query({ name: 'account:operation', text: operationText, values: [id] })
    return rows[0] ? operationOf(rows[0] as OperationRow) : null
  }

  /** Loads operations in the order of their ids. One that has been deleted meanwhile is left out. */
  async operations(ids: readonly OperationId[]): Promise<Operation[]> {
    if (ids.length === 0) return []
    const { rows } = await this.#sql.query({ name: 'account:operations', text: operationsText, values: [ids] })
    return (rows as OperationRow[]).map(operationOf)
  }

  /** The later operation that has given back what this one did, as a whole or in part; null: there is none. */
  async givenBackBy(id: OperationId, timeZone: string): Promise<OperationId | null> {
    const text = `SELECT ${givenBackSql('operation', '$2')} AS op_id FROM finance_operations AS operation WHERE op_id = $1`
    const { rows } = await this.#sql.query({ name: 'account:given-back', text, values: [id, timeZone] })
    const found = (rows[0] as { op_id: string | null } | undefined)?.op_id
    return found ? operationId(found) : null
  }

  /** The operation of the account just before this one; null: there is none. */
  async operationBefore(account: AccountId, id: OperationId): Promise<OperationId | null> {
    // Ordered by the chain and not by the id, because every program takes ids in blocks of its own.
    const text = `SELECT op_id FROM finance_operations WHERE account_id = $1
      AND chain_seq < (SELECT chain_seq FROM finance_operations WHERE op_id = $2) ORDER BY chain_seq DESC LIMIT 1`
    const { rows } = await this.#sql.query({ name: 'account:operation-before', text, values: [account, id] })
    const found = (rows[0] as { op_id: string | null } | undefined)?.op_id
    return found ? operationId(found) : null
  }

  /** Null: there is no such subscriber. */
  async promiseFacts(id: SubscriberId, uslugaId: number): Promise<PromiseFacts | null> {
    const { rows } = await this.#sql.query({ name: 'account:promise', text: promiseText, values: [id, uslugaId] })
    const row = rows[0] as PromiseFactsRow | undefined
    return row ? promiseFactsOf(row) : null
  }

  /** `day` is the first day of the new tariff. */
  async tariffFacts(id: SubscriberId, from: number | null, to: number | null, day: Day): Promise<TariffFacts> {
    const keys = [chargeKeys.tariff.of(id, monthOf(day)), chargeKeys.tariff.of(id, day)]
    const { rows } = await this.#sql.query({ name: 'account:tariff', text: tariffText, values: [from, to, ...keys] })
    const { old_tarif, new_tarif, month_charged, day_charged } = rows[0] as TariffFactsRow
    return {
      from: old_tarif && tariffOf(old_tarif),
      to: new_tarif && tariffOf(new_tarif),
      charged: month_charged ? 'month' : day_charged ? 'day' : 'nothing',
    }
  }

  /** The services of a subscriber for which a month has been charged. */
  async chargedServices(id: SubscriberId, month: Month): Promise<ServiceFacts[]> {
    const { rows } = await this.#sql.query({ name: 'account:services', text: serviceFactsText, values: [id, month] })
    return (rows as ServiceFactsRow[]).map(serviceFactsOf)
  }

  /** The change of tariff that is planned; null: there is none. */
  async tariffPlan(id: SubscriberId): Promise<TariffPlan | null> {
    const text = `SELECT next_tarif_id, next_tarif_date FROM abonents
      WHERE id = $1 AND next_tarif_id IS NOT NULL AND next_tarif_date IS NOT NULL`
    const { rows } = await this.#sql.query({ name: 'account:plan', text, values: [id] })
    const row = rows[0] as { next_tarif_id: string; next_tarif_date: Date } | undefined
    return row ? { tariffId: Number(row.next_tarif_id), from: row.next_tarif_date } : null
  }

  /** Null: there is no such subscriber. */
  async accountOf(id: SubscriberId): Promise<AccountId | null> {
    const text = 'SELECT account_id FROM abonents WHERE id = $1'
    const { rows } = await this.#sql.query({ name: 'account:of', text, values: [id] })
    const found = (rows[0] as { account_id: string } | undefined)?.account_id
    return found === undefined ? null : accountId(found)
  }

  send = async (statement: Statement): Promise<CommitVerdict> =>
    (await this.#sql.query(statement)).rows[0] as CommitVerdict

  /** The number of an account that is to be opened. */
  async newAccountId(): Promise<AccountId> {
    // These ids are taken one at a time, unlike those below: clients read the number of their account, and a gap looks
    // as if an account were missing.
    const text = `SELECT nextval('admin_accounts_id_seq') AS id`
    const { rows } = await this.#sql.query({ name: 'account:new', text })
    return accountId((rows[0] as { id: string }).id)
  }

  /** Makes every commit that was decided before stale. Waits for a commit that is being written. */
  async fence(id: AccountId): Promise<void> {
    const text = 'UPDATE admin_accounts SET version = version + 1 WHERE id = $1'
    await this.#sql.query({ name: 'account:fence', text, values: [id] })
  }

  /**
   * Operation ids in ascending order. They are taken before the commit, so that an audit row or an outbox row can name
   * the operation it belongs to.
   */
  takeOperationIds = (count: number): Promise<number[]> => this.#operationIds.take(count)
  newOutboxId = async (): Promise<number> => (await this.#outboxIds.take(1))[0]!
  newLinkId = async (): Promise<number> => (await this.#linkIds.take(1))[0]!

  async #loadAll(ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, Account>> {
    const { rows } = await this.#sql.query({ name: 'account:load', text: loadText, values: [ids] })
    return new Map(accountsOf(rows as AccountRow[]).map((account) => [account.id, account]))
  }
}

const loadText = `SELECT ${accountColumns} FROM admin_accounts AS account ${accountRows}
  WHERE account.id = ANY(${hiddenFromPlanner('$1')}) ORDER BY account.id, ${accountRowOrder}`

const promiseText = `SELECT abonent.create_date, tarif.price, usluga.enabled, usluga.summa, usluga.end_count_days FROM abonents AS abonent
  LEFT JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id LEFT JOIN uslugas AS usluga ON usluga.id = $2 WHERE abonent.id = $1`

type PromiseFactsRow = RowOf<typeof Abonent, 'create_date'> & Joined<RowOf<typeof Tarif, 'price'>> & PromiseServiceRow

const promiseFactsOf = (row: PromiseFactsRow): PromiseFacts => ({
  tariffPrice: moneyOrNull(row.price),
  createdAt: row.create_date,
  service: promiseServiceOf(row),
})

export type PromiseServiceRow = Joined<RowOf<typeof Usluga, 'enabled' | 'summa' | 'end_count_days'>>

/** The service behind a promise payment; null: there is none. */
export const promiseServiceOf = ({
  enabled,
  summa,
  end_count_days: days,
}: PromiseServiceRow): PromiseFacts['service'] =>
  enabled === null ? null : { enabled, amount: moneyOrNull(summa), days }

const tariffJson = (id: string) =>
  `(SELECT json_build_object('name', name, 'price', price::text, 'walled_garden', walled_garden, 'vlan', vlan) FROM tarifs WHERE id = ${id})`

/** SQL: whether the key of a charge is taken. A charge that has been reversed does not count as a charge. */
export const isCharged = (key: string) => `EXISTS (SELECT FROM money_keys AS taken WHERE taken.key = ${key}
    AND NOT EXISTS (SELECT FROM finance_operations AS charge WHERE charge.op_id = taken.op_id AND charge.storno))`

const tariffText = `SELECT ${tariffJson('$1::int8')} AS old_tarif, ${tariffJson('$2::int8')} AS new_tarif,
  ${isCharged('$3')} AS month_charged, ${isCharged('$4')} AS day_charged`

type TariffRow = { name: string; price: string; walled_garden: boolean; vlan: number | null }
type TariffFactsRow = {
  old_tarif: TariffRow | null
  new_tarif: TariffRow | null
  month_charged: boolean
  day_charged: boolean
}

const tariffOf = ({ name, price, walled_garden, vlan }: TariffRow): Tariff => ({
  name,
  price: moneyFromUnits(price),
  walledGarden: walled_garden,
  vlan,
})

/** The printed form is left out because it may be large; the hash is added separately, as text. */
const operationColumns = columnNames(FinanceOperation).filter((name) => name !== 'print_form' && name !== 'chain_hash')

const operationSelect = `SELECT ${columnList(operationColumns)}, encode(chain_hash, 'hex') AS chain_hash FROM finance_operations`
const operationText = `${operationSelect} WHERE op_id = $1`
const operationsText = `${operationSelect} WHERE op_id = ANY(${hiddenFromPlanner('$1')}) ORDER BY op_id`

type OperationRow = Omit<RowOf<typeof FinanceOperation>, 'print_form' | 'chain_hash'> & { chain_hash: string | null }

const operationOf = (row: OperationRow): Operation => ({
  id: operationId(row.op_id),
  accountId: accountId(row.account_id),
  subscriberId: row.abonent_id === null ? null : subscriberId(row.abonent_id),
  organizationId: organizationId(row.organization_id ?? defaultOrganization),
  typeId: Number(row.op_type_id),
  amount: moneyFromUnits(row.op_summa),
  movedAt: row.op_date,
  recordedAt: row.system_date,
  ownerId: row.owner_id === null ? null : staffId(row.owner_id),
  description: row.descr ?? '',
  reversed: row.storno,
  reversalOf: row.related_operation_id === null ? null : operationId(row.related_operation_id),
  details: detailsOf(row),
  snapshot: {
    balance: moneyFromUnits(row.aa_ostatok),
    receipts: moneyFromUnits(row.aa_debit),
    writeOffs: moneyFromUnits(row.aa_credit),
    warnBelow: row.aa_limit_warning === null ? null : moneyFromUnits(row.aa_limit_warning),
    limit: moneyFromUnits(row.aa_limit),
    unlimited: row.aa_unlimited,
    unlimitedUntil: row.aa_unlimited_date,
  },
  link: row.chain_seq === null || row.chain_hash === null ? null : { seq: row.chain_seq, hash: row.chain_hash },
})

const detailsOf = (row: OperationRow): OperationDetails => ({
  ...(row.number !== null && { number: row.number }),
  ...(row.usluga_id !== null && { uslugaId: Number(row.usluga_id) }),
  ...(row.fin_op_id !== null && { parentId: operationId(row.fin_op_id) }),
  ...(row.credit_type_id !== null && { creditTypeId: Number(row.credit_type_id) }),
  ...(row.operator_id !== null && { carrierId: subscriberId(row.operator_id) }),
  ...(row.admin_comment !== null && { adminComment: row.admin_comment }),
  ...(row.code1c !== null && { code1c: row.code1c }),
  ...(row.operator_name !== null && { operatorName: row.operator_name }),
  ...(row.operator_pay_id_str !== null && { operatorPayId: row.operator_pay_id_str }),
  ...(row.operator_result !== null && { operatorResult: row.operator_result }),
  ...(row.txn !== null && { txn: row.txn }),
  isCash: row.is_cash,
  isAccounting: row.isbuhdoc,
})

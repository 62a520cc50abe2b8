import type { Account, Login, Subscriber } from '../../domain/account.ts'
import { accountId, defaultOrganization, loginId, operationId, organizationId, subscriberId } from '../../domain/ids.ts'
import { momentFromText } from '../../domain/moments.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import { type PromisePayment, promiseServices } from '../../domain/promise.ts'
import type { Joined } from '../../platform/storage/entity.ts'

const promiseIds = Object.values(promiseServices).join()

/**
 * SQL: the columns of AccountRow, all that a turn has to know of the row `account` of admin_accounts, to which
 * `accountRows` is joined. Money is text, because a number of JSON would lose its last digits.
 */
export const accountColumns = `account.id, account.version, account.ostatok::text AS ostatok, account.debit::text AS debit,
    account.credit::text AS credit, account.debt_since, account."limit"::text AS "limit", account.unlimited, account.unlimited_date,
    account.warn::text AS warn, account.sleep_date, account.last_notification_date, account.last_operation_id,
    account.chain_length, encode(account.chain_head, 'hex') AS chain_head, line.*`

/**
 * SQL: a row for each login of the account, and one for a subscriber or an account that has none. To make JSON of them
 * would cost the server as much again. OFFSET 0 keeps the planner from joining whole tables for the sake of a few
 * accounts.
 */
export const accountRows = `LEFT JOIN LATERAL (SELECT abonent.id AS abonent_id, abonent.organization_id, abonent.deleted,
      abonent.enabled, abonent.tarif_id, abonent.promise_last_date, abonent.charged_from,
      CASE WHEN abonent.promise_date_end IS NOT NULL THEN coalesce(
        (SELECT json_build_object('id', link.id, 'usluga_id', link.usluga_id, 'op_id', link.op_id,
            'limit', coalesce(abonent.promise_pay, link."limit", 0)::text, 'until', abonent.promise_date_end)
          FROM users_uslugas AS link WHERE link.abonent_id = abonent.id AND link.usluga_id IN (${promiseIds})
          ORDER BY link.id DESC LIMIT 1),
        json_build_object('usluga_id', ${promiseServices.portal}, 'limit', coalesce(abonent.promise_pay, 0)::text,
          'until', abonent.promise_date_end)) END AS promise,
      tarif.walled_garden, block.b_negbal, block.b_admin, block.b_own, block.b_sys,
      login.id AS login_id, login.login, login.enabled AS login_enabled, login.disabled_by_hand
    FROM abonents AS abonent LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
      LEFT JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id LEFT JOIN users AS login ON login.abonent_id = abonent.id
    WHERE abonent.account_id = account.id OFFSET 0) AS line ON true`

/** SQL: the order in which the rows of an account have to come. */
export const accountRowOrder = 'line.abonent_id, line.login_id'

/** A 64-bit id is text in a column and a number in JSON; a moment is a Date in a column and text in JSON. */
type Id = string | number
type Moment = Date | string

type OwnColumns = {
  id: Id
  version: number
  ostatok: string
  debit: string
  credit: string
  debt_since: Moment | null
  limit: string
  unlimited: boolean
  unlimited_date: Moment | null
  warn: string | null
  sleep_date: Moment | null
  last_notification_date: Moment | null
  last_operation_id: Id | null
  chain_length: number
  chain_head: string
}

type SubscriberColumns = {
  abonent_id: Id
  organization_id: Id | null
  deleted: boolean
  enabled: boolean
  tarif_id: Id | null
  promise_last_date: Moment | null
  charged_from: Moment | null
  promise: PromiseColumns | null
  walled_garden: boolean | null
  b_negbal: boolean | null
  b_admin: boolean | null
  b_own: boolean | null
  b_sys: boolean | null
}

type PromiseColumns = { id?: number; usluga_id: number; op_id?: number | null; limit: string; until: string }

type LoginColumns = { login_id: Id; login: string; login_enabled: boolean; disabled_by_hand: boolean }

/** A row of `accountColumns`. */
export type AccountRow = OwnColumns & Joined<SubscriberColumns & LoginColumns>

type SubscriberRow = SubscriberColumns & Joined<LoginColumns>

/** The accounts of some rows, in which those of one account follow each other. */
export const accountsOf = (rows: readonly AccountRow[]): Account[] => inRuns(rows, 'id').map(accountOf)

function accountOf(rows: readonly AccountRow[]): Account {
  const row = rows[0]!
  return {
    id: accountId(row.id),
    version: row.version,
    balance: moneyFromUnits(row.ostatok),
    receipts: moneyFromUnits(row.debit),
    writeOffs: moneyFromUnits(row.credit),
    debtSince: momentOf(row.debt_since),
    limit: moneyFromUnits(row.limit),
    unlimited: row.unlimited,
    unlimitedUntil: momentOf(row.unlimited_date),
    warnBelow: row.warn === null ? null : moneyFromUnits(row.warn),
    sleepUntil: momentOf(row.sleep_date),
    warnedAt: momentOf(row.last_notification_date),
    lastOperationId: row.last_operation_id === null ? null : operationId(row.last_operation_id),
    chain: { length: row.chain_length, head: row.chain_head },
    subscribers:
      row.abonent_id === null ? [] : inRuns(rows as readonly SubscriberRow[], 'abonent_id').map(subscriberOf),
  }
}

function subscriberOf(rows: readonly SubscriberRow[]): Subscriber {
  const row = rows[0]!
  return {
    id: subscriberId(row.abonent_id),
    organizationId: organizationId(row.organization_id ?? defaultOrganization),
    deleted: row.deleted,
    enabled: row.enabled,
    blocks: {
      debt: row.b_negbal ?? false,
      operator: row.b_admin ?? false,
      client: row.b_own ?? false,
      system: row.b_sys ?? false,
    },
    hasBlockRecord: row.b_negbal !== null,
    tariffId: row.tarif_id === null ? null : Number(row.tarif_id),
    promise: row.promise && promiseOf(row.promise),
    lastPromiseAt: momentOf(row.promise_last_date),
    chargedFrom: momentOf(row.charged_from),
    walledGarden: row.walled_garden ?? false,
    logins: row.login_id === null ? [] : (rows as readonly LoginColumns[]).map(loginOf),
  }
}

const loginOf = ({ login_id, login, login_enabled, disabled_by_hand }: LoginColumns): Login => ({
  id: loginId(login_id),
  name: login,
  enabled: login_enabled,
  disabledByHand: disabled_by_hand,
})

/** Puts rows together that follow each other and have the same value in the column. */
function inRuns<Row, Column extends keyof Row>(rows: readonly Row[], column: Column): Row[][] {
  const runs: Row[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    if (run && run[0]![column] === row[column]) run.push(row)
    else runs.push([row])
  }
  return runs
}

const momentOf = (moment: Moment | null): Date | null => (typeof moment === 'string' ? momentFromText(moment) : moment)

const promiseOf = ({ id, usluga_id, op_id, limit, until }: PromiseColumns): PromisePayment => ({
  linkId: id ?? null,
  uslugaId: usluga_id,
  limit: moneyFromUnits(limit),
  until: momentFromText(until),
  operationId: op_id === null || op_id === undefined ? null : operationId(op_id),
})

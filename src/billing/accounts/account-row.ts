import type { Account, Subscriber } from '../../domain/account.ts'
import { accountId, defaultOrganization, loginId, operationId, organizationId, subscriberId } from '../../domain/ids.ts'
import { momentFromText } from '../../domain/moments.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import { type PromisePayment, promiseServices } from '../../domain/promise.ts'

const promiseIds = Object.values(promiseServices).join()

/**
 * SQL: everything that a turn has to know of the row `account` of admin_accounts, as JSON, so that a statement may read
 * it together with something else. Numbers of 64 bits are text, because a JSON number would lose their last digits.
 */
export const accountJson = `json_build_object('id', account.id::text, 'version', account.version,
    'ostatok', account.ostatok::text, 'debit', account.debit::text, 'credit', account.credit::text, 'debt_since', account.debt_since,
    'limit', account."limit"::text, 'unlimited', account.unlimited, 'unlimited_date', account.unlimited_date,
    'warn', account.warn::text, 'sleep_date', account.sleep_date,
    'last_notification_date', account.last_notification_date, 'last_operation_id', account.last_operation_id::text,
    'chain_length', account.chain_length, 'chain_head', encode(account.chain_head, 'hex'), 'subscribers',
    (SELECT json_agg(json_build_object('id', abonent.id, 'organization_id', coalesce(abonent.organization_id, ${defaultOrganization}),
        'deleted', abonent.deleted, 'enabled', abonent.enabled, 'tarif_id', abonent.tarif_id,
        'promise_last_date', abonent.promise_last_date, 'charged_from', abonent.charged_from,
        'promise', CASE WHEN abonent.promise_date_end IS NOT NULL THEN coalesce(
          (SELECT json_build_object('id', link.id, 'usluga_id', link.usluga_id, 'op_id', link.op_id,
              'limit', coalesce(abonent.promise_pay, link."limit", 0)::text, 'until', abonent.promise_date_end)
            FROM users_uslugas AS link WHERE link.abonent_id = abonent.id AND link.usluga_id IN (${promiseIds})
            ORDER BY link.id DESC LIMIT 1),
          json_build_object('usluga_id', ${promiseServices.portal}, 'limit', coalesce(abonent.promise_pay, 0)::text,
            'until', abonent.promise_date_end)) END,
        'walled_garden', coalesce(tarif.walled_garden, false), 'block', to_json(block),
        'logins', (SELECT json_agg(json_build_object('id', login.id, 'name', login.login, 'enabled', login.enabled,
            'disabled_by_hand', login.disabled_by_hand) ORDER BY login.id)
          FROM users AS login WHERE login.abonent_id = abonent.id)) ORDER BY abonent.id)
      FROM abonents AS abonent LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
        LEFT JOIN tarifs AS tarif ON tarif.id = abonent.tarif_id
      WHERE abonent.account_id = account.id))`

/** What `accountJson` makes. Moments are text. */
export type AccountRow = {
  id: string
  version: number
  ostatok: string
  debit: string
  credit: string
  debt_since: string | null
  limit: string
  unlimited: boolean
  unlimited_date: string | null
  warn: string | null
  sleep_date: string | null
  last_notification_date: string | null
  last_operation_id: string | null
  chain_length: number
  chain_head: string
  subscribers: SubscriberRow[] | null
}

type SubscriberRow = {
  id: number
  organization_id: number
  deleted: boolean
  enabled: boolean
  tarif_id: number | null
  promise_last_date: string | null
  charged_from: string | null
  promise: PromiseRow | null
  walled_garden: boolean
  block: { b_negbal: boolean; b_admin: boolean; b_own: boolean; b_sys: boolean } | null
  logins: { id: number; name: string; enabled: boolean; disabled_by_hand: boolean }[] | null
}

type PromiseRow = { id?: number; usluga_id: number; op_id?: number | null; limit: string; until: string }

export const accountOf = (row: AccountRow): Account => ({
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
  subscribers: (row.subscribers ?? []).map(subscriberOf),
})

const subscriberOf = (row: SubscriberRow): Subscriber => ({
  id: subscriberId(row.id),
  organizationId: organizationId(row.organization_id),
  deleted: row.deleted,
  enabled: row.enabled,
  blocks: {
    debt: row.block?.b_negbal ?? false,
    operator: row.block?.b_admin ?? false,
    client: row.block?.b_own ?? false,
    system: row.block?.b_sys ?? false,
  },
  hasBlockRecord: row.block !== null,
  tariffId: row.tarif_id,
  promise: row.promise && promiseOf(row.promise),
  lastPromiseAt: momentOf(row.promise_last_date),
  chargedFrom: momentOf(row.charged_from),
  walledGarden: row.walled_garden,
  logins: (row.logins ?? []).map(({ id, name, enabled, disabled_by_hand }) => ({
    id: loginId(id),
    name,
    enabled,
    disabledByHand: disabled_by_hand,
  })),
})

const momentOf = (text: string | null): Date | null => (text === null ? null : momentFromText(text))

const promiseOf = ({ id, usluga_id, op_id, limit, until }: PromiseRow): PromisePayment => ({
  linkId: id ?? null,
  uslugaId: usluga_id,
  limit: moneyFromUnits(limit),
  until: momentFromText(until),
  operationId: op_id === null || op_id === undefined ? null : operationId(op_id),
})

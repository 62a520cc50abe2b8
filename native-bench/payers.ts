import type pg from 'pg'
import { currency, signedMetadata } from '../src/billing/payments/gateway-a-rest.ts'
import { signatureOf } from '../src/billing/payments/gateway-b.ts'
import { subscriberId } from '../src/domain/ids.ts'
import { formatRubles, parseRubles } from '../src/domain/money.ts'

export const shop = { id: '100500', key: 'test_key_of_the_bench' }

/** The program's side of both gateways; gateway A is not there to be read back from. */
export const shopSettings = {
  TOLLGATE_SETTING_LK_GWA_SHOP_ID: shop.id,
  TOLLGATE_SETTING_LK_GWA_SECRET_KEY: shop.key,
  TOLLGATE_SETTING_LK_GWA_VERIFY_BY_API: '0',
  TOLLGATE_SETTING_LK_GWB_MERCHANT_ID: shop.id,
  TOLLGATE_SETTING_LK_GWB_SECRET_KEY: shop.key,
}
const credit = parseRubles('200')!
const commission = parseRubles('9')!
const payable = parseRubles('209')!
const debt = parseRubles('100')!

/** Somebody in debt and blocked, with one order to pay. Subscriber, account and order have the same number. */
export type Payer = { readonly id: number; readonly login: string; readonly body: string; readonly contentType: string }

/** How the peer is told apart from the gateways: its subscribers pay by the form, and are its own. */
export type Till = 'gwb' | 'gwa' | 'plain'

/** Adds payers to the tables while nobody else writes to them. */
export async function addPayers(database: pg.Client, till: Till, from: number, count: number, storedPassword: string) {
  const [gateway, protocol] = till === 'gwa' ? ['gwa', 'rest'] : ['gwb', 'form']
  const ids = `generate_series(${from}, ${from + count - 1}) AS id`
  // No trigger: what the counters miss is of no use here.
  await database.query('SET session_replication_role = replica')
  await database.query(`INSERT INTO admin_accounts (id, ostatok, credit) SELECT id, -${debt}, ${debt} FROM ${ids}`)
  await database.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id, create_date, enabled)
    SELECT id, 'payer ' || id, 'p' || id, id, 1, '2020-01-01', false FROM ${ids}`)
  await database.query(`INSERT INTO abonents_block (abonent_id, b_negbal) SELECT id, true FROM ${ids}`)
  await database.query(
    `INSERT INTO users (abonent_id, login, password, enabled) SELECT id, 'payer' || id, $1, false FROM ${ids}`,
    [storedPassword],
  )
  await database.query(`INSERT INTO payment_orders (id, subscriber_id, account_id, organization_id, gateway, protocol, amount, payable,
      commission, idempotence_key, state, sent_at)
    SELECT id, id, id, 1, '${gateway}', '${protocol}', ${credit}, ${payable}, ${commission}, 'bench-' || id, 'sent', now() FROM ${ids}`)
  await database.query('SET session_replication_role = DEFAULT')
  return Array.from({ length: count }, (_, n): Payer => payerOf(till, from + n))
}

function payerOf(till: Till, id: number): Payer {
  const login = `payer${id}`
  return till === 'gwa'
    ? { id, login, contentType: 'application/json', body: restNotice(id) }
    : { id, login, contentType: 'application/x-www-form-urlencoded', body: formNotice(id) }
}

function restNotice(id: number): string {
  const asked = { orderId: id, subscriberId: subscriberId(id), credit, payable, commission }
  const object = {
    id: `pay-${id}`,
    status: 'succeeded',
    paid: true,
    amount: { value: formatRubles(payable), currency },
    recipient: { account_id: shop.id, gateway_id: '1' },
    metadata: signedMetadata(asked, shop.key),
  }
  return JSON.stringify({ type: 'notification', event: 'payment.succeeded', object })
}

function formNotice(id: number): string {
  const fields = {
    WMI_AUTO_ACCEPT: '1',
    WMI_CURRENCY_ID: '643',
    WMI_MERCHANT_ID: shop.id,
    WMI_ORDER_ID: `3400${id}`,
    WMI_ORDER_STATE: 'Accepted',
    WMI_PAYMENT_AMOUNT: formatRubles(payable),
    WMI_PAYMENT_NO: `${id}-${id}`,
    WMI_PAYMENT_TYPE: 'CreditCardRUB',
  }
  const signed = Object.entries(fields).map(([name, value]) => ({ name, value: Buffer.from(value) }))
  return String(new URLSearchParams({ ...fields, WMI_SIGNATURE: signatureOf(signed, shop.key) }))
}

/** How many of them are credited and open, as the tables say. */
export async function countOpen(database: pg.Client, payers: readonly Payer[]): Promise<number> {
  const { rows } = await database.query<{ open: number }>(
    `SELECT count(*)::int4 AS open FROM payment_orders AS orders
      JOIN admin_accounts AS account ON account.id = orders.account_id JOIN abonents ON abonents.id = orders.subscriber_id
      JOIN users ON users.abonent_id = abonents.id
    WHERE orders.id = ANY($1::int8[]) AND orders.state = 'paid' AND abonents.enabled AND users.enabled
      AND account.ostatok = ${credit - debt} AND NOT EXISTS (SELECT FROM abonents_block WHERE abonent_id = abonents.id AND b_negbal)
      AND (SELECT count(*) FROM finance_operations WHERE abonent_id = abonents.id AND op_id = orders.operation_id) = 1`,
    [payers.map(({ id }) => id)],
  )
  return rows[0]!.open
}

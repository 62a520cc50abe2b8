import type { Parts } from '../../../src/app/program.ts'
import type { GatewayName } from '../../../src/billing/payments/notice.ts'
import type { StartedPayment } from '../../../src/billing/payments/start.ts'
import type { Behaviour } from '../../../src/demo/gateways/behaviour.ts'
import { SimulatedGatewayA } from '../../../src/demo/gateways/gateway-a.ts'
import { SimulatedGatewayB } from '../../../src/demo/gateways/gateway-b.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, type SubscriberId, subscriberId } from '../../../src/domain/ids.ts'
import { formatRubles, moneyFromUnits, parseRubles } from '../../../src/domain/money.ts'
import { createLog } from '../../../src/platform/log.ts'
import { entryOf, isSettingName } from '../../../src/platform/settings/catalog.ts'
import type { LogLine } from '../../platform/http/parts.ts'
import type { SharedDatabase } from '../../support/database.ts'
import { type FixtureOptions, openFixture } from '../../support/fixture.ts'
import { fetch } from '../../support/published.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows are looked into field by field
export type Row = any

export const restKey = 'test_key_of_the_shop_for_rest_v3'
export const shopPassword = 'shop password'
export const merchantKey = 'XkZMYW56NzVbNV1aekxGNVxvT3xwVHExZ005'

export const money = (text: string) => parseRubles(text)!

/** The program with its HTTP doors open, with both gateways simulated beside it. */
export class PaymentFixture {
  readonly base: string
  readonly parts: Parts
  readonly database: Parts['database']
  readonly settings: Parts['settings']
  readonly payments: Parts['payments']
  readonly accounts: Parts['accounts']
  readonly a: SimulatedGatewayA
  readonly b: SimulatedGatewayB
  readonly log: readonly LogLine[]
  #contract = 0

  constructor(parts: Parts, own: Pick<PaymentFixture, 'base' | 'a' | 'b' | 'log'>) {
    this.base = own.base
    this.parts = parts
    this.database = parts.database
    this.settings = parts.settings
    this.payments = parts.payments
    this.accounts = parts.accounts
    this.a = own.a
    this.b = own.b
    this.log = own.log
  }

  /** How often each outcome of a notice was counted: `{ 'gwa credited': 1 }`. */
  async outcomes(): Promise<Record<string, number>> {
    const metric = await this.parts.metrics.registry.getSingleMetric('tollgate_payments_total')!.get()
    return Object.fromEntries(
      metric.values
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => [`${labels.gateway} ${labels.payment}`, value]),
    )
  }

  rows = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await this.database.pool.query(text, values)).rows

  /** A subscriber 50 rubles in debt and blocked for it. */
  async client(over: { email?: string; sms?: string; organization?: number } = {}): Promise<SubscriberId> {
    const number = String(++this.#contract).padStart(6, '0')
    const [row] = await this.rows(
      `WITH account AS (INSERT INTO admin_accounts (ostatok, debit, credit) VALUES (-500000000000, 0, 500000000000) RETURNING id)
        INSERT INTO abonents (name, contract_number, account_id, organization_id, email, sms)
          SELECT 'Иван', $1, id, $2, $3, $4 FROM account RETURNING id, account_id`,
      [number, over.organization ?? 1, over.email ?? 'ivan@example.com', over.sms ?? null],
    )
    await this.accounts.ask(accountId(row.account_id), { kind: 'sweep' }, systemAuthor('test'))
    return subscriberId(row.id)
  }

  async balance(id: SubscriberId): Promise<{ balance: string; enabled: boolean }> {
    const [row] = await this.rows(
      'SELECT ostatok, enabled FROM abonents JOIN admin_accounts AS account ON account.id = account_id WHERE abonents.id = $1',
      [id],
    )
    return { balance: formatRubles(moneyFromUnits(row.ostatok)), enabled: row.enabled }
  }

  start = (client: SubscriberId, amount: string, gateway: GatewayName | null = null, returnUrl: string | null = null) =>
    this.payments.startPayment(client, money(amount), gateway, returnUrl)

  /** What the client's browser does with it: where it ends up after the gateway's button was pressed. */
  async pay(started: StartedPayment, act: 'pay' | 'cancel' = 'pay'): Promise<string> {
    if (started.kind !== 'redirect' && started.kind !== 'formPost') throw new Error(`Not started: ${started.kind}`)
    const page =
      started.kind === 'redirect' ? started.url : await locationOf(started.action, new URLSearchParams(started.fields))
    const shown = await fetch(page)
    if (shown.status !== 200) throw new Error(`The page of the gateway answers ${shown.status}.`)
    await shown.body?.cancel()
    return locationOf(page, new URLSearchParams({ act }))
  }

  async send(body: string | URLSearchParams, contentType?: string): Promise<{ status: number; text: string }> {
    const headers = { 'Content-Type': contentType ?? 'application/x-www-form-urlencoded' }
    const response = await fetch(`${this.base}/lk/payments/webhook/`, { method: 'POST', headers, body: String(body) })
    return { status: response.status, text: await response.text() }
  }

  /** As an operator does who knows the secrets of the gateways, which new addresses want again. */
  async set(values: Readonly<Record<string, unknown>>): Promise<void> {
    const secrets = Object.keys(values).flatMap((name) => {
      const secret = isSettingName(name) && entryOf(name).secretOfAddress
      return secret ? [[secret, this.settings.get(secret)] as const] : []
    })
    const outcome = await this.settings.set({ ...Object.fromEntries(secrets), ...values })
    if ('errors' in outcome) throw new Error(JSON.stringify(outcome.errors))
  }

  problems = (): Promise<Row[]> =>
    this.rows('SELECT reason, times, order_id, gateway_id, notice FROM payment_problems ORDER BY id')

  async order(id: number): Promise<Row> {
    const [row] = await this.rows('SELECT * FROM payment_orders WHERE id = $1', [id])
    return row
  }
}

async function locationOf(url: string, form: URLSearchParams): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`The gateway answers ${response.status}: ${await response.text()}`)
  return location
}

/** REST v3 of gateway A is in use until a test sets something else. */
export async function openPaymentFixture(
  t: { teardown(deed: () => unknown): unknown },
  shared: SharedDatabase,
  behaviour: Partial<Behaviour> = {},
  waits: NonNullable<FixtureOptions['waits']> = {},
): Promise<PaymentFixture> {
  const lines: LogLine[] = []
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(JSON.parse(line)) })
  const parts = await openFixture(t, {
    env: { TOLLGATE_PUBLIC_URL: 'https://billing.example' },
    log,
    shared,
    // Long enough for a busy machine; who waits for silence waits so long.
    waits: { gatewayTimeoutMs: 3_000, ...waits },
  })
  const base = await parts.listen()
  const webhook = `${base}/lk/payments/webhook/`
  const quick = { retryMs: 5, ...behaviour }
  const a = new SimulatedGatewayA({ shopId: '100500', secretKey: restKey, shopPassword, webhook }, quick)
  const b = new SimulatedGatewayB({ merchantId: '119175088534', secretKey: merchantKey, webhook }, quick)
  await Promise.all([a.start(), b.start()])
  t.teardown(async () => {
    await Promise.all([a.stop(), b.stop()])
  })
  const fixture = new PaymentFixture(parts, { base, a, b, log: lines })
  await fixture.set({
    LK_GWA_API_URL: a.apiUrl,
    LK_GWA_FORM_URL: a.formUrl,
    LK_GWA_SHOP_ID: '100500',
    LK_GWA_SECRET_KEY: restKey,
    LK_GWA_SCID: '57',
    LK_GWB_FORM_URL: b.formUrl,
    LK_GWB_MERCHANT_ID: '119175088534',
    LK_GWB_SECRET_KEY: merchantKey,
  })
  return fixture
}

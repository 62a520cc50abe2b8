import t from 'tap'
import { Payments } from '../../../src/billing/payments/payments.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId } from '../../../src/domain/ids.ts'
import { answerNotice } from '../../../src/interfaces/gateways/webhook.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { openPaymentFixture, shopPassword } from './fixture.ts'
import { SharedDatabase } from '../../support/database.ts'
import { localHttp } from '../../support/local-http.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

const shared = await SharedDatabase.open(t)

t.test('a program that died between the money and the order makes up for it with the next notice', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  const started = await fixture.start(client, '100')
  if (started.kind !== 'redirect') throw new Error('not started')
  await fixture.pay(started)
  const paid = await fixture.order(started.orderId)
  await fixture.rows(`UPDATE payment_orders SET state = 'sent', paid_at = NULL, operation_id = NULL`)
  await fixture.pay(started)
  t.match(await fixture.order(started.orderId), paid, 'the order is as it was')
  t.equal((await fixture.balance(client)).balance, '50.00')
  await fixture.rows(`UPDATE payment_orders SET state = 'sent', paid_at = NULL, operation_id = NULL`)
  await fixture.rows('DELETE FROM finance_operations')
  await fixture.pay(started)
  t.match(await fixture.order(started.orderId), { state: 'paid' }, 'an operation that was removed is not made again')
  t.equal((await fixture.balance(client)).balance, '50.00')
  t.same(await fixture.problems(), [])
})

t.test('the money follows a subscriber who was moved to another account', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const [ivan, maria] = [await fixture.client(), await fixture.client()]
  const started = await fixture.start(ivan, '100')
  const [{ account_id: account }] = await fixture.rows('SELECT account_id FROM abonents WHERE id = $1', [maria])
  await fixture.accounts.moveSubscriber(ivan, accountId(account), systemAuthor('test'))
  await fixture.pay(started)
  t.equal((await fixture.balance(maria)).balance, '50.00')
})

t.test('an active promise payment is closed by the payment that covers it', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  const client = await fixture.client()
  const [{ account_id: account }] = await fixture.rows(
    `UPDATE abonents SET create_date = now() - interval '1 year' WHERE id = $1 RETURNING account_id`,
    [client],
  )
  fixture.accounts.invalidateAll()
  const promise = {
    kind: 'activatePromise',
    subscriberId: client,
    path: 'prepay',
    limit: 1_000_000_000_000n,
    until: null,
  }
  const activated = await fixture.accounts.ask(accountId(account), promise as never, systemAuthor('test'))
  t.equal(activated.kind, 'done')
  t.equal((await fixture.balance(client)).balance, '50.00', 'the limit is credited')
  await fixture.pay(await fixture.start(client, '200'))
  t.equal((await fixture.balance(client)).balance, '150.00', 'and returned')
  t.match(await fixture.rows('SELECT promise_date_end FROM abonents WHERE id = $1', [client]), [
    { promise_date_end: null },
  ])
})

t.test('when nothing can be credited each gateway is told to come again', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { silent: true })
  const client = await fixture.client()
  const away = {
    ask: () => Promise.reject(new Unavailable('database', 'The database is away.')),
    beginReading: () => () => {},
  }
  const { settings, database } = fixture
  const publicUrl = () => 'https://billing.example'
  const payments = new Payments({
    pool: database.pool,
    accounts: away,
    settings,
    publicUrl,
    clock: new SteadyClock(),
    log: silentLog,
    http: localHttp,
  })
  const told = async (contentType: string, body: string) =>
    answerNotice(
      { payments, settings, clock: new SteadyClock() },
      {
        header: (name) => (name === 'content-type' ? contentType : ''),
        body: Buffer.from(body),
        address: '127.0.0.1',
      },
    )

  const rest = await fixture.start(client, '100')
  await fixture.pay(rest)
  const [paid] = fixture.a.payments
  const notice = JSON.stringify({ event: 'payment.succeeded', object: paid })
  t.match(await told('application/json', notice), { status: 503, headers: [['Retry-After', '5']] })
  t.match(await told('application/json', notice.padEnd(70_000)), { status: 413 }, 'no notice is so large')

  const form = 'application/x-www-form-urlencoded'
  const b = fixture.b.signedNotice(`${client}-${'orderId' in rest ? rest.orderId : 0}`, '104.50')
  t.match(await told(form, b), { status: 200, body: /^WMI_RESULT=RETRY/ }, 'an order of another gateway is refused')
  const ofB = await fixture.start(client, '100', 'gwb')
  const number = 'orderId' in ofB ? ofB.orderId : 0
  t.match(await told(form, fixture.b.signedNotice(`${client}-${number}`, '104.50')), {
    status: 200,
    body: 'WMI_RESULT=RETRY&WMI_DESCRIPTION=Temporarily%20unavailable',
  })

  await fixture.set({ LK_GWA_SECRET_KEY: shopPassword })
  const aviso = fixture.a.signedCallback('paymentAviso', String(client), '104.50')
  t.match(await told(form, aviso), { status: 200, body: / code="100" / })
  t.match(await fixture.rows(`SELECT FROM finance_operations`), [])
})

import t from 'tap'
import { Payments } from '../../../src/billing/payments/payments.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId } from '../../../src/domain/ids.ts'
import { answerNotice } from '../../../src/interfaces/gateways/webhook.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { openCash, shopPassword } from './fixture.ts'

t.test('a program that died between the money and the order makes up for it with the next notice', async (t) => {
  const cash = await openCash(t)
  const client = await cash.client()
  const started = await cash.start(client, '100')
  if (started.kind !== 'redirect') throw new Error('not started')
  await cash.pay(started)
  const paid = await cash.order(started.orderId)
  await cash.rows(`UPDATE payment_orders SET state = 'sent', paid_at = NULL, operation_id = NULL`)
  await cash.pay(started)
  t.match(await cash.order(started.orderId), paid, 'the order is as it was')
  t.equal((await cash.balance(client)).balance, '50.00')
  await cash.rows(`UPDATE payment_orders SET state = 'sent', paid_at = NULL, operation_id = NULL`)
  await cash.rows('DELETE FROM finance_operations')
  await cash.pay(started)
  t.match(await cash.order(started.orderId), { state: 'paid' }, 'an operation that was removed is not made again')
  t.equal((await cash.balance(client)).balance, '50.00')
  t.same(await cash.problems(), [])
})

t.test('the money follows a subscriber who was moved to another account', async (t) => {
  const cash = await openCash(t)
  const [ivan, maria] = [await cash.client(), await cash.client()]
  const started = await cash.start(ivan, '100')
  const [{ account_id: account }] = await cash.rows('SELECT account_id FROM abonents WHERE id = $1', [maria])
  await cash.accounts.moveSubscriber(ivan, accountId(account), systemAuthor('test'))
  await cash.pay(started)
  t.equal((await cash.balance(maria)).balance, '50.00')
})

t.test('an active promise payment is closed by the payment that covers it', async (t) => {
  const cash = await openCash(t)
  const client = await cash.client()
  const [{ account_id: account }] = await cash.rows(
    `UPDATE abonents SET create_date = now() - interval '1 year' WHERE id = $1 RETURNING account_id`,
    [client],
  )
  cash.accounts.invalidateAll()
  const promise = {
    kind: 'activatePromise',
    subscriberId: client,
    path: 'prepay',
    limit: 1_000_000_000_000n,
    until: null,
  }
  const activated = await cash.accounts.ask(accountId(account), promise as never, systemAuthor('test'))
  t.equal(activated.kind, 'done')
  t.equal((await cash.balance(client)).balance, '50.00', 'the limit is credited')
  await cash.pay(await cash.start(client, '200'))
  t.equal((await cash.balance(client)).balance, '150.00', 'and returned')
  t.match(await cash.rows('SELECT promise_date_end FROM abonents WHERE id = $1', [client]), [
    { promise_date_end: null },
  ])
})

t.test('when nothing can be credited each gateway is told to come again', async (t) => {
  const cash = await openCash(t, { silent: true })
  const client = await cash.client()
  const away = { ask: () => Promise.reject(new Unavailable('database', 'The database is away.')) }
  const { settings, database } = cash
  const publicUrl = () => 'https://billing.example'
  const payments = new Payments({
    pool: database.pool,
    accounts: away,
    settings,
    publicUrl,
    clock: systemClock,
    log: silentLog,
  })
  const told = async (contentType: string, body: string) =>
    answerNotice(
      { payments, settings, clock: systemClock },
      {
        header: (name) => (name === 'content-type' ? contentType : ''),
        body: Buffer.from(body),
        address: '127.0.0.1',
      },
    )

  const rest = await cash.start(client, '100')
  await cash.pay(rest)
  const [paid] = cash.a.payments
  const notice = JSON.stringify({ event: 'payment.succeeded', object: paid })
  t.match(await told('application/json', notice), { status: 503, headers: [['Retry-After', '5']] })

  const form = 'application/x-www-form-urlencoded'
  const b = cash.b.signedNotice(`${client}-${'orderId' in rest ? rest.orderId : 0}`, '104.50')
  t.match(await told(form, b), { status: 200, body: /^WMI_RESULT=RETRY/ }, 'an order of another gateway is refused')
  const ofB = await cash.start(client, '100', 'gwb')
  const number = 'orderId' in ofB ? ofB.orderId : 0
  t.match(await told(form, cash.b.signedNotice(`${client}-${number}`, '104.50')), {
    status: 200,
    body: 'WMI_RESULT=RETRY&WMI_DESCRIPTION=Temporarily%20unavailable',
  })

  await cash.set({ LK_GWA_SECRET_KEY: shopPassword })
  const aviso = cash.a.signedCallback('paymentAviso', String(client), '104.50')
  t.match(await told(form, aviso), { status: 200, body: / code="100" / })
  t.match(await cash.rows(`SELECT FROM finance_operations`), [])
})

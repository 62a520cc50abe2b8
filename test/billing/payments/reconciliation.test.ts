import t from 'tap'
import { signedMetadata } from '../../../src/billing/payments/gateway-a-rest.ts'
import { SharedDatabase } from '../../support/database.ts'
import { money, openPaymentFixture, restKey } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000)
const going = new AbortController().signal

t.test('what the gateway did not tell is found and credited once', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { silent: true })
  const clients = await Promise.all([fixture.client(), fixture.client(), fixture.client()])
  const started = await Promise.all(clients.map((client) => fixture.start(client, '100')))
  for (const one of started) await fixture.pay(one)
  for (const client of clients) t.equal((await fixture.balance(client)).balance, '-50.00')
  t.match(await fixture.payments.reconcile(new Date(), going), { credited: 3, problems: 0 })
  t.match(await fixture.payments.reconcile(new Date(), going), { credited: 0, problems: 0 })
  for (const client of clients) t.same(await fixture.balance(client), { balance: '50.00', enabled: true })
  t.same(await fixture.rows(`SELECT DISTINCT state FROM payment_orders`), [{ state: 'paid' }])
})

t.test('cancelled and forgotten orders are closed, late money is credited all the same', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { retries: 0 })
  const client = await fixture.client()
  const cancelled = await fixture.start(client, '100')
  await fixture.pay(cancelled, 'cancel')
  const waiting = await fixture.start(client, '100')
  const ofB = await fixture.start(client, '100', 'gwb')
  if (cancelled.kind !== 'redirect' || waiting.kind !== 'redirect' || ofB.kind !== 'formPost')
    throw new Error('not started')
  t.match(await fixture.payments.reconcile(new Date(), going), { checked: 0, closed: 0 }, 'young ones are left alone')
  t.match(await fixture.payments.reconcile(later(10), going), { checked: 2, closed: 1 })
  t.match(await fixture.order(cancelled.orderId), { state: 'failed', error: 'Cancelled.' })
  t.match(await fixture.order(waiting.orderId), { state: 'sent', error: null })
  t.match(await fixture.payments.reconcile(later(25 * 60), going), { closed: 2 })
  for (const { orderId } of [waiting, ofB]) t.match(await fixture.order(orderId), { state: 'expired' })
  await fixture.pay(ofB)
  t.match(await fixture.order(ofB.orderId), { state: 'paid' })
  t.equal((await fixture.balance(client)).balance, '50.00')
})

t.test('payments that belong to nothing here are kept for the operator', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { silent: true })
  const client = await fixture.client()
  const pay = async (orderId: number, key: string) => {
    const asked = {
      orderId,
      subscriberId: client,
      credit: money('100'),
      payable: money('104.50'),
      commission: money('4.50'),
    }
    const body = {
      amount: { value: '104.50', currency: 'RUB' },
      description: '',
      confirmation: { return_url: 'https://isp.example/' },
      metadata: signedMetadata(asked, key),
    }
    const creation = await fixture.payments.gatewayA.create(JSON.stringify(body), String(orderId))
    if (creation.kind !== 'created') throw new Error(creation.detail)
    await fixture.pay({ kind: 'redirect', orderId, url: creation.payment.confirmationUrl ?? '' })
  }
  await pay(987_654, restKey)
  await pay(987_655, 'another key')
  t.match(await fixture.payments.reconcile(new Date(), going), { checked: 1, credited: 0, problems: 1 })
  await fixture.payments.reconcile(new Date(), going)
  t.match(await fixture.problems(), [{ reason: 'orphaned', order_id: '987654', times: 1 }])
  t.equal((await fixture.problems()).length, 1, 'what somebody else sells in the same shop is not ours')
})

t.test('a gateway that cannot be reached fails the run, and one that is not set up is skipped', async (t) => {
  const fixture = await openPaymentFixture(t, shared)
  await fixture.set({ LK_GWA_API_URL: 'http://127.0.0.1:1' })
  await t.rejects(fixture.payments.reconcile(new Date(), going), /cannot be reached/, 'the job is tried again')
  await fixture.set({ LK_GWA_API_URL: '' })
  t.match(await fixture.payments.reconcile(new Date(), going), { checked: 0 })
})

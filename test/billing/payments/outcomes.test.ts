import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { openPaymentFixture } from './fixture.ts'

const shared = await SharedDatabase.open(t)

for (const gateway of ['gwa', 'gwb'] as const) {
  t.test(`each notice of ${gateway} is told of once: credited, repeated or forged`, async (t) => {
    const fixture = await openPaymentFixture(t, shared, { repeats: 3, forged: 2 })
    await fixture.pay(await fixture.start(await fixture.client(), '100', gateway))
    t.same(await fixture.outcomes(), {
      [`${gateway} credited`]: 1,
      [`${gateway} repeated`]: 2,
      // Gateway B tells of a new order as well.
      [`${gateway} forged`]: gateway === 'gwa' ? 2 : 4,
    })
  })

  t.test(`a wrong sum of ${gateway} is told of by its reason`, async (t) => {
    const fixture = await openPaymentFixture(t, shared, { wrongSum: true, retries: 0 })
    await fixture.pay(await fixture.start(await fixture.client(), '100', gateway))
    t.same(await fixture.outcomes(), { [`${gateway} wrongAmount`]: 1 })
  })
}

t.test('what only reconciliation has found is told of as that, once', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { silent: true })
  await fixture.pay(await fixture.start(await fixture.client(), '100'))
  const { signal } = new AbortController()
  await fixture.payments.reconcile(new Date(), signal)
  await fixture.payments.reconcile(new Date(), signal)
  t.same(await fixture.outcomes(), { 'gwa reconciled': 1 })
})

t.test('a payment that cannot be read back is told of as to come again', async (t) => {
  const fixture = await openPaymentFixture(t, shared, { reading: 'error', retries: 0 })
  await fixture.pay(await fixture.start(await fixture.client(), '100'))
  t.same(await fixture.outcomes(), { 'gwa unavailable': 1 })
})

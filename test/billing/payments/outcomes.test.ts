import t from 'tap'
import { openCash } from './fixture.ts'

for (const gateway of ['gwa', 'gwb'] as const) {
  t.test(`each notice of ${gateway} is told of once: credited, repeated or forged`, async (t) => {
    const cash = await openCash(t, { repeats: 3, forged: 2 })
    await cash.pay(await cash.start(await cash.client(), '100', gateway))
    t.same(await cash.outcomes(), {
      [`${gateway} credited`]: 1,
      [`${gateway} repeated`]: 2,
      // Gateway B tells of a new order as well.
      [`${gateway} forged`]: gateway === 'gwa' ? 2 : 4,
    })
  })

  t.test(`a wrong sum of ${gateway} is told of by its reason`, async (t) => {
    const cash = await openCash(t, { wrongSum: true, retries: 0 })
    await cash.pay(await cash.start(await cash.client(), '100', gateway))
    t.same(await cash.outcomes(), { [`${gateway} wrongAmount`]: 1 })
  })
}

t.test('what only reconciliation has found is told of as that, once', async (t) => {
  const cash = await openCash(t, { silent: true })
  await cash.pay(await cash.start(await cash.client(), '100'))
  const { signal } = new AbortController()
  await cash.payments.reconcile(new Date(), signal)
  await cash.payments.reconcile(new Date(), signal)
  t.same(await cash.outcomes(), { 'gwa reconciled': 1 })
})

t.test('a payment that cannot be read back is told of as to come again', async (t) => {
  const cash = await openCash(t, { reading: 'error', retries: 0 })
  await cash.pay(await cash.start(await cash.client(), '100'))
  t.same(await cash.outcomes(), { 'gwa unavailable': 1 })
})

import t from 'tap'
import { usualPolicy } from '../../src/billing/accounts/policy.ts'
import { rubles, zero } from '../../src/domain/money.ts'
import {
  offerPromise,
  type Promisee,
  type PromiseFacts,
  type PromisePolicy,
  promiseLimit,
} from '../../src/domain/promise.ts'

const now = new Date('2026-11-21T12:00:00Z')
const dayMs = 86_400_000
const ago = (days: number) => new Date(now.getTime() - days * dayMs)
const policy = usualPolicy.promise

const facts = (over: Partial<PromiseFacts> = {}): PromiseFacts => ({
  tariffPrice: rubles(500),
  createdAt: ago(400),
  service: { enabled: true, amount: null, days: 5 },
  ...over,
})
const someone = (over: Partial<Promisee> = {}): Promisee => ({
  balance: rubles(-100),
  deleted: false,
  promise: null,
  lastPromiseAt: null,
  ...over,
})
type Wish = Parameters<typeof offerPromise>[1]
const asked = (who: Promisee, of: PromiseFacts, by: PromisePolicy = policy, wish: Partial<Wish> = {}) => {
  const answer = offerPromise(who, { path: 'client', limit: null, until: null, ...wish }, of, by, now)
  return answer.kind === 'refused' ? answer.reason : answer.offer
}

t.test('the limit is the larger of price and debt plus a ruble, at most two prices', async (t) => {
  const limit = (balance: number, price: number, override = zero) =>
    promiseLimit(rubles(balance), rubles(price), { ...policy, limitOverride: override })
  t.equal(limit(0, 500), rubles(500))
  t.equal(limit(300, 500), rubles(500), 'who has money gets the price')
  t.equal(limit(-499, 500), rubles(500))
  t.equal(limit(-500, 500), rubles(501))
  t.equal(limit(-999, 500), rubles(1000))
  t.equal(limit(-5000, 500), rubles(1000), 'the cap leaves the balance negative')
  t.equal(limit(-5000, 500, rubles(120)), rubles(120), 'the override is the exact limit')
})

t.test('every policy is a refusal of its own, and 0 disables it', async (t) => {
  const promise = { linkId: 1, uslugaId: 30353, limit: rubles(1), until: now, operationId: null }
  t.equal(asked(someone({ promise }), facts()), 'promiseActive')
  t.equal(asked(someone(), facts({ tariffPrice: null })), 'promiseDisabled')
  t.equal(asked(someone(), facts({ tariffPrice: zero })), 'promiseDisabled')
  t.equal(asked(someone(), facts({ service: null })), 'promiseDisabled')
  t.equal(asked(someone(), facts({ service: { enabled: false, amount: null, days: 5 } })), 'promiseDisabled')
  t.equal(asked(someone({ deleted: true }), facts()), 'promiseDisabled')

  t.equal(asked(someone(), facts(), { ...policy, minDebt: rubles(101) }), 'promiseMinDebt')
  t.type(asked(someone(), facts(), { ...policy, minDebt: rubles(100) }), Object)

  t.equal(asked(someone(), facts({ createdAt: ago(29.9) })), 'promiseMinAge')
  t.type(asked(someone(), facts({ createdAt: ago(30) })), Object)
  t.type(asked(someone(), facts({ createdAt: now }), { ...policy, minAgeDays: 0 }), Object)

  t.equal(asked(someone({ lastPromiseAt: ago(29.9) }), facts()), 'promiseCooldown')
  t.type(asked(someone({ lastPromiseAt: ago(30) }), facts()), Object)
  t.type(asked(someone({ lastPromiseAt: ago(1) }), facts(), { ...policy, cooldownDays: 0 }), Object)

  t.equal(asked(someone(), facts(), policy, { limit: zero }), 'promiseLimitWrong')
  t.equal(asked(someone(), facts(), policy, { path: 'prepay', limit: rubles(1_000_001) }), 'promiseLimitWrong')
  t.equal(asked(someone(), facts(), policy, { until: now }), 'promiseEndInPast')
})

t.test('the term is that of the service, unless the setting or the request has another', async (t) => {
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs)
  t.match(asked(someone(), facts()), { until: inDays(5), days: 5, uslugaId: 30353 })
  t.match(asked(someone(), facts({ service: { enabled: true, amount: null, days: null } })), { until: inDays(5) })
  t.match(asked(someone(), facts(), { ...policy, durationDays: 9 }), { until: inDays(9) })
  t.match(asked(someone(), facts(), policy, { until: inDays(1) }), { until: inDays(1) })
})

t.test('only operators charge a fee, and REST applies no policies', async (t) => {
  t.match(asked(someone(), facts(), policy, { path: 'operator' }), { fee: rubles(90) })
  t.match(asked(someone(), facts(), { ...policy, operatorFee: zero }, { path: 'operator' }), { fee: zero })
  const young = facts({ createdAt: now, tariffPrice: null, service: { enabled: true, amount: rubles(90), days: 3 } })
  t.match(asked(someone({ lastPromiseAt: now }), young, policy, { path: 'prepay' }), {
    uslugaId: -4,
    limit: rubles(90),
    fee: zero,
    days: 3,
  })
  t.match(asked(someone(), young, policy, { path: 'postpay', limit: rubles(7) }), { uslugaId: -3, limit: rubles(7) })
})

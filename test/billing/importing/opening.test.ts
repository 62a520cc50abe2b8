import fc from 'fast-check'
import t from 'tap'
import { openAccount } from '../../../src/billing/importing/opening.ts'
import { inDebt } from '../../../src/domain/account.ts'
import { moneyFromUnits, rubles, zero } from '../../../src/domain/money.ts'
import { anAccount } from '../../support/account.ts'

const now = new Date('2026-11-21T12:00:00Z')

t.test('a positive balance opens with a receipt, a negative one with a write-off', async (t) => {
  t.match(openAccount(rubles(5), zero, now), { receipts: rubles(5), writeOffs: zero, debt: false, enabled: true })
  t.match(openAccount(rubles(-5), zero, now), { receipts: zero, writeOffs: rubles(5), debt: true, enabled: false })
  t.match(openAccount(rubles(-5), rubles(-5), now), { debt: false, enabled: true })
  t.match(openAccount(zero, rubles(1), now), { receipts: zero, writeOffs: zero, debt: true, enabled: false })
})

t.test('for any balance and limit the block agrees with the debt predicate', async () => {
  const amount = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(moneyFromUnits)
  fc.assert(
    fc.property(amount, amount, (balance, limit) => {
      const opening = openAccount(balance, limit, now)
      const debt = inDebt({ ...anAccount(), balance, limit, unlimited: false }, now)
      return (
        opening.debt === debt && opening.enabled === !debt && opening.receipts - opening.writeOffs === opening.balance
      )
    }),
  )
})

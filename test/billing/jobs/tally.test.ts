import t from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import type { Due } from '../../../src/billing/jobs/billing/due.ts'
import { Tally } from '../../../src/billing/jobs/billing/tally.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { type AccountId, accountId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'

t.test('hundreds of charges of one account do not wait in its mailbox together, and none is left out', async (t) => {
  const waiting = new Map<AccountId, number>()
  let [most, mostOfAll, all] = [0, 0, 0]
  const accounts = {
    ask: async (account: AccountId) => {
      const now = (waiting.get(account) ?? 0) + 1
      waiting.set(account, now)
      most = Math.max(most, now)
      mostOfAll = Math.max(mostOfAll, ++all)
      await new Promise(setImmediate)
      waiting.set(account, waiting.get(account)! - 1)
      all--
      return { kind: 'done' }
    },
  } as unknown as Accounts
  async function* dues() {
    for (let n = 0; n < 900; n++) {
      const account = accountId(n < 300 ? 1 : n)
      yield { accountId: account, uslugaId: null, amount: rubles(1) } as unknown as Due
    }
  }
  const tally = new Tally(accounts, systemAuthor('test'), new AbortController().signal)
  t.equal(await tally.charge(dues()), 0)
  t.match(tally.result(), { charged: 900, amount: '900.00', failed: 0 })
  t.equal(most, 16)
  t.ok(mostOfAll > 100, 'others are charged as many at once as ever')
})

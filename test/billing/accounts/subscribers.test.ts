import t from 'tap'
import type { AccountStore } from '../../../src/billing/accounts/account-store.ts'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { SubscriberActors } from '../../../src/billing/accounts/subscribers.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { ManualClock } from '../../support/manual-clock.ts'

t.test(
  'whoever asks for a subscriber while the tables do not answer is told to ask again, as every door does',
  async (t) => {
    const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'))
    const silent = { accountOf: () => new Promise<null>(() => {}) } as Partial<AccountStore> as AccountStore
    const subscribers = new SubscriberActors({ store: silent, accounts: {} as Accounts, clock, sessionsOf: () => [] })
    const late = t.rejects(subscribers.status(subscriberId(1)), { name: 'Unavailable', reason: 'deadline' })
    clock.advance(4_500)
    await late
    void subscribers.stop()
    await t.rejects(subscribers.status(subscriberId(1)), { name: 'Unavailable', reason: 'stopping' })
  },
)

import { AccountStore } from '../billing/accounts/account-store.ts'
import { AccountActors } from '../billing/accounts/accounts.ts'
import { accountRefusalText } from '../billing/accounts/messages.ts'
import { usualPolicy } from '../billing/accounts/policy.ts'
import { moveAuthor } from '../billing/moving-in/dictionaries.ts'
import type { GivePromise } from '../billing/moving-in/promises.ts'
import { Events } from '../domain/events.ts'
import { zero } from '../domain/money.ts'
import { systemClock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import { asUnavailable, openDatabase } from '../platform/storage/database.ts'

/** The other server has judged whether the promise payment might be given, and has charged the fee for it. */
const policy = () => ({
  ...usualPolicy,
  promise: { ...usualPolicy.promise, minAgeDays: 0, cooldownDays: 0, minDebt: zero, operatorFee: zero },
})

/**
 * Runs the work with a ledger of its own that gives promise payments. A program that serves beside it hears of each
 * account. It is opened when there is a promise payment to give.
 */
export async function withPromises<T>(url: string, log: Log, work: (give: GivePromise) => Promise<T>): Promise<T> {
  let opened: ReturnType<typeof openLedger> | null = null
  try {
    return await work(async (account, subscriber, { amount, until }, key) => {
      opened ??= openLedger(url, log)
      const { database, accounts } = await opened
      const outcome = await accounts.ask(
        account,
        {
          kind: 'activatePromise',
          subscriberId: subscriber,
          path: 'operator',
          limit: amount,
          until,
          keys: [key],
          isMovedIn: true,
        },
        moveAuthor,
      )
      await database.pool.query('SELECT tollgate_tell($1)', [
        JSON.stringify({ table: 'admin_accounts', ids: [account] }),
      ])
      return outcome.kind === 'refused' ? accountRefusalText[outcome.reason] : null
    })
  } finally {
    const ledger = await (opened as ReturnType<typeof openLedger> | null)
    await ledger?.accounts.stop()
    await ledger?.database.close()
  }
}

async function openLedger(url: string, log: Log) {
  const database = await openDatabase({ url, log, pool: { general: 1, ledger: 1 } })
  const events = new Events((error) => log.error('A follower of a commit has failed.', { error }))
  const store = new AccountStore(database.ledger)
  return { database, accounts: new AccountActors({ store, events, clock: systemClock, asUnavailable, policy }) }
}

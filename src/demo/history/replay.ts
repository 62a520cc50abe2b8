import type { Pool } from 'pg'
import type { AccountOutcome, Accounts } from '../../billing/accounts/messages.ts'
import type { Outbox } from '../../billing/effects/outbox.ts'
import type { Messages } from '../../billing/messages/messages.ts'
import type { Log } from '../../platform/log.ts'
import { writeMailing } from './mailing.ts'
import { until } from './until.ts'
import type { HistoryClock } from './clock.ts'
import type { PastCommand } from './past-commands.ts'

/** Enough to share commits, and few enough to be done before an actor's patience is over. */
const atOnce = 25

/**
 * Carries out every command at its moment, through the actors of the accounts as always: balances, blocks, promises and
 * the chain are theirs.
 */
export async function replay(
  commands: readonly PastCommand[],
  { accounts, clock, log }: { accounts: Accounts; clock: HistoryClock; log: Log },
): Promise<void> {
  const refused: Extract<AccountOutcome, { kind: 'refused' }>['reason'][] = []
  for (let from = 0; from < commands.length; from += atOnce) {
    const asked = commands.slice(from, from + atOnce).map(({ at, account, command, author }) => {
      // The moment of a command is that at which it is asked.
      clock.set(at)
      return accounts.ask(account, command, author)
    })
    for (const outcome of await Promise.all(asked)) if (outcome.kind === 'refused') refused.push(outcome.reason)
  }
  if (refused.length > 0) log.warn('some of the history of the demo was refused', { reason: [...new Set(refused)] })
}

/** When the debtors of the demo were written to. */
const mailedHoursAgo = 26

type Told = { outbox: Outbox; messages: Messages; pool: Pool; now: Date }

/** What has failed at the SMS gateway, as the address ends. */
export const refusedPhoneEnd = '3'

/**
 * Writes the messages that the commands have ordered, and says of those of earlier days how they ended: the delivery
 * gives them up, because they are old by now. Sessions of that time are over, so nobody has to be disconnected any
 * more.
 */
export async function tellHistory({ outbox, messages, pool, now }: Told): Promise<void> {
  await pool.query(
    `UPDATE outbox SET done_at = created_at + interval '40 milliseconds', result = '{"ack": 1, "nak": 0, "no_answer": 0}'
      WHERE done_at IS NULL AND kind <> 'notify'`,
  )
  await outbox.start({ notify: (effect, id) => messages.notices.handle(effect, id) })
  await until(() => outbox.inWork === 0)
  const end = await writeMailing(pool, new Date(now.getTime() - mailedHoursAgo * 3_600_000))
  await pool.query(
    `UPDATE notifications n SET channel = 'sms', address = a.sms, attempts = 1, next_try_at = NULL,
        state = CASE WHEN a.sms LIKE '%' || $2 THEN 'failed' ELSE 'sent' END,
        error = CASE WHEN a.sms LIKE '%' || $2 THEN 'The SMS gateway answered 422: абонент вне зоны действия сети.' END,
        sent_at = CASE WHEN a.sms LIKE '%' || $2 THEN NULL ELSE n.created_at + interval '3 seconds' END
      FROM abonents a WHERE a.id = n.subscriber_id AND a.sms IS NOT NULL AND n.state <> 'sent' AND n.created_at < $1`,
    [new Date(now.getTime() - 600_000), refusedPhoneEnd],
  )
  await end()
}

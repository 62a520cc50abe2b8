import type { Pool } from 'pg'
import { systemAuthor } from '../../domain/author.ts'
import { type AccountId, accountId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { promiseServices } from '../../domain/promise.ts'
import type { AccountCommand, Accounts } from '../accounts/messages.ts'
import { inFlightTolerant } from './in-flight.ts'
import type { Job } from './jobs.ts'
import { type Ask, asking } from './reads.ts'

const pageSize = 1_000

/** Reads by the index on the end of promises, so that only those that have ended are touched. */
const overdueSql = `SELECT id, account_id, promise_date_end::text AS until FROM abonents
  WHERE promise_date_end < $1 AND (promise_date_end, id) > ($2::timestamptz, $3::int8)
  ORDER BY promise_date_end, id LIMIT ${pageSize}`

/** Rows of the two tables without a counterpart, which only writes by hand can have caused. */
const strayServicesSql = `SELECT link.id FROM users_uslugas AS link JOIN abonents ON abonents.id = link.abonent_id
  WHERE link.usluga_id IN (${Object.values(promiseServices).join()}) AND abonents.promise_date_end IS NULL
  ORDER BY link.id LIMIT 100`

const withoutServiceSql = `SELECT id FROM abonents WHERE promise_date_end IS NOT NULL AND NOT EXISTS (
    SELECT FROM users_uslugas AS link WHERE link.abonent_id = abonents.id
      AND link.usluga_id IN (${Object.values(promiseServices).join()}))
  ORDER BY id LIMIT 100`

type OverdueRow = { id: string; account_id: string; until: string }

type Overdue = { readonly subscriber: SubscriberId; readonly account: AccountId }

/**
 * check_expired_promises (specification 3.1): finds expired promise payments and lets each account return the limit in
 * its own turn, so that a simultaneous payment or another program ends the same promise only once.
 *
 * A promise payment whose service row is gone ends like any other. A service row without a promise moves no money; the
 * job reports it and leaves it to people.
 */
export const promiseExpiry = (pool: Pool, accounts: Accounts): Job => ({
  name: 'check_expired_promises',
  async run(now, stopping) {
    const author = systemAuthor('check_expired_promises')
    const ask = asking(pool, stopping)
    const tally = { ended: 0, kept: 0 }

    const failures = await inFlightTolerant(overdue(ask, now), stopping, async ({ subscriber, account }) => {
      const command: AccountCommand = { kind: 'endPromise', subscriberId: subscriber, why: 'expired', only: null }
      const first = await accounts.ask(account, command, author)
      if (first.kind !== 'refused') return void tally.ended++
      // Somebody has written another end to the table, so the copy in memory is outdated.
      accounts.invalidate(account)
      const second = await accounts.ask(account, command, author)
      if (second.kind === 'refused') tally.kept++
      else tally.ended++
    })
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} promises could not be ended: ${failures[0]}`)
    return { ...tally, ...(await strays(ask)) }
  },
})

async function* overdue(ask: Ask, now: Date): AsyncGenerator<Overdue> {
  for (let last = { until: '-infinity', id: '0' }; ; ) {
    const rows = await ask<OverdueRow>(overdueSql, [now, last.until, last.id])
    for (const { id, account_id } of rows) yield { subscriber: subscriberId(id), account: accountId(account_id) }
    if (rows.length < pageSize) return
    last = rows.at(-1)!
  }
}

async function strays(ask: Ask): Promise<Record<string, number[]>> {
  const ids = async (text: string) => (await ask<{ id: string }>(text, [])).map(({ id }) => Number(id))
  const [services, promises] = [await ids(strayServicesSql), await ids(withoutServiceSql)]
  return {
    ...(services.length > 0 && { services_without_promise: services }),
    ...(promises.length > 0 && { promises_without_service: promises }),
  }
}

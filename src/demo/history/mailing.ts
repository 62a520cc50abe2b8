import type { Pool } from 'pg'
import { writeBatch } from '../../billing/messages/mailing/batch.ts'
import { MailingTable } from '../../billing/messages/mailing/mailing-table.ts'

const debtors = 'NOT client.deleted AND account.ostatok < 0'

/**
 * A mailing to the debtors of now, as it was written at some moment of the past. Returns what ends it, once it has been
 * told what became of its messages.
 */
export async function writeMailing(pool: Pool, at: Date): Promise<() => Promise<unknown>> {
  const table = new MailingTable(pool)
  const id = await table.begin(pool, {
    ...{ staff: null, user: 'oleg.support', key: null, request: null, startsAt: at },
    asked: { filter: { show: 'debtors' } },
    ...{
      channel: 'auto',
      title: 'Задолженность',
      text: '{name}, ваш долг {debt}. Пополните счёт, чтобы связь не прервалась.',
    },
  })
  if (id === null) throw new Error('A mailing without a key is always new.')
  await table.gather(id, { conditions: debtors, values: [] }, 'UTC')
  const parts = { pool, served: new Set(['sms'] as const), language: 'ru', lifetimeHours: 72, now: at } as const
  while ((await writeBatch(parts, id)) > 0);
  return () => table.finish(id, new Date(at.getTime() + 60_000))
}

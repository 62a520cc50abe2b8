import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import { inDebt } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { formatRubles, type Money, moneyFromUnits, plus } from '../../domain/money.ts'
import type { PromiseRefusal } from '../../domain/promise.ts'
import { dayText, moneyText } from '../../domain/wording.ts'
import type { SmsQuestion } from '../../platform/storage/entities/clients.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { SystemParts } from './parts.ts'

/** The text that the SMS gateway sends back to the phone, and whether the command was carried out. */
export type Answer = { readonly status: 'ok' | 'error'; readonly reply: string }

/** How long an offer can be confirmed with ДА (specification 6). */
const offerMinutes = 10

const replies = {
  offer: (limit: Money, days: number, until: string) =>
    `Обещанный платёж ${moneyText(limit, 'ru')} на ${days} дн., до ${until}. Чтобы подключить, ответьте ДА в течение ${offerMinutes} минут.`,
  insufficient: ' Доступ откроется только после пополнения счёта.',
  noQuestion: 'Подтверждать нечего. Чтобы узнать условия обещанного платежа, отправьте ОП.',
  unavailable: 'Обещанный платёж для вашего договора сейчас недоступен.',
  failed: 'Команда не выполнена. Обратитесь в абонентский отдел.',
} as const

/** ОП: answers with the present conditions. The offer is stored in a table, so that it survives a restart. */
export async function offerPromiseBySms(parts: SystemParts, id: SubscriberId): Promise<Answer> {
  const [prospect, status] = await Promise.all([parts.subscribers.promiseProspect(id), parts.subscribers.status(id)])
  if (!prospect || !status) return { status: 'error', reply: replies.failed }
  if (prospect.kind === 'refused') return { status: 'error', reply: await refusalOf(parts, id, prospect.reason) }
  const { limit, until, days } = prospect.offer
  await parts.database.pool.query(
    `INSERT INTO sms_questions (subscriber_id, amount, until) VALUES ($1, $2, $3)
      ON CONFLICT (subscriber_id) DO UPDATE SET amount = excluded.amount, until = excluded.until, asked_at = now()`,
    [id, limit, until],
  )
  const { account } = status
  const staysShut = inDebt({ ...account, balance: plus(account.balance, limit) }, parts.clock.now())
  const offer = replies.offer(limit, days, dayText(until, parts.timeZone()))
  return { status: 'ok', reply: offer + (staysShut ? replies.insufficient : '') }
}

/** Those of the subscribers who have an open offer. */
export async function askedPromise(parts: SystemParts, ids: readonly SubscriberId[]): Promise<SubscriberId[]> {
  const { rows } = await parts.database.pool.query<RowOf<typeof SmsQuestion, 'subscriber_id'>>(
    `SELECT subscriber_id FROM sms_questions WHERE subscriber_id = ANY($1::int8[]) AND ${isOpen} ORDER BY subscriber_id`,
    [ids],
  )
  return rows.map((row) => subscriberId(row.subscriber_id))
}

/**
 * ДА: activates what was offered, if the rules still allow it. Two concurrent confirmations activate one promise
 * payment, and both are answered that it is active.
 */
export async function confirmPromiseBySms(parts: SystemParts, id: SubscriberId, author: Author): Promise<Answer> {
  const { database, subscribers } = parts
  const { rows } = await database.pool.query<RowOf<typeof SmsQuestion, 'amount' | 'until'>>(
    `SELECT amount, until FROM sms_questions WHERE subscriber_id = $1 AND ${isOpen}`,
    [id],
  )
  const question = rows[0]
  if (!question) return { status: 'error', reply: replies.noQuestion }
  const { amount, until } = question
  const limit = moneyFromUnits(amount)
  const command = { kind: 'activatePromise', subscriberId: id, path: 'client', limit, until } as const
  // If the ledger cannot answer, the offer is kept, because the gateway repeats the message.
  const outcome = await subscribers.ask(command, author)
  const forget = () => database.pool.query('DELETE FROM sms_questions WHERE subscriber_id = $1', [id])
  if (outcome.kind === 'refused') {
    await forget()
    return { status: 'error', reply: await refusalOf(parts, id, outcome.reason) }
  }
  const values = {
    amount: formatRubles(limit),
    until: until.toISOString(),
    insufficient: inDebt(outcome.account, parts.clock.now()) ? '1' : '0',
  }
  const reply = await parts.notices.reply(id, 'promise_activated', values)
  await forget()
  return { status: 'ok', reply }
}

/** SQL condition for an offer that can still be confirmed. */
const isOpen = `asked_at > now() - interval '${offerMinutes} minutes'`

type Words = (parts: SystemParts, id: SubscriberId) => string | Promise<string>

const refusals = {
  promiseActive: async ({ subscribers, timeZone }, id) => {
    const promise = (await subscribers.status(id))?.subscriber.promise
    return promise
      ? `Обещанный платёж ${moneyText(promise.limit, 'ru')} уже действует до ${dayText(promise.until, timeZone())}.`
      : replies.unavailable
  },
  promiseMinDebt: ({ settings }) =>
    `Обещанный платёж доступен при долге от ${moneyText(settings.get('LK_PROMISE_PAY_MIN_DEBT'), 'ru')}`,
  promiseMinAge: ({ settings }) =>
    `Обещанный платёж доступен через ${settings.get('LK_PROMISE_PAY_MIN_AGE_DAYS')} дн. после заключения договора.`,
  promiseCooldown: async ({ subscribers, timeZone }, id) => {
    const free = (await subscribers.promiseProspect(id))?.cooldownUntil
    return free ? `Следующий обещанный платёж доступен с ${dayText(free, timeZone())}.` : replies.unavailable
  },
  promiseDisabled: () => replies.unavailable,
  promiseEndInPast: () => replies.unavailable,
  promiseLimitWrong: () => replies.unavailable,
} as const satisfies Record<PromiseRefusal, Words>

async function refusalOf(parts: SystemParts, id: SubscriberId, reason: AccountRefusal): Promise<string> {
  const words: Words | undefined = (refusals as Partial<Record<AccountRefusal, Words>>)[reason]
  return words ? await words(parts, id) : replies.failed
}

import { switchVoluntaryBlock } from '../../billing/clients/voluntary-block.ts'
import { closedWords } from '../../billing/clients/words.ts'
import type { Author } from '../../domain/author.ts'
import type { BlockReason } from '../../domain/block.ts'
import { phoneDigitsSql } from '../../domain/contacts.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import { docs } from './docs.ts'
import type { SystemParts } from './parts.ts'
import { fieldsOf } from './reply.ts'
import { type Answer, askedPromise, confirmPromiseBySms, offerPromiseBySms } from './sms-promise.ts'

const replies = {
  help: 'Команды: ОП — обещанный платёж, ВЫКЛ — приостановить доступ, ВКЛ — возобновить.',
  unknownPhone: 'Этот номер не указан ни в одном договоре. Обратитесь в абонентский отдел.',
  which: (command: string, numbers: readonly string[]) =>
    `Номер указан в нескольких договорах (${numbers.join(', ')}). Отправьте команду с номером договора: ${command} ${numbers[0]}`,
  failed: 'Команда не выполнена. Обратитесь в абонентский отдел.',
  suspended: 'Доступ приостановлен. Чтобы возобновить, отправьте ВКЛ.',
  notSuspended: (reason: BlockReason) => `Команда не выполнена: доступ уже закрыт (${reasonText[reason]}).`,
  resumed: 'Доступ открыт.',
  stillClosed: (reason: BlockReason) => `Добровольная блокировка снята, но доступ закрыт: ${reasonText[reason]}.`,
  closedOtherwise: (reason: BlockReason) => `Добровольной блокировки нет, доступ закрыт: ${reasonText[reason]}.`,
} as const

const reasonText = closedWords.ru

/** `POST sms/` {phone, text}: the SMS commands of specification 6, for promise payments and for the voluntary block. */
export async function takeSms(parts: SystemParts, call: Call): Promise<Reply> {
  const body = fieldsOf(call, docs.sms.body)
  if ('reply' in body) return body.reply
  const { phone, text } = body.fields
  return json(await execute(parts, call, phone, text, await findByPhone(parts, phone)))
}

type Found = { readonly id: SubscriberId; readonly contract: string }

async function execute(
  parts: SystemParts,
  call: Call,
  phone: string,
  text: string,
  found: readonly Found[],
): Promise<Answer> {
  if (found.length === 0) return { status: 'error', reply: replies.unknownPhone }
  const { command, contract } = readText(text)
  if (command === null) return { status: 'ok', reply: replies.help }
  const meant = await meantBy(parts, command, contract === null ? found : found.filter(isNamed(contract)))
  const [one] = meant
  if (!one || meant.length > 1) {
    const numbers = (meant.length > 1 ? meant : found).map((other) => other.contract)
    return { status: 'error', reply: replies.which(command, numbers) }
  }
  const author = { staffId: null, name: `sms ${phone.slice(0, 32)}`, address: call.address }
  if (command === 'ОП') return offerPromiseBySms(parts, one.id)
  if (command === 'ДА') return confirmPromiseBySms(parts, one.id, author)
  return switchBlock(parts, one.id, command === 'ВЫКЛ', author)
}

const isNamed =
  (contract: string) =>
  (found: Found): boolean =>
    found.contract.toUpperCase() === contract

/** The subscribers that a command is for. ДА is for those with an open offer. */
async function meantBy(parts: SystemParts, command: Command, named: readonly Found[]): Promise<readonly Found[]> {
  if (command !== 'ДА' || named.length < 2) return named
  const asked = await askedPromise(
    parts,
    named.map(({ id }) => id),
  )
  // If no offer is open, the first subscriber gets the answer that says so.
  return asked.length === 0 ? named.slice(0, 1) : named.filter(({ id }) => asked.includes(id))
}

async function switchBlock(parts: SystemParts, id: SubscriberId, on: boolean, author: Author): Promise<Answer> {
  const switched = await switchVoluntaryBlock({ subscribers: parts.subscribers }, id, on, author)
  if (switched.kind === 'refused') {
    const reply = 'obstacle' in switched ? replies.notSuspended(switched.obstacle) : replies.failed
    return { status: 'error', reply }
  }
  if (on) return { status: 'ok', reply: replies.suspended }
  const { closedBy, wasOn } = switched
  if (!closedBy) return { status: 'ok', reply: replies.resumed }
  return { status: 'ok', reply: wasOn ? replies.stillClosed(closedBy) : replies.closedOtherwise(closedBy) }
}

const commands = ['ОП', 'ДА', 'ВЫКЛ', 'ВКЛ'] as const
type Command = (typeof commands)[number]

/** Reads the command and an optional contract number, for example `вкл`, `ВЫКЛ.` or `ВЫКЛ 000042`. */
function readText(text: string): { command: Command | null; contract: string | null } {
  const [word = '', contract = null] = text.trim().toUpperCase().split(/\s+/)
  const letters = word.replace(/[^\p{L}]/gu, '')
  return { command: commands.find((command) => command === letters) ?? null, contract }
}

/** The subscribers with this phone number: several if a family has several contracts. */
async function findByPhone({ database }: SystemParts, phone: string): Promise<Found[]> {
  const { rows } = await database.pool.query<{ id: string; contract_number: string }>(
    // Materialized, because PostgreSQL overestimates the matches and would otherwise scan all ids for the first ten.
    `WITH found AS MATERIALIZED (SELECT id, contract_number FROM abonents
        WHERE sms IS NOT NULL AND NOT deleted AND ${phoneDigitsSql('sms')} = ${phoneDigitsSql('$1::text')})
      SELECT id, contract_number FROM found ORDER BY id LIMIT 10`,
    [phone],
  )
  return rows.map((row) => ({ id: subscriberId(row.id), contract: row.contract_number }))
}

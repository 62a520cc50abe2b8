import type { SubscriberStatus } from '../../accounts/subscribers.ts'
import { type BlockReason, blockReasons, isBlocked } from '../../domain/block.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Call, Reply } from '../../http/call.ts'
import { json } from '../../http/reply.ts'
import { phoneDigits } from '../../storage/phone.ts'
import type { SystemParts } from './parts.ts'
import { fieldsOf, refused } from './reply.ts'

/** What the SMS gateway sends back to the phone, and whether the command was carried out. */
type Answer = { readonly status: 'ok' | 'error'; readonly reply: string }

const textMax = 1000

const replies = {
  help: 'Команды: ВЫКЛ — приостановить доступ, ВКЛ — возобновить.',
  unknownPhone: 'Этот номер не указан ни в одном договоре. Обратитесь в абонентский отдел.',
  which: (command: string, numbers: readonly string[]) =>
    `Номер указан в нескольких договорах (${numbers.join(', ')}). Отправьте команду с номером договора: ${command} ${numbers[0]}`,
  failed: 'Команда не выполнена. Обратитесь в абонентский отдел.',
  suspended: 'Доступ приостановлен. Чтобы возобновить, отправьте ВКЛ.',
  notSuspended: (reason: BlockReason) => `Команда не выполнена: доступ уже закрыт (${reasonText[reason]}).`,
  resumed: 'Доступ открыт.',
  stillClosed: (reason: BlockReason) => `Добровольная блокировка снята, но доступ закрыт: ${reasonText[reason]}.`,
} as const

const reasonText = {
  debt: 'отрицательный баланс',
  operator: 'блокировка оператором',
  client: 'по вашей просьбе',
  system: 'блокировка системой',
} as const satisfies Record<BlockReason, string>

/** `POST sms/` {phone, text}: the commands of specification 6 that set and clear b_own. */
export async function takeSms(parts: SystemParts, call: Call): Promise<Reply> {
  const body = fieldsOf(call)
  if ('reply' in body) return body.reply
  const { phone, text } = body.fields
  if ((typeof phone !== 'string' && typeof phone !== 'number') || !/\d{5}/.test(String(phone).replace(/\D/g, ''))) {
    return refused(400, '"phone" must be a phone number.')
  }
  if (typeof text !== 'string' || text.length > textMax) {
    return refused(400, `"text" must be text of at most ${textMax} characters.`)
  }
  const found = await findByPhone(parts, String(phone))
  return json(await obey(parts, call, String(phone), text, found))
}

type Found = { readonly id: SubscriberId; readonly contract: string }

async function obey(
  parts: SystemParts,
  call: Call,
  phone: string,
  text: string,
  found: readonly Found[],
): Promise<Answer> {
  if (found.length === 0) return { status: 'error', reply: replies.unknownPhone }
  const { command, contract } = readText(text)
  if (command === null) return { status: 'ok', reply: replies.help }
  const meant = contract === null ? found : found.filter((one) => one.contract.toUpperCase() === contract)
  const [one] = meant
  if (!one || meant.length > 1) {
    const numbers = found.map((other) => other.contract)
    return { status: 'error', reply: replies.which(command, numbers) }
  }
  const status = await parts.subscribers.status(one.id)
  if (!status) return { status: 'error', reply: replies.failed }
  const on = command === 'ВЫКЛ'
  // A block of another kind must not become a voluntary one: a debtor is charged, who has left for a while is not.
  const obstacle = on ? otherBlock(status) : null
  if (obstacle) return { status: 'error', reply: replies.notSuspended(obstacle) }
  const author = { staffId: null, name: `sms ${phone.slice(0, 32)}`, address: call.address }
  const outcome = await parts.subscribers.ask({ kind: 'setBlock', subscriberId: one.id, reason: 'client', on }, author)
  if (outcome.kind === 'refused') return { status: 'error', reply: replies.failed }
  if (on) return { status: 'ok', reply: replies.suspended }
  const left = outcome.account.subscribers.find(({ id }) => id === one.id)
  const reason = left && isBlocked(left.blocks) ? blockReasons.find((name) => left.blocks[name]) : undefined
  return { status: 'ok', reply: reason ? replies.stillClosed(reason) : replies.resumed }
}

/** The first of the blocks that the client has not set; null when there is none, or when b_own is set already. */
const otherBlock = ({ subscriber: { blocks } }: SubscriberStatus): BlockReason | null =>
  blocks.client ? null : (blockReasons.find((reason) => blocks[reason]) ?? null)

/** `вкл`, `ВЫКЛ.`, `ВЫКЛ 000042`. */
function readText(text: string): { command: 'ВКЛ' | 'ВЫКЛ' | null; contract: string | null } {
  const [word = '', contract = null] = text.trim().toUpperCase().split(/\s+/)
  const command = word.replace(/[^\p{L}]/gu, '')
  return { command: command === 'ВКЛ' || command === 'ВЫКЛ' ? command : null, contract }
}

/** Several where a family has several contracts. */
async function findByPhone({ database }: SystemParts, phone: string): Promise<Found[]> {
  const { rows } = await database.pool.query<{ id: string; contract_number: string }>(
    // Materialized, or PostgreSQL, which expects many of a phone, walks all ids for the first ten.
    `WITH found AS MATERIALIZED (SELECT id, contract_number FROM abonents
        WHERE sms IS NOT NULL AND NOT deleted AND ${phoneDigits('sms')} = ${phoneDigits('$1::text')})
      SELECT id, contract_number FROM found ORDER BY id LIMIT 10`,
    [phone],
  )
  return rows.map((row) => ({ id: subscriberId(row.id), contract: row.contract_number }))
}

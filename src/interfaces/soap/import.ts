import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Author } from '../../domain/author.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import { type ActLine, readActLine, splitActList } from './act-list.ts'
import { fault, type SoapFault } from './fault.ts'
import type { Parameters } from './parameters.ts'
import type { SoapParts } from './parts.ts'
import { type Paid, type Payment, takePayment } from './payment.ts'

/**
 * How many lines are paid concurrently: enough to fill a group commit, and few compared with the load of other
 * interfaces.
 */
const atOnce = 64

type Result = Paid | SoapFault

/**
 * pay_usr_act_import: answers `OK;<imported>;<duplicates>;<errors>` and a line `<number>;<reason>;<text>` for each
 * error. Each line is paid by itself. A line that could not be processed is reported as an error and must be sent
 * again; the call cannot fail as a whole, because earlier lines have been paid.
 */
export async function payUsrActImport(
  parts: SoapParts,
  { ACT_LIST = '', PAY_OPERATOR = '' }: Parameters,
  staff: StaffUser,
  author: Author,
): Promise<string | SoapFault> {
  const lines = splitActList(ACT_LIST)
  if ('kind' in lines) return lines
  const timeZone = parts.settings.get('TIME_ZONE')
  const results: Result[] = []
  let isUnavailable = false
  for (const group of groupsOf(lines, (text) => readActLine(text, PAY_OPERATOR, timeZone))) {
    const taken = await Promise.all(group.map((read) => (isUnavailable ? notNow : take(parts, read, staff, author))))
    isUnavailable ||= taken.includes(notNow)
    results.push(...taken)
    // Lines that are wrong wait for nothing, and thousands of them are not read in one turn.
    await nextTurn()
  }
  return answerOf(lines, results)
}

type Read = Payment | SoapFault

const notNow = fault('Server.Unavailable', 'It could not be taken now; send this line again.')

async function take(parts: SoapParts, read: Read, staff: StaffUser, author: Author): Promise<Result> {
  if ('kind' in read) return read
  try {
    return await takePayment(parts, read, staff, author)
  } catch (error) {
    if (!asUnavailable(error)) parts.log.error('A line of an import could not be taken', { error })
    return notNow
  }
}

/**
 * Reads lines in groups that are paid concurrently. Lines with the same contract or id are never in one group, so they
 * keep their order.
 */
function* groupsOf(lines: readonly ActLine[], read: (text: string) => Read): Generator<readonly Read[]> {
  let group: Read[] = []
  const names = new Set<string>()
  for (const { text } of lines) {
    const payment = read(text)
    const own = 'kind' in payment ? [] : [`contract ${payment.contract.replace(/^0+/, '')}`, `id ${payment.payId}`]
    if (group.length === atOnce || own.some((name) => names.has(name))) {
      yield group
      group = []
      names.clear()
    }
    group.push(payment)
    for (const name of own) names.add(name)
  }
  if (group.length > 0) yield group
}

function answerOf(lines: readonly ActLine[], results: readonly Result[]): string {
  let imported = 0
  let duplicates = 0
  const errors: string[] = []
  results.forEach((result, at) => {
    if (result.kind === 'fault') errors.push(`${lines[at]!.number};${reasonOf(result)};${result.text}`)
    else if (result.isRepeat) duplicates++
    else imported++
  })
  return [`OK;${imported};${duplicates};${errors.length}`, ...errors].join('\n')
}

/** The part of a fault code after the dot: `UnknownContract` of `Client.UnknownContract`. */
const reasonOf = ({ code }: SoapFault): string => code.slice(code.indexOf('.') + 1)

/** Why a message was not sent, by how the sentence begins that is stored with it; what follows is the detail. */
const beginnings = {
  deleted: 'The subscriber is deleted.',
  no_address: 'The subscriber has no ',
  no_provider: 'No provider is set up for it: ',
  stopped: 'The mailing was stopped.',
  device_gone: 'The device has been forgotten.',
  not_mailbox: 'It is not an e-mail address.',
  mail_not_reached: 'The mail server was not reached: ',
  mail_answered: 'The mail server answered ',
  sms_answered: 'The SMS gateway answered ',
  push_answered: 'FCM answered ',
  push_refused_us: 'Google gave no access token',
  private_address: 'The address is one of a private network',
  no_answer_in_time: 'No answer within ',
  no_answer: 'No answer: ',
  program_stopped: 'The program was stopped while it waited for the answer.',
  program_fault: 'An error of the program; see its log.',
  expired: 'Given up: it was not sent while it was of use.',
} as const

export type FaultCode = keyof typeof beginnings | 'other'
export const faultCodes = [...(Object.keys(beginnings) as (keyof typeof beginnings)[]), 'other'] as const

export type Fault = { readonly code: FaultCode; readonly detail: string }

/** The last words of a message that was given up follow those of its last attempt. */
export function faultsOf(error: string | null): readonly Fault[] {
  if (error === null) return []
  const { expired } = beginnings
  const before = error.endsWith(expired) ? error.slice(0, -expired.length).trim() : error
  return [
    ...(before === '' ? [] : [faultOf(before)]),
    ...(before === error ? [] : ([{ code: 'expired', detail: '' }] as const)),
  ]
}

function faultOf(sentence: string): Fault {
  const code = faultCodes.find((one) => one !== 'other' && sentence.startsWith(beginnings[one]))
  if (code === undefined || code === 'other') return { code: 'other', detail: sentence }
  return { code, detail: sentence.slice(beginnings[code].length).replace(/\.$/, '') }
}

const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** SQL: whether an error says this. */
export function isFaultSql(column: string, code: FaultCode): string {
  if (code === 'expired') return `right(${column}, ${beginnings.expired.length}) = ${sqlText(beginnings.expired)}`
  if (code !== 'other') return `starts_with(${column}, ${sqlText(beginnings[code])})`
  const known = Object.values(beginnings).map((one) => `NOT starts_with(${column}, ${sqlText(one)})`)
  return `(${column} IS NOT NULL AND ${known.join(' AND ')})`
}

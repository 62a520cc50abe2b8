import { isObject, membersOf } from '../../platform/formats/json.ts'

// Reads the JSON answers of the receiver (ATOL Online, protocol v4). Every field is checked before it is used.

export type SendAnswer =
  /** The receiver has the receipt, possibly from an earlier attempt. */
  | { readonly kind: 'accepted'; readonly uuid: string }
  /** The receiver rejects the receipt as it is, so sending it again is useless. */
  | { readonly kind: 'refused'; readonly error: string }
  | Unusable

export type ReportAnswer =
  | { readonly kind: 'done'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly error: string }
  /** The receiver knows no receipt of this number, so it has to be sent again. */
  | { readonly kind: 'unknown'; readonly error: string }
  | Unusable

/** `failed`: try again later. `unauthorized`: try again at once with a new token. */
export type Unusable = { readonly kind: 'failed' | 'unauthorized'; readonly error: string }

/** The answer to one HTTP call. `body`: the parsed JSON, or null when it is not JSON. */
export type HttpAnswer = { readonly status: number; readonly body: unknown }

/** Error codes of the receiver. */
const codes = { missingToken: 10, expiredToken: 11, unknownUuid: 30, knownExternalId: 33, notProcessedYet: 34 } as const

/**
 * Error codes about the credentials or the group and not the receipt. The receipt waits until an operator corrects the
 * configuration.
 */
const configurationCodes: readonly number[] = [12, 14, 20, 21]

const uuidForm = /^[\w-]{1,64}$/
const textMax = 500

type Fault = { code: number | null; text: string }

export function readToken({ status, body }: HttpAnswer): { kind: 'token'; token: string } | Unusable {
  const { token } = membersOf(body)
  if (status === 200 && typeof token === 'string' && token !== '' && token.length <= 4096)
    return { kind: 'token', token }
  const fault = faultOf(body)
  return { kind: 'failed', error: `No token was given: ${fault?.text ?? `HTTP ${status}`}.` }
}

export function readSend({ status, body }: HttpAnswer): SendAnswer {
  const fault = faultOf(body)
  const { uuid } = membersOf(body)
  const isNumber = typeof uuid === 'string' && uuidForm.test(uuid)
  if (isNumber && (fault === null ? status < 300 : fault.code === codes.knownExternalId))
    return { kind: 'accepted', uuid }
  return unusable(status, fault) ?? { kind: 'refused', error: fault!.text }
}

export function readReport({ status, body }: HttpAnswer, externalId: string): ReportAnswer {
  const fault = faultOf(body)
  if (fault?.code === codes.notProcessedYet) return { kind: 'waiting' }
  if (fault?.code === codes.unknownUuid) return { kind: 'unknown', error: fault.text }
  const { status: state, external_id: reportedId, payload } = membersOf(body)
  if (typeof reportedId === 'string' && reportedId !== '' && reportedId !== externalId)
    return { kind: 'failed', error: 'The report is about another receipt.' }
  if (status === 200 && state === 'wait') return { kind: 'waiting' }
  if (status === 200 && state === 'done') {
    if (isObject(payload)) return { kind: 'done', result: payload }
    return { kind: 'failed', error: 'The report says done and not what was printed.' }
  }
  if (status < 500 && state === 'fail' && fault) return { kind: 'refused', error: fault.text }
  return unusable(status, fault) ?? { kind: 'failed', error: fault!.text }
}

/** Recognizes answers that say nothing about the receipt. Null: the answer is an error about the receipt itself. */
function unusable(status: number, fault: Fault | null): Unusable | null {
  const code = fault?.code ?? null
  if (code === codes.missingToken || code === codes.expiredToken || (status === 401 && code === null))
    return { kind: 'unauthorized', error: fault?.text ?? 'HTTP 401' }
  if (code !== null && configurationCodes.includes(code)) return { kind: 'failed', error: fault!.text }
  if (fault === null) return { kind: 'failed', error: `The answer cannot be understood (HTTP ${status}).` }
  const isClientError = status >= 400 && status < 500 && ![401, 403, 404, 408, 425, 429].includes(status)
  // The receiver knows the receipt but did not name its number, so the only way to get it is to send again.
  return isClientError && code !== codes.knownExternalId ? null : { kind: 'failed', error: fault.text }
}

function faultOf(body: unknown): Fault | null {
  const { error } = membersOf(body)
  if (!isObject(error)) return null
  const { code, text } = error
  const number = typeof code === 'number' && Number.isInteger(code) ? code : null
  const words = typeof text === 'string' && text.trim() !== '' ? text.trim().slice(0, textMax) : 'no reason given'
  return { code: number, text: number === null ? words : `${words} (${number})` }
}

import type { CoaResult } from '../../../domain/events.ts'

/** Error-Causes (RFC 5176 section 3.6) in words. */
const causes: Readonly<Record<number, string>> = {
  201: 'the rest of the session has been removed',
  202: 'invalid EAP packet',
  401: 'an attribute is not supported',
  402: 'an attribute is missing',
  403: 'the request names another NAS',
  404: 'the request is invalid',
  405: 'the service is not supported',
  406: 'the extension is not supported',
  407: 'an attribute has an invalid value',
  501: 'the NAS does not permit it',
  502: 'a proxy does not know the way to the NAS',
  503: 'there is no such session',
  504: 'the session cannot be removed',
  505: 'a proxy failed',
  506: 'the NAS has no resources for it now',
  507: 'the NAS answers later',
  508: 'several sessions fit, and the NAS takes one only',
}

/** What a NAS answered to a Disconnect or CoA, in words. */
export function answerInWords(result: CoaResult, errorCause: number | null, attempts: number): string {
  if (result === 'ack') return 'done'
  if (result === 'no_answer') return attempts === 1 ? 'no answer' : `no answer to ${attempts} requests`
  if (errorCause === null) return 'refused without a reason'
  return `refused: ${causes[errorCause] ?? 'an unknown reason'} (${errorCause})`
}

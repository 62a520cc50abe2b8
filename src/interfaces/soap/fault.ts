import type { Reply } from '../../platform/http/call.ts'
import { soapFault } from '../../platform/http/soap-fault.ts'

/**
 * The fault codes of the SOAP services. Client means that the same message will fail again, Server that it may succeed
 * later (SOAP 1.1 section 4.4.1). The codes are part of the interface, because programs rely on them.
 */
export type FaultCode =
  | 'VersionMismatch'
  | 'MustUnderstand'
  | 'Client.BadXml'
  | 'Client.BadEnvelope'
  | 'Client.UnknownOperation'
  | 'Client.MissingParameter'
  | 'Client.BadParameter'
  | 'Client.WrongCredentials'
  | 'Client.SecondFactor'
  | 'Client.TooManyAttempts'
  | 'Client.NotSignedIn'
  | 'Client.NotAllowed'
  | 'Client.BadAct'
  | 'Client.BadSum'
  | 'Client.BadDate'
  | 'Client.UnknownContract'
  | 'Client.PayIdTaken'
  | 'Client.TooManyLines'
  | 'Client.DateNotAllowed'
  | 'Client.TooLarge'
  | 'Client.NotPosted'
  | 'Server.ReadOnly'
  | 'Server.Unavailable'

export type SoapFault = {
  readonly kind: 'fault'
  readonly code: FaultCode
  readonly text: string
  /** Of Client.TooManyAttempts. */
  readonly retryAfterSeconds?: number
}

export const fault = (code: FaultCode, text: string): SoapFault => ({ kind: 'fault', code, text })

/**
 * Faults are 500 (SOAP 1.1 section 6.2), but for those to which all doors give the same status (contract section 3).
 */
export function faultReply({ code, text, retryAfterSeconds }: SoapFault): Reply {
  if (code === 'Server.ReadOnly') return soapFault(code, text, { status: 403 })
  if (retryAfterSeconds === undefined) return soapFault(code, text)
  return soapFault(code, text, { status: 429, headers: [['Retry-After', String(retryAfterSeconds)]] })
}

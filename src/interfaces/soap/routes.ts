import type { Author } from '../../domain/author.ts'
import type { StaffUser } from '../../domain/staff-user.ts'
import { escapeLongXml, escapeXml } from '../../platform/formats/xml.ts'
import type { Call, Reply, Route } from '../../platform/http/call.ts'
import { refusal, refusalText } from '../../platform/http/errors.ts'
import { soapReply } from '../../platform/http/soap-fault.ts'
import { SignInAudit } from '../../platform/staff/sign-in-audit.ts'
import { actOf, payUsrAct2 } from './act.ts'
import { openBytesMax, readEnvelope, type SoapCall } from './envelope.ts'
import { fault, faultReply, type SoapFault } from './fault.ts'
import { payUsrActImport } from './import.ts'
import { hashKeyOf, operationOf, type Parameters, parametersOf } from './parameters.ts'
import type { SoapParts } from './parts.ts'
import { type OperationName, type Service, services } from './services.ts'
import { SoapSessions } from './sessions.ts'
import { getUserHash } from './sign-in.ts'
import { wsdlOf } from './wsdl.ts'
import { decoderOf } from './xml-text.ts'

export type SoapRouteParts = Omit<SoapParts, 'sessions' | 'audit'> & {
  /** The base URL of the addresses in the WSDL. */
  readonly publicUrl: () => string
}

/**
 * The SOAP services for accounting systems and cash desks (specification 4.5). At each path, GET describes the service
 * and POST takes its calls.
 */
export function soapRoutes({ publicUrl, ...given }: SoapRouteParts): Route[] {
  const sessions = new SoapSessions(given.pool, given.clock)
  const parts: SoapParts = { ...given, sessions, audit: new SignInAudit(given.pool) }
  return services.flatMap((service) =>
    service.paths.flatMap((path): Route[] => [
      { method: 'GET', path, door: 'soap', handler: (call) => describe(service, `${publicUrl()}${path}`, call) },
      // The envelope names the caller, so access and READ_ONLY_MODE are checked after it has been read.
      { method: 'POST', path, door: 'soap', allowedReadOnly: true, handler: (call) => serve(parts, service, call) },
    ]),
  )
}

function describe(service: Service, address: string, { query }: Call): Reply {
  if ([...query.keys()].some((name) => name.toLowerCase() === 'wsdl'))
    return { status: 200, contentType: 'text/xml; charset=utf-8', body: wsdlOf(service, address) }
  const sentence = `${service.name} takes SOAP 1.1 by POST; ${address}?wsdl describes it.`
  return refusal('soap', 405, sentence, [['Allow', 'POST']])
}

async function serve(parts: SoapParts, service: Service, call: Call): Promise<Reply> {
  const answer = await answerOf(parts, service, call)
  if (answer.kind === 'answer') return replyOf(service, answer)
  parts.log.info('A SOAP call was refused', { requestId: call.id, code: answer.code, reason: answer.text })
  return faultReply(answer)
}

type Result = string | Readonly<Record<string, string>>
type Answer = { readonly kind: 'answer'; readonly operation: OperationName; readonly result: Result }

async function answerOf(parts: SoapParts, service: Service, call: Call): Promise<Answer | SoapFault> {
  const decoder = decoderOf(call.body, call.header('content-type'))
  if ('kind' in decoder) return decoder
  const envelope = await readEnvelope(call.body, decoder, (begun) => admitLarge(parts, service, begun))
  if (envelope.kind === 'fault') return envelope
  const operation = operationOf(service, envelope)
  if ('kind' in operation) return operation
  const parameters = parametersOf(service, operation, envelope)
  if (isFault(parameters)) return parameters
  const result = await handlers[operation.name](parts, call, parameters)
  return isFault(result) ? result : { kind: 'answer', operation: operation.name, result }
}

const isFault = (value: string | SoapFault | Readonly<Record<string, string>>): value is SoapFault =>
  typeof value === 'object' && value.kind === 'fault'

type OperationHandler = (parts: SoapParts, call: Call, parameters: Parameters) => Promise<Result | SoapFault>

const handlers: Readonly<Record<OperationName, OperationHandler>> = {
  get_user_hash: getUserHash,
  async pay_usr_act2(parts, call, parameters) {
    const act = actOf(parameters)
    const staff = await admit(parts, parameters, act === 'CHECK' ? 'view' : 'money')
    if ('kind' in staff) return staff
    if (typeof act !== 'string') return act
    return payUsrAct2(parts, act, parameters, staff, authorOf(staff, call))
  },
  async pay_usr_act_import(parts, call, parameters) {
    const staff = await admit(parts, parameters, 'money')
    if ('kind' in staff) return staff
    return payUsrActImport(parts, parameters, staff, authorOf(staff, call))
  },
}

/**
 * The owner of the hash_key, if they have the right and READ_ONLY_MODE is off. Contract section 3: 401 comes before
 * 403.
 */
async function admit(
  { sessions, settings }: SoapParts,
  { hash_key: key = '' }: Parameters,
  right: 'view' | 'money',
): Promise<StaffUser | SoapFault> {
  const staff = await sessions.find(key)
  if (!staff) return notSignedIn
  if (!staff.rights.includes(right))
    return fault('Client.NotAllowed', `${staff.username} has no right to do this. It needs the right "${right}".`)
  return settings.get('READ_ONLY_MODE') ? fault('Server.ReadOnly', refusalText.readOnly) : staff
}

const notSignedIn = fault(
  'Client.NotSignedIn',
  'hash_key is unknown or an hour old; ask get_user_hash for another one.',
)

/** A message that is larger than a stranger's may be is read on only for who is signed in. */
async function admitLarge(
  { sessions }: SoapParts,
  service: Service,
  begun: SoapCall | null,
): Promise<SoapFault | null> {
  if (!begun) return tooLarge
  const operation = operationOf(service, begun)
  if ('kind' in operation) return operation
  const key = hashKeyOf(service, operation, begun)
  if (key === null) return tooLarge
  return (await sessions.find(key)) ? null : notSignedIn
}

const tooLarge = fault(
  'Client.TooLarge',
  `A message of more than ${openBytesMax / 1024} KiB must have its hash_key within them.`,
)

const authorOf = ({ id, username }: StaffUser, { address }: Call): Author => ({ staffId: id, name: username, address })

/** Wraps a result as Spyne does: `<x>Response` with `<x>Result`. */
async function replyOf({ namespace }: Service, { operation, result }: Answer): Promise<Reply> {
  const element = (name: string, content: string) => `<tns:${name}>${content}</tns:${name}>`
  const content =
    typeof result === 'string'
      ? await escapeLongXml(result)
      : Object.entries(result)
          .map(([name, text]) => element(name, escapeXml(text)))
          .join('')
  const response = `${operation}Response`
  return soapReply(
    `<tns:${response} xmlns:tns="${namespace}">${element(`${operation}Result`, content)}</tns:${response}>`,
  )
}

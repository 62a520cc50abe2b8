import { readId } from '../../../../domain/ids.ts'
import type { Money } from '../../../../domain/money.ts'
import { operationTypes } from '../../../../domain/operation.ts'
import { readBySchema } from '../../../../platform/http/fields.ts'
import type { Refusal } from '../../../../platform/records/refusals.ts'
import { readValues, type Values } from '../../../../platform/records/values.ts'
import { type Fields, isAbsent } from '../../body.ts'
import { type Faults, fault, faultsOf, refusalOf } from './faults.ts'
import { login, paymentFields, person } from './models.ts'

/** A new subscriber as the body orders it: read and in itself right, but not compared with the tables. */
export type Order = {
  readonly person: Values
  /** Null: the subscriber begins without a login. */
  readonly login: Values | null
  /** Usluga.id, each once. */
  readonly services: readonly number[]
  readonly payment: FirstPayment | null
}

export type FirstPayment = {
  readonly amount: Money
  readonly typeId: number
  readonly description: string
  readonly isCash: boolean
}

/** More services than any provider offers one client. */
const servicesMax = 100

export function readOrder(fields: Fields): Order | Refusal {
  const { login: sentLogin, services: sentServices, payment: sentPayment, ...sentPerson } = fields
  const readPerson = readValues(person, sentPerson, null)
  const readLogin = isAbsent(sentLogin) ? null : loginOf(sentLogin)
  const services = servicesOf(sentServices)
  const payment = isAbsent(sentPayment) ? null : paymentOf(sentPayment)
  const refused = refusalOf({
    ...faultsOf(readPerson),
    ...(readLogin && 'faults' in readLogin && readLogin.faults),
    ...('faults' in services && services.faults),
    ...(payment && 'faults' in payment && payment.faults),
  })
  if (refused) return refused
  return {
    person: (readPerson as { values: Values }).values,
    login: readLogin && (readLogin as { values: Values }).values,
    services: (services as { ids: readonly number[] }).ids,
    payment: payment as FirstPayment | null,
  }
}

const isPart = (sent: unknown): sent is Fields => typeof sent === 'object' && sent !== null && !Array.isArray(sent)

const notAPart = (name: string): { faults: Faults } => ({ faults: { [name]: fault('wrong', 'It must be an object.') } })

function loginOf(sent: unknown): { values: Values } | { faults: Faults } {
  if (!isPart(sent)) return notAPart('login')
  // The body says `port`, as the contract does; the record calls it switch_port.
  const { port, ...others } = sent
  const read = readValues(login, port === undefined ? others : { ...others, switch_port: port }, null)
  if ('values' in read) return read
  const { 'login.switch_port': ofPort, ...faults } = faultsOf(read, 'login.')
  return { faults: { ...faults, ...(ofPort && { 'login.port': ofPort }) } }
}

function servicesOf(sent: unknown): { ids: readonly number[] } | { faults: Faults } {
  const list: readonly unknown[] | null = isAbsent(sent) ? [] : Array.isArray(sent) ? sent : null
  const ids = new Set(list?.map(readId))
  if (list === null || list.length > servicesMax || ids.has(null))
    return { faults: { services: fault('wrong', `It must be a list of at most ${servicesMax} ids.`) } }
  return { ids: [...ids].filter((id) => id !== null) }
}

function paymentOf(sent: unknown): FirstPayment | { faults: Faults } {
  if (!isPart(sent)) return notAPart('payment')
  const read = readBySchema(paymentFields, sent, { isLeftOut: isAbsent })
  if ('wrong' in read) {
    const isMissing = isAbsent(sent[read.wrong])
    return {
      faults: { [`payment.${read.wrong}`]: isMissing ? fault('required') : fault('wrong', `It must ${read.must}.`) },
    }
  }
  const { amount, op_type_id: typeId = operationTypes.manualReceipt, descr = '', is_cash: isCash = false } = read.values
  if (amount <= 0n) return { faults: { 'payment.amount': fault('wrong', 'It must be more than zero.') } }
  return { amount, typeId, description: descr, isCash }
}

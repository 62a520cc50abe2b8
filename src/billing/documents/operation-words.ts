import { operationTypes } from '../../domain/operation.ts'
import { withoutMarkers } from './wording.ts'

/** The built-in operation types worded for clients. The dictionary names them for the staff. */
const typeWords: Readonly<Record<number, string>> = {
  [operationTypes.monthlyService]: 'Ежемесячная плата за услуги',
  [operationTypes.manualReceipt]: 'Поступление оплаты',
  [operationTypes.manualExpense]: 'Списание',
  [operationTypes.gatewayA]: 'Оплата через платёжную систему',
  [operationTypes.gatewayB]: 'Оплата через платёжную систему',
  [operationTypes.promise]: 'Обещанный платёж',
  [operationTypes.tariffCharge]: 'Абонентская плата по тарифу',
  [operationTypes.tariffChange]: 'Смена тарифа',
  [operationTypes.cashDesk]: 'Оплата через кассу или терминал',
  [operationTypes.recalculation]: 'Перерасчёт',
}

/** The services of promise payments, which the dictionary names for the staff too. */
const promiseServices: readonly number[] = [30353, -3, -4]

export type DescribedOperation = {
  readonly typeId: number
  readonly typeName: string
  readonly serviceId: number | null
  readonly serviceName: string | null
  readonly description: string
}

export const typeInWords = ({ typeId, typeName }: Pick<DescribedOperation, 'typeId' | 'typeName'>): string =>
  typeWords[typeId] ?? typeName

/** What the money was for: the operation's description, else its service, else its type. */
export function operationInWords(operation: DescribedOperation): string {
  const written = withoutMarkers(operation.description)
  if (written) return written
  const { serviceId, serviceName } = operation
  if (serviceId !== null && promiseServices.includes(serviceId)) return 'Обещанный платёж'
  return serviceName || typeInWords(operation)
}

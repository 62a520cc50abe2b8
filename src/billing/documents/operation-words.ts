import { operationTypes } from '../../domain/operation.ts'
import { isPromiseService } from '../../domain/promise.ts'
import { withoutMarkers } from '../../domain/wording.ts'
import type { FinanceOperation, FinType } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'

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

/** An operation with the name of its type and of its service. */
export type DescribedRow = RowOf<typeof FinanceOperation, 'op_type_id' | 'usluga_id' | 'descr'> &
  RowOf<typeof FinType, 'op_name'> & { readonly usluga_name: string | null }

export const typeInWords = ({ op_type_id, op_name }: DescribedRow): string => typeWords[Number(op_type_id)] ?? op_name

/** What the money was for: the operation's description, else its service, else its type. */
export function operationInWords(row: DescribedRow): string {
  const written = withoutMarkers(row.descr ?? '').replace(/\s+/g, ' ')
  if (written) return written
  // The dictionary names the services of promise payments for the staff.
  if (row.usluga_id !== null && isPromiseService(Number(row.usluga_id))) return 'Обещанный платёж'
  return row.usluga_name || typeInWords(row)
}

import { isReversalSql } from '../accounts/reversal-sql.ts'
import type { OrganizationId } from '../../domain/ids.ts'
import { type Money, magnitude, moneyFromUnits, zero } from '../../domain/money.ts'
import { operationTypes } from '../../domain/operation.ts'
import { visibleSql } from '../../platform/staff/visible-organizations.ts'
import type { FinanceOperation, FinType } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { joinCompany, partiesOf, type PartyRow, partyColumns } from './customers.ts'
import type { Invoice, Receipt } from './document.ts'
import { type DescribedRow, operationInWords, typeInWords } from './operation-words.ts'

export type OperationQuery = {
  readonly subscriberId: number
  readonly operationId: number
  /** The organizations visible to the caller. Null: all. */
  readonly visible: readonly OrganizationId[] | null
  readonly timeZone: string
  readonly now: Date
}

export type FoundOperation = {
  /** Null: the operation moves no money, so there is nothing to print. */
  readonly document: Invoice | Receipt | null
  /** The PDF that was printed last and kept. */
  readonly storedForm: Buffer | null
  readonly isReversed: boolean
  readonly organizationId: number | null
  readonly contractNumber: string
}

type Row = PartyRow &
  DescribedRow &
  RowOf<typeof FinanceOperation> &
  RowOf<typeof FinType, 'op_sign'> & {
    readonly promise_end: Date | null
    readonly fiscal: Readonly<Record<string, unknown>> | null
    readonly owner_name: string | null
    readonly is_reversal: boolean
  }

/** An operation without a subscriber belongs to all subscribers of its account. */
const statement = `SELECT op.*, type.op_sign, type.op_name, ${isReversalSql('op', 'type')} AS is_reversal,
    uslugas.name AS usluga_name, fiscal.result AS fiscal, owner.username AS owner_name,
    (SELECT max(end_time) FROM users_uslugas WHERE users_uslugas.op_id = op.op_id) AS promise_end, ${partyColumns}
  FROM finance_operations AS op
    JOIN abonents ON abonents.id = $1
      AND (op.abonent_id = abonents.id OR (op.abonent_id IS NULL AND op.account_id = abonents.account_id))
    JOIN fin_types AS type ON type.type_id = op.op_type_id
    ${joinCompany('op.organization_id', 'abonents.organization_id')}
    LEFT JOIN uslugas ON uslugas.id = op.usluga_id
    LEFT JOIN staff AS owner ON owner.id = op.owner_id
    LEFT JOIN fiscal_receipts AS fiscal ON fiscal.op_id = op.op_id AND fiscal.state = 'done'
  WHERE op.op_id = $2 AND ${visibleSql('abonents.organization_id', '$3')} AND ${visibleSql('op.organization_id', '$3')}`

/**
 * The document of an operation. Null: there is no such operation, it belongs to another subscriber, or the caller may
 * not see it.
 */
export async function findOperation(sql: Client, query: OperationQuery): Promise<FoundOperation | null> {
  const { subscriberId, operationId, visible } = query
  const { rows } = await sql.query<Row>(statement, [subscriberId, operationId, visible])
  const [row] = rows
  if (!row) return null
  return {
    document: documentOf(row, query),
    storedForm: row.print_form,
    isReversed: isCancelled(row),
    organizationId: toIdOrNull(row.organization_id),
    contractNumber: row.customer.contractNumber,
  }
}

/** A reversal has the `storno` flag as well, but is not cancelled itself. */
const isCancelled = ({ storno, is_reversal }: Row): boolean => storno && !is_reversal

type DocumentForm = { kind: 'invoice' } | { kind: 'receipt' | 'note'; title: string }

/** The kind of document for an operation. A promise payment brings no money, so it gets an invoice. */
function formOf(row: Row, amount: Money): DocumentForm | null {
  const typeId = Number(row.op_type_id)
  if (amount === zero) return null
  if (row.is_reversal) return { kind: 'note', title: 'Справка о сторнировании' }
  if (typeId === operationTypes.promise)
    return amount > zero ? { kind: 'invoice' } : { kind: 'note', title: 'Справка о возврате обещанного платежа' }
  if (amount < zero) return { kind: 'invoice' }
  if (row.op_sign <= 0 || typeId === operationTypes.recalculation)
    return { kind: 'note', title: 'Справка о перерасчёте' }
  return { kind: 'receipt', title: 'Квитанция об оплате' }
}

function documentOf(row: Row, { operationId, timeZone, now }: OperationQuery): Invoice | Receipt | null {
  const signed = moneyFromUnits(row.op_summa)
  const form = formOf(row, signed)
  if (!form) return null
  const purpose = operationInWords(row)
  const common = {
    ...partiesOf(row),
    timeZone,
    printedAt: now,
    operationId,
    number: row.number || String(operationId),
    movedAt: row.op_date,
    amount: magnitude(signed),
    isReversed: isCancelled(row),
  }
  if (form.kind === 'invoice') return { ...common, kind: 'invoice', purpose, payUntil: row.promise_end }
  return {
    ...common,
    kind: form.kind,
    title: form.title,
    purpose: `${reasonOf(row, form.kind)}${purpose}`,
    method: methodOf(row),
    externalId: row.operator_pay_id_str || null,
    fiscalReceipt: fiscalOf(row),
    takenBy: row.owner_name,
  }
}

function reasonOf({ customer, related_operation_id }: Row, kind: 'receipt' | 'note'): string {
  if (kind === 'receipt') return `Оплата услуг связи по договору № ${customer.contractNumber}. `
  return related_operation_id !== null ? `Сторнирование операции № ${related_operation_id}. ` : ''
}

function methodOf(row: Row): string {
  if (row.is_cash) return 'Наличными в кассу'
  return row.operator_name ? `${typeInWords(row)} (${row.operator_name})` : typeInWords(row)
}

/** The three numbers that identify the receipt at the tax service, or else the id given by the cash register. */
function fiscalOf({ fiscal, kkm_printed, kkm_check_id }: Row): string | null {
  const numbers = [
    ['ФН', fiscal?.fn_number],
    ['ФД', fiscal?.fiscal_document_number],
    ['ФПД', fiscal?.fiscal_document_attribute],
  ].flatMap(([name, value]) => (value ? [`${name} ${value}`] : []))
  if (numbers.length > 0) return numbers.join(', ')
  return kkm_printed ? kkm_check_id : null
}

/** Stores the PDF of an operation in place of an earlier one. Returns false when the operation no longer exists. */
export async function storeForm(sql: Client, operationId: number, form: Buffer): Promise<boolean> {
  const text = 'UPDATE finance_operations SET print_form = $2 WHERE op_id = $1'
  return (await sql.query(text, [operationId, form])).rowCount !== 0
}

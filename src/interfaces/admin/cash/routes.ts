import Type from 'typebox'
import { type CashDesk, cashOfToday } from '../../../billing/cash/limits.ts'
import { closeShift, currentShift, findShift, openShift, type Shift, shiftOf } from '../../../billing/cash/shifts.ts'
import type { Printer } from '../../../billing/documents/printer.ts'
import { findShiftReport } from '../../../billing/documents/shift-document.ts'
import { readId } from '../../../domain/ids.ts'
import { formatRubles, type Money, zero } from '../../../domain/money.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import { missingRight } from '../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { id, reworded, rubles } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf, staffOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { isAbsent, isRefused, readSentBody, refused, wrongField } from '../body.ts'
import { answers, get, post, refusals } from '../doors.ts'
import { pdf } from '../documents/documents.ts'
import { ListFilters, periodOf } from '../list-filters.ts'
import { visibleStaffSql } from '../provider/dictionaries/staff.ts'
import { sortedAnswers, sortedPage, sortedParameters } from '../sorted-lists.ts'
import { shiftList, shiftSchema, shown } from './shape.ts'

export type CashParts = TransactionScope & {
  readonly cashDesk: CashDesk
  readonly printer: Pick<Printer, 'draw'>
  readonly clock: { now(): Date }
}

const rights = recordRights.cashShift

/** The cash desk: shifts of cashiers, and the limits of what they take. */
export const cashRoutes = (parts: CashParts): Route[] => [
  get('/admin/cash/desk', docs.desk, (call) => showDesk(parts, call), { right: rights.read }),
  post('/admin/cash/open', docs.open, (call) => open(parts, call), { right: rights.create }),
  post('/admin/cash/close', docs.close, (call) => close(parts, call), { right: rights.change }),
  get('/admin/cash/shifts', docs.shifts, (call) => list(parts, call), { right: rights.read }),
  get('/admin/cash/shifts/:id', docs.shift, (call) => show(parts, call), { right: rights.read }),
  get('/admin/cash/shifts/:id/paper', docs.paper, (call) => paper(parts, call), { right: rights.read }),
]

function showDesk(parts: CashParts, call: Call): Promise<Reply> {
  const { cashier, day } = parts.cashDesk.limits
  const limit = (amount: Money) => (amount === zero ? null : formatRubles(amount))
  return reading(parts, async (client) => {
    const shift = await currentShift(client, staffOf(call))
    const visible = visibleTo(call)
    const { own, all } = await cashOfToday(client, staffOf(call), visible)
    return json({
      ok: true,
      shift: shift && shown(shift),
      today: formatRubles(own),
      today_all: formatRubles(all),
      limit: limit(cashier),
      // It concerns cash of organizations that the caller may not see, so it says nothing beside `today_all`.
      limit_all: visible === null ? limit(day) : null,
    })
  })
}

async function open(parts: CashParts, call: Call): Promise<Reply> {
  const amount = readCash(call, 'opening_cash')
  if ('refused' in amount) return amount.refused
  const shift = await writing(parts, (client) =>
    openShift(client, authorOf(call), amount.cash ?? zero, parts.clock.now()),
  )
  return shift ? json({ ok: true, shift: shown(shift) }) : refused(409, 'shift_open', 'You have an open shift already.')
}

async function close(parts: CashParts, call: Call): Promise<Reply> {
  const amount = readCash(call, 'counted_cash')
  if ('refused' in amount) return amount.refused
  const shift = await writing(parts, (client) => closeShift(client, authorOf(call), amount.cash, parts.clock.now()))
  return shift ? json({ ok: true, shift: shown(shift) }) : refused(409, 'no_shift', 'You have no open shift.')
}

/** Banknotes are not negative. */
function readCash(call: Call, name: 'opening_cash' | 'counted_cash'): { cash: Money | null } | { refused: Reply } {
  const read = readSentBody(call, cashFields, { names: [name], isLeftOut: isAbsent })
  if (isRefused(read)) return read
  const cash = read.values[name] ?? null
  return cash !== null && cash < zero ? { refused: wrongField(name, 'not be negative') } : { cash }
}

/** SQL: cashiers see their own shifts; who may change records also those of the staff whom they may see. */
function seenSql(call: Call, filters: ListFilters): string {
  const own = `shift.staff_id = ${filters.add(staffOf(call), 'int8')}`
  if (missingRight(call.staff, 'change')) return own
  const visible = filters.place(visibleTo(call)) as `$${number}`
  return `(${own} OR EXISTS (SELECT FROM staff WHERE staff.id = shift.staff_id AND ${visibleStaffSql('staff', visible)}))`
}

async function list(parts: CashParts, call: Call): Promise<Reply> {
  const filters = new ListFilters(call.query)
  const read = filters.read(listParameters, ['staff', 'sort', 'limit', 'cursor'])
  if (isRefused(read)) return read.refused
  const { staff, sort = '-opened', ...page } = read.values
  filters.where(seenSql(call, filters))
  if (staff !== undefined) filters.where(`shift.staff_id = ${filters.add(staff, 'int8')}`)
  const wrong = filters.wherePeriod('shift.opened_at')
  if (wrong) return wrong.refused
  return reading(parts, async (client) => {
    const { items, ...rest } = await sortedPage<Parameters<typeof shiftOf>[0]>(client, shiftList, filters, {
      sort,
      ...page,
    })
    return json({ ok: true, items: items.map((item) => shown(shiftOf(item))), ...rest })
  })
}

async function findSeen(parts: CashParts, call: Call): Promise<Shift | null> {
  const wanted = readId(call.params.id)
  return reading(parts, async (client) => {
    const filters = new ListFilters()
    filters.where(`shift.id = ${filters.add(wanted, 'int8')}`)
    filters.where(seenSql(call, filters))
    const text = `SELECT FROM cash_shifts AS shift WHERE ${filters.conditions}`
    const { rowCount } = await client.query(text, [...filters.values])
    return rowCount === 0 || wanted === null ? null : findShift(client, wanted)
  })
}

async function show(parts: CashParts, call: Call): Promise<Reply> {
  const shift = await findSeen(parts, call)
  return shift ? json({ ok: true, shift: shown(shift) }) : notFoundReply()
}

async function paper(parts: CashParts, call: Call): Promise<Reply> {
  const shift = await findSeen(parts, call)
  if (!shift) return notFoundReply()
  const report = await reading(parts, (client) =>
    findShiftReport(client, shift, { timeZone: parts.timeZone(), now: parts.clock.now() }),
  )
  return pdf(`shift-${shift.id}.pdf`, await parts.printer.draw(report))
}

const tag = 'Cash desk'
const missing = 'There is no such shift, or it is not yours to see'

const cashFields = {
  opening_cash: Type.Optional(
    Type.With(reworded(rubles, 'be an amount in rubles'), { description: 'In the drawer at the beginning' }),
  ),
  counted_cash: Type.Optional(
    Type.With(reworded(rubles, 'be an amount in rubles'), { description: 'In the drawer at the end, as counted' }),
  ),
}

const listParameters = {
  staff: { doc: 'Cashier', schema: id },
  ...periodOf({ from: 'date_from', to: 'date_to' }),
  ...sortedParameters(['opened']),
}

const shiftAnswer = (doc: string, refused: Readonly<Record<number, string>>) =>
  answers(doc, { shift: shiftSchema }, refused)

const docs = {
  desk: {
    tag,
    summary: 'The shift of the caller, and what may still be taken today',
    answers: answers('Sums of today are cash received less cash given back', {
      shift: nullable(shiftSchema),
      today: Type.With(schemas.rubles, { description: 'Of the caller' }),
      today_all: Type.With(schemas.rubles, { description: 'Of all cashiers, in the organizations of the caller' }),
      limit: Type.With(nullable(schemas.rubles), { description: 'CASH_LIMIT_CASHIER; null: none' }),
      limit_all: Type.With(nullable(schemas.rubles), {
        description: 'CASH_LIMIT_DAY; null: none, or the caller does not see all organizations',
      }),
    }),
  },
  open: {
    tag,
    summary: 'Open a shift',
    body: Type.Object({ opening_cash: cashFields.opening_cash }),
    answers: shiftAnswer('The shift', { 400: 'A wrong field', 409: 'The caller has an open shift: `shift_open`' }),
  },
  close: {
    tag,
    summary: 'Close the shift of the caller',
    description:
      'What the caller has received by hand since the shift was opened, and between the shift before and this one, becomes a part of it for good. A payment that is committed only after this belongs to the next one.',
    body: Type.Object({ counted_cash: cashFields.counted_cash }),
    answers: shiftAnswer('The shift with its sums', { 400: 'A wrong field', 409: 'None is open: `no_shift`' }),
  },
  shifts: {
    tag,
    summary: 'Shifts, the latest first',
    description:
      'Cashiers see their own; who has the right change also those of the staff of their organizations. `totals` are empty while a shift goes on.',
    query: listParameters,
    answers: sortedAnswers(shiftSchema),
  },
  shift: {
    tag,
    summary: 'One shift, with what was received so far where it goes on',
    params: { id: { doc: 'The shift' } },
    answers: shiftAnswer('The shift', { 404: missing }),
  },
  paper: {
    tag,
    summary: 'The paper of a shift',
    params: { id: { doc: 'The shift' } },
    answers: { 200: { doc: 'The PDF', contentType: 'application/pdf' }, ...refusals({ 404: missing }) },
  },
} as const satisfies Record<string, RouteDoc>

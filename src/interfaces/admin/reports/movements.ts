import Type from 'typebox'
import {
  organizationsAsked,
  type Question,
  readSums,
  type Split,
  splits,
  type Sums,
  type Unanswered,
} from '../../../billing/reports/sums.ts'
import { dayOf, monthOf, wholeMonth } from '../../../domain/calendar.ts'
import { readDate } from '../../../domain/iso-dates.ts'
import { operationSources } from '../../../domain/operation-source.ts'
import { spelled } from '../../../domain/text.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Call } from '../../../platform/http/call.ts'
import { choice, field, flag, id } from '../../../platform/http/fields.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { isRefused, type Refused, readQuery, refused, trimmed, wrongInWords } from '../body.ts'
import type { Countings } from '../countings.ts'
import { idOrNone, typeIds } from '../finops/filters.ts'

export type ReportParts = TransactionScope & { readonly clock: Clock; readonly countings: Countings }

/** What is not summed up yet is read from the operations, which may be a million of them. */
export const reportMs = 8_000

const day = field(schemas.text, 'be a date such as 2026-11-30', (sent) => readDate(spelled(sent).trim()))

export const periodParameters = {
  date_from: { doc: 'The first day of TIME_ZONE; left out: that of this month', schema: day },
  date_to: { doc: 'The last day, which is included; left out: that of this month', schema: day },
} as const

export const filterParameters = {
  op_type: { doc: 'Type, or several with commas between', schema: typeIds },
  source: { doc: 'Channel: where it came from', schema: choice(operationSources) },
  cashier: { doc: 'Who has made them: the id of a staff user, or 0 for automatic ones', schema: idOrNone },
  tarif: { doc: 'The tariff that the subscriber had when the money moved, or 0 for none', schema: idOrNone },
  organization_id: { doc: 'Organization', schema: id },
  all: { doc: '1: also service operations, which stay out of reports otherwise', schema: flag },
} as const

export const movementParameters = {
  by: { doc: 'What the rows are; left out: type', schema: choice(splits) },
  across: { doc: 'What the columns are; left out: there is one', schema: choice(splits) },
  ...periodParameters,
  ...filterParameters,
} as const

const sums = {
  operations: Type.Integer({ description: 'How many' }),
  income: Type.With(schemas.rubles, { description: 'Of those above zero' }),
  expense: Type.With(schemas.rubles, { description: 'Of those below zero, with its sign' }),
  net: Type.With(schemas.rubles, { description: 'Both together' }),
}
const named = {
  key: Type.String({ description: 'Id, day, month or channel; 0: automatic, without a tariff' }),
  name: nullable(schemas.text),
}

export const movementsSchema = Type.Object({
  by: Type.Enum([...splits]),
  across: nullable(Type.Enum([...splits])),
  date_from: schemas.text,
  date_to: schemas.text,
  columns: Type.Array(Type.Object({ ...named, ...sums }), { description: 'The most money first, days in their order' }),
  items: Type.Array(
    Type.Object({
      ...named,
      ...sums,
      cells: Type.Array(nullable(schemas.rubles), { description: 'The net sum in each of the columns' }),
    }),
  ),
  totals: Type.Object(sums),
})

type Named = Sums & { readonly key: string; readonly name: string | null }

/** A report as it is shown. */
export type Movements = {
  readonly by: Split
  readonly across: Split | null
  readonly date_from: string
  readonly date_to: string
  readonly columns: readonly Named[]
  readonly items: readonly (Named & { readonly cells: readonly (string | null)[] })[]
  readonly totals: Sums
}

type Read = Extract<ReturnType<typeof readMovementQuery>, { values: unknown }>['values']
type Asked = { readonly [Name in keyof Read]?: Read[Name] | undefined }
const readMovementQuery = (call: Call) => readQuery(movementParameters, trimmed(call.query))

export function readQuestion(parts: ReportParts, call: Call): Question | Refused {
  const read = readMovementQuery(call)
  return isRefused(read) ? read : questionOf(parts, call, read.values)
}

/** What is asked for by the parameters of a report; this month where no period is named. */
export function questionOf(parts: ReportParts, call: Call, values: Asked): Question | Refused {
  const month = wholeMonth(monthOf(dayOf(parts.clock.now(), parts.timeZone())))
  const { by = 'type', across = null, date_from: from = month.from, date_to: to = month.to, ...asked } = values
  if (by === across) return { refused: wrongInWords('across', 'differ from by') }
  const visible = visibleTo(call)
  return {
    from,
    to,
    by,
    across,
    organizations: organizationsAsked(visible, asked.organization_id),
    types: asked.op_type ?? null,
    channel: asked.source ?? null,
    cashier: asked.cashier ?? null,
    tariff: asked.tarif ?? null,
    onlyDocuments: asked.all !== true,
  }
}

/** The refusal of a report that has no sums. */
export const withoutSums = (why: Unanswered): Refused => ({
  refused:
    why === 'notReady'
      ? refused(503, 'reports_not_ready', 'The sums of the reports are being made; ask again in a minute.')
      : refused(400, 'report_too_large', 'The table would be too large; ask for a shorter period or fewer columns.'),
})

export function readMovements(parts: ReportParts, question: Question): Promise<Movements | Refused> {
  const zone = parts.timeZone()
  const scope = { database: parts.database, timeZone: () => zone }
  return reading(
    scope,
    async (client) => {
      const answer = await readSums(client, question, zone)
      if (typeof answer === 'string') return withoutSums(answer)
      const { by, across, from, to } = question
      const rows = answer.rows.filter((row) => row.across === null)
      const columns = across === 'day' || across === 'month' ? inOrder(answer.columns) : answer.columns
      const places = new Map(columns.map(({ key }, place) => [key, place]))
      const cells = new Map(rows.map(({ key }) => [key, columns.map((): string | null => null)]))
      for (const { key, across: column, net } of answer.rows)
        if (column !== null) cells.get(key)![places.get(column)!] = net
      const names = await namesOf(client, by, rows)
      const columnNames = across === null ? names : await namesOf(client, across, columns)
      return {
        by,
        across,
        date_from: from,
        date_to: to,
        columns: columns.map((column) => ({ ...column, name: columnNames(column.key) })),
        items: rows.map(({ across: _, ...row }) => ({
          ...row,
          name: names(row.key),
          cells: cells.get(row.key)!,
        })),
        totals: answer.totals,
      }
    },
    reportMs,
  )
}

const inOrder = <Row extends { readonly key: string }>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((a, b) => (a.key < b.key ? -1 : 1))

const tables: Partial<Record<Split, readonly [table: string, id: string, name: string]>> = {
  type: ['fin_types', 'type_id', 'op_name'],
  cashier: ['staff', 'id', 'username'],
  tariff: ['tarifs', 'id', 'name'],
  organization: ['organizations', 'id', 'name'],
}

/** What keys are called, where they are ids; null: the key says it, or there is no such record. */
async function namesOf(
  client: Client,
  split: Split,
  rows: readonly { readonly key: string }[],
): Promise<(key: string) => string | null> {
  const table = tables[split]
  if (!table) return () => null
  const [from, column, name] = table
  const { rows: found } = await client.query<{ id: string; name: string }>(
    `SELECT ${column} AS id, ${name} AS name FROM ${from} WHERE ${column} = ANY($1::int8[])`,
    [rows.map(({ key }) => key)],
  )
  const names = new Map(found.map((row) => [row.id, row.name]))
  return (key) => names.get(key) ?? null
}

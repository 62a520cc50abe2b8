import Type from 'typebox'
import { type Question, readSums, type Split, splits } from '../../../billing/reports/sums.ts'
import { spelled } from '../../../domain/text.ts'
import type { Call } from '../../../platform/http/call.ts'
import { field } from '../../../platform/http/fields.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { isRefused, type Refused, readQuery, trimmed } from '../body.ts'
import { filterParameters, periodParameters, questionOf, type ReportParts, reportMs, withoutSums } from './movements.ts'

/** One or two words of what a sum may be of, with a comma between, each once. */
function readGroup(sent: unknown): readonly Split[] | null {
  const words = spelled(sent).split(',')
  const known = splits.filter((split) => words.includes(split))
  return words.length === known.length && words.length <= 2 ? (words as unknown as readonly Split[]) : null
}

const group = field(schemas.text, `be one or two of ${splits.join(', ')}, with a comma between`, readGroup)

export const moneyParameters = {
  from: periodParameters.date_from,
  to: periodParameters.date_to,
  group: {
    doc: `What each row is of: one or two of ${splits.join(', ')}, such as type,day; left out: type`,
    schema: group,
  },
  ...filterParameters,
} as const

const sums = {
  count: Type.Integer({ description: 'How many operations' }),
  sum: Type.With(schemas.rubles, { description: 'Income and expense together' }),
}
const keys = Object.fromEntries(splits.map((split) => [split, Type.Optional(schemas.text)]))

export const moneySchema = Type.Object({
  rows: Type.Array(Type.Object({ ...keys, ...sums }), {
    description: 'Each with the keys of its groups, by their names',
  }),
  total: Type.Object(sums),
})

type Sum = { readonly count: number; readonly sum: string }
type Money = { readonly rows: readonly (Sum & Readonly<Record<string, string | number>>)[]; readonly total: Sum }

export function readGrouping(parts: ReportParts, call: Call): Question | Refused {
  const read = readQuery(moneyParameters, trimmed(call.query))
  if (isRefused(read)) return read
  const { from, to, group: [by, across] = ['type'], ...asked } = read.values
  return questionOf(parts, call, { ...asked, date_from: from, date_to: to, by, across })
}

/** The sums of movements as rows of one kind, for programs. */
export function readMoney(parts: ReportParts, question: Question): Promise<Money | Refused> {
  const zone = parts.timeZone()
  const { by, across } = question
  return reading(
    { database: parts.database, timeZone: () => zone },
    async (client) => {
      const answer = await readSums(client, question, zone)
      if (typeof answer === 'string') return withoutSums(answer)
      const rows = answer.rows.filter((row) => across === null || row.across !== null)
      return {
        rows: rows.map(({ key, across: column, operations, net }) => ({
          [by]: key,
          ...(across !== null && { [across]: column! }),
          count: operations,
          sum: net,
        })),
        total: { count: answer.totals.operations, sum: answer.totals.net },
      }
    },
    reportMs,
  )
}

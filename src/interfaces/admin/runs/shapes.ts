import Type from 'typebox'
import { type Run, type RunsOf, runKinds } from '../../../billing/runs/run-table.ts'
import { staffId } from '../../../domain/ids.ts'
import type { Call } from '../../../platform/http/call.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'

/** The runs that a caller sees: their own, and everybody's where they see all organizations. */
export const runsOf = (call: Call): RunsOf => (visibleTo(call) === null ? null : (call.staff?.id ?? staffId(0)))

export const shownRun = ({ startedAt, endedAt, ...run }: Run) => ({ ...run, started_at: startedAt, ended_at: endedAt })

const { integer, text, moment } = schemas

const importedLine = Type.Object({
  line: integer,
  contract_number: text,
  name: text,
  login: nullable(text),
  ip: nullable(text),
  tarif: nullable(text),
  folder: nullable(text),
  balance: schemas.rubles,
})

const askedSchema = Type.Object({
  file: Type.Optional(text),
  apply: Type.Optional(schemas.boolean),
  on: Type.Optional(Type.With(schemas.boolean, { description: 'False: blocks are lifted' })),
  tarif: Type.Optional(Type.Object({ id: integer, name: text })),
  from: Type.Optional(Type.With(nullable(schemas.day), { description: 'The first day of the tariff; null: at once' })),
  rest_of: Type.Optional(Type.With(integer, { description: 'The run that was cut off, whose rest it does' })),
  filter: Type.Optional(Type.With(schemas.object, { description: 'Of the list whose subscribers were meant' })),
  confirmed: Type.Optional(
    Type.With(integer, { description: 'How many its preview told; `total` of the run are those whom it found then' }),
  ),
  came: Type.Optional(
    Type.With(Type.Array(Type.Object({ id: integer, name: text })), {
      description: 'Of those whom it found, the first 100 who were not in the preview',
    }),
  ),
  gone: Type.Optional(Type.With(integer, { description: 'How many were in the preview and were not found again' })),
})

const resultSchema = Type.Object({
  error: Type.Optional(Type.With(text, { description: 'Why it failed' })),
  lines: Type.Optional(integer),
  fresh: Type.Optional(Type.With(integer, { description: 'New subscribers: made, or with a dry run to be made' })),
  known: Type.Optional(Type.With(integer, { description: 'Lines of contract numbers that exist and are left' })),
  bad: Type.Optional(integer),
  differing: Type.Optional(Type.With(integer, { description: 'Known lines that say something else' })),
  sample: Type.Optional(Type.With(Type.Array(importedLine), { description: 'The first new ones' })),
  differences: Type.Optional(
    Type.With(Type.Array(Type.Object({ line: integer, contract_number: text, columns: text })), {
      description: 'The first 100 known lines that differ, and in what',
    }),
  ),
  changed: Type.Optional(integer),
  same: Type.Optional(Type.With(integer, { description: 'Those that were so already' })),
  refused: Type.Optional(integer),
})

export const runSchema = Type.Object({
  id: integer,
  kind: Type.Enum([...runKinds]),
  user: Type.With(text, { description: 'Who started it' }),
  asked: askedSchema,
  state: Type.With(Type.Enum(['running', 'done', 'failed', 'cut_off']), {
    description: 'cut_off: the program ended before it did, after at least `done` records',
  }),
  total: Type.With(nullable(integer), { description: 'Null while nobody knows' }),
  done: integer,
  result: nullable(resultSchema),
  rest: Type.With(nullable(integer), {
    description:
      'Of one that was cut off or has failed: how many records it has left. `POST /admin/runs/{id}/rest/` does them, and `POST /admin/imports/{id}/rest/` the lines of an import, while its file is kept.',
  }),
  started_at: moment,
  ended_at: nullable(moment),
})

export const faultSchema = Type.Object({
  record: Type.With(integer, { description: 'The line of the file (its header is 1), or the id of the subscriber' }),
  name: Type.With(nullable(text), { description: 'The contract number in the file, or the name of the subscriber' }),
  reason: text,
})

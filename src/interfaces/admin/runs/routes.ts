import Type from 'typebox'
import { type RunFault, type RunTable, runKinds } from '../../../billing/runs/run-table.ts'
import type { RunStart } from '../../../billing/runs/runs.ts'
import { readId } from '../../../domain/ids.ts'
import { csvLine } from '../../../platform/formats/csv.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { csvStream } from '../../../platform/http/downloads.ts'
import { choice } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { readQuery, refused } from '../body.ts'
import { cursor, cursorOf } from '../cursors.ts'
import { answers, get, refusals } from '../doors.ts'
import { atMost } from '../paging.ts'
import { faultSchema, runSchema, runsOf, shownRun } from './shapes.ts'

export type RunParts = { readonly runs: { readonly table: Pick<RunTable, 'find' | 'list' | 'faults'> } }

/** What staff have started and do not wait for: how far it is, what it came to, and what it left as it was. */
export const runRoutes = (parts: RunParts): Route[] => [
  get('/admin/runs', docs.list, (call) => list(parts, call)),
  get('/admin/runs/:id', docs.one, (call) => showRun(parts, call, 'run')),
  get('/admin/runs/:id/faults', docs.faults, (call) => listFaults(parts, call)),
  get('/admin/runs/:id/faults_csv', docs.csv, (call) => exportFaults(parts, call)),
]

const limitUsual = 50
const limitMax = 500

async function list({ runs }: RunParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.list.query, call.query)
  if ('refused' in read) return read.refused
  const { kind, cursor: after, limit = limitUsual } = read.values
  const most = Math.min(limit, limitMax)
  const found = await runs.table.list(runsOf(call), { kind, before: after?.id ?? null, limit: most + 1 })
  const shown = found.slice(0, most)
  return json({ ok: true, items: shown.map(shownRun), next_cursor: next(found, shown, ({ id }) => id) })
}

/** One run, under the name by which the endpoint tells it. */
export async function showRun({ runs }: RunParts, call: Call, name: 'run' | 'import'): Promise<Reply> {
  const run = await findRun({ runs }, call)
  return run && (name === 'run' || run.kind === name) ? json({ ok: true, [name]: shownRun(run) }) : notFoundReply()
}

/** The run that a call names; null: there is none, or it is of somebody else. */
export async function findRun({ runs }: RunParts, call: Call) {
  const id = readId(call.params.id)
  return id === null ? null : await runs.table.find(id, runsOf(call))
}

async function listFaults({ runs }: RunParts, call: Call): Promise<Reply> {
  const read = readQuery(docs.faults.query, call.query)
  if ('refused' in read) return read.refused
  const run = await findRun({ runs }, call)
  if (!run) return notFoundReply()
  const { cursor: after, limit = limitUsual } = read.values
  const most = Math.min(limit, limitMax)
  const found = await runs.table.faults(run, visibleTo(call), after?.id ?? 0, most + 1)
  const items = found.slice(0, most)
  return json({ ok: true, items, next_cursor: next(found, items, ({ record }) => record) })
}

const next = <T>(found: readonly T[], shown: readonly T[], idOf: (one: T) => number): string | null =>
  found.length > shown.length ? cursorOf({ value: '', id: idOf(shown.at(-1)!) }) : null

async function exportFaults({ runs }: RunParts, call: Call): Promise<Reply> {
  const run = await findRun({ runs }, call)
  if (!run) return notFoundReply()
  const titles = run.kind === 'import' ? ['line', 'contract_number', 'reason'] : ['id', 'name', 'reason']
  return csvStream(
    `run-${run.id}.csv`,
    faultLines(titles, (after) => runs.table.faults(run, visibleTo(call), after, limitMax)),
  )
}

async function* faultLines(
  titles: readonly string[],
  read: (after: number) => Promise<readonly RunFault[]>,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(titles)
  for (let after = 0; ; ) {
    const faults = await read(after)
    yield faults.map(({ record, name, reason }) => csvLine([record, name, reason])).join('')
    if (faults.length < limitMax) return
    after = faults.at(-1)!.record
  }
}

/** The answer of an endpoint that has started a run: the run as it is now, which goes on. */
export async function startedReply(
  parts: RunParts,
  call: Call,
  started: RunStart,
  name: 'run' | 'import',
): Promise<Reply> {
  if (started.kind === 'conflict')
    return refused(409, 'key_taken', 'This Idempotency-Key was used before with another request.')
  if (started.kind === 'busy') return refused(409, 'run_busy', 'Another one is under way; wait for its end.')
  const run = await parts.runs.table.find(started.id, runsOf(call))
  return run ? json({ ok: true, [name]: shownRun(run) }) : notFoundReply()
}

const pageQuery = {
  cursor: { doc: '`next_cursor` of the page before', schema: cursor },
  limit: atMost(limitMax),
} as const

const missing = { 404: 'There is no such run, or it is of somebody else' }
const tag = 'Runs'

const docs = {
  list: {
    tag,
    summary:
      'Imports and bulk actions on subscribers, the newest first: your own, or those of everybody for who sees all',
    query: { kind: { doc: 'Of one kind', schema: choice(runKinds) }, ...pageQuery },
    answers: answers(
      'One page',
      { items: Type.Array(runSchema), next_cursor: nullable(schemas.text) },
      { 400: 'A parameter is wrong' },
    ),
  },
  one: {
    tag,
    summary: 'How far a run is, and what it came to',
    description: 'It goes on whether or not anybody asks.',
    answers: answers('The run', { run: runSchema }, missing),
  },
  faults: {
    tag,
    summary: 'What a run has left as it was, and why',
    query: pageQuery,
    answers: answers(
      'One page, by line or id',
      { items: Type.Array(faultSchema), next_cursor: nullable(schemas.text) },
      { 400: 'A parameter is wrong', ...missing },
    ),
  },
  csv: {
    tag,
    summary: 'The same as CSV',
    answers: { 200: { doc: 'UTF-8 with a byte order mark', contentType: 'text/csv' }, ...refusals(missing) },
  },
} as const satisfies Record<string, RouteDoc>

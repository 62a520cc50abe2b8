import Type from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { ParameterDoc, RouteDoc } from '../../../platform/http/route-doc.ts'
import { errorSchema, nullable, schemas } from '../../../platform/http/schemas.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { answers, get, post, refusals } from '../doors.ts'
import { pageAnswers, pageParameters, pageReply, readPage } from '../paging.ts'

/** One run of a job. A run that was killed has no end, and `ok` is false; while a run is in progress, both are null. */
type ShownRun = {
  readonly id: string
  readonly startedAt: Date
  /** Who started it by hand; null: the clock did, or the program itself. */
  readonly startedBy: string | null
  readonly endedAt: Date | null
  readonly ok: boolean | null
  readonly result: Readonly<Record<string, unknown>> | null
}

type ShownJob = {
  readonly name: string
  readonly title: string
  readonly schedule: string
  readonly everySeconds: number | null
  readonly dailyAt: string | null
  readonly setting: string | null
  readonly running: boolean
  readonly progress: { readonly done: number; readonly total: number | null } | null
  readonly last: ShownRun | null
  readonly nextAt: Date | null
}

/** The part of the job driver that an operator can use. */
export type JobControl = {
  readonly names: readonly string[]
  list(): Promise<readonly ShownJob[]>
  runs(name: string, page: { limit: number; offset: number }): Promise<{ runs: readonly ShownRun[]; total: number }>
  /** Started by the staff user of that name. Resolves when the job has run. Null: another program is running it. */
  run(name: string, by: string): Promise<ShownRun | null>
}

/** The periodic work of the program: when it runs, how it went, and a start by hand (specification 6.8). */
export const jobRoutes = (jobs: JobControl): Route[] => [
  get('/admin/jobs', docs.list, (call) => list(jobs, call)),
  get('/admin/jobs/:name/runs', docs.runs, (call) => listRuns(jobs, call)),
  post('/admin/jobs/:name/run', docs.run, (call) => run(jobs, call), {
    right: recordRights.job.create,
    forAllOrganizations: recordRights.job.isShared,
  }),
]

async function list(jobs: JobControl, call: Call): Promise<Reply> {
  const shown = (await jobs.list()).map(({ last, nextAt, everySeconds, dailyAt, ...job }) => ({
    ...job,
    every_seconds: everySeconds,
    daily_at: dailyAt,
    last: last && runOf(last, call),
    next_at: nextAt,
  }))
  return json({ ok: true, jobs: shown })
}

async function listRuns(jobs: JobControl, call: Call): Promise<Reply> {
  const name = call.params.name ?? ''
  if (!jobs.names.includes(name)) return notFoundReply()
  const page = readPage(call.query, perPageUsual)
  if ('refused' in page) return page.refused
  const { runs, total } = await jobs.runs(name, { limit: page.perPage, offset: page.offset })
  const items = runs.map((one) => runOf(one, call))
  return pageReply(items, total, page)
}

/** The run continues when the caller gives up, and a second request joins it. */
async function run(jobs: JobControl, call: Call): Promise<Reply> {
  const name = call.params.name ?? ''
  if (!jobs.names.includes(name)) return notFoundReply()
  const done = await jobs.run(name, authorOf(call).name)
  if (!done) return refusal('admin', 409, 'Another program is running this job, or this one is about to be stopped.')
  const shown = runOf(done, call)
  if (done.ok) return json({ ok: true, result: shown.result, run: shown })
  const error = 'The job failed; its result and the log say why.'
  return json({ ok: false, error, code: 'job_failed', run: shown }, 500)
}

const perPageUsual = 50

/** A result covers all organizations, so only staff who see all of them may read it. */
const runOf = ({ id, startedAt, startedBy, endedAt, ok, result }: ShownRun, call: Call) => ({
  id: Number(id),
  started_at: startedAt,
  started_by: startedBy,
  ended_at: endedAt,
  ok,
  result: visibleTo(call) === null ? result : null,
})

const runSchema = Type.Object({
  id: schemas.integer,
  started_at: schemas.moment,
  started_by: Type.With(nullable(schemas.text), {
    description: 'The staff user who started it by hand, or `System API`; null: it was due',
  }),
  ended_at: Type.With(nullable(schemas.moment), { description: 'null: it runs, or it was killed' }),
  ok: Type.With(nullable(schemas.boolean), { description: 'null: it runs' }),
  result: Type.With(nullable(schemas.object), {
    description: 'What it did, or the error; null for staff of some organizations only',
  }),
})

const params: Readonly<Record<string, ParameterDoc>> = { name: { doc: 'As listed' } }

const docs = {
  list: {
    tag: 'Jobs',
    summary: 'Periodic work: when each job runs, and how its last run went',
    answers: answers('All of them', {
      jobs: Type.Array(
        Type.Object({
          name: schemas.text,
          title: schemas.text,
          schedule: Type.String({ description: 'In words' }),
          every_seconds: Type.With(nullable(schemas.integer), { description: 'null: it runs once a day' }),
          daily_at: Type.With(nullable(schemas.text), { description: 'As 03:30, by the clock of TIME_ZONE' }),
          setting: Type.With(nullable(schemas.text), { description: 'The setting that says when it runs' }),
          running: schemas.boolean,
          progress: Type.With(nullable(Type.Object({ done: schemas.integer, total: nullable(schemas.integer) })), {
            description: 'Of a run of the program that answers: how many records are done',
          }),
          last: Type.With(nullable(runSchema), { description: 'The last run that is over' }),
          next_at: nullable(schemas.moment),
        }),
      ),
    }),
  },
  runs: {
    tag: 'Jobs',
    summary: 'Runs of one job, the newest first',
    params,
    query: pageParameters,
    answers: { ...pageAnswers(runSchema), ...refusals({ 404: 'There is no such job' }) },
  },
  run: {
    tag: 'Jobs',
    summary: 'Run a job now and wait for its end',
    description: 'A run in progress is joined. It continues when the caller gives up.',
    params,
    answers: {
      ...answers('What it did', { result: nullable(schemas.object), run: runSchema }),
      ...refusals({ 404: 'There is no such job', 409: 'Another program on this database is running it' }),
      500: { doc: 'It failed', schema: Type.Object({ ...errorSchema.properties, run: runSchema }) },
    },
  },
} as const satisfies Record<string, RouteDoc>

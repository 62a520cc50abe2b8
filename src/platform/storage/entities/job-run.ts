import { boolean, id, json, moment, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const JobRun = entity('job_runs', {
  columns: {
    id: id(),
    name: text(),
    started_at: moment(),
    ended_at: moment().nullable(),
    ok: boolean().nullable(),
    result: json<Record<string, unknown>>().nullable(),
    again: boolean().default(false),
  },
  indexes: [
    { name: 'job_runs_name', expression: 'CREATE INDEX job_runs_name ON job_runs (name, started_at DESC)' },
    { name: 'job_runs_open', expression: 'CREATE INDEX job_runs_open ON job_runs (name) WHERE ok IS NULL' },
  ],
})

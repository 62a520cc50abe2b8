import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

export const JobRun = defineEntity({
  name: 'JobRun',
  tableName: 'job_runs',
  properties: {
    id: id(),
    name: p.text(),
    started_at: p.datetime(),
    ended_at: p.datetime().nullable(),
    ok: p.boolean().nullable(),
    result: p.json<Record<string, unknown>>().nullable(),
    again: p.boolean().default(false),
  },
  indexes: [
    { name: 'job_runs_name', expression: 'CREATE INDEX job_runs_name ON job_runs (name, started_at DESC)' },
    { name: 'job_runs_open', expression: 'CREATE INDEX job_runs_open ON job_runs (name) WHERE ok IS NULL' },
  ],
})

import type { Answer } from '../../api/client.ts'

export const jobsDoor = 'GET /admin/jobs/'
export const jobRunsDoor = 'GET /admin/jobs/{name}/runs/'

export type Job = Answer<typeof jobsDoor>['jobs'][number]
export type JobRun = NonNullable<Job['last']>

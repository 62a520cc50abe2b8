import type { Answer } from '../../api/client.ts'

export const jobsEndpoint = 'GET /admin/jobs/'
export const jobRunsEndpoint = 'GET /admin/jobs/{name}/runs/'

export type Job = Answer<typeof jobsEndpoint>['jobs'][number]
export type JobRun = NonNullable<Job['last']>

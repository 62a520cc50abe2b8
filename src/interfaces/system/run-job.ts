import type { Call, Reply } from '../../platform/http/call.ts'
import { json } from '../../platform/http/reply.ts'
import type { SystemParts } from './parts.ts'
import { done, refused } from './reply.ts'

/** `POST jobs/<name>/run/`: answers when the job has finished. If it is already running, waits for that run. */
export async function runJob({ jobs }: SystemParts, { params }: Call): Promise<Reply> {
  const name = params.name ?? ''
  if (!jobs.names.includes(name)) return refused(404, `There is no such job; there are ${jobs.names.join(', ')}.`)
  const run = await jobs.run(name)
  if (!run) return refused(409, 'Another program is running this job.')
  const { ok, result } = run
  if (ok) return done({ result })
  return json({ status: 'error', error: 'job_failed', message: 'The job failed; its result says why.', result }, 500)
}

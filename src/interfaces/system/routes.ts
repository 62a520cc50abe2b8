import { systemAuthor } from '../../domain/author.ts'
import type { Call, Handler, Reply, Route } from '../../platform/http/call.ts'
import { refusalText } from '../../platform/http/errors.ts'
import { json } from '../../platform/http/reply.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { disconnect } from './disconnect.ts'
import { docs } from './docs.ts'
import type { SystemParts } from './parts.ts'
import { done, fieldsOf, refused } from './reply.ts'
import { listSessions } from './session-list.ts'
import { takeSms } from './sms.ts'
import { showStatus } from './status.ts'

/**
 * The System API (contract section 5): for scripts and monitoring on addresses of SYSTEM_API_ALLOW that know the
 * password.
 */
export const systemRoutes = (parts: SystemParts): Route[] => [
  route('GET', 'status', () => showStatus(parts), docs.status),
  route('GET', 'sessions', (call) => listSessions(parts, call), docs.sessions),
  route('POST', 'sessions/disconnect', (call) => disconnect(parts, call), docs.disconnect),
  route('POST', 'jobs/:name/run', (call) => runJob(parts, call), docs.runJob),
  { ...route('POST', 'read_only', (call) => switchReadOnly(parts, call), docs.readOnly), allowedReadOnly: true },
  route('POST', 'reload', () => parts.reload().then(() => done()), docs.reload),
  route('POST', 'sms', (call) => takeSms(parts, call), docs.sms),
  // Unknown operations pass the gate like known ones, so that callers without access do not learn which operations
  // exist.
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => route(method, '*operation', unknown)),
]

const route = (method: Route['method'], path: string, handler: Handler, doc?: RouteDoc): Route => ({
  method,
  path: `/system_api/${path}`,
  door: 'system',
  right: 'system',
  handler,
  ...(doc && { doc }),
})

const system = systemAuthor('System API')

const unknown: Handler = () => refused(404, refusalText.notFound)

/** `POST jobs/<name>/run/`: answers when the job has finished. If it is already running, waits for that run. */
async function runJob({ jobs }: SystemParts, { params }: Call): Promise<Reply> {
  const name = params.name ?? ''
  if (!jobs.names.includes(name)) return refused(404, `There is no such job; there are ${jobs.names.join(', ')}.`)
  const run = await jobs.run(name, system.name)
  if (!run) return refused(409, 'Another program is running this job, or this one is about to be stopped.')
  const { ok, result } = run
  if (ok) return done({ result })
  return json({ status: 'error', error: 'job_failed', message: 'The job failed; its result says why.', result }, 500)
}

/** `POST read_only/` {enable}: switches READ_ONLY_MODE on or off. It is the only write that works while it is on. */
async function switchReadOnly(parts: SystemParts, call: Call): Promise<Reply> {
  const body = fieldsOf(call, docs.readOnly.body)
  if ('reply' in body) return body.reply
  const { enable } = body.fields
  const before = parts.settings.get('READ_ONLY_MODE')
  await parts.settings.set({ READ_ONLY_MODE: enable })
  if (before !== enable) {
    const author = { ...system, address: call.address }
    const setting = { table: 'SYSTEM_SETTINGS', id: 'READ_ONLY_MODE', organizationId: null } as const
    const diff = { value: [before, enable] } as const
    await writing(parts, (client) => writeAudit(client, { ...setting, author, action: 'change', diff }))
  }
  return done({ read_only: enable })
}

import type { Handler, Route } from '../../platform/http/call.ts'
import { refusalText } from '../../platform/http/errors.ts'
import type { RouteDoc } from '../../platform/http/route-doc.ts'
import { disconnect } from './disconnect.ts'
import { docs } from './docs.ts'
import type { SystemParts } from './parts.ts'
import { done, refused } from './reply.ts'
import { runJob } from './run-job.ts'
import { listSessions } from './session-list.ts'
import { takeSms } from './sms.ts'
import { showStatus } from './status.ts'
import { switchReadOnly } from './switch-read-only.ts'

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

const unknown: Handler = () => refused(404, refusalText.notFound)

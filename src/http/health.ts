import type { Route } from './call.ts'
import { json } from './reply.ts'

/** Contract section 2. `notReady` answers why the program cannot serve now, or null when it can. */
export function healthRoutes(notReady: () => string | null | Promise<string | null>): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', door: 'public', handler: () => json({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      door: 'public',
      handler: async () => {
        const reason = await notReady()
        return reason === null
          ? json({ status: 'ready' })
          : json({ status: 'not_ready', reason }, 503, [['Retry-After', '1']])
      },
    },
  ]
}

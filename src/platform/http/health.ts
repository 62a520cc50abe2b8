import Type from 'typebox'
import type { Route } from './call.ts'
import { json } from './reply.ts'
import type { RouteDoc } from './route-doc.ts'
import { schemas } from './schemas.ts'

/**
 * The health checks of contract section 2. `notReady` returns why the program cannot serve now, or null when it can.
 */
export function healthRoutes(notReady: () => string | null | Promise<string | null>): readonly Route[] {
  return [
    { method: 'GET', path: '/healthz', door: 'public', doc: docs.alive, handler: () => json({ status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      door: 'public',
      doc: docs.ready,
      handler: async () => {
        const reason = await notReady()
        return reason === null
          ? json({ status: 'ready' })
          : json({ status: 'not_ready', reason }, 503, [['Retry-After', '1']])
      },
    },
  ]
}

const tag = 'Health'

const docs = {
  alive: {
    tag,
    summary: 'Is the process up',
    answers: { 200: { doc: 'It is', schema: Type.Object({ status: Type.Literal('ok') }) } },
  },
  ready: {
    tag,
    summary: 'Can it serve: database, RADIUS sockets and actors',
    answers: {
      200: { doc: 'It can', schema: Type.Object({ status: Type.Literal('ready') }) },
      503: { doc: 'It cannot now', schema: Type.Object({ status: Type.Literal('not_ready'), reason: schemas.text }) },
    },
  },
} as const satisfies Record<string, RouteDoc>

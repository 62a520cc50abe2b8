import type { Route } from '../platform/http/call.ts'
import { refusal, refusalText } from '../platform/http/errors.ts'
import { systemRefusalSchema } from '../platform/http/openapi.ts'
import { errorSchema } from '../platform/http/schemas.ts'
import { socketVersion } from '../platform/http/transport.ts'
import { livePath } from './endpoint.ts'
import { phonesPath } from './phones.ts'

const refusals = { admin: errorSchema, app: systemRefusalSchema } as const

/**
 * The addresses of WebSockets for a GET without Upgrade (RFC 9110 section 15.5.22), or for another version of them
 * (RFC 6455 section 4.2.2): most often a proxy has dropped the header, and 404 would say that there is no such address.
 * A phone signs in on its socket, so nobody is asked here.
 */
export const plainRequests: readonly Route[] = [
  addressOf('admin', livePath, 'Live', 'What happens now: sessions, money, blocks, RADIUS'),
  addressOf('app', phonesPath, 'Application: account', 'The account status, at once and after every change'),
]

function addressOf(door: 'admin' | 'app', path: string, tag: string, summary: string): Route {
  const reply = refusal(door, 426, refusalText.needsUpgrade, [
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', socketVersion],
  ])
  const answers = {
    101: { doc: 'The WebSocket is open' },
    426: { doc: 'The request has no Upgrade to a WebSocket of version 13', schema: refusals[door] },
  }
  return { method: 'GET', path, door, doc: { tag, summary, answers }, handler: () => reply }
}

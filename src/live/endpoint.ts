import type { SocketBehaviour } from '../platform/http/socket.ts'
import { messageBytesMax } from './client-messages.ts'
import type { Live, LiveClient } from './live.ts'
import { socketBytesMax } from './sockets.ts'

type Watching = { client: LiveClient | null }

/** A snapshot may be added to what the socket already holds; together they stay far below this. */
const bufferedBytesMax = socketBytesMax + 4 * 1024 * 1024

export const livePath = '/admin/live'

/** `/admin/live/` for the HTTP server, which has checked the sign-in and the Origin before anything here is called. */
export function liveEndpoint(live: Live): SocketBehaviour<Watching> {
  return {
    door: 'admin',
    messageBytesMax,
    bufferedBytesMax,
    idleSeconds: 60,
    upgrade: () => ({ kind: 'accepted', data: { client: null } }),
    open(socket) {
      if (socket.staff) socket.data.client = live.open(socket, socket.staff)
    },
    // A binary frame is not part of the protocol; the empty text is answered with the error frame.
    message: (socket, message, isBinary) => socket.data.client?.message(isBinary ? '' : message.toString('utf8')),
    drain: (socket) => socket.data.client?.drained(),
    close: (socket) => socket.data.client?.closed(),
  }
}

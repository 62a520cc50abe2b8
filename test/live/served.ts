import { hash } from 'node:crypto'
import type { Test } from 'tap'
import { followEvents } from '../../src/app/event-followers.ts'
import { Events } from '../../src/domain/events.ts'
import { liveEndpoint, livePath } from '../../src/live/endpoint.ts'
import { Live } from '../../src/live/live.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import { transportOfRun } from '../support/transport.ts'
import { HttpServer } from '../../src/platform/http/server.ts'
import { silentLog } from '../../src/platform/log.ts'
import { StaffGate } from '../../src/platform/staff/gate.ts'
import { SignIn } from '../../src/platform/staff/sign-in.ts'

export const keys = { admin: 'a'.repeat(64), restricted: 'b'.repeat(64) }

/** Stands for the table of sessions; the real one is tested with the HTTP room. */
const database = {
  async query(_: string, [keyHash]: unknown[] = []) {
    const name = Object.entries(keys).find(([, key]) => hash('sha256', key) === keyHash)?.[0]
    const [created_at, seen_at] = [new Date(), new Date()]
    const row = {
      staff_id: name === 'admin' ? 1 : 2,
      csrf_token: 'x',
      created_at,
      seen_at,
      username: name,
      role: 'viewer',
    }
    return {
      rows: name ? [{ ...row, is_superuser: name === 'admin', organizations: name === 'admin' ? [] : [2] }] : [],
    }
  },
}

/** The HTTP server and the live room as the program joins them, over parts that the test holds. */
export async function served(t: Test) {
  const events = new Events((error) => t.fail(String(error)))
  const live = new Live({
    clock: systemClock,
    log: silentLog,
    sessions: { all: () => [], ofSubscriber: () => [] },
    accountOf: async () => null,
    blockCounts: () => Promise.reject(new Error('no database')),
    ticketCounts: () => Promise.reject(new Error('no database')),
    radius: () => [],
    system: () => ({ ready: true, reason: null, databaseUp: true, readOnly: false, spoolBytes: 0, unansweredNas: [] }),
    observe: { frame: () => {}, cut: () => {} },
  })
  followEvents(events, { live })
  const signIn = new SignIn({ database, log: silentLog })
  const { transport } = await transportOfRun()
  const server = new HttpServer({
    transport,
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    routes: [],
    gate: new StaffGate({ signIn, isReadOnly: () => false }),
  })
  server.ws(livePath, liveEndpoint(live))
  const port = await server.listen()
  t.teardown(async () => {
    live.stop()
    await server.stop()
  })
  return { events, live, server, url: `http://127.0.0.1:${port}` }
}

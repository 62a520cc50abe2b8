import { connect } from 'node:net'
import type { Route } from '../../../src/platform/http/call.ts'
import { html } from '../../../src/platform/http/reply.ts'
import { HttpServer, type HttpServerOptions } from '../../../src/platform/http/server.ts'
import { createLog, type Log } from '../../../src/platform/log.ts'
import { type GateParts, StaffGate } from '../../../src/platform/staff/gate.ts'
import { SignIn } from '../../../src/platform/staff/sign-in.ts'
import { signInRoutes } from '../../../src/platform/staff/sign-in-routes.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { publishRoutes } from '../../support/published.ts'
import { transportOfRun } from '../../support/transport.ts'

/** A database that is away: what doors without sign-in never touch. */
export const noDatabase = {
  query: () => Promise.reject(new Unavailable('database', 'The database is away.')),
}

export type LogLine = { level: string; message: string } & Record<string, unknown>

export function capturedLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  return { lines, log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(JSON.parse(line)) }) }
}

type Running = { server: HttpServer; port: number; base: string; lines: LogLine[] }

/** A real server on a free port of the loopback. */
export async function startServer(
  routes: readonly Route[],
  over: Partial<HttpServerOptions & GateParts> = {},
  prepare: (server: HttpServer) => void = () => {},
): Promise<Running> {
  const { log, lines } = capturedLog()
  const { signIn = new SignIn({ database: noDatabase, log }), isReadOnly = () => false } = over
  const all = [...signInRoutes(signIn, (headers) => html('home', 200, headers)), ...routes]
  const { transport } = await transportOfRun()
  const server = new HttpServer({
    transport,
    host: '127.0.0.1',
    port: 0,
    log,
    routes: all,
    gate: new StaffGate({ ...over, signIn, isReadOnly }),
    ...over,
  })
  prepare(server)
  const port = await server.listen()
  const base = `http://127.0.0.1:${port}`
  publishRoutes(base, all)
  return { server, port, base, lines }
}

/** Writes bytes as they are and answers everything that came back until the other side closed or `until` matched. */
export function exchangeRaw(port: number, pieces: readonly (string | Buffer)[], until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (until?.test(received)) socket.destroy()
    })
    // A connection reset while we still write is an expected way for the server to stop us.
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    for (const piece of pieces) socket.write(piece)
  })
}

// runs alone: what it sets in the environment is for all that follows
import { Readable } from 'node:stream'
import t from 'tap'
import type { Route } from '../../../src/platform/http/call.ts'
import { transportOfRun } from '../../support/transport.ts'
import { startServer } from './parts.ts'

/** The tests of the HTTP server once more by node:http, where they run by uWebSockets.js otherwise. */
const { transport } = await transportOfRun()
if (transport.kind === 'node') t.pass('Left out, since all tests run so.')
else {
  process.env.TOLLGATE_HTTP_SERVER = 'node'
  await import('./server.test.ts')
  await import('./hostile.test.ts')
  await import('./sockets.test.ts')
  await import('./tls.test.ts')
}

t.test('a long body leaves nothing behind on its answer by node:http', async (t) => {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const pieces = Array.from({ length: 40 }, () => Buffer.alloc(1_000_000))
  const route: Route = {
    method: 'GET',
    path: '/long',
    door: 'public',
    handler: () => ({ status: 200, contentType: 'text/plain', body: Readable.from(pieces) }),
  }
  const { server, base } = await startServer([route])
  t.teardown(() => server.stop())
  t.equal((await (await fetch(`${base}/long`)).arrayBuffer()).byteLength, 40_000_000)
  t.strictSame(warnings, [], 'such as of too many listeners')
})

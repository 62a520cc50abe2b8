// runs alone: what it sets in the environment is for all that follows
import t from 'tap'
import { transportOfRun } from '../../support/transport.ts'

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

// runs alone: what it sets in the environment is for all that follows
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http, { createServer, type IncomingMessage, type ServerOptions } from 'node:http'
import https, { type ServerOptions as TlsServerOptions } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Route } from '../../../src/platform/http/call.ts'
import { NodeResponse } from '../../../src/platform/http/node-exchange.ts'
import { text } from '../../../src/platform/http/reply.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { transportOfRun } from '../../support/transport.ts'
import { exchangeRaw, startServer } from './parts.ts'

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

t.test('an answer that its client does not take is given up by node:http', async (t) => {
  const asked = Promise.withResolvers<IncomingMessage>()
  const server = createServer((request, answer) => {
    new NodeResponse(request, answer).end(Buffer.alloc(30_000_000))
    asked.resolve(request)
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const { socket } = await asked.promise
  t.ok(socket.writableLength > 0, 'most of it waits')
  t.equal(socket.timeout, 10_000, 'for so long at most without anything being taken')
  const closed = once(socket, 'close')
  socket.emit('timeout')
  await closed
  client.destroy()
})

t.test('the connection of an upgrade that was refused is closed by node:http', async (t) => {
  const { server, port } = await startServer([], {}, (server) =>
    server.ws('/refused', {
      door: 'public',
      upgrade: () => ({ kind: 'refused', reply: text('no', 418) }),
      message() {},
    }),
  )
  t.teardown(() => server.stop())
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const head = ['GET /refused HTTP/1.1', 'Host: x', ...upgrade, '', '']
  // It resolves when the other side has closed.
  t.match(await exchangeRaw(port, [head.join('\r\n')]), /^HTTP\/1.1 418 [\s\S]*\r\nno$/)
})

t.test('an upgrade that is none of ours stops no Node that cannot ask about it', async (t) => {
  const whole = http.createServer
  const older = (options: ServerOptions) => whole({ ...options, shouldUpgradeCallback: undefined } as ServerOptions)
  Object.assign(http, { createServer: older })
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(http, { createServer: whole })
    syncBuiltinESMExports()
  })
  const { server, port } = await startServer([])
  t.teardown(() => server.stop())
  const head = ['GET /now HTTP/1.1', 'Host: x', 'Connection: Upgrade', 'Upgrade: h2c', '', '']
  t.match(await exchangeRaw(port, [head.join('\r\n')]), /^HTTP\/1.1 400 Bad Request\r\n/)
})

t.test('a connection whose TLS handshake does not come to its end is closed by node:http', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-handshake-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await makeCertificate(folder, 'localhost')
  const whole = https.createServer
  let handshakeTimeout: number | undefined
  const hasty = (options: TlsServerOptions) => {
    handshakeTimeout = options.handshakeTimeout
    return whole({ ...options, handshakeTimeout: 100 })
  }
  Object.assign(https, { createServer: hasty })
  syncBuiltinESMExports()
  t.teardown(() => {
    Object.assign(https, { createServer: whole })
    syncBuiltinESMExports()
  })
  const tls = { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') }
  const { server, port } = await startServer([], { tls })
  t.teardown(() => server.stop())
  t.equal(handshakeTimeout, 10_000)
  for (const sent of ['', 'GET / HTTP/1.1\r\n\r\n']) t.notMatch(await exchangeRaw(port, [sent]), /HTTP/)
})

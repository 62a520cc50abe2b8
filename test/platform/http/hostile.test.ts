import { connect } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import type { Route } from '../../../src/platform/http/call.ts'
import { json, text } from '../../../src/platform/http/reply.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { transportOfRun } from '../../support/transport.ts'
import { exchangeRaw, startServer } from './parts.ts'

/** Clients that break off, lie or talk nonsense. After each the server still serves. */

const routes: Route[] = [
  { method: 'GET', path: '/now', door: 'public', handler: () => text('now') },
  {
    method: 'GET',
    path: '/later',
    door: 'public',
    handler: () => new Promise((resolve) => setImmediate(() => resolve(text('later')))),
  },
  { method: 'POST', path: '/take/:id', door: 'public', handler: (call) => json({ bytes: call.body.length }) },
]

const { transport } = await transportOfRun()

const head = (method: string, path: string, extra = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${extra}\r\n`

t.test('uploads that break off leave nothing behind', async (t) => {
  let seen = 0
  let all = () => {}
  const finished = new Promise<void>((resolve) => {
    all = resolve
  })
  const { server, base } = await startServer(routes, {
    observe: (_, __, status) => status === 499 && ++seen === 50 && all(),
  })
  t.teardown(() => server.stop())
  for (let n = 0; n < 50; n++) {
    const socket = connect(Number(new URL(base).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head('POST', '/take/1', 'Content-Length: 500000\r\n'))
    socket.write(Buffer.alloc(1000 * n), () => socket.destroy())
  }
  await finished
  t.equal(seen, 50, 'each is counted as given up by the client')
  t.equal(await (await fetch(`${base}/now`)).text(), 'now')
})

t.test('a client that leaves before the late answer harms nobody', async (t) => {
  let leave = () => {}
  let answer = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const { server, base } = await startServer(
    [
      ...routes,
      {
        method: 'GET',
        path: '/wait',
        door: 'public',
        handler: () =>
          new Promise((resolve) => {
            answer = () => resolve(text('x'))
            socket.resetAndDestroy()
          }),
      },
    ],
    { observe: (_, path, status) => path === '/wait' && status === 499 && leave() },
  )
  t.teardown(() => server.stop())
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(head('GET', '/wait'))
  await left
  answer()
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(await (await fetch(`${base}/now`)).text(), 'now')
})

t.test('a body that arrives byte by byte is taken whole', async (t) => {
  const { server, port } = await startServer(routes)
  t.teardown(() => server.stop())
  const bytes = 'abcdefghij'
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.on('data', (data) => {
      resolve(data.toString())
      socket.destroy()
    })
    socket.write(head('POST', '/take/1', 'Content-Length: 10\r\n'))
    let at = 0
    const next = () => {
      if (at < bytes.length) socket.write(bytes[at++]!, () => setImmediate(next))
    }
    next()
  })
  t.match(answer, /\{"bytes":10\}/)
})

t.test(
  'pipelined requests are answered in order, or the connection is closed when an answer takes its time',
  async (t) => {
    const { server, port, base } = await startServer(routes)
    t.teardown(() => server.stop())
    const three = [
      head('GET', '/now'),
      head('POST', '/take/1', 'Content-Length: 3\r\n'),
      'abc',
      head('GET', '/now'),
    ].join('')
    const answers = await exchangeRaw(port, [three], /now[\s\S]*bytes[\s\S]*now/)
    t.equal(answers.match(/200 OK/g)?.length, 3)
    const later = exchangeRaw(port, [head('GET', '/later') + head('GET', '/later')], /later[\s\S]*later/)
    // uWebSockets.js keeps no second request while one waits: it closes, and the client has to ask again.
    t.equal((await later).match(/200 OK/g)?.length ?? 0, transport.kind === 'uws' ? 0 : 2)
    t.equal(await (await fetch(`${base}/later`)).text(), 'later')
  },
)

t.test('malformed requests are refused or cut', async (t) => {
  const { server, port, base } = await startServer(routes)
  t.teardown(() => server.stop())
  const isUws = transport.kind === 'uws'
  const cases: [string, RegExp][] = [
    [head('GET', '/%zz'), /^HTTP\/1.1 400 /],
    [head('GET', '/%C0%AF'), /^HTTP\/1.1 400 /],
    [head('GET', '/take/%00'), /^HTTP\/1.1 400 /],
    [head('GET', '/../../etc/passwd'), /^HTTP\/1.1 404 /],
    [head('get', '/now'), isUws ? /^HTTP\/1.1 405 / : /^HTTP\/1.1 400 /],
    [head('BREW', '/now'), isUws ? /^HTTP\/1.1 405 / : /^HTTP\/1.1 400 /],
    [head('GET', '/now', `X: ${'a'.repeat(20_000)}\r\n`), /^HTTP\/1.1 431 /],
    [head('GET', `/take/${'a'.repeat(20_000)}`), /^(HTTP\/1.1 431 |$)/],
    [head('POST', '/take/1', 'Content-Length: -1\r\n'), /^HTTP\/1.1 400 /],
    [head('POST', '/take/1', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'), /^HTTP\/1.1 400 /],
    [`${head('POST', '/take/1', 'Transfer-Encoding: chunked\r\n')}zz\r\n`, /^HTTP\/1.1 400 /],
    [head('GET', '/now\x1b[31m'), isUws ? /^HTTP\/1.1 505 / : /^HTTP\/1.1 400 /],
    ['GET /now HTTP/1.1\r\n\r\n', /^(HTTP\/1.1 400 |$)/],
    ['GET http://x/now HTTP/1.1\r\nHost: x\r\n\r\n', isUws ? /^HTTP\/1.1 505 / : /^HTTP\/1.1 404 /],
    ['\0\r\n\r\n', /^HTTP\/1.1 [45]/],
  ]
  for (const [request, expected] of cases) {
    t.match(await exchangeRaw(port, [request], /^HTTP.*\r\n/), expected, request.slice(0, 60))
  }
  t.equal(await (await fetch(`${base}/now`)).text(), 'now')
})

t.test('random requests never stop the server', async (t) => {
  const { server, port, base, lines } = await startServer(routes)
  t.teardown(() => server.stop())
  const junk = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .record({
        method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'X'),
        path: fc.constantFrom('/now', '/later', '/take/1', '/admin/', '/rest_api/logout', '/'),
        query: fc.string({ maxLength: 20 }),
        name: fc.constantFrom(
          'Cookie',
          'X-Forwarded-For',
          'Origin',
          'Referer',
          'X-Request-Id',
          'X-Session-Hash',
          'Content-Type',
          'Content-Length',
        ),
        value: fc.string({ unit: anyCharacter, maxLength: 100 }),
        body: fc.string({ maxLength: 50 }),
      })
      .map(({ method, path, query, name, value, body }) =>
        Buffer.from(`${method} ${path}?${query} HTTP/1.1\r\nHost: x\r\n${name}: ${value}\r\n\r\n${body}`),
      ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { minLength: 1, maxLength: 4 }), async (pieces) => {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.on('close', () => resolve())
        socket.on('data', () => {})
        for (const piece of pieces) socket.write(piece)
        socket.end()
      })
    }),
    { numRuns: 300 },
  )
  t.equal(await (await fetch(`${base}/now`)).text(), 'now')
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
    'and nothing of it is an error of ours',
  )
})

t.test('a request that a proxy could read otherwise is refused, and nothing behind it is served', async (t) => {
  const { server, port } = await startServer(routes)
  t.teardown(() => server.stop())
  const ambiguous: [string, string][] = [
    ['Content-Length: 3\r\nContent-Length: 5\r\n', 'abc'],
    ['Content-Length: 5\r\nContent-Length: 3\r\n', 'abcde'],
    ['Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'],
    ['Transfer-Encoding: xchunked\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: gzip, chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['Transfer-Encoding:\r\n', '3\r\nabc\r\n0\r\n\r\n'],
    ['Host: y\r\nContent-Length: 3\r\n', 'abc'],
    ['Host: x\r\nContent-Length: 3\r\n', 'abc'],
  ]
  for (const [headers, body] of ambiguous) {
    const request = head('POST', '/take/1', headers) + body
    t.match(
      await exchangeRaw(port, [request]),
      /^HTTP\/1.1 400 [\s\S]*Send one Host/,
      `${headers.trim()}: 400 and closed`,
    )
    const smuggled = await exchangeRaw(port, [request + head('GET', '/now')])
    t.notMatch(smuggled, /200 OK/, `${headers.trim()}: the request behind it is not served`)
  }
  const wellFormed = head('POST', '/take/1', 'Transfer-Encoding: Chunked\r\n')
  t.match(await exchangeRaw(port, [`${wellFormed}3\r\nabc\r\n0\r\n\r\n`], /bytes/), /"bytes":3/)
})

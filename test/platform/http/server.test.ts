import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import t from 'tap'
import type { Handler, Route } from '../../../src/platform/http/call.ts'
import { healthRoutes } from '../../../src/platform/http/health.ts'
import { json, noContent, redirect, text } from '../../../src/platform/http/reply.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { exchangeRaw, startServer } from './parts.ts'

const get = (path: string, handler: Handler): Route => ({ method: 'GET', path, door: 'public', handler })
const post = (path: string, handler: Handler): Route => ({ method: 'POST', path, door: 'public', handler })

t.test('a handler sees the request and its reply reaches the client', async (t) => {
  const observed: unknown[] = []
  const { server, base, lines } = await startServer(
    [
      post('/echo/:name', async (call) => {
        await new Promise((resolve) => setImmediate(resolve))
        const { method, path, params, address, secure, staff, id } = call
        const seen = {
          method,
          path,
          params,
          address,
          secure,
          staff,
          query: [...call.query],
          header: call.header('x-one'),
        }
        return json({ ...seen, body: call.body.toString(), id }, 201, [['X-Two', 'два']])
      }),
      get('/gone', () => redirect('/elsewhere/')),
      get('/empty', () => noContent()),
    ],
    { observe: (...values) => observed.push(values.slice(0, 3)) },
  )
  t.teardown(() => server.stop())

  const answer = await fetch(`${base}/echo/%D0%98/?a=1&a=2&b=%D1%8F`, {
    method: 'POST',
    body: 'тело',
    headers: { 'X-One': '1', 'X-Request-Id': 'mine-1', 'X-Forwarded-For': '6.6.6.6' },
  })
  t.equal(answer.status, 201)
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  t.equal(answer.headers.get('x-request-id'), 'mine-1')
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.same(await answer.json(), {
    method: 'POST',
    path: '/echo/И',
    params: { name: 'И' },
    address: '127.0.0.1',
    secure: false,
    staff: null,
    query: [
      ['a', '1'],
      ['a', '2'],
      ['b', 'я'],
    ],
    header: '1',
    body: 'тело',
    id: 'mine-1',
  })

  const redirected = await fetch(`${base}/gone`, { redirect: 'manual' })
  t.same([redirected.status, redirected.headers.get('location')], [302, '/elsewhere/'])
  const empty = await fetch(`${base}/empty`)
  t.same([empty.status, empty.headers.get('content-length')], [204, null])
  const forged = await fetch(`${base}/empty`, { headers: { 'X-Request-Id': 'two words' } })
  t.match(forged.headers.get('x-request-id'), /^[\w-]{21}$/, 'an unfit id is replaced')
  t.same(observed, [
    ['POST', '/echo/:name', 201],
    ['GET', '/gone', 302],
    ['GET', '/empty', 204],
    ['GET', '/empty', 204],
  ])
  const logged = lines.find(({ requestId }) => requestId === 'mine-1')
  t.match(logged, { level: 'info', message: 'http', method: 'POST', path: '/echo/%D0%98/', status: 201, ms: Number })
})

t.test('no query ever reaches the log', async (t) => {
  const { server, base, lines } = await startServer([get('/a', () => text('a'))])
  t.teardown(() => server.stop())
  await fetch(`${base}/a?api=1&username=root&password=hunter2`)
  await fetch(`${base}/nope?password=hunter2`)
  t.equal(lines.length, 2)
  t.notMatch(JSON.stringify(lines), /hunter2/)
})

t.test('HEAD, OPTIONS, 404 and 405 follow from the routes, in the shape of the door', async (t) => {
  const { server, base, port } = await startServer([
    get('/thing', () => text('thing')),
    post('/thing', () => text('made')),
  ])
  t.teardown(() => server.stop())
  const head = await fetch(`${base}/thing`, { method: 'HEAD' })
  t.same([head.status, head.headers.get('content-length'), await head.text()], [200, '5', ''])
  const twice = 'HEAD /thing HTTP/1.1\r\nHost: x\r\n\r\n'
  t.equal(
    (await exchangeRaw(port, [twice, twice], /(200 OK[\s\S]*){2}/)).match(/200 OK/g)?.length,
    2,
    'the connection lives on',
  )
  const options = await fetch(`${base}/thing/`, { method: 'OPTIONS' })
  t.same([options.status, options.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
  const put = await fetch(`${base}/thing`, { method: 'PUT', body: '{}' })
  t.same(
    [put.status, put.headers.get('allow'), await put.text()],
    [405, 'GET, HEAD, OPTIONS, POST', 'Method "PUT" not allowed.\n'],
  )
  t.equal((await fetch(`${base}/nothing`)).status, 404)
  const rest = await fetch(`${base}/rest_api/v2/Nothing/x/y/z`)
  t.same([rest.status, await rest.json()], [404, { detail: 'Not found.' }])
  const admin = await fetch(`${base}/admin/nothing`)
  t.same([admin.status, await admin.json()], [404, { ok: false, error: 'Not found.', code: 'not_found' }])
  const page = await fetch(`${base}/admin/nothing`, { headers: { Accept: 'text/html,*/*' } })
  t.same([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
  const bad = await fetch(`${base}/rest_api/v2/%zz`)
  t.same([bad.status, await bad.json()], [400, { detail: 'Malformed address.' }])
  t.equal((await fetch(`${base}/thing?a=%00`)).status, 400)
})

t.test('a failing handler is 500 without internals, an Unavailable one 503 with Retry-After', async (t) => {
  const fails = (error: Error): Handler[] => [
    () => {
      throw error
    },
    () => Promise.reject(error),
  ]
  const [sync, late] = fails(new Error('secret table missing'))
  const [, away] = fails(new Unavailable('database', 'The database is away.'))
  const { server, base, lines } = await startServer([
    get('/sync', sync!),
    get('/late', late!),
    get('/away', away!),
    get('/header', () => text('x', 200, [['X-Bad', 'a\r\nSet-Cookie: b=1']])),
  ])
  t.teardown(() => server.stop())
  for (const path of ['/sync', '/late', '/header']) {
    const answer = await fetch(base + path)
    t.same([answer.status, await answer.text()], [500, 'Internal server error.\n'], path)
    t.equal(answer.headers.get('set-cookie'), null)
    const id = answer.headers.get('x-request-id')
    t.ok(
      lines.some((line) => line.level === 'error' && line.requestId === id),
      'the log has the id and the cause',
    )
  }
  const answer = await fetch(`${base}/away`)
  t.same(
    [answer.status, answer.headers.get('retry-after'), await answer.text()],
    [503, '5', 'The database is away; ask again shortly.\n'],
  )
})

t.test('a body of 1 MiB is taken whole, a larger one is 413 whether announced or not', async (t) => {
  const { server, base, port } = await startServer([
    post('/sum', (call) => text(createHash('sha256').update(call.body).digest('hex'))),
  ])
  t.teardown(() => server.stop())
  const whole = Buffer.alloc(1024 * 1024, 'абв')
  const taken = await fetch(`${base}/sum`, { method: 'POST', body: whole })
  t.equal(await taken.text(), createHash('sha256').update(whole).digest('hex'))

  const larger = Buffer.alloc(1024 * 1024 + 1)
  const refused = await fetch(`${base}/sum`, { method: 'POST', body: larger })
  t.same([refused.status, await refused.text()], [413, 'The request body is larger than 1 MiB.\n'])

  const chunks = Array.from({ length: 40 }, () => `8000\r\n${'x'.repeat(0x8000)}\r\n`)
  const chunked = 'POST /sum HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  t.match(await exchangeRaw(port, [chunked, ...chunks, '0\r\n\r\n']), /^HTTP\/1.1 413 /, 'and the connection is closed')
  const huge = 'POST /sum HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n'
  t.match(await exchangeRaw(port, [huge]), /^HTTP\/1.1 413 /, 'at once, without waiting for the bytes')
  t.equal(
    (await fetch(`${base}/rest_api/x`, { method: 'POST', body: larger })).headers.get('content-type'),
    'application/json; charset=utf-8',
  )
})

t.test('a port that is in use is a readable error, and port 0 takes a free one', async (t) => {
  const { server, port } = await startServer([])
  t.teardown(() => server.stop())
  t.ok(port > 0)
  await t.rejects(startServer([], { port }), {
    message: `Cannot listen for HTTP on 127.0.0.1:${port}: the port is in use by another program. Choose another with TOLLGATE_HTTP_PORT.`,
  })
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  await t.rejects(startServer([], { port: (other.address() as { port: number }).port }), /in use/)
  await t.rejects(startServer([], { host: '203.0.113.77' }), /does not have that address/)
})

t.test('a trusted proxy supplies the client address and the scheme', async (t) => {
  const { server, base } = await startServer([get('/who', ({ address, secure }) => json({ address, secure }))], {
    trustProxy: ['127.0.0.0/8'],
  })
  t.teardown(() => server.stop())
  const answer = await fetch(`${base}/who`, {
    headers: { 'X-Forwarded-For': '1.1.1.1, 2001:DB8::1', 'X-Forwarded-Proto': 'https' },
  })
  t.same(await answer.json(), { address: '2001:db8::1', secure: true })
})

t.test('a stop finishes requests in flight, refuses new ones and closes idle connections', async (t) => {
  let release = () => {}
  let entered = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const { server, base, port } = await startServer([
    get('/slow', async () => {
      entered()
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return text('done')
    }),
    { method: 'GET', path: '/told', door: 'mobile', handler: () => json({}) },
  ])
  const idle = connect(port, '127.0.0.1').setEncoding('latin1')
  idle.write('GET /idle HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match((await once(idle, 'data'))[0], /404/)
  // Begun, because node:http closes what is idle when the stop begins.
  idle.write('GET /told HTTP/1.1\r\n')
  const slow = fetch(`${base}/slow`)
  await inside
  const stopped = server.stop(60_000)
  await t.rejects(fetch(`${base}/slow`), 'no new connection')
  idle.write('Host: x\r\n\r\n')
  const told = /^HTTP\/1.1 503 [\s\S]*\{"status":"error","error":"unavailable"/
  t.match((await once(idle, 'data'))[0], told, 'in the form of the door')
  const closed = once(idle.resume(), 'close')
  release()
  t.equal(await (await slow).text(), 'done')
  await stopped
  await closed
})

t.test('a stop does not wait longer than its limit', async (t) => {
  let entered = () => {}
  const inside = new Promise<void>((resolve) => {
    entered = resolve
  })
  const { server, base, lines } = await startServer([
    get('/never', () => {
      entered()
      return new Promise(() => {})
    }),
  ])
  const never = fetch(`${base}/never`)
  never.catch(() => {})
  await inside
  await server.stop(50)
  await t.rejects(never)
  t.ok(lines.some(({ message }) => message === 'Requests were cut by the stop'))
})

t.test('health is up as soon as the process is, readiness has a reason', async (t) => {
  let reason: string | null = 'the database is away'
  const { server, base } = await startServer([...healthRoutes(() => reason)])
  t.teardown(() => server.stop())
  t.equal((await fetch(`${base}/healthz`)).status, 200)
  const notReady = await fetch(`${base}/readyz`)
  t.same([notReady.status, await notReady.json()], [503, { status: 'not_ready', reason: 'the database is away' }])
  reason = null
  t.equal((await fetch(`${base}/readyz`)).status, 200)
})

t.test('READ_ONLY_MODE refuses writes and nothing else', async (t) => {
  const { server, base } = await startServer(
    [
      get('/a', () => text('read')),
      post('/a', () => text('written')),
      { ...post('/b', () => text('allowed')), allowedReadOnly: true },
    ],
    { isReadOnly: () => true },
  )
  t.teardown(() => server.stop())
  t.equal((await fetch(`${base}/a`)).status, 200)
  t.equal((await fetch(`${base}/a`, { method: 'POST' })).status, 403)
  t.equal((await fetch(`${base}/b`, { method: 'POST' })).status, 200)
  t.equal((await fetch(`${base}/rest_api/logout`, { method: 'POST' })).status, 401, '401 before 403')
})

t.test('a page of staff loads from, sends to and is framed by nobody else', async (t) => {
  const { server, base } = await startServer([])
  t.teardown(() => server.stop())
  const policy = (await fetch(`${base}/admin/`)).headers.get('content-security-policy')?.split('; ')
  t.same(policy?.filter((directive) => /^(default|object|base|form|frame)/.test(directive)).sort(), [
    "base-uri 'none'",
    "default-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ])
})

t.test('who is led away is served, and told to connect anew', async (t) => {
  async function* streamed() {
    yield 'piece by '
    await new Promise((resolve) => setImmediate(resolve))
    yield 'piece'
  }
  const { server, port } = await startServer([
    get('/whole', () => text('whole')),
    get('/empty', () => noContent()),
    get('/streamed', () => ({ status: 200, contentType: 'text/plain', body: streamed() })),
  ])
  t.teardown(() => server.stop())
  // Some are closed by the server, and of some it tells the client to do so.
  const ask = (what: string, end: RegExp) => exchangeRaw(port, [`${what} HTTP/1.1\r\nHost: x\r\n\r\n`], end)
  const held = connect(port, '127.0.0.1').setEncoding('latin1')
  held.write('GET /whole HTTP/1.1\r\nHost: x\r\n\r\n')
  t.notMatch((await once(held, 'data'))[0], /Connection: close/i, 'before, connections are kept')

  server.leadAway()
  const farewell = server.farewell()
  for (const [what, end] of [
    ['GET /whole', /whole$/],
    ['HEAD /whole', /Content-Length: 5\r\n(?:.+\r\n)*\r\n$/i],
    ['GET /empty', /^HTTP\/1.1 204 (?:.+\r\n)+\r\n$/],
    ['GET /streamed', /\r\n\r\n9\r\npiece by \r\n5\r\npiece\r\n0\r\n\r\n$/],
    ['HEAD /streamed', /^HTTP\/1.1 200 (?:.+\r\n)+\r\n$/],
    ['GET /no', /Not found/],
  ] as const) {
    const answer = await ask(what, end)
    t.match(answer, end, what)
    t.equal(answer.match(/^Connection: close\r$/gim)?.length, 1, what)
  }
  await farewell
  const late = once(held, 'data')
  held.write('GET /whole HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match((await late)[0], /^HTTP\/1.1 200 [\s\S]*whole$/, 'also on a connection that was kept')
})

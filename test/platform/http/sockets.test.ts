import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { text } from '../../../src/platform/http/reply.ts'
import type { Socket } from '../../../src/platform/http/socket.ts'
import { transportOfRun } from '../../support/transport.ts'
import { startServer } from './parts.ts'

/** The public door; sign-in at a socket is in sign-in.test.ts. */

const isUws = (await transportOfRun()).transport.kind === 'uws'

const refusedStatus = (client: WebSocket): Promise<number> =>
  new Promise((resolve) => {
    client.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    client.on('error', () => {})
  })

t.test('frames go both ways, with the data and protocol the upgrade chose', async (t) => {
  const closed: unknown[] = []
  let closeSeen = () => {}
  const serverSawClose = new Promise<void>((resolve) => {
    closeSeen = resolve
  })
  const { server, port } = await startServer([], {}, (server) =>
    server.ws<{ room: string }>('/live', {
      door: 'public',
      upgrade: async (call) => {
        await new Promise((resolve) => setImmediate(resolve))
        return { kind: 'accepted', data: { room: call.query.get('room') ?? '' }, protocol: 'bearer' }
      },
      open: (socket) => void socket.send(`welcome to ${socket.data.room}`),
      message: (socket, message) => void socket.send(message.toString().toUpperCase()),
      close: (socket, code, reason) => {
        closed.push([socket.data.room, code, reason, socket.isOpen, socket.send('late'), socket.bufferedBytes])
        socket.end(1000, 'again')
        closeSeen()
      },
    }),
  )
  t.teardown(() => server.stop())
  const client = new WebSocket(`ws://127.0.0.1:${port}/live/?room=a`, ['bearer', 'x.y'])
  const [welcome] = (await once(client, 'message')) as [Buffer]
  t.equal(welcome.toString(), 'welcome to a')
  t.equal(client.protocol, 'bearer')
  t.equal(server.socketCount, 1)
  client.send('привет')
  const [echo] = (await once(client, 'message')) as [Buffer]
  t.equal(echo.toString(), 'ПРИВЕТ')
  client.close(4000, 'bye')
  await serverSawClose
  t.same(closed, [['a', 4000, 'bye', false, 'dropped', 0]], 'a closed socket can still be touched')
  t.equal(server.socketCount, 0)
})

t.test('an upgrade that has to wait for the database is 503, and no error', async (t) => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const { server, port, lines } = await startServer([], {}, (server) =>
    server.ws('/away', { door: 'public', upgrade: () => Promise.reject(away), message() {} }),
  )
  t.teardown(() => server.stop())
  t.equal(await refusedStatus(new WebSocket(`ws://127.0.0.1:${port}/away`)), 503)
  t.same(
    lines.filter(({ level }) => level !== 'info' && level !== 'debug').map(({ level, where }) => [level, where]),
    [['warn', 'upgrade']],
  )
})

t.test('an upgrade can be refused with any reply, and a failing one is 500', async (t) => {
  const observed: unknown[] = []
  const observe = (...values: unknown[]) => void observed.push(values.slice(0, 3))
  const { server, port, base } = await startServer([], { observe }, (server) => {
    server.ws('/refused', {
      door: 'public',
      upgrade: () => ({ kind: 'refused', reply: text('no', 418) }),
      message() {},
    })
    server.ws('/broken', { door: 'public', upgrade: () => Promise.reject(new Error('broken')), message() {} })
    server.ws('/staff', { door: 'admin', upgrade: () => ({ kind: 'accepted', data: null }), message() {} })
  })
  t.teardown(() => server.stop())
  t.equal(await refusedStatus(new WebSocket(`ws://127.0.0.1:${port}/refused`)), 418)
  t.equal(await refusedStatus(new WebSocket(`ws://127.0.0.1:${port}/broken`)), 500)
  t.equal(await refusedStatus(new WebSocket(`ws://127.0.0.1:${port}/staff`)), 401)
  t.equal((await fetch(`${base}/refused`)).status, 404, 'no upgrade, no route')
  t.same(observed, [
    ['GET', '/refused', 418],
    ['GET', '/broken', 500],
    ['GET', '/staff', 401],
    ['GET', 'unknown', 404],
  ])
})

t.test('a failing handler of one socket is logged and the others go on', async (t) => {
  const { server, port, lines } = await startServer([], {}, (server) =>
    server.ws('/live', {
      door: 'public',
      upgrade: () => ({ kind: 'accepted', data: null }),
      message: (socket, message) => {
        if (message.toString() === 'bad') throw new Error('bad message')
        socket.send('ok')
      },
    }),
  )
  t.teardown(() => server.stop())
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`)
  await once(client, 'open')
  client.send('bad')
  client.send('good')
  const [answer] = (await once(client, 'message')) as [Buffer]
  t.equal(answer.toString(), 'ok')
  t.ok(lines.some(({ level, message }) => level === 'error' && message === 'A socket handler failed'))
  client.terminate()
})

t.test('a client that reads nothing is reported, and what waits for it is limited', async (t) => {
  const seated = Promise.withResolvers<Socket<null>>()
  const { server, port } = await startServer([], {}, (server) =>
    server.ws<null>('/live', {
      door: 'public',
      bufferedBytesMax: 256 * 1024,
      upgrade: () => ({ kind: 'accepted', data: null }),
      open: (socket) => seated.resolve(socket),
      message() {},
    }),
  )
  t.teardown(() => server.stop())
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`)
  await once(client, 'open')
  client.pause()
  const socket = await seated.promise
  const frame = 'x'.repeat(64 * 1024)
  const answers = new Set<string>()
  for (let n = 0; n < 1000 && !answers.has('dropped'); n++) answers.add(socket.send(frame))
  t.ok(answers.has('dropped'))
  t.ok(socket.bufferedBytes > 0 && socket.bufferedBytes <= 512 * 1024)
  socket.end(1013, 'too slow')
  t.equal(socket.isOpen, false)
  client.terminate()
})

t.test('a stop closes every socket with 1001', async (t) => {
  const { server, port } = await startServer([], {}, (server) =>
    server.ws('/live', { door: 'public', upgrade: () => ({ kind: 'accepted', data: null }), message() {} }),
  )
  const client = new WebSocket(`ws://127.0.0.1:${port}/live`)
  await once(client, 'open')
  const gone = once(client, 'close')
  await server.stop()
  const [code] = await gone
  t.equal(code, 1001)
})

t.test('whoever closes a socket, there is a code for the client or a line in the log', async (t) => {
  const { server, port, lines } = await startServer([], {}, (server) => {
    const upgrade = () => ({ kind: 'accepted', data: null }) as const
    const behaviour = { door: 'public', upgrade } as const
    server.ws<null>('/live', {
      ...behaviour,
      messageBytesMax: 1000,
      message: (socket) => socket.end(1013, 'too slow'),
    })
    server.ws<null>('/broken', {
      ...behaviour,
      open: () => {
        throw new Error('broken')
      },
      message() {},
    })
    server.ws<null>('/idle', { ...behaviour, idleSeconds: 0.001, message() {} })
  })
  t.teardown(() => server.stop())
  const closed = async (path: string, deed: (client: WebSocket) => unknown) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    const gone = once(client, 'close')
    client.on('error', () => {})
    await once(client, 'open')
    await deed(client)
    const [code] = (await gone) as [number]
    while (server.socketCount > 0) await new Promise((resolve) => setImmediate(resolve))
    const line = lines.findLast(({ message }) => message === 'A WebSocket was closed')
    return [code, line?.path, line?.code, line?.by, line?.reason]
  }
  t.same(await closed('/live', (client) => client.send('x')), [1013, '/live', 1013, 'us', 'too slow'])
  t.same(await closed('/live', (client) => client.send('x'.repeat(1001))), [
    1009,
    '/live',
    1009,
    'us',
    'message too long',
  ])
  t.match(
    await closed('/live', (client) => client.send('x'.repeat(300 * 1024))),
    isUws ? [1006, '/live', 1006, 'us', /too big/] : [1009, '/live', 1009, 'us', /too big/],
    'what a stranger sends is not kept to its end',
  )
  t.match(await closed('/live', (client) => client.terminate()), [1006, '/live', 1006, 'network'])
  t.same(await closed('/live', (client) => client.close(1000)), [1000, '/live', 1000, 'client', ''])
  t.same(await closed('/broken', () => {}), [1011, '/broken', 1011, 'us', 'internal error'])
  t.same(
    await closed('/idle', async () => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      server.lookAfterSockets()
    }),
    [4408, '/idle', 4408, 'us', 'silent for too long'],
  )
  t.same(
    lines.filter(({ message, level }) => message === 'A WebSocket was closed' && level === 'debug').map(({ by }) => by),
    ['client'],
    'only a client that leaves is not worth a line of its own',
  )
})

// runs alone: it measures the memory of the process
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as loopTurn } from 'node:timers/promises'
import t from 'tap'
import type { BodySource } from '../../../src/platform/http/body-stream.ts'
import type { Route } from '../../../src/platform/http/call.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { exchangeRaw, startServer } from './parts.ts'

/** Bodies made while they are sent: the client sets the pace, and whatever ends early ends the source. */

const pieceBytes = 100_000
const bytesOf = (piece: number): number => piece % 251

/** Counts what was asked of it, and says when it was told to end. */
class Source {
  asked = 0
  isBegun = false
  readonly ended: Promise<void>
  readonly #pieces: number
  #end = () => {}

  constructor(pieces: number) {
    this.#pieces = pieces
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async *body(): AsyncGenerator<Buffer> {
    this.isBegun = true
    try {
      for (; this.asked < this.#pieces; this.asked++) yield Buffer.alloc(pieceBytes, bytesOf(this.asked))
    } finally {
      this.#end()
    }
  }
}

const streamed = (body: () => BodySource, path = '/long'): Route => ({
  method: 'GET',
  path,
  door: 'public',
  handler: () => ({ status: 200, contentType: 'text/plain', body: body() }),
})

/** A client that reads nothing until it is told to. */
async function silentClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.pause()
  socket.write('GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return socket
}

/** Settles when the source has not been asked for anything through many turns of the loop. */
async function heldBack(source: Source): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < 500; quiet++) {
    await loopTurn()
    if (source.asked === seen && seen > 0) continue
    quiet = 0
    seen = source.asked
  }
}

/** Asks the system, so not for every chunk. */
const residentMegabytes = () => process.memoryUsage.rss() / 2 ** 20

t.test('pieces of any size arrive as one body, and the request counts when the last is out', async (t) => {
  const observed: unknown[] = []
  const text = 'Привет, '.repeat(40_000)
  const pieces = ['начало;', '', Buffer.from(text), new Uint8Array([0x0a]), 'конец']
  const { server, base } = await startServer(
    [streamed(() => Readable.from(pieces)), streamed(() => Readable.from([]), '/none')],
    { observe: (...values) => observed.push(values.slice(0, 3)) },
  )
  t.teardown(() => server.stop())
  const answer = await fetch(`${base}/long`)
  t.same([answer.status, answer.headers.get('content-length')], [200, null])
  t.equal(answer.headers.get('content-type'), 'text/plain')
  t.equal(answer.headers.get('cache-control'), 'no-store')
  t.equal(await answer.text(), `начало;${text}\nконец`)
  t.equal(await (await fetch(`${base}/none`)).text(), '', 'a body without a piece')
  t.same(observed, [
    ['GET', '/long', 200],
    ['GET', '/none', 200],
  ])
})

t.test('a client that does not read holds the source back, and gets every byte in the end', async (t) => {
  const source = new Source(1500)
  const { server, port } = await startServer([streamed(() => source.body())])
  t.teardown(() => server.stop())
  const before = residentMegabytes()
  const socket = await silentClient(port)
  await heldBack(source)
  t.ok(source.asked < 500, `only ${source.asked} of 1500 pieces were asked for`)
  let received = 0
  let head = ''
  let most = 0
  // A few pieces, then a pause until the source is held back again: what is held must not grow by it.
  let untilPause = 4_000_000
  socket.on('data', (chunk) => {
    if (head === '') head = chunk.toString('latin1').split('\r\n\r\n')[0]!
    received += chunk.length
    if (received < untilPause) return
    untilPause += 20_000_000
    socket.pause()
    void heldBack(source).then(() => {
      most = Math.max(most, residentMegabytes())
      socket.resume()
    })
  })
  socket.resume()
  await once(socket, 'close')
  t.match(head, /200 OK/)
  t.ok(received > 1500 * pieceBytes, 'chunk by chunk')
  t.ok(most - before < 120, `resident memory grew by ${Math.round(most - before)} MB for 150 MB`)
  await source.ended
})

t.test('memory stays flat through a body of 300 megabytes', async (t) => {
  const pieces = 3_000
  const source = new Source(pieces)
  const { server, base } = await startServer([streamed(() => source.body())])
  t.teardown(() => server.stop())
  const answer = await fetch(`${base}/long`)
  const before = residentMegabytes()
  let most = before
  let received = 0
  let isRight = true
  const expected = Buffer.alloc(pieceBytes)
  for await (const chunk of answer.body!) {
    for (let from = 0; from < chunk.length; ) {
      const [piece, begun] = [Math.floor(received / pieceBytes), received % pieceBytes]
      if (begun === 0) {
        expected.fill(bytesOf(piece))
        if (piece % 10 === 0) most = Math.max(most, residentMegabytes())
      }
      const to = Math.min(from + pieceBytes - begun, chunk.length)
      isRight &&= expected.compare(chunk, from, to, begun, begun + to - from) === 0
      received += to - from
      from = to
    }
  }
  t.same([received, isRight], [pieces * pieceBytes, true], 'byte by byte what was made')
  t.ok(most - before < 120, `resident memory grew by ${Math.round(most - before)} MB for 300 MB`)
})

t.test('other requests are served while a long body is on its way', async (t) => {
  const source = new Source(Number.POSITIVE_INFINITY)
  const { server, port, base } = await startServer([
    streamed(() => source.body()),
    { method: 'GET', path: '/short', door: 'public', handler: () => ({ status: 200, body: 'here' }) },
  ])
  t.teardown(() => server.stop())
  const socket = await silentClient(port)
  socket.resume()
  await once(socket, 'data')
  t.equal(await (await fetch(`${base}/short`)).text(), 'here')
  socket.destroy()
  await source.ended
})

t.test('a client that leaves ends the source, whether it makes a piece or waits for the client', async (t) => {
  const observed: unknown[] = []
  let source = new Source(Number.POSITIVE_INFINITY)
  let silent = new Readable({ read() {} })
  const { server, port } = await startServer([streamed(() => source.body()), streamed(() => silent, '/silent')], {
    observe: (...values) => observed.push(values.slice(1, 3)),
  })
  t.teardown(() => server.stop())

  const waiting = await silentClient(port)
  await heldBack(source)
  waiting.destroy()
  await source.ended

  source = new Source(Number.POSITIVE_INFINITY)
  const reading = await silentClient(port)
  reading.resume()
  await once(reading, 'data')
  reading.destroy()
  await source.ended

  for (const first of [null, 'begun']) {
    const asked = new Promise<void>((resolve) => {
      silent = new Readable({ read: () => resolve() })
    })
    if (first) silent.push(first)
    const closed = once(silent, 'close')
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /silent HTTP/1.1\r\nHost: x\r\n\r\n')
    await (first ? once(socket, 'data') : asked)
    socket.destroy()
    await closed
    t.ok(silent.destroyed, 'a source that would never have answered is destroyed')
  }
  t.same(observed, [
    ['/long', 499],
    ['/long', 499],
    ['/silent', 499],
    ['/silent', 499],
  ])
})

t.test('an error before the first piece is an ordinary answer of the door', async (t) => {
  const fail = (error: Error) => () =>
    Readable.from(
      (async function* () {
        yield* []
        throw error
      })(),
    )
  const { server, base, lines } = await startServer([
    streamed(fail(new Error('syntax')), '/admin/broken'),
    streamed(fail(new Unavailable('database', 'gone at 10.0.0.1')), '/admin/away'),
  ])
  t.teardown(() => server.stop())
  const broken = await fetch(`${base}/admin/broken`)
  t.same([broken.status, await broken.text()], [500, 'Internal server error.\n'])
  const away = await fetch(`${base}/admin/away`)
  t.same([away.status, away.headers.get('retry-after')], [503, '5'])
  t.ok(lines.some(({ message, level }) => message === 'A request failed' && level === 'error'))
})

t.test('an error in the middle cuts the connection, is logged and counts as a failure', async (t) => {
  const observed: unknown[] = []
  async function* torn() {
    yield 'first '
    await loopTurn()
    throw new Error('the disk is full')
  }
  const { server, base, port, lines } = await startServer([streamed(torn)], {
    observe: (...values) => observed.push(values.slice(1, 3)),
  })
  t.teardown(() => server.stop())
  const received = await exchangeRaw(port, ['GET /long HTTP/1.1\r\nHost: x\r\n\r\n'])
  t.match(received, /200 OK[\s\S]*first/)
  t.notMatch(received, /\r\n0\r\n\r\n$/, 'the last chunk is missing')
  await t.rejects(fetch(`${base}/long`).then((answer) => answer.text()))
  t.equal(lines.filter(({ message }) => message === 'A request failed').length, 2)
  t.match(
    lines.find(({ message }) => message === 'A request failed'),
    { error: { message: 'the disk is full' } },
  )
  t.same(observed, [
    ['/long', 500],
    ['/long', 500],
  ])
})

t.test('a HEAD asks nothing of the source and the connection lives on', async (t) => {
  const source = new Source(3)
  const readable = new Readable({ read() {} })
  const { server, port } = await startServer([streamed(() => source.body()), streamed(() => readable, '/readable')])
  t.teardown(() => server.stop())
  const bothHeads = /^(HTTP\/1.1 200 OK[\s\S]*?\r\n\r\n){2}$/
  const received = await exchangeRaw(
    port,
    ['HEAD /long HTTP/1.1\r\nHost: x\r\n\r\n', 'HEAD /readable HTTP/1.1\r\nHost: x\r\n\r\n'],
    bothHeads,
  )
  t.match(received, bothHeads)
  t.notMatch(received, /content-length|transfer-encoding/i)
  t.notOk(source.isBegun)
  t.ok(readable.destroyed)
})

t.test('a malformed header is refused before anything of the body is produced', async (t) => {
  const source = new Source(3)
  const { server, base } = await startServer([
    {
      method: 'GET',
      path: '/long',
      door: 'public',
      handler: () => ({ status: 200, headers: [['X-Name', 'a\r\nb']], body: source.body() }),
    },
  ])
  t.teardown(() => server.stop())
  t.equal((await fetch(`${base}/long`)).status, 500)
  t.notOk(source.isBegun)
})

t.test('a stop waits a while for long bodies, then ends them', async (t) => {
  const source = new Source(Number.POSITIVE_INFINITY)
  const { server, port, lines } = await startServer([streamed(() => source.body())])
  const socket = await silentClient(port)
  await heldBack(source)
  await server.stop(1)
  await source.ended
  t.ok(lines.some(({ message }) => message === 'Requests were cut by the stop'))
  socket.destroy()
})

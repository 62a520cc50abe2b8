import { once } from 'node:events'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { organizationId } from '../../src/domain/ids.ts'
import { aSession } from './a-session.ts'
import type { Frame } from './fake-socket.ts'
import { keys, served } from './served.ts'

async function connected(t: Test) {
  const { url, ...rest } = await served(t)
  const connect = (headers: Record<string, string> = { cookie: `sessionid=${keys.admin}` }) =>
    new Client(`${url.replace('http', 'ws')}/admin/live/`, headers)
  return { ...rest, url, connect }
}

class Client {
  readonly socket: WebSocket
  readonly frames: Frame[] = []
  #look: () => void = () => {}

  constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url, { headers })
    this.socket.on('message', (text) => {
      this.frames.push(JSON.parse(String(text)))
      this.#look()
    })
  }

  async subscribe(...topics: string[]): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open')
    this.socket.send(JSON.stringify({ type: 'subscribe', topics }))
    await this.until((frame) => frame.type === 'snapshot')
  }

  async until(wanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(wanted)
      if (found) return found
      await new Promise<void>((resolve) => {
        this.#look = resolve
      })
    }
  }
}

t.test('a browser that is signed in sees an event on the wire', async (t) => {
  const { events, connect, url } = await connected(t)
  const client = connect({ cookie: `sessionid=${keys.admin}`, origin: url })
  await client.subscribe('sessions')
  events.publish({ kind: 'sessionStarted', at: new Date(), session: aSession({ login: 'Иван <b>' }) })
  const frame = await client.until(({ type }) => type === 'session.started')
  t.match(frame, { seq: 2, session: { login: 'Иван <b>' } })
  client.socket.close()
})

t.test('a socket needs a session and a page of ours', async (t) => {
  const { connect, live } = await connected(t)
  for (const headers of [
    {},
    { cookie: `sessionid=${'c'.repeat(64)}` },
    { cookie: `sessionid=${keys.admin}`, origin: 'https://evil.example' },
  ]) {
    const [error] = await once(connect(headers as Record<string, string>).socket, 'error')
    t.match(String(error), /401|403/)
  }
  t.equal(live.sockets, 0)
})

t.test('the organizations of the signed-in user decide', async (t) => {
  const { events, connect } = await connected(t)
  const client = connect({ cookie: `sessionid=${keys.restricted}` })
  await client.subscribe('sessions')
  for (const id of [1, 2]) {
    const session = aSession({ id: String(id), organizationId: organizationId(id) })
    events.publish({ kind: 'sessionStarted', at: new Date(), session })
  }
  const frame = await client.until(({ type }) => type === 'session.started')
  t.match(frame, { seq: 2, session: { id: 2 } })
  client.socket.close()
})

t.test('a client that stops reading costs little memory, and catches up by the latest state', async (t) => {
  const { events, connect, live } = await connected(t)
  const client = connect()
  await client.subscribe('sessions')
  client.socket.pause()
  const padding = 'x'.repeat(2000)
  // Far more than the kernel's socket buffers take, so that most of it has to be conflated.
  const rounds = 20_000
  for (let n = 1; n <= rounds; n++) {
    const session = aSession({ id: String(n % 5), sessionTime: n })
    events.publish({ kind: 'sessionUpdated', at: new Date(), session: { ...session, login: padding } })
    if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  t.equal(live.sockets, 1, 'it is not cut for updates that replace each other')
  client.socket.resume()
  const last = await client.until(({ session }) => (session as { session_time?: number })?.session_time === rounds)
  t.equal(last.seq, rounds + 1)
  t.ok(client.frames.length < rounds, `${client.frames.length} frames for ${rounds} events`)
  const numbers = client.frames.map(({ seq }) => seq)
  t.strictSame(
    numbers,
    [...numbers].sort((a, b) => a - b),
  )
  client.socket.close()
})

t.test('a client that stops reading what cannot be replaced is cut', async (t) => {
  const { events, connect, live } = await connected(t)
  const client = connect()
  await client.subscribe('sessions')
  client.socket.pause()
  const login = 'x'.repeat(20_000)
  for (let n = 0; live.sockets > 0 && n < 20_000; n++) {
    events.publish({ kind: 'sessionStarted', at: new Date(), session: aSession({ id: String(n), login }) })
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  t.equal(live.sockets, 0)
  client.socket.terminate()
})

t.test('binary and oversized frames do no harm', async (t) => {
  const { connect, live } = await connected(t)
  const client = connect()
  await client.subscribe('system')
  client.socket.send(Buffer.from([1, 2, 3]))
  t.match(await client.until(({ type }) => type === 'error'), { error: 'not_json' })
  client.socket.send('x'.repeat(100_000))
  await once(client.socket, 'close')
  t.equal(live.sockets, 0)
})

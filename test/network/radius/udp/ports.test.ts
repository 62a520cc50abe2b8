import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { loadAddon } from '../../../../src/network/radius/udp/addon.ts'
import { BatchPort } from '../../../../src/network/radius/udp/batch-port.ts'
import { openDgramPort } from '../../../../src/network/radius/udp/dgram-port.ts'
import {
  datagramWord,
  datagramWords,
  type UdpOptions,
  type UdpPort,
} from '../../../../src/network/radius/udp/udp-port.ts'
import { parseAddress } from '../../../../src/network/radius/wire/address.ts'
import { freeUdpPort } from '../../../support/free-port.ts'

/** The addresses that node:dgram follows in these tests; all of 127.0.0.0/8 is ours, though the system lists only one. */
let addresses: readonly string[] | null = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '::1']

/** Both ways to receive, held to the same. */
const loaded = loadAddon()
const ways: { name: string; open: (order: UdpOptions) => Promise<UdpPort>; skip: string | false }[] = [
  { name: 'dgram', open: (order) => openDgramPort(order, { addresses: () => addresses, everyMs: 1 }), skip: false },
  {
    name: 'batches',
    open: async (order) => new BatchPort('addon' in loaded ? loaded.addon : nobody(), order),
    skip: 'missing' in loaded && `Left out: ${loaded.missing}.`,
  },
]

const nobody = (): never => {
  throw new Error('The tests of the addon are left out.')
}

/** Sends back what it gets, in capitals; the answers stand one behind another. */
class Echo {
  readonly output = Buffer.alloc(1 << 16)
  readonly sources: Int32Array[] = []
  readonly lengths: number[] = []
  notSent = 0
  #end = 0
  #wake = () => {}
  port!: UdpPort

  static async open(
    t: { teardown(deed: () => unknown): unknown },
    open: (order: UdpOptions) => Promise<UdpPort>,
    order: Partial<UdpOptions> = {},
  ): Promise<Echo> {
    const echo = new Echo()
    const listener = {
      datagrams: (port: UdpPort, count: number) => echo.#take(port, count),
      notSent: (count: number) => {
        echo.notSent += count
        echo.#wake()
      },
    }
    echo.port = await open({ host: '127.0.0.1', port: 0, sharesPort: false, output: echo.output, listener, ...order })
    t.teardown(() => echo.port.close())
    return echo
  }

  #take(port: UdpPort, count: number): void {
    for (let index = 0; index < count; index++) {
      const at = index * datagramWords
      const place = port.received[at + datagramWord.offset]!
      const length = port.received[at + datagramWord.length]!
      this.sources.push(port.received.slice(at, at + datagramWords))
      this.lengths.push(length)
      this.answer(port.bytes.toString('latin1', place, place + length).toUpperCase(), port.received, at)
    }
    port.flush()
    this.#wake()
  }

  answer(text: string, source: Int32Array, at = 0): void {
    const length = this.output.write(text, this.#end, 'latin1')
    this.port.queue(this.#end, length, source, at)
    this.#end = (this.#end + length) % (this.output.length - 5000)
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}

/** A socket that the kernel lets hear only the address it asks. */
async function asker(t: { teardown(deed: () => unknown): unknown }, address: string, port: number): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.connect(port, address)
  await once(socket, 'connect')
  t.teardown(() => socket.close())
  return socket
}

async function client(t: { teardown(deed: () => unknown): unknown }, address: string): Promise<Socket> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 })
  socket.bind(0, address)
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return socket
}

async function heard(socket: Socket, count: number): Promise<string[]> {
  const texts: string[] = []
  return new Promise((resolve) => {
    socket.on('message', (bytes) => {
      if (texts.push(bytes.toString('latin1')) === count) resolve(texts)
    })
  })
}

for (const { name, open, skip } of ways) {
  t.test(`${name}: what comes together is answered, each to whom it came from`, { skip }, async (t) => {
    const echo = await Echo.open(t, open)
    const sockets = await Promise.all(Array.from({ length: 4 }, () => client(t, '127.0.0.1')))
    const answers = sockets.map((socket) => heard(socket, 100))
    for (let number = 0; number < 100; number++)
      for (const [index, socket] of sockets.entries())
        socket.send(`of ${index} number ${number}`, echo.port.number, '127.0.0.1')
    for (const [index, texts] of (await Promise.all(answers)).entries())
      t.strictSame(new Set(texts), new Set(Array.from({ length: 100 }, (_, number) => `OF ${index} NUMBER ${number}`)))
    t.equal(echo.notSent, 0)
  })

  t.test(`${name}: lengths from nothing to more than a packet has`, { skip }, async (t) => {
    const echo = await Echo.open(t, open)
    const socket = await client(t, '127.0.0.1')
    for (const length of [0, 1, 4096, 5000]) {
      const came = heard(socket, 1)
      socket.send(Buffer.alloc(length, 'a'), echo.port.number, '127.0.0.1')
      const [text] = await came
      t.ok(text!.length >= Math.min(length, 4096), `${length} bytes`)
      t.ok(/^A*$/.test(text!))
      socket.removeAllListeners('message')
    }
  })

  t.test(`${name}: IPv4 and IPv6 by one dual-stack socket`, { skip }, async (t) => {
    const echo = await Echo.open(t, open, { host: '::' })
    for (const address of ['127.0.0.1', '::1']) {
      const socket = await client(t, address)
      const came = heard(socket, 1)
      socket.send('who', echo.port.number, address)
      t.strictSame(await came, ['WHO'])
    }
    const described = echo.sources.map(({ buffer }) =>
      Buffer.from(buffer, datagramWord.address * 4, 16).toString('hex'),
    )
    t.strictSame(described, ['00000000000000000000ffff7f000001', '00000000000000000000000000000001'])
  })

  for (const host of ['0.0.0.0', '::'])
    t.test(`${name}: on ${host} every answer leaves from the address that was asked`, { skip }, async (t) => {
      const echo = await Echo.open(t, open, { host })
      const asked = ['127.0.0.1', '127.0.0.2', '127.0.0.3', ...(host === '::' ? ['::1'] : [])]
      const sockets = await Promise.all(asked.map((address) => asker(t, address, echo.port.number)))
      const answers = sockets.map((socket) => heard(socket, 20))
      for (let number = 0; number < 20; number++) for (const socket of sockets) socket.send('who')
      t.ok((await Promise.all(answers)).flat().every((text) => text === 'WHO'))
      for (const [index, socket] of sockets.entries()) {
        const address = asked[index]!
        const later = heard(socket, 1)
        const words = new Int32Array(parseAddress(address)!.buffer)
        echo.answer('later', echo.sources.find((source) => words.every((word, at) => source[8 + at] === word))!)
        echo.port.flush()
        t.strictSame(await later, ['later'], `described as asked at ${address}`)
      }
      t.equal(echo.notSent, 0)
    })

  t.test(
    `${name}: a later answer goes where the request came from; what cannot be sent is counted`,
    { skip },
    async (t) => {
      const echo = await Echo.open(t, open)
      const socket = await client(t, '127.0.0.1')
      const came = heard(socket, 2)
      socket.send('first', echo.port.number, '127.0.0.1')
      await echo.until(() => echo.sources.length === 1)
      // 255.255.255.255 is refused by the kernel to a socket that may not broadcast.
      const nowhere = Int32Array.from(echo.sources[0]!)
      nowhere[datagramWord.address + 3] = -1
      echo.answer('lost', nowhere)
      echo.answer('later', echo.sources[0]!)
      echo.port.flush()
      t.strictSame(await came, ['FIRST', 'later'])
      await echo.until(() => echo.notSent === 1)
    },
  )

  t.test(`${name}: a port taken is refused, a shared one is not; a closed one is free`, { skip }, async (t) => {
    const number = await freeUdpPort()
    const first = await Echo.open(t, open, { port: number })
    await t.rejects(Echo.open(t, open, { port: number }), { code: 'EADDRINUSE' })
    first.port.close()
    first.port.close()
    await new Promise((resolve) => setImmediate(resolve))
    const shared = await Echo.open(t, open, { port: number, sharesPort: true })
    const second = await Echo.open(t, open, { port: number, sharesPort: true })
    t.equal(shared.port.number, second.port.number)
    await t.rejects(Echo.open(t, open, { host: '192.0.2.1' }), { code: 'EADDRNOTAVAIL' })
  })

  t.test(`${name}: a deaf socket takes nothing and still sends`, { skip }, async (t) => {
    const echo = await Echo.open(t, open)
    const socket = await client(t, '127.0.0.1')
    const came = heard(socket, 2)
    socket.send('before', echo.port.number, '127.0.0.1')
    await echo.until(() => echo.sources.length === 1)
    echo.port.stopReceiving()
    socket.send('after', echo.port.number, '127.0.0.1')
    await new Promise((resolve) => setTimeout(resolve, 20))
    echo.answer('still', echo.sources[0]!)
    echo.port.flush()
    t.strictSame(await came, ['BEFORE', 'still'])
  })
}

t.test(
  'dgram: addresses that come are answered from, those that go are forgotten, and no question is lost',
  async (t) => {
    const present = addresses
    t.teardown(() => (addresses = present))
    addresses = ['127.0.0.1']
    const echo = await Echo.open(t, ways[0]!.open, { host: '0.0.0.0' })
    const socket = await asker(t, '127.0.0.2', echo.port.number)
    const own = await client(t, '127.0.0.1')
    const local = new Int32Array(parseAddress('127.0.0.2')!.buffer)
    const isAsked = () =>
      echo.sources
        .at(-1)
        ?.subarray(8)
        .every((word, at) => word === local[at])
    // Asks again and again, as a NAS does: what waits at the socket of an address that is gone is lost with it.
    const takenAs = async (isSeen: boolean) => {
      const asking = setInterval(() => socket.send('question'), 2)
      await echo.until(() => isAsked() === isSeen)
      clearInterval(asking)
    }
    await takenAs(false)
    t.pass('the wildcard takes what comes to an address that is not known')
    addresses = ['127.0.0.1', '127.0.0.2', '192.0.2.1', 'no address']
    const came = heard(socket, 1)
    await takenAs(true)
    t.equal((await came)[0], 'QUESTION', 'the address is known, and answers')
    addresses = null
    await takenAs(true)
    t.pass('a system that tells nothing changes nothing')
    const old = echo.sources.at(-1)!
    addresses = ['127.0.0.1']
    await takenAs(false)
    const late = heard(own, 1)
    const toOwn = Int32Array.from(old)
    toOwn[datagramWord.port] = own.address().port
    echo.answer('late', toOwn)
    t.strictSame(await late, ['late'], 'what was asked of an address that is gone is answered from another one')
    addresses = ['127.0.0.2']
    await takenAs(true)
  },
)

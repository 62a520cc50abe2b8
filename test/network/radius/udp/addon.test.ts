import { spawnSync } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import t from 'tap'
import { type BatchUdp, loadAddon } from '../../../../src/network/radius/udp/addon.ts'
import { datagramWords } from '../../../../src/network/radius/udp/udp-port.ts'
import { SharedSecret, secretKeyBytes } from '../../../../src/network/radius/wire/shared-secret.ts'

const loaded = loadAddon()
const skip = 'missing' in loaded && `Left out: ${loaded.missing}.`
const addon = ('addon' in loaded ? loaded.addon : null) as BatchUdp

const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest()
const secrets = ['s', 'testing123', 'x'.repeat(64), 'y'.repeat(65), 'z'.repeat(156)]
const keys = new Uint8Array(secrets.length * secretKeyBytes)
for (const [index, secret] of secrets.entries()) new SharedSecret(secret).writeKey(keys, index * secretKeyBytes)

/** A packet with a place for a Message-Authenticator, of this length. */
function packetOf(length: number, code = 1): Buffer {
  const packet = randomBytes(length)
  packet[0] = code
  packet.writeUInt16BE(length, 2)
  return packet
}

function without(packet: Buffer, at: number, isZeroed = false): Buffer {
  const copy = Buffer.from(packet)
  copy.fill(0, at, at + 16)
  if (isZeroed) copy.fill(0, 4, 20)
  return copy
}

t.test('the addon is compiled hardened', { skip }, async (t) => {
  const file = `build/batch-udp-${process.platform}-${process.arch}.node`
  const library = readFileSync(file)
  t.ok(library.includes('__stack_chk_fail'), 'with stack protectors')
  const { stdout } = spawnSync('readelf', ['--wide', '--program-headers', '--dynamic', file], { encoding: 'utf8' })
  t.match(stdout, /GNU_RELRO/, 'what the loader resolved is read-only')
  t.match(stdout, /BIND_NOW|Flags: NOW/, 'and resolved at once')
})

t.test(
  'the digests of a batch are those of node:crypto, whatever the lengths, the secrets and the size of the batch',
  { skip },
  async (t) => {
    let wrong = 0
    for (let count = 1; count <= addon.slots; count++) {
      const input = new Uint8Array(addon.inputBytes)
      const jobs = new Int32Array(count * 8)
      const results = new Uint8Array(count * 32)
      const packets = Array.from({ length: count }, (_, index) =>
        packetOf(36 + ((index * 37 + count) % (index % 9 === 0 ? 4060 : 200))),
      )
      for (const [index, packet] of packets.entries()) {
        const place = index * (addon.inputBytes / addon.slots)
        input.set(packet, place)
        jobs.set(
          [
            place,
            packet.length,
            index % secrets.length,
            index % 7 === 6 ? 0 : 20 + ((packet.length - 36) % 50),
            index % 3,
          ],
          index * 8,
        )
      }
      addon.digest(input, jobs, count, keys, results)
      for (const [index, packet] of packets.entries()) {
        const secret = Buffer.from(secrets[index % secrets.length]!)
        const signatureAt = jobs[index * 8 + 3]!
        const wish = index % 3
        const [first, second] = [
          results.subarray(index * 32, index * 32 + 16),
          results.subarray(index * 32 + 16, index * 32 + 32),
        ]
        const signed = createHmac('md5', secret)
          .update(without(packet, signatureAt, wish === 2))
          .digest()
        const wished = wish === 1 ? md5(secret, packet.subarray(4, 20)) : md5(without(packet, 4), secret)
        if (signatureAt > 0 && !signed.equals(first)) wrong++
        if (wish > 0 && !wished.equals(second)) wrong++
      }
    }
    t.equal(wrong, 0)
  },
)

t.test('answers are signed in place, and complete ones are left alone', { skip }, async (t) => {
  const receiver = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  receiver.bind(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => receiver.close())
  const count = 40
  const output = new Uint8Array(count * 600)
  const queue = new Int32Array(addon.queue * datagramWords)
  const seals = new Int32Array(addon.queue * 2)
  const socket = addon.open(
    '127.0.0.1',
    0,
    false,
    1 << 16,
    new Uint8Array(addon.inputBytes),
    new Int32Array(addon.slots * datagramWords),
    output,
    queue,
    () => {},
    null,
  )
  t.teardown(() => addon.close(socket))
  const address = Int32Array.from([0, 0, -0x10000, new Int32Array(Uint8Array.of(127, 0, 0, 1).buffer)[0]!])
  const expected = Array.from({ length: count }, (_, index) => {
    const answer = packetOf(40 + index * 13, 2)
    const key = (index % 6) - 1
    const signatureAt = index % 4 === 3 ? 0 : 22
    if (signatureAt > 0 && key >= 0) answer.fill(0, 22, 38)
    output.set(answer, index * 600)
    queue.set([index * 600, answer.length, receiver.address().port, 0, ...address, 0, 0, 0, 0], index * datagramWords)
    seals.set([key, signatureAt], index * 2)
    if (key < 0) return answer.toString('hex')
    const secret = Buffer.from(secrets[key]!)
    if (signatureAt > 0) createHmac('md5', secret).update(answer).digest().copy(answer, signatureAt)
    md5(answer, secret).copy(answer, 4)
    return answer.toString('hex')
  })
  const received: string[] = []
  const all = new Promise<void>((resolve) => {
    receiver.on('message', (bytes) => {
      if (received.push(bytes.toString('hex')) === count) resolve()
    })
  })
  t.equal(addon.send(socket, count, seals, keys), 0)
  await all
  t.strictSame(received, expected)
})

t.test('no argument brings the process down', { skip }, async (t) => {
  const shared = new ArrayBuffer(addon.inputBytes)
  const gone = new Uint8Array(addon.inputBytes)
  structuredClone(gone, { transfer: [gone.buffer] })
  const arrays = [
    new Uint8Array(shared),
    new Int32Array(shared),
    new Int32Array(shared, 0, addon.slots * datagramWords),
    new Uint8Array(0),
    new Int32Array(0),
    new Int32Array(addon.queue * datagramWords).fill(0x7fffffff),
    new Int32Array(addon.queue * datagramWords).fill(-1),
    new Uint8Array(secretKeyBytes).fill(255),
    new Float64Array(8),
    new Float64Array(shared, 0, addon.slots),
    keys,
    gone,
    new DataView(shared),
  ]
  const anything = fc.oneof(
    fc.constantFrom<unknown>(...arrays),
    fc.constantFrom<unknown>(...arrays),
    fc.integer({ min: -2, max: 70 }),
    fc.constantFrom<unknown>(
      '127.0.0.1',
      '::1',
      'x'.repeat(5000),
      true,
      false,
      null,
      undefined,
      Number.NaN,
      2 ** 40,
      -0,
      {},
      () => {},
      Symbol('s'),
      1n,
    ),
  )
  const names = ['open', 'read', 'port', 'send', 'digest', 'close'] as const
  const words = fc.array(fc.integer({ min: -40, max: addon.inputBytes + 40 }), { minLength: 64, maxLength: 64 })
  const opened = () =>
    addon.open(
      '127.0.0.1',
      0,
      false,
      1 << 16,
      new Uint8Array(shared),
      new Int32Array(shared, 0, addon.slots * datagramWords),
      new Uint8Array(shared),
      new Int32Array(shared, 0, addon.queue * datagramWords),
      () => {},
      new Float64Array(shared, 0, addon.slots),
    )
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.array(anything, { maxLength: 10 }), words, (name, given, numbers) => {
      // The memory itself is an argument too: places, lengths, keys.
      new Int32Array(shared).set(numbers)
      try {
        ;(addon[name] as (...given: unknown[]) => unknown)(...given)
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
    }),
    { numRuns: 3000 },
  )
  for (let socket = 0; socket < 8; socket++)
    try {
      addon.close(socket)
    } catch {}
  await new Promise((resolve) => setTimeout(resolve, 5))
  const socket = opened()
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 64 }), words, words, (count, numbers, more) => {
      new Int32Array(shared).set(numbers)
      new Int32Array(shared).set(more, 64)
      for (const call of [
        () => addon.digest(new Uint8Array(shared), new Int32Array(shared), count, keys, new Uint8Array(shared)),
        () =>
          addon.digest(
            new Uint8Array(shared),
            new Int32Array(shared),
            count,
            new Uint8Array(shared),
            new Uint8Array(shared),
          ),
        () => addon.send(socket, count, new Int32Array(shared), new Uint8Array(shared)),
      ])
        try {
          call()
        } catch (error) {
          if (!(error instanceof Error)) throw error
        }
    }),
    { numRuns: 2000 },
  )
  addon.close(socket)
  t.throws(() => addon.send(socket, 0, new Int32Array(2), keys), { code: 'ERR_SOCKET_CLOSED' })
  t.pass('the process lives')
})

t.test('a thread may end in the middle of traffic, however it ends', { skip }, async (t) => {
  const sender = createSocket('udp4')
  t.teardown(() => sender.close())
  const endings = ['terminate', 'exit', 'throw', 'close', 'leave'] as const
  const run = async (ending: (typeof endings)[number]) => {
    const worker = new Worker(new URL('./addon-user.ts', import.meta.url), { workerData: { ending } })
    const errors: Error[] = []
    worker.on('error', (error) => errors.push(error))
    const gone = new Promise((resolve) => worker.on('exit', resolve))
    const [port] = (await once(worker, 'message')) as [number]
    const flood = setInterval(() => {
      for (let index = 0; index < 50; index++) sender.send('a datagram', port, '127.0.0.1', () => {})
    }, 1)
    if (ending === 'terminate') setTimeout(() => void worker.terminate(), 10)
    await gone
    clearInterval(flood)
    t.equal(errors.length, ending === 'throw' ? 1 : 0, ending)
  }
  await Promise.all(endings.map(run))
})

t.test('without a compiler the install reports it and succeeds', async (t) => {
  const { status, stdout } = spawnSync(process.execPath, ['bin/compile-udp.js'], {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  t.equal(status, 0)
  t.match(stdout, /^No C compiler .*node:dgram\.\n$/)
  const other = process.arch === 'arm64' ? 'x64' : 'arm64'
  const cross = spawnSync(process.execPath, ['bin/compile-udp.js', other], {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  t.equal(cross.status, 0)
  t.match(cross.stdout, /^No C compiler \(gcc-(aarch64|x86-64)-linux-gnu\).*node:dgram\.\n$/, 'of another processor')
})

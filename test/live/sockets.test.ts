import t from 'tap'
import { type FrameFate, Outbox, socketBytesMax, waitingFramesMax } from '../../src/live/sockets.ts'
import { FakeSocket } from './fake-socket.ts'

function outboxOf(socket: FakeSocket) {
  const fates: FrameFate[] = []
  let stuck = 0
  const outbox = new Outbox(
    socket,
    () => stuck++,
    (fate) => fates.push(fate),
  )
  return { outbox, fates, stuck: () => stuck, fatesOf: (fate: FrameFate) => fates.filter((one) => one === fate).length }
}

t.test('frames leave at once and are numbered', async (t) => {
  const socket = new FakeSocket()
  const { outbox } = outboxOf(socket)
  outbox.push('{"type":"a"')
  outbox.push('{"type":"b"')
  t.strictSame(socket.frames(), [
    { type: 'a', seq: 1 },
    { type: 'b', seq: 2 },
  ])
})

t.test('while the socket is full, a newer frame takes the place of an older one with its key', async (t) => {
  const socket = new FakeSocket()
  const { outbox, fatesOf } = outboxOf(socket)
  socket.buffered = socketBytesMax
  outbox.push('{"type":"u","n":1', 'session:1')
  outbox.push('{"type":"u","n":9', 'session:2')
  outbox.push('{"type":"stop"')
  outbox.push('{"type":"u","n":2', 'session:1')
  t.equal(socket.texts.length, 0)
  socket.buffered = 0
  outbox.pump()
  t.strictSame(socket.frames(), [
    { type: 'u', n: 9, seq: 2 },
    { type: 'stop', seq: 3 },
    { type: 'u', n: 2, seq: 4 },
  ])
  t.equal(fatesOf('replaced'), 1)
  t.equal(outbox.waiting, 0)
  t.equal(outbox.waitingBytes, 0)
})

t.test('what waits is bounded: replaceable frames are dropped first and the client sees a gap', async (t) => {
  const socket = new FakeSocket()
  const { outbox, fatesOf, stuck } = outboxOf(socket)
  socket.buffered = socketBytesMax
  outbox.push('{"type":"payment"')
  for (let id = 0; id < 100_000; id++) {
    outbox.push('{"type":"u"', `session:${id}`)
    if (outbox.waiting > waitingFramesMax) t.fail('the queue grew')
  }
  t.equal(stuck(), 0)
  socket.buffered = 0
  outbox.pump()
  const frames = socket.frames()
  t.equal(frames[0]?.type, 'payment', 'what cannot be replaced is kept')
  t.equal(frames.at(-1)?.seq, 100_001)
  t.equal(frames.length - 1 + fatesOf('dropped'), 100_000)
  t.ok(frames.some(({ seq }, at) => at > 0 && seq > frames[at - 1]!.seq + 1))
})

t.test('a client that lets too much wait that cannot be dropped is cut, and nothing is kept for it', async (t) => {
  const socket = new FakeSocket()
  const { outbox, stuck } = outboxOf(socket)
  socket.buffered = socketBytesMax
  const body = `{"type":"payment","descr":"${'x'.repeat(10_000)}"`
  for (let n = 0; n < 500; n++) outbox.push(body)
  t.equal(stuck(), 1)
  t.equal(outbox.waitingBytes, 0)
  t.equal(outbox.waiting, 0)
  outbox.push(body)
  t.equal(outbox.waiting, 0)
})

t.test('a socket that refuses a frame is cut', async (t) => {
  const socket = new FakeSocket()
  const { outbox, stuck } = outboxOf(socket)
  socket.refuses = true
  outbox.push('{"type":"a"')
  t.equal(stuck(), 1)
})

t.test('frames wait behind one that is still being made', async (t) => {
  const socket = new FakeSocket()
  const { outbox } = outboxOf(socket)
  const fill = outbox.reserve()
  outbox.push('{"type":"event"')
  t.equal(socket.texts.length, 0)
  fill('{"type":"snapshot"')
  fill('{"type":"again"')
  t.strictSame(
    socket.frames().map(({ type }) => type),
    ['snapshot', 'event'],
  )
  t.strictSame(
    socket.frames().map(({ seq }) => seq),
    [1, 2],
  )
})

t.test('a drained socket is filled only up to its mark', async (t) => {
  const socket = new FakeSocket()
  const { outbox } = outboxOf(socket)
  socket.buffered = socketBytesMax
  for (let n = 0; n < 100; n++) outbox.push(`{"type":"x","pad":"${'y'.repeat(8000)}"`)
  socket.buffered = 0
  socket.isSlow = true
  outbox.pump()
  t.ok(socket.buffered >= socketBytesMax && socket.buffered < socketBytesMax + 9000)
  t.ok(outbox.waiting > 80)
})

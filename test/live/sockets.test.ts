import t from 'tap'
import { type FrameFate, FrameQueue, socketBytesMax, waitingFramesMax } from '../../src/live/sockets.ts'
import { FakeSocket } from './fake-socket.ts'

function queueTo(socket: FakeSocket) {
  const fates: FrameFate[] = []
  let stuck = 0
  const frames = new FrameQueue(
    socket,
    () => stuck++,
    (fate) => fates.push(fate),
  )
  return { frames, fates, stuck: () => stuck, fatesOf: (fate: FrameFate) => fates.filter((one) => one === fate).length }
}

t.test('frames leave at once and are numbered', async (t) => {
  const socket = new FakeSocket()
  const { frames } = queueTo(socket)
  frames.push('{"type":"a"')
  frames.push('{"type":"b"')
  t.strictSame(socket.frames(), [
    { type: 'a', seq: 1 },
    { type: 'b', seq: 2 },
  ])
})

t.test('frames that come until they are to leave are one write, and no more than fit', async (t) => {
  const socket = new FakeSocket()
  const leaves: (() => void)[] = []
  const fates: FrameFate[] = []
  const frames = new FrameQueue(
    socket,
    () => t.fail('it is not stuck'),
    (fate) => fates.push(fate),
    (leave) => leaves.push(leave),
  )
  frames.push('{"type":"a"')
  frames.push(`{"type":"b","text":"${'x'.repeat(socketBytesMax)}"`)
  frames.push('{"type":"c"', 'c')
  frames.push('{"type":"d"', 'c')
  t.strictSame(socket.texts, [])
  t.equal(leaves.length, 1)
  leaves.pop()!()
  t.match(socket.frames(), [{ seq: 1 }, { type: 'b', seq: 2 }])
  t.strictSame(socket.writes, [2])
  t.equal(frames.waiting, 1, 'what does not fit waits as behind a slow network')
  frames.pump()
  frames.push('{"type":"e"')
  leaves.pop()!()
  t.match(socket.frames().slice(2), [
    { type: 'd', seq: 4 },
    { type: 'e', seq: 5 },
  ])
  frames.push('{"type":"f"')
  frames.end()
  t.match(socket.frames().at(-1), { type: 'f', seq: 6 }, 'what was about to leave goes before the end')
  leaves.pop()!()
  t.equal(socket.texts.length, 5)
  t.strictSame(fates, ['replaced', 'sent', 'sent', 'sent', 'sent', 'sent'])
})

t.test('while the socket is full, a newer frame takes the place of an older one with its key', async (t) => {
  const socket = new FakeSocket()
  const { frames, fatesOf } = queueTo(socket)
  socket.bufferedBytes = socketBytesMax
  frames.push('{"type":"u","n":1', 'session:1')
  frames.push('{"type":"u","n":9', 'session:2')
  frames.push('{"type":"stop"')
  frames.push('{"type":"u","n":2', 'session:1')
  t.equal(socket.texts.length, 0)
  socket.bufferedBytes = 0
  frames.pump()
  t.strictSame(socket.frames(), [
    { type: 'u', n: 9, seq: 2 },
    { type: 'stop', seq: 3 },
    { type: 'u', n: 2, seq: 4 },
  ])
  t.equal(fatesOf('replaced'), 1)
  t.equal(frames.waiting, 0)
  t.equal(frames.waitingBytes, 0)
})

t.test('what waits is bounded: replaceable frames are dropped first and the client sees a gap', async (t) => {
  const socket = new FakeSocket()
  const { frames, fatesOf, stuck } = queueTo(socket)
  socket.bufferedBytes = socketBytesMax
  frames.push('{"type":"payment"')
  for (let id = 0; id < 100_000; id++) {
    frames.push('{"type":"u"', `session:${id}`)
    if (frames.waiting > waitingFramesMax) t.fail('the queue grew')
  }
  t.equal(stuck(), 0)
  socket.bufferedBytes = 0
  frames.pump()
  const sent = socket.frames()
  t.equal(sent[0]?.type, 'payment', 'what cannot be replaced is kept')
  t.equal(sent.at(-1)?.seq, 100_001)
  t.equal(sent.length - 1 + fatesOf('dropped'), 100_000)
  t.ok(sent.some(({ seq }, at) => at > 0 && seq > sent[at - 1]!.seq + 1))
})

t.test('a client that lets too much wait that cannot be dropped is cut, and nothing is kept for it', async (t) => {
  const socket = new FakeSocket()
  const { frames, stuck } = queueTo(socket)
  socket.bufferedBytes = socketBytesMax
  const body = `{"type":"payment","descr":"${'x'.repeat(10_000)}"`
  for (let n = 0; n < 500; n++) frames.push(body)
  t.equal(stuck(), 1)
  t.equal(frames.waitingBytes, 0)
  t.equal(frames.waiting, 0)
  frames.push(body)
  t.equal(frames.waiting, 0)
})

t.test('a socket that refuses a frame is cut', async (t) => {
  const socket = new FakeSocket()
  const { frames, stuck } = queueTo(socket)
  socket.refuses = true
  frames.push('{"type":"a"')
  t.equal(stuck(), 1)
})

t.test('frames wait behind one that is still being made', async (t) => {
  const socket = new FakeSocket()
  const { frames } = queueTo(socket)
  const fill = frames.reserve()
  frames.push('{"type":"event"')
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
  const { frames } = queueTo(socket)
  socket.bufferedBytes = socketBytesMax
  for (let n = 0; n < 100; n++) frames.push(`{"type":"x","pad":"${'y'.repeat(8000)}"`)
  socket.bufferedBytes = 0
  socket.isSlow = true
  frames.pump()
  t.ok(socket.bufferedBytes >= socketBytesMax && socket.bufferedBytes < socketBytesMax + 9000)
  t.ok(frames.waiting > 80)
})

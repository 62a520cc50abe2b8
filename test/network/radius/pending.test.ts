import t from 'tap'
import { PacketView } from '../../../src/network/radius/wire/packet.ts'
import { PendingAccounting } from '../../../src/network/radius/worker/pending.ts'
import { build } from './wire/builder.ts'

const packet = new PacketView()

/** A request of this number, and an answer as long as asked. */
function add(pending: PendingAccounting, number: number, answerBytes: number): Buffer {
  const request = build(4, number & 255, Buffer.alloc(16, number), [[44, `session ${number}`]])
  packet.reset(request)
  const source = Int32Array.of(0, 0, 1000 + number, 0, 1, 2, 3, number)
  const written = Buffer.alloc(answerBytes, number)
  pending.add(7, 3, packet, number / 8, source, 0, written, answerBytes)
  // The next answer is written into the same bytes.
  written.fill(0xff)
  return request
}

t.test('whoever waits is answered as he would have been, in any order, however many and however long', async (t) => {
  const pending = new PendingAccounting()
  const count = 3000
  const requests = Array.from({ length: count }, (_, number) => add(pending, number, 20 + (number % 300)))
  t.equal(pending.size, count)
  t.equal(pending.collected, count)
  const { tokens, nasIds, arrivedMs, ends, packets } = pending.takeBatch()
  t.equal(pending.collected, 0)
  t.equal(new Set(tokens).size, count)
  t.ok(Buffer.from(packets).equals(Buffer.concat(requests)))
  t.equal(ends.at(-1), packets.length)
  t.ok(nasIds.every((id) => id === 7))
  t.ok(arrivedMs.every((ms, number) => ms === number / 8))
  let wrong = 0
  for (let step = 0; step < count; step++) {
    const number = (step * 7) % count
    const waited = pending.take(tokens[number]!)
    if (!waited) throw new Error('a token is lost')
    const { nasSlot, source, sourceAt, bytes, at, answer, answerLength } = waited
    if (nasSlot !== 3 || source[sourceAt + 2] !== 1000 + number || source[sourceAt + 7] !== number) wrong++
    if (!requests[number]!.subarray(0, 20).equals(bytes.subarray(at, at + 20))) wrong++
    if (
      answerLength !== 20 + (number % 300) ||
      !Buffer.alloc(answerLength, number).equals(answer.subarray(0, answerLength))
    )
      wrong++
  }
  t.equal(wrong, 0)
  t.equal(pending.size, 0)
  t.equal(pending.take(tokens[0]!), null, 'a second time there is nobody')
})

t.test('a token of long ago does not name who has its place now', async (t) => {
  const pending = new PendingAccounting()
  add(pending, 1, 20)
  const [old] = pending.takeBatch().tokens
  pending.take(old!)
  add(pending, 2, 20)
  t.equal(pending.take(old!), null)
  t.equal(pending.take(-1), null)
  t.equal(pending.take(0x7fffffff), null)
  t.equal(pending.size, 1)
})

import t from 'tap'
import { Replies } from '../../../src/network/radius/worker/replies.ts'

const request = (identifier: number, mark: number) =>
  Buffer.concat([Buffer.of(1, identifier, 0, 20), Buffer.alloc(16, mark)])
const answerOf = (text: string) => Buffer.from(text)

t.test('an answer is given again for ten seconds, to the same source and authenticator only', async (t) => {
  const replies = new Replies(64, 1024)
  const asked = request(1, 7)
  t.equal(replies.find(1, 1000, asked, 0, 0), 'new')
  replies.store(1, 1000, asked, 0, 0, answerOf('answer'), 6)
  t.equal(replies.find(1, 1000, asked, 0, 9_999), 'answered')
  t.equal(replies.bytes.toString('utf8', replies.at, replies.at + replies.length), 'answer')
  t.equal(replies.find(1, 1000, asked, 0, 10_000), 'new')
  t.equal(replies.find(2, 1000, asked, 0, 0), 'new')
  t.equal(replies.find(1, 1001, asked, 0, 0), 'new')
  t.equal(replies.find(1, 1000, request(1, 8), 0, 0), 'new')
  t.equal(replies.find(1, 1000, request(2, 7), 0, 0), 'new')
})

t.test('a request in work is known as such until it is answered or dropped', async (t) => {
  const replies = new Replies(64, 1024)
  const asked = request(1, 7)
  replies.begin(1, 1000, asked, 0, 0)
  t.equal(replies.find(1, 1000, asked, 0, 20_000), 'inWork')
  t.equal(replies.find(1, 1000, asked, 0, 30_000), 'new', 'work that never ends is taken up anew')
  replies.forget(1, 1000, asked, 0)
  t.equal(replies.find(1, 1000, asked, 0, 0), 'new')
  replies.begin(1, 1000, asked, 0, 0)
  replies.store(1, 1000, asked, 0, 5, answerOf('late'), 4)
  t.equal(replies.find(1, 1000, asked, 0, 5), 'answered')
})

t.test('memory is bounded: old answers give way and are never mixed up', async (t) => {
  const replies = new Replies(64, 1024)
  let wrong = 0
  for (let index = 0; index < 5000; index++) {
    const asked = request(index & 0xff, (index * 7) & 0xff)
    const port = 1000 + (index % 300)
    const text = `answer ${index} ${'x'.repeat(index % 90)}`
    replies.store(1, port, asked, 0, index, answerOf(text), text.length)
    if (replies.find(1, port, asked, 0, index) !== 'answered') wrong++
    if (replies.bytes.toString('utf8', replies.at, replies.at + replies.length) !== text) wrong++
    const old = Math.max(0, index - (index % 40))
    const oldAsked = request(old & 0xff, (old * 7) & 0xff)
    if (replies.find(1, 1000 + (old % 300), oldAsked, 0, index) !== 'answered') continue
    if (!replies.bytes.toString('utf8', replies.at, replies.at + replies.length).startsWith(`answer ${old} `)) wrong++
  }
  t.equal(wrong, 0)
})

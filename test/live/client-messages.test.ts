import fc from 'fast-check'
import t from 'tap'
import { messageBytesMax, readClientMessage } from '../../src/live/client-messages.ts'

t.test('what a client may say', async (t) => {
  t.strictSame(readClientMessage('{"type":"ping"}'), { kind: 'ping' })
  t.strictSame(readClientMessage('{"type":"subscribe","topics":["sessions","abonent:12","sessions"]}'), {
    kind: 'subscribe',
    topics: ['sessions', 'abonent:12'],
  })
  const asked = { kind: 'subscribe', topics: ['sessions'] }
  for (const [sessions, read] of [
    [0, { ...asked, sessions: 0 }],
    [500, { ...asked, sessions: 500 }],
    [501, asked],
    [-1, asked],
    [0.5, asked],
    ['0', asked],
  ] as const)
    t.strictSame(readClientMessage(JSON.stringify({ type: 'subscribe', topics: ['sessions'], sessions })), read)
  t.strictSame(readClientMessage('{"type":"unsubscribe","topics":["radius"]}'), {
    kind: 'unsubscribe',
    topics: ['radius'],
  })
  t.strictSame(readClientMessage('{"type":"snapshot"}'), { kind: 'snapshot', topics: null })
  t.strictSame(readClientMessage('{"type":"snapshot","topics":["system"]}'), { kind: 'snapshot', topics: ['system'] })
})

t.test('what it may not', async (t) => {
  const many = Array.from({ length: 101 }, (_, id) => `abonent:${id + 1}`)
  const cases: [string, string][] = [
    ['', 'not_json'],
    ['hello', 'not_json'],
    ['null', 'not_json'],
    ['[]', 'not_json'],
    ['{}', 'unknown_type'],
    ['{"type":"drop"}', 'unknown_type'],
    ['{"type":"subscribe"}', 'bad_topics'],
    ['{"type":"subscribe","topics":[]}', 'bad_topics'],
    ['{"type":"subscribe","topics":["sessions","passwords"]}', 'bad_topics'],
    ['{"type":"subscribe","topics":["abonent:0"]}', 'bad_topics'],
    ['{"type":"subscribe","topics":["abonent:1x"]}', 'bad_topics'],
    ['{"type":"subscribe","topics":[["sessions"]]}', 'bad_topics'],
    ['{"type":"subscribe","topics":{"length":1}}', 'bad_topics'],
    [JSON.stringify({ type: 'subscribe', topics: many }), 'bad_topics'],
    [`{"type":"ping","pad":"${'x'.repeat(messageBytesMax)}"}`, 'too_long'],
  ]
  for (const [text, fault] of cases) t.strictSame(readClientMessage(text), { kind: 'wrong', fault }, text.slice(0, 60))
})

t.test('no message of a client makes the reader throw', async () => {
  fc.assert(fc.property(fc.string(), (text) => Boolean(readClientMessage(text))))
  fc.assert(fc.property(fc.json(), (text) => Boolean(readClientMessage(text))))
  fc.assert(
    fc.property(fc.anything(), (topics) => {
      let text = '{'
      try {
        text = JSON.stringify({ type: 'subscribe', topics }) ?? '{'
      } catch {}
      return Boolean(readClientMessage(text))
    }),
  )
})

import t from 'tap'
import { createLog } from '../../src/platform/log.ts'

const line = (pretty: boolean, fields: Record<string, unknown>, message = 'A sign-in failed') => {
  let written = ''
  createLog({
    pretty,
    write: (text) => {
      written += text
    },
  }).info(message, fields)
  return written
}

t.test('texts from outside are cut, at any depth', async (t) => {
  const long = 'x'.repeat(10_000)
  for (const pretty of [true, false]) {
    const written = line(pretty, { name: long, nested: { list: [long] } })
    t.equal(
      written.match(/x+/g)?.every((run) => run.length === 200),
      true,
    )
    t.match(written, '(10000 characters)', 'the reader sees that something is missing')
  }
})

t.test('nothing in a line drives a terminal, starts another line or turns the text around', async (t) => {
  const hostile = 'a\x1b[31m\u009b2J\r\nb\u202ec\u2028d\ud800\x7f'
  for (const pretty of [true, false]) {
    const written = line(pretty, { name: hostile, nested: { name: hostile } }, `Said: ${hostile}`)
    t.notMatch(written.slice(0, -1), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    t.match(written, '[31m', 'what can be read is kept')
  }
  t.equal(
    JSON.parse(line(false, { name: hostile })).name,
    'a\\u{1b}[31m\\u{9b}2J\\u{d}\nb\\u{202e}c\\u{2028}d\\u{d800}\\u{7f}',
  )
})

t.test('an error keeps its stack, and a secret is never shown', async (t) => {
  const error = Object.assign(new Error('y'.repeat(300)), { code: 'E1' })
  const written = JSON.parse(line(false, { error, password: 'hidden', count: 5n }))
  t.equal(written.error.message, 'y'.repeat(300))
  t.equal(written.error.code, 'E1')
  t.match(written.error.stack, 'log.test.ts')
  t.equal(written.password, '***')
  t.equal(written.count, '5')
  t.match(line(true, { count: 5n, nothing: undefined, known: null }), 'count="5" nothing=undefined known=null')
})

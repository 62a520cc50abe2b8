import t from 'tap'
import { csvFile, csvStream } from '../../../src/platform/http/downloads.ts'

t.test('a file begins with a byte order mark, made at once or while it is sent', async (t) => {
  const whole = csvFile('a.csv', Buffer.from('x\r\n'))
  t.same(whole.body, Buffer.from('\ufeffx\r\n'))
  const sent = csvStream(
    'a.csv',
    (async function* () {
      yield 'x\r\n'
      yield 'y\r\n'
    })(),
  )
  const pieces: Uint8Array[] = []
  for await (const piece of sent.body as AsyncIterable<string | Uint8Array>) pieces.push(Buffer.from(piece))
  t.same(Buffer.concat(pieces), Buffer.from('\ufeffx\r\ny\r\n'))
  t.same({ ...sent, body: null }, { ...whole, body: null })
})

import t from 'tap'
import { csvFile, csvLine, csvStream, plainText } from '../../../src/platform/formats/csv.ts'

t.test('a line quotes what needs quotes', async (t) => {
  t.equal(
    csvLine(['a', 1, 2n, true, null, 'x;y', 'say "hi"', ' edge', 'two\nlines']),
    'a;1;2;true;;"x;y";"say ""hi""";" edge";"two\nlines"\r\n',
  )
})

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

t.test('a text is no formula, a number stays one', async (t) => {
  for (const text of ['=1+1', '@SUM(A1)', '+cmd|x', '-2+3', '\t=1', '\r=1', '\n=1', '＝1', '＠A', '-'])
    t.equal(plainText(text), `'${text}`, JSON.stringify(text))
  for (const text of ['-12.50', '+79001234567', '-1,5', 'Иванов', '', ' =1', "'=1"])
    t.equal(plainText(text), text, text)
  t.equal(plainText(null), null)
})

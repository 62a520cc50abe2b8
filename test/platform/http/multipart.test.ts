import fc from 'fast-check'
import t from 'tap'
import { sentFile } from '../../../src/platform/http/multipart.ts'

const call = (type: string, body: Uint8Array) => ({
  header: (name: string) => (name === 'content-type' ? type : ''),
  body: Buffer.from(body),
})
const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019_-'), minLength: 1, maxLength: 70 })
/** Bytes that look like what separates parts. */
const bytes = fc
  .array(fc.oneof(fc.constantFrom('\r\n', '--', '\r\n--', '\r\n\r\n', 'a', 'Content-Disposition:'), fc.string()))
  .map((pieces) => Buffer.from(pieces.join('')))

t.test('a file is read as it was written, whatever parts stand before it', async () => {
  const name = fc.string({ unit: fc.constantFrom('a', '.', 'ж', ';', '=', ' ', '\\'), minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(word, name, bytes, fc.array(bytes, { maxLength: 5 }), (boundary, name, content, fields) => {
      const delimiter = `\r\n--${boundary}`
      fc.pre([content, ...fields].every((part) => !part.includes(`--${boundary}`)))
      const part = (head: string, body: Buffer) =>
        Buffer.concat([Buffer.from(`${delimiter}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), body])
      const body = Buffer.concat([
        ...fields.map((field) => part('name="x"', field)),
        part(`name="file"; filename="${name}"`, content),
        Buffer.from(`${delimiter}--\r\n`),
      ]).subarray(2)
      const read = sentFile(call(`multipart/form-data; boundary="${boundary}"`, body))
      return read !== null && read.name === name && read.content.equals(content)
    }),
    { numRuns: 300, seed: 7 },
  )
})

t.test('any other bytes are read or refused, and nothing beyond them', async () => {
  fc.assert(
    fc.property(word, bytes, fc.nat(200), fc.nat(255), (boundary, rest, at, value) => {
      const body = Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n--${boundary}`),
        rest,
      ])
      body[at % body.length] = value
      const read = sentFile(call(`multipart/form-data; boundary=${boundary}`, body))
      return read === null || body.includes(read.content)
    }),
    { numRuns: 500, seed: 8 },
  )
})

t.test('a type without a boundary, and a body that does not begin with it, have no file', async (t) => {
  const body = Buffer.from('--x\r\nContent-Disposition: form-data; filename=a\r\n\r\nb\r\n--x--\r\n')
  t.match(sentFile(call('multipart/form-data; boundary=x', body)), { name: 'a' })
  for (const type of ['', 'multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""'])
    t.equal(sentFile(call(type, body)), null, type)
  t.equal(sentFile(call('multipart/form-data; boundary=y', body)), null)
})

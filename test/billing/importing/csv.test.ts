import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { CsvReader, type CsvRecord, type Delimiter, detectDelimiter } from '../../../src/billing/importing/csv.ts'

const records = (text: string, delimiter: Delimiter = ','): CsvRecord[] => {
  const reader = new CsvReader(delimiter)
  return [...reader.push(text), ...reader.end()]
}

const readings: [what: string, text: string, read: CsvRecord[]][] = [
  ['the last line may lack its end', 'a,b\nc,d', [line(1, 'a', 'b'), line(2, 'c', 'd')]],
  ['CRLF', 'a,b\r\nc,"d"\r\n', [line(1, 'a', 'b'), line(2, 'c', 'd')]],
  ['CRLF at the very end of a quoted field', 'a,"b"\r', [line(1, 'a', 'b')]],
  ['empty lines are counted and left out', 'a\n\n\r\nb\n', [line(1, 'a'), line(4, 'b')]],
  ['empty fields are fields', ',,\n"",\n', [line(1, '', '', ''), line(2, '', '')]],
  ['a quoted field holds delimiters and quotes', '"a,b","say ""hi"""\n', [line(1, 'a,b', 'say "hi"')]],
  ['a quote inside a bare field is a character', 'OOO "Romashka",b\n', [line(1, 'OOO "Romashka"', 'b')]],
  ['a line break in quotes belongs to the field', '"a\nb",c\nd,e\n', [line(1, 'a\nb', 'c'), line(3, 'd', 'e')]],
  ['text behind the closing quote costs its line', '"a"b,c\nd,e\n', [fault(1, 'textAfterQuote'), line(2, 'd', 'e')]],
  [
    'a quote that is never closed costs its line',
    'a,b\n"c,d\ne,f\ng,h\n',
    [line(1, 'a', 'b'), fault(2, 'quoteNotClosed'), line(3, 'e', 'f'), line(4, 'g', 'h')],
  ],
]

function line(number: number, ...fields: string[]): CsvRecord {
  return { line: number, fields }
}

function fault(number: number, fault: Extract<CsvRecord, { fault: string }>['fault']): CsvRecord {
  return { line: number, fault }
}

for (const [what, text, read] of readings) t.test(what, async (t) => t.strictSame(records(text), read))

t.test('a forgotten quote in a long file is noticed before the file ends', async (t) => {
  const rest = Array.from({ length: 20_000 }, (_, n) => `line ${n},x\n`)
  const read = records(`a,b\n"c,d\n${rest.join('')}`)
  t.strictSame(read.slice(0, 3), [line(1, 'a', 'b'), fault(2, 'recordTooLong'), line(3, 'line 0', 'x')])
  t.equal(read.length, 20_002)
})

t.test('a line that is too long is skipped alone, and lines are counted on', async (t) => {
  const reader = new CsvReader(',')
  const read = [...reader.push('a\n')]
  for (let piece = 0; piece < 5; piece++) read.push(...reader.push('x'.repeat(50_000)))
  read.push(...reader.push('x\nb\n'), ...reader.end())
  t.strictSame(read, [line(1, 'a'), fault(2, 'recordTooLong'), line(3, 'b')])
  const whole = records(`a\n${'x'.repeat(250_000)}\nb\n`)
  t.strictSame(whole, read)
})

t.test('the delimiter is the one that occurs more often in the header', async (t) => {
  t.equal(detectDelimiter('contract_number;name'), ';')
  t.equal(detectDelimiter('contract_number,name'), ',')
  t.equal(detectDelimiter('name'), ',')
  t.equal(detectDelimiter('"a;b;c",name'), ',')
})

t.test('the pieces a file comes in do not matter', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ж'), maxLength: 60 })
  fc.assert(
    fc.property(text, fc.array(fc.nat(10)), (text, sizes) => {
      const reader = new CsvReader(',')
      const read: CsvRecord[] = []
      let at = 0
      for (const size of sizes) {
        read.push(...reader.push(text.slice(at, at + size)))
        at += size
      }
      read.push(...reader.push(text.slice(at)), ...reader.end())
      return isDeepStrictEqual(read, records(text))
    }),
    { numRuns: 500 },
  )
})

t.test('any records written as RFC 4180 says are read back unchanged', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ';', '\n', '\r', ' ', 'ж') })
  // A record of more than ten lines is a fault, see the next test.
  const row = fc
    .array(field, { minLength: 2, maxLength: 4 })
    .filter((fields) => fields.join('').split('\n').length <= 10)
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(';')).join('\r\n')
      const read = records(text, ';').map((record) => ('fields' in record ? record.fields : record.fault))
      return isDeepStrictEqual(read, rows)
    }),
    { numRuns: 300 },
  )
})

t.test('quotes that never fit cost each line its own reading, not one of the whole rest', async (t) => {
  const lines = 200_000
  const read = records('a","b\n'.repeat(lines))
  t.equal(read.length, lines)
  t.strictSame(read[0], fault(1, 'recordTooLong'))
  t.strictSame(read.at(-1), fault(lines, 'quoteNotClosed'))
})

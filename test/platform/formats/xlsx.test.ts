import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import t from 'tap'
import { type SheetColumn, type SheetRow, workbook } from '../../../src/platform/formats/xlsx.ts'

const columns: readonly SheetColumn[] = [
  { title: 'Операция', kind: 'whole', width: 10 },
  { title: 'Сумма', kind: 'amount', width: 12 },
  { title: 'Когда', kind: 'moment', width: 18 },
  { title: 'Текст', kind: 'text', width: 40 },
]

async function bytesOf(batches: AsyncIterable<readonly SheetRow[]>, options = {}): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of workbook('Лист & <1>', columns, batches[Symbol.asyncIterator](), options))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

/** The parts of a ZIP by name, read by its central directory. */
function partsOf(zip: Buffer): Map<string, string> {
  const parts = new Map<string, string>()
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [packed, nameLength] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)]
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const body = zip.subarray(begin, begin + packed)
    parts.set(
      zip.toString('utf8', at + 46, at + 46 + nameLength),
      (zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(body) : body).toString(),
    )
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return parts
}

async function* batchesOf(...batches: SheetRow[][]) {
  yield* batches
}

t.test('cells are typed, Cyrillic is whole, and nothing is a formula', async (t) => {
  const parts = partsOf(
    await bytesOf(
      batchesOf([
        ['1', '-12.50', '46000.5', 'Привет'],
        [null, null, null, null],
        ['2', '922000000.99', '46000', '=1+1 & <b> "x" \u0001\ufffe\ud800 😀\r\n_x0041_'],
      ]),
    ),
  )
  t.same([...parts.keys()].sort(), [
    '[Content_Types].xml',
    '_rels/.rels',
    'xl/_rels/workbook.xml.rels',
    'xl/styles.xml',
    'xl/workbook.xml',
    'xl/worksheets/sheet1.xml',
  ])
  const sheet = parts.get('xl/worksheets/sheet1.xml')!
  t.match(
    sheet,
    '<row><c s="4"><v>1</v></c><c s="3"><v>-12.50</v></c><c s="2"><v>46000.5</v></c><c t="inlineStr"><is><t xml:space="preserve">Привет</t></is></c></row>',
  )
  t.match(sheet, '<row><c/><c/><c/><c/></row>')
  t.match(sheet, '<c s="5" t="inlineStr"><is><t xml:space="preserve">=1+1')
  t.match(sheet, '=1+1 &amp; &lt;b&gt; &quot;x&quot; \ufffd 😀\n_x005F_x0041_<')
  t.notMatch(sheet, /<f>/)
  t.match(sheet, 'xml:space="preserve">Сумма<')
  t.match(parts.get('xl/workbook.xml'), 'name="Лист &amp; &lt;1&gt;"')
})

t.test('rows that do not fit one sheet continue on the next, each with the titles', async (t) => {
  const row = (n: number): SheetRow => [String(n), null, null, null]
  const rows = (count: number, from = 0) => Array.from({ length: count }, (_, at) => row(from + at))
  for (const [count, sheets] of [
    [0, 1],
    [8, 2],
    [9, 3],
  ] as const) {
    const parts = partsOf(await bytesOf(batchesOf(...(count > 0 ? [rows(3), rows(count - 3, 3)] : [])), { rowsMax: 5 }))
    const all = [...parts].filter(([name]) => name.startsWith('xl/worksheets/')).map(([, xml]) => xml)
    t.equal(all.length, sheets)
    t.equal(parts.get('xl/workbook.xml')!.match(/<sheet /g)!.length, sheets)
    t.equal(parts.get('[Content_Types].xml')!.match(/sheet\d\.xml/g)!.length, sheets)
    const numbers = all.flatMap((xml) => [...xml.matchAll(/<v>(\d+)<\/v>/g)].map(([, n]) => Number(n)))
    t.same(
      numbers,
      Array.from({ length: count }, (_, at) => at),
    )
    for (const xml of all) t.match(xml, 'Операция')
  }
})

t.test('a text longer than a cell is cut', async (t) => {
  const parts = partsOf(await bytesOf(batchesOf([['1', null, null, 'ы'.repeat(40_000)]])))
  t.equal(parts.get('xl/worksheets/sheet1.xml')!.match(/ы/g)!.length, 32_767)
})

t.test('rows are asked for only as fast as the bytes are read, and their error is that of the stream', async (t) => {
  let asked = 0
  let isEnded = false
  async function* endless(): AsyncGenerator<SheetRow[]> {
    try {
      // Noise, which does not become small: a reader is soon behind.
      for (; ; asked++)
        yield Array.from({ length: 100 }, (_, at) => [
          '1',
          null,
          null,
          createHash('sha512').update(`${asked}:${at}`).digest('base64'),
        ])
    } finally {
      isEnded = true
    }
  }
  const stream = workbook('x', columns, endless())
  const iterator = stream[Symbol.asyncIterator]()
  await iterator.next()
  for (let quiet = 0, seen = -1; quiet < 200; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (seen !== asked || asked === 0) quiet = 0
    seen = asked
  }
  t.ok(asked < 2000, `${asked} batches for one piece`)
  await iterator.return?.()
  while (!isEnded) await new Promise((resolve) => setImmediate(resolve))

  async function* failing(): AsyncGenerator<SheetRow[]> {
    yield [['1', null, null, null]]
    throw new Error('the connection is gone')
  }
  await t.rejects(bytesOf(failing()), { message: 'the connection is gone' })
})

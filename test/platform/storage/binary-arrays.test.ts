import fc from 'fast-check'
import t from 'tap'
import { binaryArrays, type Column, unnested } from '../../../src/platform/storage/binary-arrays.ts'
import { testDatabase } from '../../support/database.ts'

const { database } = await testDatabase(t)

type Row = {
  int4: number | null
  int8: number | bigint | null
  float8: number | null
  bool: boolean | null
  text: string | null
  moment: Date | number | null
  bytes: string | null
}

const columns: Readonly<Record<keyof Row, Column<Row>>> = {
  int4: { type: 'int4', of: (row) => row.int4 },
  int8: { type: 'int8', of: (row) => row.int8 },
  float8: { type: 'float8', of: (row) => row.float8 },
  bool: { type: 'bool', of: (row) => row.bool },
  text: { type: 'text', of: (row) => row.text },
  moment: { type: 'timestamptz', of: (row) => row.moment },
  bytes: { type: 'bytea', of: (row) => row.bytes },
}

const nothing: Row = { int4: null, int8: null, float8: null, bool: null, text: null, moment: null, bytes: null }
const millisecondsOf = (moment: Date | number) => (typeof moment === 'number' ? moment : moment.getTime())

/** A row as PostgreSQL read it, in texts that lose nothing. */
const selected = `int4, int8::text, float8, bool, text,
  (extract(epoch FROM moment) * 1000)::int8::text AS moment, encode(bytes, 'hex') AS bytes`

const expected = (row: Row) => ({
  ...row,
  int8: row.int8 === null ? null : `${row.int8}`,
  moment: row.moment === null ? null : `${millisecondsOf(row.moment)}`,
})

async function readBack(rows: readonly Row[]): Promise<unknown[]> {
  const values = binaryArrays((arrays) => arrays.columns(rows, Object.values(columns)))
  const text = `SELECT ${selected} FROM ${unnested(columns)} WITH ORDINALITY AS a(${Object.keys(columns)}, ord) ORDER BY ord`
  return (await database.pool.query(text, values)).rows
}

const year = (n: number) => Date.UTC(n, 0, 1)
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const int8 = fc.oneof(
  fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
)
const ms = fc.integer({ min: year(1800), max: year(9999) })
const anyRow: fc.Arbitrary<Row> = fc.record({
  int4: orNull(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  int8: orNull(int8),
  float8: orNull(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0))),
  bool: orNull(fc.boolean()),
  text: orNull(
    fc
      .oneof(fc.string({ maxLength: 70 }), fc.string({ unit: 'grapheme', maxLength: 70 }))
      .map((text) => text.replaceAll('\0', '')),
  ),
  moment: orNull(
    fc.oneof(
      ms,
      ms.map((value) => new Date(value)),
    ),
  ),
  bytes: orNull(fc.uint8Array({ maxLength: 40 }).map((octets) => Buffer.from(octets).toString('hex'))),
})

t.test('PostgreSQL reads what was written', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 100 }), async (rows) => {
      // A row without nulls keeps a column of nothing but nulls from becoming shorter than the others.
      t.same(await readBack(rows.concat(edge)), rows.concat(edge).map(expected))
    }),
    { numRuns: 30 },
  )
})

const edge: Row = { int4: 0, int8: 2n ** 63n - 1n, float8: 0.1, bool: true, text: '', moment: year(9999), bytes: '' }

t.test('a column of nothing but nulls is an empty array, which unnest of several fills up', async (t) => {
  const rows = [
    { ...nothing, int4: 1 },
    { ...nothing, int4: 2 },
  ]
  t.same(await readBack(rows), rows)
})

t.test('no rows are empty arrays', async (t) => {
  t.same(await readBack([]), [])
})

t.test('a text as long as a document keeps its bytes', async (t) => {
  const text = 'Ж€𝄞x'.repeat(50_000)
  t.same(await readBack([{ ...edge, text }]), [expected({ ...edge, text })])
})

t.test('rows of a composite type', async (t) => {
  await database.pool.query(
    'CREATE TYPE thing AS (int4 int4, int8 int8, float8 float8, bool bool, text text, moment timestamptz, bytes bytea)',
  )
  const { rows: types } = await database.pool.query<{ oid: number }>(`SELECT 'thing'::regtype::oid AS oid`)
  const rows = [edge, nothing, { ...edge, text: 'Ж', int8: -1 }]
  const values = binaryArrays((arrays) => arrays.rows(rows, Number(types[0]!.oid), Object.values(columns)))
  const read = await database.pool.query(`SELECT ${selected} FROM unnest($1::thing[]) AS g`, values)
  t.same(read.rows, rows.map(expected))
})

t.test('a value that does not fit is refused, and leaves nothing behind', async (t) => {
  for (const wrong of [
    { int4: 2 ** 31 },
    { int4: 0.5 },
    { int8: 2n ** 63n },
    { int8: 0.5 },
    { moment: new Date(NaN) },
  ]) {
    const write = () => binaryArrays((arrays) => arrays.columns([edge, { ...edge, ...wrong }], Object.values(columns)))
    t.throws(write, { code: '22003' })
  }
  t.same(await readBack([edge]), [expected(edge)])
})

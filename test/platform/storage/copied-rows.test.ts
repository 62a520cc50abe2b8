import type { Socket } from 'node:net'
import t from 'tap'
import { type CopiedFields, copiedRows } from '../../../src/platform/storage/copied-rows.ts'
import { asUnavailable } from '../../../src/platform/storage/database.ts'
import { testDatabase } from '../../support/database.ts'

const { database } = await testDatabase(t)
const { pool } = database
const patienceMs = 60_000

const columns = (fields: CopiedFields) => ({
  int4: fields.int(),
  int8: fields.int(),
  float8: fields.float(),
  bool: fields.bool(),
  text: fields.text(),
})

t.test('rows arrive as they are, with NULL, negative and large numbers, and texts of every kind', async (t) => {
  const rows = [
    { int4: 1, int8: 2, float8: 0.5, bool: true, text: 'plain' },
    { int4: -1, int8: -1, float8: -1e300, bool: false, text: '' },
    { int4: 2 ** 31 - 1, int8: Number.MAX_SAFE_INTEGER, float8: 0, bool: true, text: 'Пётр\t\\N\n😀' },
    { int4: -(2 ** 31), int8: -(2 ** 32), float8: 1, bool: null, text: 'x'.repeat(100_000) },
    { int4: null, int8: null, float8: null, bool: null, text: null },
  ]
  const select = `SELECT int4, int8, float8, bool, text
    FROM json_to_recordset('${JSON.stringify(rows)}') AS r(int4 int4, int8 int8, float8 float8, bool bool, text text)`
  const copied = await copiedRows(pool, select, columns, patienceMs)
  t.strictSame([...copied], rows)
  t.strictSame([...copied], rows, 'they can be read again')
  t.strictSame([copied.length, copied.last()], [rows.length, rows.at(-1)])
  const none = await copiedRows(pool, `${select} WHERE false`, columns, patienceMs)
  t.strictSame([...none], [])
  t.strictSame([none.length, none.last()], [0, null])
})

t.test('more rows than one packet of the network holds', async (t) => {
  const one = (fields: CopiedFields) => [fields.int(), fields.text()]
  const rows = await copiedRows(
    pool,
    `SELECT n::int4, repeat('x', n % 50) FROM generate_series(1, 20000) AS n`,
    one,
    patienceMs,
  )
  t.equal(rows.length, 20_000)
  t.ok([...rows].every(([n, text], index) => n === index + 1 && text === 'x'.repeat((index + 1) % 50)))
})

t.test('a refused statement, a broken connection and a silent server reject, and the next one is read', async (t) => {
  const one = (fields: CopiedFields) => fields.int()
  const read = (select: string, timeoutMs = patienceMs) => copiedRows(pool, select, one, timeoutMs)
  await t.rejects(read('SELECT nothing'), { code: '42703' })
  await t.rejects(read('SELECT 1 / (n - 3000) FROM generate_series(1, 5000) AS n'), { code: '22012' })
  const isUnavailable = (select: string, timeoutMs?: number) =>
    read(select, timeoutMs).then(
      () => false,
      (error) => asUnavailable(error) !== null,
    )
  t.ok(await isUnavailable('SELECT pg_terminate_backend(pg_backend_pid())::int4'))
  t.ok(await isUnavailable('SELECT 1 FROM pg_sleep(600)', 20))
  pool.once('acquire', (client) => {
    const { connection } = client as unknown as { connection: { stream: Socket } }
    setImmediate(() => connection.stream.destroy())
  })
  t.ok(await isUnavailable('SELECT 1 FROM pg_sleep(600)'))
  t.strictSame([...(await read('SELECT 7'))], [7])
})

t.test('whole numbers beyond those that a number holds', async (t) => {
  const select = `SELECT n FROM unnest('{9223372036854775807, -9223372036854775808, 0, NULL}'::int8[]) AS n`
  const copied = await copiedRows(pool, select, (fields) => fields.bigint(), patienceMs)
  t.strictSame([...copied], [2n ** 63n - 1n, -(2n ** 63n), 0n, null])
})

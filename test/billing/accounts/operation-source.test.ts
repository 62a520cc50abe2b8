import fc from 'fast-check'
import t from 'tap'
import { isOfSourceSql, markedSql, sourceSql } from '../../../src/billing/accounts/operation-source.ts'
import { type OperationSource, operationSources, sourceOf } from '../../../src/domain/operation-source.ts'
import { testDatabase } from '../../support/database.ts'

const { database } = await testDatabase(t)

/** A row as the table would hold it; dates in microseconds. */
type Row = {
  operator_name: string | null
  descr: string | null
  code1c: string | null
  usluga_id: number | null
  op_type_id: number
  op_date: bigint
  system_date: bigint
}

const columns = `operator_name text, descr text, code1c text, usluga_id int8, op_type_id int8, op_date int8, system_date int8`
const moment = (column: string) => `timestamptz 'epoch' + ${column} * interval '1 microsecond'`
const source = `(SELECT operator_name, descr, code1c, usluga_id, op_type_id, ${moment('op_date')} AS op_date,
    ${moment('system_date')} AS system_date, ordinality
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (${columns})) WITH ORDINALITY) AS row`

async function inSql<Value>(expression: string, rows: readonly Row[]): Promise<Value[]> {
  const text = `SELECT ${expression} AS value FROM ${source} ORDER BY ordinality`
  const json = JSON.stringify(
    rows.map((row) => ({ ...row, op_date: `${row.op_date}`, system_date: `${row.system_date}` })),
  )
  return (await database.pool.query<{ value: Value }>(text, [json])).rows.map(({ value }) => value)
}

const factsOf = (row: Row) => ({
  operatorName: row.operator_name,
  descr: row.descr,
  code1c: row.code1c,
  uslugaId: row.usluga_id,
  typeId: row.op_type_id,
  movedAt: row.op_date,
  recordedAt: row.system_date,
})

const now = 1_800_000_000_000_000n

const plain: Row = {
  operator_name: null,
  descr: null,
  code1c: null,
  usluga_id: null,
  op_type_id: 23,
  op_date: now,
  system_date: now,
}

const cases: readonly [OperationSource, string, Partial<Row>][] = [
  ['gwa', 'by name', { operator_name: 'gwa' }],
  ['gwa', 'by name in any case', { operator_name: ' GWA ' }],
  ['gwa', 'by the mark where no operator is named', { descr: 'Payment [txn:15]', operator_name: '' }],
  ['other', 'a mark says nothing beside another name', { descr: '[txn:15]', operator_name: 'terminal' }],
  ['other', 'a mark without an id', { descr: '[txn:] [txn: 5] [txn:5' }],
  ['gwb', 'by name', { operator_name: 'gwb', descr: '[txn:15]' }],
  ['gwb', 'a wallet', { operator_name: 'Some Wallet One' }],
  ['bank', 'by name', { operator_name: 'bank', descr: '[txn:15]' }],
  ['bank', 'by the mark', { descr: 'Row [bank_op:7]', operator_name: 'someone' }],
  ['gwa', 'a txn goes before a row of the bank', { descr: '[bank_op:7][txn:1]' }],
  ['legacy', 'by the beginning', { descr: '[legacy] opening', op_type_id: 7 }],
  ['manual', 'not in the middle', { descr: 'was [legacy]', op_type_id: 7 }],
  ['legacy', 'an accounting document of before', { code1c: 'A-1', op_date: now - 1n, usluga_id: 30353 }],
  ['manual', 'an accounting document of now', { code1c: 'A-1', op_type_id: 9 }],
  ['manual', 'of before, without a document', { code1c: '', op_date: now - 1n, op_type_id: 9 }],
  ['promise', 'before type 31 means a charge', { usluga_id: 30353, op_type_id: 31 }],
  ['promise', 'prepay', { usluga_id: -4 }],
  ['promise', 'postpay', { usluga_id: -3, op_type_id: 7 }],
  ['monthly', 'another service', { usluga_id: 5, op_type_id: 3 }],
  ['monthly', 'type 31', { op_type_id: 31 }],
  ['monthly', 'type 32', { op_type_id: 32, descr: 'Смена тарифа' }],
  ['manual', 'type 7', { op_type_id: 7, descr: 'Смена тарифа: a → b' }],
  ['tariff_change', 'by the beginning', { op_type_id: 33, descr: 'Смена тарифа: a → b' }],
  ['other', 'in another case', { op_type_id: 33, descr: 'смена тарифа' }],
  ['other', 'a cash desk', { op_type_id: 40 }],
]

t.test('the source of an operation, in the order of the rules', async (t) => {
  const found = await inSql<string>(
    sourceSql('row'),
    cases.map(([, , row]) => ({ ...plain, ...row })),
  )
  for (const [at, [expected, name, row]] of cases.entries()) {
    t.equal(sourceOf(factsOf({ ...plain, ...row })), expected, `${expected}: ${name}`)
    t.equal(found[at], expected, `${expected} in SQL: ${name}`)
  }
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        ...[
          '[txn:',
          '[bank_op:',
          '[TXN:',
          ']',
          '[',
          '1',
          'a b',
          '\n',
          '\t',
          '\u00a0',
          'İ',
          'К',
          ' ',
          '[legacy]',
          'Смена тарифа',
        ],
        ...['\\', "'", '5]', 'ы]', '\u2028'],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
)
const operatorName = fc.oneof(
  text,
  fc.constantFrom(
    'gwa',
    'GWA',
    ' gwa',
    'gwa ',
    'gwb',
    'gwB',
    'bank',
    'BANK ',
    'wallet',
    'WALLET',
    'my Wallet 1',
    '  ',
    '\tgwa',
    'waİlet',
    'ｇwa',
  ),
)
const row: fc.Arbitrary<Row> = fc.record({
  operator_name: fc.option(operatorName.filter((name) => !name.includes('\0'))),
  descr: fc.option(text.filter((descr) => !descr.includes('\0'))),
  code1c: fc.option(fc.constantFrom('', ' ', 'A-1')),
  usluga_id: fc.option(fc.constantFrom(30353, -3, -4, 5, 0)),
  op_type_id: fc.constantFrom(3, 7, 9, 23, 24, 31, 32, 33, 40, 100),
  op_date: fc.constantFrom(now, now - 1n, now + 1n, now - 86_400_000_000n),
  system_date: fc.constant(now),
})

t.test('the function, the SQL expression and the filters agree on any operation', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 100, maxLength: 200 }), async (rows) => {
      const computed = rows.map((one) => sourceOf(factsOf(one)))
      t.strictSame(await inSql(sourceSql('row'), rows), computed)
      for (const source of operationSources) {
        const matching = await inSql<boolean>(isOfSourceSql('row', source), rows)
        t.strictSame(
          matching,
          computed.map((one) => one === source),
          source,
        )
      }
    }),
    { numRuns: 25 },
  )
})

t.test('the id of a mark', async (t) => {
  const rows = ['Row [bank_op:7a]!', '[bank_op:]', '[bank_op:1] [bank_op:2]'].map((descr) => ({ ...plain, descr }))
  t.strictSame(await inSql(markedSql('row', 'bank_op'), rows), ['7a', null, '1'])
})

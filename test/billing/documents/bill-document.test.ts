import t from 'tap'
import { findBill, readBillName } from '../../../src/billing/documents/bill-document.ts'
import type { Month } from '../../../src/domain/calendar.ts'
import { formatRubles } from '../../../src/domain/money.ts'
import { testDatabase } from '../../support/database.ts'

const { database } = await testDatabase(t)
const { pool } = database
await pool.query(
  'INSERT INTO admin_accounts (id, ostatok, debit, credit) VALUES (1, 2500000000000, 12000000000000, 9500000000000)',
)
await pool.query(
  `INSERT INTO abonents (id, name, contract_number, account_id) VALUES (7, 'Иван', '0007', 1), (8, 'Пётр', '7', 1)`,
)

const moved = async (at: string, rubles: number, more: { descr?: string; isbuhdoc?: boolean; type?: number } = {}) => {
  await pool.query(
    `INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id, descr, isbuhdoc)
      VALUES ($1, $2, $3, 7, 1, $4, $5)`,
    [at, `${rubles}0000000000`, more.type ?? (rubles > 0 ? 7 : 9), more.descr ?? null, more.isbuhdoc ?? true],
  )
}
await moved('2026-09-30T20:59:59Z', 1000)
// Already October in Moscow.
await moved('2026-09-30T21:00:00Z', -600, { type: 32, descr: 'Абонентская плата [txn:5] за октябрь' })
await moved('2026-10-15T12:00:00Z', 200)
await moved('2026-10-16T12:00:00Z', 0, { type: 33, descr: 'Смена тарифа: А → Б' })
await moved('2026-10-17T12:00:00Z', 0, { type: 33, isbuhdoc: false })
await moved('2026-10-31T20:59:59Z', -50, { isbuhdoc: false })
await moved('2026-10-31T21:00:00Z', -300)

const bill = (contract: string, month: string, timeZone = 'Europe/Moscow') =>
  findBill(pool, {
    contract,
    abonent: null,
    month: month as Month,
    visible: null,
    timeZone,
    now: new Date('2026-11-21T10:00:00Z'),
  })
const sums = (found: Awaited<ReturnType<typeof bill>>) =>
  found && [found.opening, found.charged, found.received, found.closing].map(formatRubles)

t.test('days and months are those of TIME_ZONE', async (t) => {
  t.same(sums(await bill('0007', '2026-10')), ['1000.00', '650.00', '200.00', '550.00'])
  t.same(sums(await bill('0007', '2026-10', 'UTC')), ['400.00', '350.00', '200.00', '250.00'])
})

t.test('a month that begins with an hour that comes twice begins with the first of them', async (t) => {
  await pool.query('INSERT INTO admin_accounts (id, ostatok, debit, credit) VALUES (2, 0, 0, 0)')
  await pool.query(`INSERT INTO abonents (id, name, contract_number, account_id) VALUES (11, 'Хуан', '0011', 2)`)
  await pool.query(`INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id)
    VALUES ('2026-11-01T04:30:00Z', 0, 7, 11, 2)`)
  const linesOf = async (month: string) => (await bill('0011', month, 'America/Havana'))?.lines.length
  t.same([await linesOf('2026-10'), await linesOf('2026-11')], [0, 1])
})

t.test('bills of months in a row fit together and end at the balance', async (t) => {
  const months = ['2026-08', '2026-09', '2026-10', '2026-11']
  const bills = await Promise.all(months.map((month) => bill('0007', month)))
  for (const [at, one] of bills.entries()) if (at > 0) t.equal(one?.opening, bills[at - 1]?.closing, months[at] ?? '')
  t.equal(formatRubles(bills.at(-1)!.closing), '250.00')
  t.same(
    bills.map((one) => one?.isPreliminary),
    [false, false, false, true],
  )
  t.equal(await bill('0007', '2026-12'), null, 'a month to come has none')
})

t.test('lines say what happened, without what programs wrote', async (t) => {
  const found = await bill('0007', '2026-10')
  t.same(
    found?.lines.map(({ text }) => text),
    ['Абонентская плата за октябрь', 'Поступление оплаты', 'Смена тарифа: А → Б', 'Списание'],
    'what moves no money and is no document is left out',
  )
})

t.test('a contract number goes before an id that looks like it', async (t) => {
  t.equal((await bill('7', '2026-10'))?.customer.name, 'Пётр')
  t.equal((await bill('8', '2026-10'))?.customer.name, 'Пётр')
  t.equal((await bill('0007', '2026-10'))?.customer.name, 'Иван')
  t.equal(await bill('9', '2026-10'), null)
  t.same(readBillName('bill-12-34-2026-10.pdf'), { contract: '12-34', month: '2026-10' })
  t.equal(readBillName('bill-1-0000-01.pdf'), null, 'there was no year 0')
})

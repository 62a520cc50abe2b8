import fc from 'fast-check'
import t from 'tap'
import type { Day, Month } from '../../src/domain/calendar.ts'
import { accountId, staffId, subscriberId } from '../../src/domain/ids.ts'
import { rubles } from '../../src/domain/money.ts'
import {
  chargeKeys,
  idempotencyKey,
  importKey,
  type MoneyKey,
  markOfTxn,
  cashDeskKey,
  enteredKeys,
  gatewayPaymentKey,
  orderKey,
  paymentKey,
  phoneKey,
  receiptKey,
  requestKey,
  takersOf,
  transactionKey,
  txnOf,
} from '../../src/domain/money-keys.ts'
import { anyCharacter } from '../support/any-character.ts'
import { testDatabase } from '../support/database.ts'

const { database } = await testDatabase(t)

type Part = string | number
type AnyKey = MoneyKey<readonly Part[]>

const subscriber = subscriberId(7)
const day = '2026-11-21' as Day
const month = '2026-11' as Month

/** Every key with an example, as it stands in databases that are at work: these spellings never change. */
const examples: readonly (readonly [key: AnyKey, parts: readonly Part[], expected: string])[] = [
  [chargeKeys.tariff as AnyKey, [subscriber, month], 'charge:7:tariff:2026-11'],
  [chargeKeys.tariff as AnyKey, [subscriber, day], 'charge:7:tariff:2026-11-21'],
  [chargeKeys.service as AnyKey, [subscriber, 3, month], 'charge:7:usluga:3:2026-11'],
  [chargeKeys.promise as AnyKey, [subscriber, 3, day], 'charge:7:promise:3:2026-11-21'],
  [chargeKeys.tariffRefund as AnyKey, [subscriber, day], 'refund:7:tariff:2026-11-21'],
  [chargeKeys.serviceRefund as AnyKey, [subscriber, 3, day], 'refund:7:usluga:3:2026-11-21'],
  [chargeKeys.usedTariff as AnyKey, [subscriber, day], 'used:7:tariff:2026-11-21'],
  [chargeKeys.usedService as AnyKey, [subscriber, 3, day], 'used:7:usluga:3:2026-11-21'],
  [chargeKeys.leftService as AnyKey, [subscriber, 3, month], 'left:7:usluga:3:2026-11'],
  [transactionKey as AnyKey, [17], 'txn:17'],
  [paymentKey as AnyKey, ['Sber', 'A-1'], 'pay:Sber:A-1'],
  [paymentKey as AnyKey, ['', 'A-1'], 'pay::A-1'],
  [orderKey as AnyKey, [17, accountId(5), '1000000000000'], 'order:17:5:1000000000000'],
  [gatewayPaymentKey as AnyKey, ['gwa', 'A-1'], 'gateway:gwa:A-1'],
  [cashDeskKey as AnyKey, ['Sber', 'A-1'], 'desk:Sber:A-1'],
  [receiptKey as AnyKey, [accountId(5), '1000000000000', 'Sber', 'A-1'], 'receipt:5:1000000000000:Sber:A-1'],
  [idempotencyKey as AnyKey, [staffId(2), 'key of a request'], 'idem:2:key of a request'],
  [requestKey as AnyKey, ['00ff'], 'body:00ff'],
  [phoneKey as AnyKey, [subscriber, 'b6f1'], 'phone:7:b6f1'],
  [importKey as AnyKey, ['A-000001'], 'import:A-000001'],
]

const typeOf = (part: Part) => (typeof part === 'number' ? 'int8' : 'text')

/** The SQL twin over columns that hold the parts, a row for each list of parts. */
async function inSql(key: AnyKey, rows: readonly (readonly Part[])[]): Promise<string[]> {
  const columns = rows[0]!.map((_, index) => `part_${index}`)
  const arrays = columns.map((_, index) => `$${index + 1}::${typeOf(rows[0]![index]!)}[]`)
  const text = `SELECT ${key.sql(...columns)} AS key
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS row(${[...columns, 'ord'].join(', ')}) ORDER BY ord`
  const values = columns.map((_, index) => rows.map((row) => row[index]))
  return (await database.pool.query<{ key: string }>(text, values)).rows.map((row) => row.key)
}

/** Values like the example's: ids up to the greatest, and any text that PostgreSQL can hold. */
const like = (part: Part): fc.Arbitrary<Part> =>
  typeof part === 'number'
    ? fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    : fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => text.replaceAll('\0', ''))

for (const [key, parts, expected] of examples) {
  t.test(expected, async (t) => {
    t.equal(key.of(...parts), expected)
    t.same(await inSql(key, [parts]), [expected])
    const rows = fc.array(fc.tuple(...parts.map(like)), { minLength: 1, maxLength: 200 })
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        t.same(
          await inSql(key, all),
          all.map((row) => key.of(...row)),
        )
      }),
      { numRuns: 10 },
    )
  })
}

t.test('a key of a part that is not known is not known either', async (t) => {
  const text = `SELECT ${chargeKeys.tariff.sql('NULL::int8', `'2026-11'`)} AS key`
  t.same((await database.pool.query(text)).rows, [{ key: null }])
})

t.test('a movement has a key for its transaction and one for the payment of its operator', async (t) => {
  const account = accountId(5)
  const entered = (txn: string | null, operatorName: string | null, operatorPayId: string | null, sum = 1) =>
    enteredKeys(account, rubles(sum), { txn, operatorName, operatorPayId })
  t.same(entered('17', 'Sber', 'A-1', -1), ['txn:17', 'pay:Sber:A-1'])
  t.same(entered(null, null, 'A-1', -1), ['pay::A-1'])
  t.same(entered('', 'Sber', ''), [])
  t.same(entered('17', 'Sber', 'A-1'), [
    'txn:17',
    'order:17:5:10000000000',
    'pay:Sber:A-1',
    'receipt:5:10000000000:Sber:A-1',
  ])
  t.same(entered('T-17', null, null), ['txn:T-17'], 'not the number of an order')
  t.same(takersOf('gwa', 'A-1'), ['pay:gwa:A-1', 'gateway:gwa:A-1', 'desk:gwa:A-1'])
  t.same(takersOf('gwa', null), [])
})

t.test('whoever makes keys of outside names has a prefix of their own', async (t) => {
  const prefixes = [transactionKey, orderKey, paymentKey, gatewayPaymentKey, cashDeskKey, receiptKey, idempotencyKey]
    .concat([requestKey, phoneKey, importKey] as never)
    .map((one) => (one as AnyKey).of('x', 'x', 'x', 'x').split(':')[0])
  t.equal(new Set(prefixes).size, prefixes.length)
})

t.test('a transaction id is named, or marked in the text', async (t) => {
  t.equal(txnOf('17', `Оплата ${markOfTxn(18)}`), '17')
  t.equal(txnOf(null, `Оплата ${markOfTxn('18')}, ${markOfTxn('19')}`), '18')
  t.equal(txnOf(null, 'Оплата [txn:]'), null)
  t.equal(txnOf(null, `Оплата [txn:${'1'.repeat(101)}]`), null)
})

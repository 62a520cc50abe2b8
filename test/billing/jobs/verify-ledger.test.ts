import t from 'tap'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { verifyLedger } from '../../../src/billing/jobs/ledger/verification.ts'
import { ledgerCheck } from '../../../src/billing/jobs/ledger-check.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, operationId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { openLedgerFixture, prepareFixture, throwingLog } from '../../support/fixture.ts'

const { database, accounts } = await openLedgerFixture(await prepareFixture(t, { log: throwingLog }))
const { pool } = database
const sql = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows

const tell = async (account: number, command: AccountCommand): Promise<number> => {
  const outcome = await accounts.ask(accountId(account), command, systemAuthor('test'))
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return Number(outcome.operation?.id ?? 0)
}
const move = (account: number, amount: number, keys: string[] = []) =>
  tell(account, {
    kind: 'post',
    typeId: amount > 0 ? operationTypes.manualReceipt : operationTypes.manualExpense,
    sign: amount > 0 ? 1 : -1,
    amount: rubles(Math.abs(amount)),
    subscriberId: subscriberId(account),
    movedAt: null,
    description: '',
    details: {},
    keys,
  })

await sql('INSERT INTO admin_accounts (id) SELECT generate_series(1, 5)')
await sql(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
  SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, 4) AS n`)
await move(1, 10)
/** Account 2: +100, -30 (removed since), +50, reversed by -50, -7, -1. */
const first = await move(2, 100, ['txn:first'])
const gone = await move(2, -30, ['txn:gone'])
const receipt = await move(2, 50)
const reversal = await tell(2, { kind: 'reverse', operationId: operationId(receipt) })
const fee = await move(2, -7)
const last = await move(2, -1)
await tell(2, { kind: 'removeOperation', operationId: operationId(gone) })
/** Account 3: a reversal of a record that was deleted afterwards. */
const undone = await move(3, 5)
await tell(3, { kind: 'reverse', operationId: operationId(undone) })
await tell(3, { kind: 'removeOperation', operationId: operationId(undone) })
/** Then one that brought it below zero, and is gone as well. */
const fall = await move(3, -15)
await move(3, 3)
await tell(3, { kind: 'removeOperation', operationId: operationId(fall) })
/** Account 4: a promise whose activation was deleted before it ended. */
const promised = await tell(4, {
  kind: 'activatePromise',
  subscriberId: subscriberId(4),
  path: 'prepay',
  limit: null,
  until: null,
})
await tell(4, { kind: 'removeOperation', operationId: operationId(promised) })
await tell(4, { kind: 'endPromise', subscriberId: subscriberId(4), why: 'cancelled', only: null })

const tables = ['finance_operations', 'removed_operations', 'money_keys', 'admin_accounts'] as const
for (const table of tables) await sql(`CREATE TABLE kept_${table} AS SELECT * FROM ${table}`)

/** Everything as it was before somebody wrote by hand. */
async function restore() {
  const columns = 'ostatok, debit, credit, debt_since, last_operation_id, chain_length, chain_head'
  await sql(`UPDATE admin_accounts AS account SET (${columns}) =
    (SELECT ${columns} FROM kept_admin_accounts AS kept WHERE kept.id = account.id)`)
  for (const table of tables.slice(0, 3)) {
    await sql(`DELETE FROM ${table}`)
    await sql(`INSERT INTO ${table} SELECT * FROM kept_${table}`)
  }
}

const verify = async (page?: number) => {
  const client = await pool.connect()
  try {
    return await verifyLedger(client, page ? { page } : {})
  } finally {
    client.release()
  }
}

t.test('a ledger that only Tollgate has written agrees', async (t) => {
  const sums = { accounts: 5, operations: 9, removed: 4, unsettled: 0, broken: 0, faults: [] }
  t.same(await verify(), sums)
  t.same(await verify(1), sums, 'however it is paged')
  t.same(await ledgerCheck(pool).run(new Date(), new AbortController().signal), sums)
})

t.test('while money moves the ledger agrees at every moment', async (t) => {
  await sql('INSERT INTO admin_accounts (id) SELECT generate_series(101, 105)')
  await sql(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(101, 105) AS n`)
  let moving = true
  const looked: number[] = []
  const looking = (async () => {
    while (moving) looked.push((await verify(2)).broken)
  })()
  for (let n = 0; n < 40; n++) {
    await Promise.all(
      [101, 102, 103, 104, 105].map((id) => move(id, n % 3 === 0 ? -n - 1 : n + 1, [`move:${id}:${n}`])),
    )
    if (n % 10 === 5) await tell(101, { kind: 'reverse', operationId: null })
  }
  moving = false
  await looking
  t.ok(looked.length > 0)
  t.ok(looked.every((broken) => broken === 0))
  await sql('DELETE FROM finance_operations WHERE account_id > 100')
  await sql('DELETE FROM money_keys WHERE account_id > 100')
  await sql('DELETE FROM abonents WHERE id > 100')
  await sql('DELETE FROM admin_accounts WHERE id > 100')
})

/** What somebody does in psql, which record is named, and what is said of it. */
const edits: readonly [name: string, text: string, values: unknown[], kind: string, op: number | null, says: RegExp][] =
  [
    [
      'the amount of an operation',
      'UPDATE finance_operations SET op_summa = 5000000000000 WHERE op_id = $1',
      [first],
      'amount',
      first,
      new RegExp(
        `^account 2, operation ${first} \\(no. 1 of the account\\): its amount is stored as 500.00 and should be 100.00.$`,
      ),
    ],
    [
      'an amount by one ten-billionth of a ruble',
      'UPDATE finance_operations SET op_summa = op_summa - 1 WHERE op_id = $1',
      [fee],
      'amount',
      fee,
      /stored as -7\.0000000001 and should be -7\.00/,
    ],
    [
      'the amount of the last operation',
      'UPDATE finance_operations SET op_summa = 0 WHERE op_id = $1',
      [last],
      'amount',
      last,
      /stored as 0\.00 and should be -1\.00/,
    ],
    [
      'the last amount and the balance along with it',
      `WITH money AS (UPDATE admin_accounts SET ostatok = ostatok + 10000000000, credit = credit - 10000000000 WHERE id = 2)
      UPDATE finance_operations SET op_summa = 0 WHERE op_id = $1`,
      [last],
      'facts',
      last,
      /its hash is stored as \w{16}… and should be \w{16}…: its type, .* or its amount \(0\.00\) has been changed/,
    ],
    [
      'the type of an operation',
      'UPDATE finance_operations SET op_type_id = 3 WHERE op_id = $1',
      [fee],
      'facts',
      fee,
      /hash is stored/,
    ],
    [
      'the time of record',
      `UPDATE finance_operations SET system_date = system_date - interval '1 day' WHERE op_id = $1`,
      [first],
      'facts',
      first,
      /its time of record/,
    ],
    [
      'the balance of an account',
      'UPDATE admin_accounts SET ostatok = ostatok + 990000000000, debit = debit + 990000000000 WHERE id = 2',
      [],
      'balance',
      null,
      /^account 2: its balance is stored as 161\.00 and should be 62\.00, the sum of its operations\.$/,
    ],
    [
      'receipts and write-offs by the same amount',
      'UPDATE admin_accounts SET debit = debit + 1, credit = credit + 1 WHERE id = 2',
      [],
      'receipts',
      null,
      /^account 2: its receipts are stored as 150\.0000000001 and should be 150\.00/,
    ],
    [
      'an account with money and no operation',
      'UPDATE admin_accounts SET ostatok = 10000000000, debit = 10000000000 WHERE id = 5',
      [],
      'balance',
      null,
      /^account 5: its balance is stored as 1\.00 and should be 0\.00/,
    ],
    [
      'a row that was deleted',
      'DELETE FROM finance_operations WHERE op_id = $1',
      [fee],
      'gap',
      last,
      new RegExp(
        `operation ${last} \\(no. 6 .*no. 5 should come before it, after operation ${reversal} \\(no. 4\\), and the record is gone`,
      ),
    ],
    [
      'the first row that was deleted',
      'DELETE FROM finance_operations WHERE op_id = $1',
      [first],
      'gap',
      gone,
      new RegExp(`removed operation ${gone} .*no. 1 should come before it, at the beginning`),
    ],
    [
      'the last row that was deleted',
      'DELETE FROM finance_operations WHERE op_id = $1',
      [last],
      'endGone',
      null,
      new RegExp(
        `it counts 6 operations, and no. 6 should be there and is gone; the last one is operation ${fee} \\(no. 5\\)`,
      ),
    ],
    [
      'all rows that were deleted',
      'WITH rows AS (DELETE FROM finance_operations WHERE account_id = 2) DELETE FROM removed_operations WHERE account_id = 2',
      [],
      'endGone',
      null,
      /it counts 6 operations, and nos\. 1 to 6 should be there and are gone; the last one is none/,
    ],
    [
      'rows whose places were swapped',
      `UPDATE finance_operations SET chain_seq = CASE op_id WHEN $1 THEN 6 ELSE 5 END WHERE op_id IN ($1, $2)`,
      [fee, last],
      'snapshot',
      last,
      /the balance before it is stored as 63\.00 and should be 70\.00/,
    ],
    [
      'rows whose amounts were swapped',
      `UPDATE finance_operations SET op_summa = CASE op_id WHEN $1 THEN -10000000000 ELSE -70000000000 END WHERE op_id IN ($1, $2)`,
      [fee, last],
      'amount',
      fee,
      /stored as -1\.00 and should be -7\.00/,
    ],
    [
      'a row that was slipped in',
      `INSERT INTO finance_operations (op_id, account_id, abonent_id, op_type_id, op_summa, organization_id)
      VALUES (999999, 2, 2, 7, 770000000000, 1)`,
      [],
      'unchained',
      999_999,
      /^account 2, operation 999999: it stands outside of the chain \(amount 77\.00\)/,
    ],
    [
      'a row slipped in at a place that is taken',
      `INSERT INTO finance_operations (op_id, account_id, abonent_id, op_type_id, op_summa, organization_id, chain_seq, chain_hash)
      SELECT 999999, 2, 2, 7, 770000000000, 1, chain_seq, chain_hash FROM finance_operations WHERE op_id = $1`,
      [fee],
      'doubled',
      999_999,
      new RegExp(`a place that is taken, after operation ${fee} \\(no. 5\\)`),
    ],
    [
      'a row added at the end',
      `INSERT INTO finance_operations (op_id, account_id, abonent_id, op_type_id, op_summa, organization_id, chain_seq, chain_hash)
      VALUES (999999, 2, 2, 7, 770000000000, 1, 7, sha256('guess'))`,
      [],
      'uncounted',
      999_999,
      /the account counts 6 operations, so it should not be there \(amount 77\.00\)/,
    ],
    [
      'a snapshot',
      'UPDATE finance_operations SET aa_ostatok = 0 WHERE op_id = $1',
      [receipt],
      'snapshot',
      receipt,
      new RegExp(
        `the balance before it is stored as 0.00 and should be 70.00, which is what stands after operation ${gone}`,
      ),
    ],
    [
      'the receipts of a snapshot',
      'UPDATE finance_operations SET aa_debit = aa_debit + 10000000000 WHERE op_id = $1',
      [fee],
      'snapshot',
      fee,
      /^[^;]*the receipts before it is stored as 151\.00 and should be 150\.00[^;]*$/,
    ],
    [
      'a number too large for the column of sums',
      'UPDATE finance_operations SET aa_ostatok = 9223372036854775807, op_summa = 9223372036854775807 WHERE op_id = $1',
      [receipt],
      'snapshot',
      receipt,
      /stored as 922337203\.6854775807 and should be 70\.00/,
    ],
    [
      'a record with a hash that was computed anew',
      `UPDATE finance_operations AS op SET op_summa = 1, chain_hash = sha256(convert_to(concat_ws('|', encode(before.chain_hash, 'hex'),
      op.op_id, op.account_id, op.op_type_id, 1, floor(extract(epoch FROM op.system_date) * 1000), op.aa_ostatok, op.aa_debit, op.aa_credit), 'UTF8'))
      FROM finance_operations AS before WHERE op.op_id = $1 AND before.op_id = $2`,
      [fee, reversal],
      'snapshot',
      last,
      /the balance before it is stored as 63\.00 and should be 70\.0000000001/,
    ],
    [
      'the place of a removed operation that was removed itself',
      'DELETE FROM removed_operations WHERE op_id = $1',
      [gone],
      'gap',
      receipt,
      new RegExp(`no. 2 should come before it, after operation ${first}`),
    ],
    [
      'the amount of a removed operation',
      'UPDATE removed_operations SET op_summa = -10000000000 WHERE op_id = $1',
      [gone],
      'amount',
      gone,
      new RegExp(`removed operation ${gone} .*stored as -1.00 and should be -30.00`),
    ],
    [
      'a mark storno that was taken off',
      'UPDATE finance_operations SET storno = false WHERE op_id = $1',
      [receipt],
      'unmarked',
      receipt,
      new RegExp(`it is not marked storno and should be: operation ${reversal} reverses it`),
    ],
    [
      'a mark storno that was put on',
      'UPDATE finance_operations SET storno = true WHERE op_id = $1',
      [fee],
      'markedAlone',
      fee,
      /it is marked storno and should not be/,
    ],
    [
      'a reversal that names another operation',
      'UPDATE finance_operations SET related_operation_id = $2 WHERE op_id = $1',
      [reversal, first],
      'unmarked',
      first,
      new RegExp(`operation ${reversal} reverses it`),
    ],
    [
      'a reversal that names an operation of another account',
      `UPDATE finance_operations SET related_operation_id = (SELECT min(op_id) FROM finance_operations WHERE account_id = 1) WHERE op_id = $1`,
      [reversal],
      'markedAlone',
      receipt,
      /nothing reverses it/,
    ],
    [
      'the head of the chain',
      `UPDATE admin_accounts SET chain_head = sha256('guess') WHERE id = 2`,
      [],
      'head',
      null,
      /the head of its chain is stored as \w{16}… and should be \w{16}…/,
    ],
    [
      'the length of the chain',
      'UPDATE admin_accounts SET chain_length = 5 WHERE id = 2',
      [],
      'uncounted',
      last,
      /the account counts 5 operations/,
    ],
    [
      'the last operation of an account',
      'UPDATE admin_accounts SET last_operation_id = $1 WHERE id = 2',
      [fee],
      'lastOperation',
      null,
      new RegExp(`its last operation is stored as ${fee} and should be ${last}`),
    ],
    [
      'a debt that there is none of',
      `UPDATE admin_accounts SET debt_since = '2026-01-02T03:04:05Z' WHERE id = 2`,
      [],
      'debtSince',
      null,
      /is stored as 2026-01-02T03:04:05.000Z and should be none/,
    ],
    [
      'a debt that is older than what brought it about',
      `UPDATE admin_accounts SET debt_since = debt_since - interval '1 day' WHERE id = 3`,
      [],
      'debtSince',
      null,
      /since when its balance has been below zero is stored as/,
    ],
    [
      'a key that names no operation',
      `UPDATE money_keys SET op_id = 999999 WHERE key = 'txn:first'`,
      [],
      'key',
      null,
      /^account 2: the key txn:first names operation 999999, which should be there and is not/,
    ],
    [
      'the amount of a key',
      `UPDATE money_keys SET amount = 10000000000 WHERE key = 'txn:gone'`,
      [],
      'key',
      null,
      new RegExp(`the key txn:gone is stored with 1.00 for operation ${gone}, which is one of -30.00 of account 2`),
    ],
    [
      'an operation moved to another account',
      'UPDATE finance_operations SET account_id = 1, chain_seq = 2 WHERE op_id = $1',
      [last],
      'uncounted',
      last,
      new RegExp(`^account 1, operation ${last} .*the account counts 1 operations`),
    ],
  ]

for (const [name, text, values, kind, op, says] of edits) {
  t.test(`found and named: ${name}`, async (t) => {
    await sql(text, values)
    const { broken, faults } = await verify()
    t.match(faults[0], { kind, operationId: op, sentence: says })
    const { stored, due, sentence } = faults[0]!
    if (stored !== null) t.not(stored, due)
    // Of a reversal the sentence names the amount that it should be the opposite of, and it says what is gone in words.
    if (kind !== 'reversalAmount' && kind !== 'endGone' && stored !== null && due !== null)
      t.ok(sentence.includes(stored) && sentence.includes(due), `${stored} and ${due} are in the sentence`)
    t.equal(broken, name.includes('another account') && kind === 'uncounted' ? 2 : 1, 'and nothing else')
    await restore()
    t.match(await verify(), { broken: 0 })
  })
}

t.test('blocks that disagree with the debt for now are counted and are no fault', async (t) => {
  await sql('UPDATE admin_accounts SET "limit" = 90000000000000 WHERE id = 2')
  t.match(await verify(), { unsettled: 1, broken: 0 })
  await sql('UPDATE admin_accounts SET "limit" = 0 WHERE id = 2')
})

t.test('the nightly job fails with what it found', async (t) => {
  await sql('UPDATE finance_operations SET op_summa = 0 WHERE op_id = $1', [last])
  const run = ledgerCheck(pool).run(new Date(), new AbortController().signal)
  await t.rejects(run, {
    message: '5 accounts and 9 operations checked (and 4 removed ones): 1 account is wrong.',
    result: {
      broken: 1,
      faults: [
        { account_id: 2, op_id: last, kind: 'amount', sentence: /should be -1\.00/, stored: '0.00', due: '-1.00' },
      ],
    },
  })
  await restore()
})

t.test('a verification that is asked to stop stops', async (t) => {
  await t.rejects(ledgerCheck(pool).run(new Date(), AbortSignal.abort(new Error('stopping'))), /stopping/)
  t.equal(pool.waitingCount, 0)
})

import t from 'tap'
import { backfillAbonentOrg as abonents, backfillFinopsOrg as finops } from '../../src/app/commands/backfill.ts'
import { readConfig } from '../../src/app/config.ts'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { testDatabaseUrl } from '../support/database.ts'

const url = await testDatabaseUrl(t)
const database = await openDatabase({ url, log: silentLog })
t.teardown(() => database.close())
const query = async (text: string) => (await database.pool.query(text)).rows

const read = readConfig({ DATABASE_URL: url })
if ('problems' in read) throw new Error(read.problems.join())
const { config } = read

async function run(command: typeof abonents, apply: boolean): Promise<string> {
  const lines: string[] = []
  const status = await command.run({ apply }, { config, log: silentLog, print: (line) => lines.push(line) }, [])
  t.equal(status, 0)
  return lines.join('\n')
}

const organizations = async (table: string, key: string) =>
  (await query(`SELECT organization_id::int4 AS organization FROM ${table} ORDER BY ${key}`)).map(
    ({ organization }) => organization,
  )

t.test('rows without an organization get theirs, and only those', async (t) => {
  await query(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
  await query(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (10, 2, 'Street')`)
  await query('INSERT INTO admin_accounts (id) SELECT generate_series(1, 4)')
  await query(`INSERT INTO abonents (id, name, contract_number, account_id, parent_id, organization_id) VALUES
    (1, 'in a folder', '1', 1, 10, NULL), (2, 'in none', '2', 2, NULL, NULL), (3, 'has one', '3', 3, 10, 3)`)
  await query(`INSERT INTO finance_operations (op_id, op_summa, op_type_id, abonent_id, account_id, organization_id) VALUES
    (1, 0, 7, 1, 1, NULL), (2, 0, 7, NULL, 1, NULL), (3, 0, 7, NULL, 4, NULL), (4, 0, 7, 3, 3, NULL), (5, 0, 7, 3, 3, 2)`)

  const report = await run(finops, false)
  t.match(report, /^4 operations have no organization:\n {2}organization 1 .*: 1\n {2}organization 2 \(North\): 2\n/)
  t.match(report, /organization 3 \(South\): 1\nNothing is written\./)
  t.same(await organizations('finance_operations', 'op_id'), [null, null, null, null, 2], 'a report changes nothing')

  t.match(
    await run(abonents, true),
    /2 subscribers have no organization:[\s\S]*2 subscribers have got their organization\.$/,
  )
  t.same(await organizations('abonents', 'id'), [2, 1, 3])
  t.match(await run(finops, true), /4 operations have got their organization\.$/)
  t.same(await organizations('finance_operations', 'op_id'), [2, 2, 1, 3, 2])
  for (const command of [abonents, finops])
    t.match(await run(command, true), /Nothing is to be done\.$/, 'a second run')
})

t.test('more rows than one batch', async (t) => {
  await query(`INSERT INTO finance_operations (op_id, op_summa, op_type_id, account_id)
    SELECT 100 + n, 0, 7, 1 + n % 4 FROM generate_series(1, 2500) AS n`)
  t.match(await run(finops, true), /2500 operations have got their organization\.$/)
  t.same(await query('SELECT FROM finance_operations WHERE organization_id IS NULL'), [])
})

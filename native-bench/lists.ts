import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startTemporaryPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { percentile } from './figures.ts'
import { openListDoor, type ListDoor } from './list-door.ts'

/**
 * Lists of REST v2 on a big provider: `node native-bench/lists.ts [--subscribers 1000000] [--operations 10000000]
 * [--runs 15]`. Rows are made by generate_series on a temporary server; prints the median of every list and, with
 * `--plans`, what PostgreSQL did for it.
 */
const { values } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '1000000' },
    operations: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '15' },
    plans: { type: 'boolean', default: false },
    /** A server to use and to leave as it is afterwards, filled by an earlier run. */
    url: { type: 'string' },
    filled: { type: 'boolean', default: false },
  },
})
const subscribers = Number(values.subscribers)
const operations = Number(values.operations)
const runs = Number(values.runs)

const lists = (deep: (count: number, share: number) => number): [string, string][] => [
  ['Abonents, first page', 'Abonents/'],
  ['Abonents, deep page', `Abonents/?offset=${deep(subscribers, 0.5)}`],
  ['Abonents, last page', `Abonents/?offset=${deep(subscribers, 0.99)}`],
  ['Abonents, newest first', 'Abonents/?ordering=-id'],
  ['Abonents of a tariff', 'Abonents/?tarif=7'],
  ['Abonents by a part of the name', 'Abonents/?name__icontains=ов 4242'],
  ['Abonents by the beginning of the name', 'Abonents/?name__istartswith=пет'],
  ['Abonents by contract', `Abonents/?contract_number=${String(deep(subscribers, 0.3) + 1).padStart(8, '0')}`],
  ['Abonents that are switched off', 'Abonents/?enabled=false'],
  ['Abonents that are switched on', 'Abonents/?enabled=true'],
  ['Abonents in debt', 'Abonents/?account__ostatok__lt=0'],
  ['Abonents by name', 'Abonents/?ordering=name'],
  ['Abonents by name, descending, deep', `Abonents/?ordering=-name&offset=${deep(subscribers, 0.1)}`],
  ['Abonents by date of the contract', 'Abonents/?ordering=-create_date'],
  ['Abonents by balance', 'Abonents/?ordering=account__ostatok'],
  ['FinanceOperations, first page', 'FinanceOperations/'],
  ['FinanceOperations, deep page', `FinanceOperations/?offset=${deep(operations, 0.5)}`],
  ['FinanceOperations, last page', `FinanceOperations/?offset=${deep(operations, 0.99)}`],
  ['FinanceOperations, newest first', 'FinanceOperations/?ordering=-op_id'],
  ['FinanceOperations of an account', 'FinanceOperations/?account=4711'],
  ['FinanceOperations of a subscriber', 'FinanceOperations/?abonent=4711&ordering=-op_date'],
  ['FinanceOperations of a day', 'FinanceOperations/?op_date__date=2026-03-05'],
  ['FinanceOperations of a month', 'FinanceOperations/?op_date__gte=2026-03-01&op_date__lt=2026-04-01'],
  ['FinanceOperations of a type', 'FinanceOperations/?op_type=24'],
  ['FinanceOperations of a common type', 'FinanceOperations/?op_type=32'],
  ['FinanceOperations reversed', 'FinanceOperations/?storno=true'],
  ['FinanceOperations by date', 'FinanceOperations/?ordering=-op_date'],
  ['FinanceOperations by date, deep', `FinanceOperations/?ordering=op_date&offset=${deep(operations, 0.01)}`],
  ['FinanceOperations of a type by date', 'FinanceOperations/?op_type=24&ordering=-op_date'],
]

const server = values.url ? null : await startTemporaryPostgres(silentLog)
const url = values.url ?? server!.url
try {
  await migrate({ url, log: silentLog })
  if (!values.filled) await fill()
  const door = await openListDoor(url)
  try {
    await measureAll(door)
  } finally {
    await door.close()
  }
} finally {
  await server?.stop()
}
process.exit(0)

async function measureAll(door: ListDoor): Promise<void> {
  const rows = lists((count, share) => Math.floor(count * share))
  say(`${subscribers} subscribers, ${operations} operations, ${runs} runs`)
  say('| list | first, ms | median, ms | count | rows |')
  say('| --- | --- | --- | --- | --- |')
  const plans: string[] = []
  for (const [what, address] of rows) {
    const samples: number[] = []
    let shown = ''
    for (let run = 0; run <= runs; run++) {
      const startedMs = performance.now()
      const answer = await door.get(address)
      samples.push(performance.now() - startedMs)
      shown = answer.status === 200 ? `${answer.count} | ${answer.rows}` : `${answer.status} |`
    }
    const [first = 0, ...others] = samples
    say(`| ${what} | ${first.toFixed(1)} | ${percentile(others, 0.5).toFixed(1)} | ${shown} |`)
    if (values.plans) plans.push(`\n## ${what}\n${address}\n${(await door.plans(address)).join('\n')}`)
  }
  say(plans.join('\n'))
}

async function fill(): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = async (what: string, sql: string) => {
    const startedMs = performance.now()
    await client.query(sql)
    process.stderr.write(`${what}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
  }
  const seed = randomBytes(2).readUInt16BE() / 65536
  // No trigger and no foreign key for rows that are right by construction; what the counters miss is counted after.
  await client.query(
    `SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SELECT setseed(${seed})`,
  )
  await client.query(
    `INSERT INTO tarifs (name, price) SELECT 'Home ' || n, n * 1000000000000 FROM generate_series(1, 40) AS n`,
  )
  const tables = ['admin_accounts', 'abonents', 'finance_operations']
  const { rows: dropped } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = ANY ($1) AND indexname NOT LIKE '%\\_pkey'`,
    [tables],
  )
  for (const { name } of dropped) await client.query(`DROP INDEX ${name}`)
  await run(
    'accounts',
    `INSERT INTO admin_accounts (id, ostatok, debit, credit) SELECT n, balance * 10000000000, 200000000000000, 200000000000000 - balance * 10000000000
     FROM (SELECT n, (random() * 2000)::int8 - 400 AS balance FROM generate_series(1, ${subscribers}) AS n) AS made`,
  )
  await run(
    'subscribers',
    `INSERT INTO abonents (id, name, contract_number, email, sms, enabled, tarif_id, account_id, create_date, company, address, organization_id, deleted)
     SELECT n, (ARRAY['Иванов', 'Петров', 'Сидоров', 'Кузнецов', 'Смирнов', 'Попов', 'Волков', 'Соколов'])[1 + (random() * 7)::int] || ' ' || n || ' '
         || (ARRAY['Иван', 'Пётр', 'Анна', 'Мария', 'Олег', 'Ольга'])[1 + (random() * 5)::int],
       lpad(n::text, 8, '0'), 'client' || n || '@example.ru', '+79' || lpad((random() * 999999999)::int8::text, 9, '0'), random() > 0.1,
       1 + (random() * 39)::int, n, timestamptz '2018-01-01' + random() * interval '8 years', random() < 0.03,
       'Москва, ул. Ленина, ' || (random() * 300)::int || ', кв. ' || (random() * 200)::int, 1, n % 200 = 0
     FROM generate_series(1, ${subscribers}) AS n`,
  )
  await run(
    'operations',
    `INSERT INTO finance_operations (op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id, descr, organization_id, storno,
       aa_ostatok, aa_debit, aa_credit)
     SELECT n, moment, moment, CASE WHEN type IN (9, 32) THEN -1 ELSE 1 END * (50 + (random() * 1500)::int8) * 10000000000, type, owner, owner,
       'operation [txn:' || n || ']', 1, random() < 0.001, 0, 0, 0
     FROM (SELECT n, timestamptz '2024-01-01' + n * interval '1 second' * ${(75_000_000 / operations).toFixed(6)} AS moment,
       1 + (random() * ${subscribers - 1})::int8 AS owner,
       (ARRAY[32, 32, 32, 32, 32, 32, 23, 23, 23, 23, 7, 9, 40])[1 + (random() * 12)::int] AS type
       FROM generate_series(1, ${operations}) AS n) AS made`,
  )
  await run('a rare type', `UPDATE finance_operations SET op_type_id = 24 WHERE op_id % 400 = 0`)
  for (const { name, definition } of dropped) await run(name, definition)
  await run(
    'counters',
    `INSERT INTO row_counts (table_name, bucket, rows)
       SELECT 'abonents', id >> 13, count(*) FROM abonents WHERE NOT deleted GROUP BY 2
       UNION ALL SELECT 'admin_accounts', id >> 13, count(*) FROM admin_accounts GROUP BY 2
       UNION ALL SELECT 'finance_operations', op_id >> 13, count(*) FROM finance_operations GROUP BY 2`,
  )
  await run('vacuum', 'VACUUM ANALYZE')
  await client.end()
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

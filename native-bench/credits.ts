import pg from 'pg'
import { AccountStore } from '../src/accounts/account-store.ts'
import { AccountActors } from '../src/accounts/accounts.ts'
import { systemAuthor } from '../src/accounts/messages.ts'
import { systemClock } from '../src/actors/clock.ts'
import { accountId, subscriberId } from '../src/domain/ids.ts'
import { rubles } from '../src/domain/money.ts'
import { operationTypes } from '../src/domain/operation.ts'
import { Events } from '../src/events.ts'
import { silentLog } from '../src/log.ts'
import { asUnavailable, openDatabase } from '../src/storage/database.ts'
import { migrate } from '../src/storage/migrate.ts'
import type { Figure } from './figures.ts'

const accountsMax = 5_000
const creditsMax = 20_000
const clients = 8
/** Of ours; all of them at once would wait longer than an account has to answer, when the machine is busy. */
const atOnce = 4_000

/**
 * Credits through the actors, with audit, snapshot and key, beside eight clients that send the same writes one
 * transaction at a time to the same server with prepared statements, as pgbench does.
 */
export async function measureCredits(url: string): Promise<Figure[]> {
  await migrate({ url, log: silentLog })
  const database = await openDatabase({ url, log: silentLog })
  try {
    await fill(database.pool)
    const ours = await throughActors(database.heart)
    const theirs = await oneByOne(url)
    return [
      {
        what: 'credits with audit, snapshot and key',
        unit: '/s',
        ours,
        peer: `${clients} clients, same writes`,
        theirs,
      },
    ]
  } finally {
    await database.close()
  }
}

async function fill(pool: pg.Pool): Promise<void> {
  await pool.query(`INSERT INTO admin_accounts (id) SELECT generate_series(1, ${accountsMax})`)
  await pool.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, ${accountsMax}) AS n`)
}

async function throughActors(heart: pg.Pool): Promise<number> {
  const accounts = new AccountActors({
    store: new AccountStore(heart),
    events: new Events(() => {}),
    clock: systemClock,
    asUnavailable,
  })
  const credit = (n: number) =>
    accounts.ask(
      accountId((n % accountsMax) + 1),
      {
        kind: 'post',
        typeId: operationTypes.gatewayA,
        sign: 1,
        amount: rubles(100),
        subscriberId: subscriberId((n % accountsMax) + 1),
        movedAt: null,
        description: `payment [txn:${n}]`,
        details: { txn: `bench-${n}` },
        keys: [`txn:bench-${n}`],
      },
      systemAuthor('bench'),
    )
  const startedMs = performance.now()
  let next = 0
  const payer = async () => {
    for (let n = next++; n < creditsMax; n = next++) await credit(n)
  }
  await Promise.all(Array.from({ length: atOnce }, payer))
  const perSecond = (creditsMax * 1000) / (performance.now() - startedMs)
  await accounts.stop()
  return perSecond
}

const statements = {
  lock: 'SELECT ostatok, debit, credit, version FROM admin_accounts WHERE id = $1 FOR UPDATE',
  operation: `INSERT INTO finance_operations (op_date, system_date, op_summa, op_type_id, abonent_id, account_id, descr, organization_id,
    aa_ostatok, aa_debit, aa_credit, aa_limit, txn) VALUES (now(), now(), $2, 23, $1, $1, $3, 1, $4, $5, $6, 0, $3)`,
  key: 'INSERT INTO money_keys (key, account_id, op_id, amount) VALUES ($1, $2, 0, $3)',
  account: 'UPDATE admin_accounts SET ostatok = ostatok + $2, debit = debit + $2, version = version + 1 WHERE id = $1',
  audit: `INSERT INTO audit_operations (at, user_name, table_name, object_id, action, diff)
    VALUES (now(), 'bench', $2, $1, 'create', '{}')`,
}

async function oneByOne(url: string): Promise<number> {
  const target = new URL(url)
  target.searchParams.set('options', '-c tollgate.writer=on')
  const credits = creditsMax / 4
  let next = 0
  const client = async () => {
    const connection = new pg.Client({ connectionString: target.href })
    await connection.connect()
    const run = (name: keyof typeof statements, values: unknown[]) =>
      connection.query({ name, text: statements[name], values })
    for (let n = next++; n < credits; n = next++) {
      const id = (n % accountsMax) + 1
      const amount = rubles(100).toString()
      await connection.query('BEGIN')
      const { rows } = await run('lock', [id])
      await run('operation', [id, amount, `plain-${n}`, rows[0].ostatok, rows[0].debit, rows[0].credit])
      await run('key', [`txn:plain-${n}`, id, amount])
      await run('account', [id, amount])
      await run('audit', [id, 'FINANCE_OPERATIONS'])
      await run('audit', [id, 'ADMIN_ACCOUNTS'])
      await connection.query('COMMIT')
    }
    await connection.end()
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  return (credits * 1000) / (performance.now() - startedMs)
}

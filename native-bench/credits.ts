import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { AccountStore } from '../src/billing/accounts/account-store.ts'
import { AccountActors } from '../src/billing/accounts/accounts.ts'
import { systemAuthor } from '../src/domain/author.ts'
import { Events } from '../src/domain/events.ts'
import { accountId, subscriberId } from '../src/domain/ids.ts'
import { rubles } from '../src/domain/money.ts'
import { operationTypes } from '../src/domain/operation.ts'
import { systemClock } from '../src/platform/actors/clock.ts'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { asUnavailable, openDatabase } from '../src/platform/storage/database.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { alone, type Figure, percentile, ratioAtLeast, table } from './figures.ts'
import { findPgbench, pgbench } from './pgbench.ts'
import { cpuMicroseconds } from './processes.ts'

const accountsMax = 20_000
/** Actors are awake and PostgreSQL has its statements planned before anything is counted. */
const warmUp = 20_000
const credits = 40_000
/** Of ours, that wait for their commit at once; so many clients of a busy provider, not of a laboratory. */
const atOnce = 2_000
const clients = 8
const peerSeconds = 6

/** CPU in microseconds a credit, of all processes, and of PostgreSQL alone. */
type Run = { perSecond: number; cpu: number; serverCpu: number }

/**
 * Credits through the actors, with snapshot, key, chain, audit and the row of the outbox, beside pgbench, whose clients
 * send the same writes in transactions of their own. One server with fsync for both; an answer is an answer after the
 * commit.
 */
export async function measureCredits(): Promise<Figure[]> {
  return await withServer(async (url, postmaster) => {
    const { run: ours, waits } = await throughActors(url, postmaster)
    const peer = findPgbench()
    const single = await peerRun(peer, url, postmaster, 1)
    const tens = await peerRun(peer, url, postmaster, 10)
    const name = `pgbench, ${clients} clients`
    return [
      {
        what: 'credits with snapshot, key, chain, audit and outbox, durable',
        unit: '/s',
        ours: ours.perSecond,
        peer: name,
        theirs: single.perSecond,
        target: ratioAtLeast(3),
      },
      { what: 'the same', unit: '/s', ours: ours.perSecond, peer: `${name}, 10 a transaction`, theirs: tens.perSecond },
      { what: 'CPU of a credit', unit: 'µs', ours: ours.cpu, peer: name, theirs: single.cpu },
      { what: 'of it PostgreSQL', unit: 'µs', ours: ours.serverCpu, peer: name, theirs: single.serverCpu },
      alone(`credit asked → committed, ${atOnce} at once, p50`, 'ms', percentile(waits, 0.5)),
      alone(`credit asked → committed, ${atOnce} at once, p99`, 'ms', percentile(waits, 0.99)),
    ]
  })
}

/** What `measureCredits` calls the CPU of a credit, without its peer. */
export async function measureCreditCpu(): Promise<number> {
  return await withServer(async (url, postmaster) => (await throughActors(url, postmaster)).run.cpu)
}

/** A server with fsync, its schema and accounts. */
async function withServer<T>(work: (url: string, postmaster: number) => Promise<T>): Promise<T> {
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog })
  try {
    await migrate({ url: server.url, log: silentLog })
    await fill(server.url)
    return await work(
      server.url,
      Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
    )
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true })
  }
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`INSERT INTO admin_accounts (id) SELECT generate_series(1, ${accountsMax})`)
  await client.query(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, ${accountsMax}) AS n`)
  await client.query('VACUUM ANALYZE admin_accounts, abonents')
  await client.end()
}

async function throughActors(url: string, postmaster: number): Promise<{ run: Run; waits: number[] }> {
  const database = await openDatabase({ url, log: silentLog })
  const accounts = new AccountActors({
    store: new AccountStore(database.ledger),
    events: new Events(() => {}),
    clock: systemClock,
    asUnavailable,
  })
  const credit = (n: number) => {
    const who = (n % accountsMax) + 1
    return accounts.ask(
      accountId(who),
      {
        kind: 'post',
        typeId: operationTypes.gatewayA,
        sign: 1,
        amount: rubles(100),
        subscriberId: subscriberId(who),
        movedAt: null,
        description: `payment [txn:${n}]`,
        details: { txn: `bench-${n}` },
        keys: [`txn:bench-${n}`],
      },
      systemAuthor('bench'),
    )
  }
  const waits: number[] = []
  const all = async (from: number, count: number) => {
    let next = from
    const payer = async () => {
      for (let n = next++; n < from + count; n = next++) {
        const askedMs = performance.now()
        const { kind } = await credit(n)
        if (kind !== 'done') throw new Error(`Credit ${n} was not posted: ${kind}.`)
        waits.push(performance.now() - askedMs)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, payer))
  }
  await all(0, warmUp)
  waits.length = 0
  const spent = cpuFrom(postmaster)
  const startedMs = performance.now()
  await all(warmUp, credits)
  const seconds = (performance.now() - startedMs) / 1000
  const run = { perSecond: credits / seconds, ...spent(credits) }
  await accounts.stop()
  await database.close()
  return { run, waits }
}

/** Answers what has been spent on each of so many since. pgbench counts when it has ended. */
function cpuFrom(postmaster: number): (count: number) => Pick<Run, 'cpu' | 'serverCpu'> {
  const now = () => ({ all: cpuMicroseconds([process.pid]), server: cpuMicroseconds([postmaster]) })
  const before = now()
  return (count) => {
    const after = now()
    return { cpu: (after.all - before.all) / count, serverCpu: (after.server - before.server) / count }
  }
}

async function peerRun(program: string, url: string, postmaster: number, perTransaction: number): Promise<Run> {
  const transaction = { url: `${url}?options=-c%20tollgate.writer%3Don`, script: scriptOf(perTransaction), clients }
  await pgbench(program, { ...transaction, seconds: 1 })
  const spent = cpuFrom(postmaster)
  const perSecond = perTransaction * (await pgbench(program, { ...transaction, seconds: peerSeconds }))
  // What its connections have spent is counted by the server when they are gone.
  await pause(500)
  return { perSecond, ...spent(perSecond * peerSeconds) }
}

const amount = rubles(100)

/**
 * What `commitStatement` writes for such a credit, a statement after another. The accounts of a long transaction are
 * drawn one near the other and upwards, so that the clients do not wait for each other in a ring.
 */
const scriptOf = (perTransaction: number): string =>
  [
    `\\set from random(1, ${accountsMax - perTransaction + 1})`,
    'BEGIN;',
    ...Array.from({ length: perTransaction }, (_, n) => creditOf(n)),
    'COMMIT;',
  ].join('\n')

const creditOf = (n: number): string => `\\set id :from + ${n}
\\set key random(1, 1000000000000000)
SELECT ostatok, debit, credit, "limit" AS lim, chain_length + 1 AS seq, chain_head AS head
  FROM admin_accounts WHERE id = :id FOR NO KEY UPDATE \\gset
INSERT INTO finance_operations (op_date, system_date, op_summa, op_type_id, abonent_id, account_id, descr, organization_id,
    aa_ostatok, aa_debit, aa_credit, aa_limit, aa_unlimited, balance_buh, txn, chain_seq, chain_hash)
  VALUES (now(), now(), ${amount}, ${operationTypes.gatewayA}, :id, :id, 'payment ' || :key::text, 1,
    :ostatok, :debit, :credit, :lim, false, :ostatok, 'pgbench ' || :key::text, :seq,
    sha256(convert_to(concat_ws('|', :head::text, :id::int8, :seq::int4, ${amount}, :ostatok::int8, :debit::int8, :credit::int8), 'UTF8')))
  RETURNING op_id AS operation, chain_hash AS hash \\gset
INSERT INTO money_keys (key, account_id, op_id, amount) VALUES ('pgbench ' || :key::text, :id, :operation, ${amount});
UPDATE admin_accounts SET version = version + 1, ostatok = ostatok + ${amount}, debit = debit + ${amount}, last_operation_id = :operation,
    chain_length = :seq, chain_head = :hash::bytea WHERE id = :id;
INSERT INTO audit_operations (at, user_name, table_name, object_id, action, diff, organization_id)
  VALUES (now(), 'bench', 'FINANCE_OPERATIONS', (:operation::int8)::text, 'create',
    json_build_object('op_id', :operation::int8, 'op_type', ${operationTypes.gatewayA}, 'amount', '100.00')::jsonb, 1);
INSERT INTO audit_operations (at, user_name, table_name, object_id, action, diff, organization_id)
  VALUES (now(), 'bench', 'ADMIN_ACCOUNTS', (:id::int8)::text, 'operation', json_build_object('op_id', :operation::int8,
    'op_type', ${operationTypes.gatewayA}, 'amount', '100.00', 'balance', json_build_array('100.00', '200.00'))::jsonb, 1);
INSERT INTO outbox (kind, payload, subscriber_id, created_at, due_at)
  VALUES ('notify', json_build_object('kind', 'notify', 'subscriberId', :id::int8, 'template', 'payment_credited',
    'values', json_build_object('amount', '100.00', 'balance', '100.00'))::jsonb, :id, now(), now());`

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${table(await measureCredits())}\n`)
  process.exit(0)
}

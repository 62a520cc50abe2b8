import { hash, randomBytes, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { SignJWT } from 'jose'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { alone, type Figure, figureAtMost, percentile, table } from './figures.ts'
import { LiveSockets } from './live-sockets.ts'
import { residentKib } from './processes.ts'
import { secretsIn } from '../test/support/secrets.ts'

/**
 * Ten thousand live sockets of phones on one program, and a thousand of operators. Memory of a phone, and the time from
 * the COMMIT of a payment, by PostgreSQL's own clock as in gate.ts, until the last of 1,000 concerned phones has the
 * new status (they are of one account, a company), until the one concerned phone of another account has it, and until
 * the last operator has the frame. Also alone: `npx node native-bench/phones.ts`. Needs 11,000 file descriptors for
 * each of two processes.
 */
const phonesMax = 10_000
const concernedMax = 1_000
const companyMs = 30
const operators = 1_000
const ofOneOperator = 25
const rounds = { company: 10, single: 100, operators: 20 }
const ruble = 10_000_000_000

/**
 * The first `concernedMax` phones are of one account. Nobody owes anything and nothing is charged, so no job writes
 * meanwhile.
 */
const planted = `
  INSERT INTO tarifs (id, name, price) VALUES (1000, 'Home', 0);
  INSERT INTO admin_accounts (id) SELECT 100000 + n FROM generate_series(1, ${phonesMax}) AS n;
  INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id)
    SELECT 100000 + n, 'Subscriber ' || n, 'P' || n, CASE WHEN n <= ${concernedMax} THEN 100001 ELSE 100000 + n END, 1, 1000
    FROM generate_series(1, ${phonesMax}) AS n;
  INSERT INTO users (id, abonent_id, login, password) SELECT 100000 + n, 100000 + n, 'phone' || n, 'sealed' FROM generate_series(1, ${phonesMax}) AS n;
  ANALYZE`

/** After the start, which makes the first staff user only where there is none. */
const plantedStaff = `
  INSERT INTO staff (id, username, password_hash, role)
    SELECT 1000 + n, 'operator ' || n, 'none', 'operator' FROM generate_series(1, ${operators / ofOneOperator}) AS n;
  INSERT INTO staff_organizations (staff_id, organization_id) SELECT id, 1 FROM staff WHERE id > 1000`

export async function measurePhones(): Promise<Figure[]> {
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog, settings: { track_commit_timestamp: 'on' } })
  await migrate({ url: server.url, log: silentLog })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  await pool.query(planted)
  const program = await new RunningProgram({ DATABASE_URL: server.url }).start()
  const open: LiveSockets[] = []
  try {
    const beforeKib = residentKib(program.pid)
    const phones = await LiveSockets.open(
      program.address.http,
      '/mobile-api/v1/live',
      await phoneHeaders(program, pool),
      'status',
    )
    open.push(phones)
    const afterKib = residentKib(program.pid)
    const operatorSockets = await LiveSockets.open(
      program.address.http,
      '/admin/live/',
      await operatorHeaders(pool),
      'balance.changed',
      JSON.stringify({ type: 'subscribe', topics: ['finance'] }),
    )
    open.push(operatorSockets)
    const took = async (
      times: number,
      account: (round: number) => number,
      sockets: LiveSockets,
      from: (round: number) => number,
      count: number,
    ) => {
      const samples: number[] = []
      for (let round = 0; round < times; round++) {
        let operation = 0
        const { lastMs } = await sockets.seen(from(round), count, async () => {
          operation = await pay(program, account(round))
        })
        samples.push(lastMs - (await commitMs(pool, operation)))
      }
      return samples
    }
    const company = await took(
      rounds.company,
      () => 100_001,
      phones,
      () => 0,
      concernedMax,
    )
    const other = (round: number) => concernedMax + 1 + round
    const single = await took(rounds.single, (round) => 100_001 + other(round), phones, other, 1)
    const watching = await took(
      rounds.operators,
      (round) => 100_001 + other(round),
      operatorSockets,
      () => 0,
      operators,
    )
    return [
      alone(`${phonesMax} phones connected, each with its status`, 's', phones.openedSeconds),
      alone('memory of the program for a phone', 'KiB', (afterKib - beforeKib) / phonesMax),
      ...shares(`COMMIT → last of ${concernedMax} phones of one account`, company, [0.5, 1], companyMs),
      ...shares(`COMMIT → its phone, among ${phonesMax}`, single, [0.5, 0.99]),
      ...shares(`COMMIT → last of ${operators} operators`, watching, [0.5, 1]),
    ]
  } catch (error) {
    const said = program.log.filter(({ message }) => !/^(http|The password of a login)/.test(message)).slice(-20)
    throw new Error(`The program said last:\n${said.map((line) => JSON.stringify(line)).join('\n')}`, { cause: error })
  } finally {
    for (const sockets of open) sockets.close()
    await pool.end()
    await program.stop()
    program.remove()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** `mostMs`: the target of p50. */
const shares = (what: string, samples: readonly number[], of: readonly number[], mostMs: number | null = null) =>
  of.map((share) => {
    const target = share === 0.5 && mostMs !== null ? figureAtMost(mostMs) : null
    return alone(`${what}, ${share === 1 ? 'longest' : `p${share * 100}`}`, 'ms', percentile(samples, share), target)
  })

/** Tokens as the program gives them out; ten thousand sign-ins are another matter. */
async function phoneHeaders(program: RunningProgram, pool: pg.Pool): Promise<string[]> {
  const key = secretsIn(program.dataDir).derive('jwt')
  const sessions = Array.from({ length: phonesMax }, () => randomUUID())
  await pool.query(
    `INSERT INTO phone_sessions (id, login_id, refresh_hash, expires_at)
       SELECT id, 100000 + n, 'none', now() + interval '1 day' FROM unnest($1::uuid[]) WITH ORDINALITY AS made(id, n)`,
    [sessions],
  )
  const sign = (sid: string) =>
    new SignJWT({ sid })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('tollgate')
      .setAudience('mobile')
      .setIssuedAt()
      .setExpirationTime('15m')
      .sign(key)
  const tokens = await Promise.all(sessions.map(sign))
  return tokens.map((token) => `Sec-WebSocket-Protocol: bearer, ${token}`)
}

/** Sessions of staff in the table, with `ofOneOperator` sockets each. */
async function operatorHeaders(pool: pg.Pool): Promise<string[]> {
  await pool.query(plantedStaff)
  const keys = Array.from({ length: operators / ofOneOperator }, () => randomBytes(32).toString('hex'))
  await pool.query(
    `INSERT INTO staff_sessions (key_hash, staff_id, csrf_token, created_at, seen_at, expires_at, address, user_agent)
       SELECT key_hash, 1000 + n, '', now(), now(), now() + interval '1 day', '127.0.0.1', 'bench'
       FROM unnest($1::text[]) WITH ORDINALITY AS made(key_hash, n)`,
    [keys.map((key) => hash('sha256', key))],
  )
  return keys.flatMap((key) => Array.from({ length: ofOneOperator }, () => `Cookie: sessionid=${key}`))
}

/** The operation. */
async function pay(program: RunningProgram, account: number): Promise<number> {
  const { status, body } = await program.rest('POST', '/rest_api/v2/FinanceOperations/', {
    account,
    op_type: 7,
    op_summa: ruble,
  })
  if (status !== 201) throw new Error(`The payment was answered with ${status}.`)
  return body.op_id
}

/** When its transaction committed, in epoch milliseconds; server and listener have one clock. */
async function commitMs(pool: pg.Pool, operation: number): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 * 1000 AS ms FROM finance_operations WHERE op_id = $1',
    [operation],
  )
  return rows[0]!.ms
}

if (import.meta.main) process.stdout.write(`${table(await measurePhones())}\n`)

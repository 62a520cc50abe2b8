import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { SignJWT } from 'jose'
import pg from 'pg'
import { WebSocket } from 'ws'
import { silentLog } from '../src/log.ts'
import { startPostgres } from '../src/storage/postgres-server.ts'
import { loadOrCreateSecretKey, Secrets } from '../src/storage/secrets.ts'
import { newDataDir, RunningProgram } from '../test/support/program.ts'
import { percentile } from './figures.ts'

/**
 * `npx node native-bench/phones.ts`: ten thousand live sockets of phones on one program. Memory for each, the time from a payment until
 * the last of 1,000 concerned phones has the new status (they are of one account, a company), and until the one concerned phone has it.
 * Needs 10,000 file descriptors for each of two processes; ends within a minute.
 */
const phonesMax = 10_000
const concernedMax = 1_000
const rounds = 5
const openingAtOnce = 500
const cashDesks = 20
const paymentsMax = 500
const ruble = 10_000_000_000

/** The first `concernedMax` phones are of one account. */
const planted = `
  INSERT INTO tarifs (id, name, price) VALUES (1000, 'Home', 600 * ${ruble});
  INSERT INTO admin_accounts (id) SELECT 100000 + n FROM generate_series(1, ${phonesMax}) AS n;
  INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id)
    SELECT 100000 + n, 'Subscriber ' || n, 'P' || n, CASE WHEN n <= ${concernedMax} THEN 100001 ELSE 100000 + n END, 1, 1000
    FROM generate_series(1, ${phonesMax}) AS n;
  INSERT INTO users (id, abonent_id, login, password) SELECT 100000 + n, 100000 + n, 'phone' || n, 'sealed' FROM generate_series(1, ${phonesMax}) AS n;`

type PhoneSocket = { socket: WebSocket; frames: number; onFrame: () => void }

const dataDir = newDataDir()
const server = await startPostgres({ dataDir, log: silentLog })
const program = await new RunningProgram({ DATABASE_URL: server.url, TOLLGATE_LOG_LEVEL: 'info' }).start()
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
const phones: PhoneSocket[] = []
try {
  await pool.query(planted)
  const tokens = await signIn()
  const beforeKib = residentKib()
  const openedMs = performance.now()
  for (let from = 0; from < phonesMax; from += openingAtOnce) {
    await Promise.all(tokens.slice(from, from + openingAtOnce).map(open))
  }
  const tookMs = performance.now() - openedMs
  const afterKib = residentKib()
  say(`${phonesMax} sockets, each with its status: ${seconds(tookMs)} s`)
  say(
    `memory of the program: ${mib(beforeKib)} → ${mib(afterKib)} MiB, ${((afterKib - beforeKib) / phonesMax).toFixed(1)} KiB a socket`,
  )

  const [answered, reached] = [[] as number[], [] as number[]]
  const enoughMs = performance.now() + 5_000
  for (let round = 0; round < rounds && performance.now() < enoughMs; round++) {
    const last = Promise.all(phones.slice(0, concernedMax).map(frameOf)).then(() => Date.now())
    const recordedMs = await pay(100_001)
    answered.push(Date.now() - recordedMs)
    reached.push((await last) - recordedMs)
  }
  tell('a payment of an account with 1,000 phones: from its record to the answer', answered)
  tell('… to the last of the 1,000 phones', reached)

  const single: number[] = []
  const withPhones = await payAll(async (n) => {
    const seen = frameOf(phones[n]!).then(() => Date.now())
    const recordedMs = await pay(100_001 + n)
    single.push((await seen) - recordedMs)
  })
  tell(`payments of ${paymentsMax} accounts from ${cashDesks} cash desks: from the record to its phone`, single)
  for (const { socket } of phones) socket.terminate()
  const without = await payAll((n) => pay(100_001 + n))
  say(`… ${withPhones} a second, ${without} without phones`)
} finally {
  for (const { socket } of phones) socket.terminate()
  await pool.end()
  await program.stop()
  program.remove()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Tokens as the program gives them out; ten thousand sign-ins are another matter. */
async function signIn(): Promise<string[]> {
  const key = new Secrets(loadOrCreateSecretKey(program.dataDir, null)).derive('jwt')
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
  return Promise.all(sessions.map(sign))
}

async function open(token: string): Promise<void> {
  const socket = new WebSocket(`${program.address.http.replace('http', 'ws')}/mobile-api/v1/live`, ['bearer', token], {
    perMessageDeflate: false,
  })
  const phone: PhoneSocket = { socket, frames: 0, onFrame: () => {} }
  phones.push(phone)
  socket.on('message', () => {
    phone.frames++
    phone.onFrame()
  })
  await once(socket, 'message')
}

/** Resolves with the next frame. */
function frameOf(phone: PhoneSocket): Promise<void> {
  return new Promise((resolve) => {
    phone.onFrame = resolve
  })
}

/** Payments a second. */
async function payAll(payOne: (n: number) => Promise<unknown>): Promise<number> {
  const waiting = Array.from({ length: paymentsMax }, (_, n) => concernedMax + n)
  const startedMs = performance.now()
  const cashDesk = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) await payOne(n)
  }
  await Promise.all(Array.from({ length: cashDesks }, cashDesk))
  return Math.round((paymentsMax * 1000) / (performance.now() - startedMs))
}

/** The moment it was recorded, just before its commit. */
async function pay(account: number): Promise<number> {
  const { status, body } = await program.rest('POST', '/rest_api/v2/FinanceOperations/', {
    account,
    op_type: 7,
    op_summa: ruble,
  })
  if (status !== 201) throw new Error(`The payment was answered with ${status}.`)
  return Date.parse(body.system_date)
}

function residentKib(): number {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}

function tell(what: string, samplesMs: readonly number[]): void {
  say(`${what}: median ${Math.round(percentile(samplesMs, 0.5))} ms, longest ${Math.round(Math.max(...samplesMs))} ms`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

function mib(kib: number): string {
  return (kib / 1024).toFixed(0)
}

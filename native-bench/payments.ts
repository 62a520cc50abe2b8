import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { linePassword } from '../test/support/provider.ts'
import { percentile } from './figures.ts'
import { LiveBlocks } from './live-blocks.ts'
import { addPayers, countOpen, type Payer, shop, shopSettings, type Till } from './payers.ts'
import { type PaymentTarget, Paying, type Waits } from './paying.ts'
import { secretsIn } from '../test/support/secrets.ts'

/**
 * From a gateway's webhook to the Access-Accept of the subscriber who was blocked: `node native-bench/payments.ts
 * [--rates 200,1000] [--seconds 8]`.
 *
 * The whole program on a server of its own with fsync is told of payments of blocked debtors, each with an order, one
 * at a time and so many a second; a NAS asks for their access, and a screen watches blocks. Each payment is of somebody
 * else, whom nothing in memory knows yet. Beside it a plain program (plain-biller.ts) that writes the same to the same
 * tables.
 */
const { values } = parseArgs({
  options: { rates: { type: 'string', default: '200,1000' }, seconds: { type: 'string', default: '8' } },
})
const rates = values.rates.split(',').filter(Boolean).map(Number)
const seconds = Number(values.seconds)
const oneByOne = 150
const warmUp = 50
const nas = { name: 'bench', ip: '127.0.0.51', secret: 'testing123', nas_type: 'mikrotik' }

const rounds = [oneByOne, ...rates.map((rate) => rate * seconds)]
const payersOfTill = warmUp + rounds.reduce((sum, count) => sum + count, 0)

const loadBefore = loadavg()[0]!
const server = await startPostgres({ dataDir: newDataDir(), log: silentLog })
const program = new RunningProgram({
  DATABASE_URL: server.url,
  ...shopSettings,
})
const database = new pg.Client({ connectionString: server.url })
let peer: ChildProcess | null = null
try {
  await Promise.all([program.start(), database.connect()])
  const made = await program.rest('POST', '/rest_api/v2/Nas/', nas)
  if (made.status !== 201) throw new Error(`The NAS was refused: ${JSON.stringify(made.body)}`)
  await program.stop()
  const sealed = secretsIn(program.dataDir).seal(linePassword)
  const payers: Record<Till, Payer[]> = {
    gwb: await addPayers(database, 'gwb', 2_000_000, payersOfTill, sealed),
    gwa: await addPayers(database, 'gwa', 3_000_000, payersOfTill, sealed),
    // Written after the program has left, so that its access table does not hold them.
    plain: [],
  }
  await database.query('VACUUM ANALYZE')

  await program.start()
  const live = await LiveBlocks.open(program.address.http, program.session)
  const { http, authPort } = program.address
  const tollgate: PaymentTarget = { webhook: `${http}/lk/payments/webhook/`, authPort, live }
  const formWaits = await measure(tollgate, payers.gwb)
  const restWaits = await measure(tollgate, payers.gwa)
  live.close()
  const reasons = program.log
    .filter(({ level }) => level === 'warn')
    .map(({ message, reason }) => `${message}: ${reason}`)
  for (const reason of new Set(reasons)) process.stdout.write(`${reason}\n`)
  await program.stop()

  payers.plain = await addPayers(database, 'plain', 4_000_000, payersOfTill, linePassword)
  await database.query('VACUUM ANALYZE')
  peer = spawn(process.execPath, ['native-bench/plain-biller.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: server.url, SHOP_KEY: shop.key, SHARED_SECRET: nas.secret },
  })
  const [line] = (await once(peer.stdout!, 'data')) as [Buffer]
  const plain = JSON.parse(String(line)) as { http: string; authPort: number }
  const plainWaits = await measure({ webhook: plain.http, authPort: plain.authPort, live: null }, payers.plain)

  const shown = (samples: readonly number[]) =>
    samples.length === 0 ? '–' : `${percentile(samples, 0.5).toFixed(1)} / ${percentile(samples, 0.99).toFixed(1)}`
  const row = (what: string, waits: readonly Waits[], end: keyof Waits) =>
    `| ${[what, ...waits.map((round) => shown(round[end]))].join(' | ')} |`
  const head = ['p50 / p99, ms', 'one at a time', ...rates.map((rate) => `${rate}/s`)]
  for (const text of [
    `load before: ${loadBefore.toFixed(1)}; ${rounds.join(', ')} payments each`,
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    row('gateway B, form: webhook → answer', formWaits, 'answered'),
    row('webhook → Access-Accept', formWaits, 'accepted'),
    row('webhook → live frame', formWaits, 'shown'),
    row('gateway A, REST v3: webhook → answer', restWaits, 'answered'),
    row('webhook → Access-Accept', restWaits, 'accepted'),
    row('webhook → live frame', restWaits, 'shown'),
    row('plain program, form: webhook → answer', plainWaits, 'answered'),
    row('webhook → Access-Accept', plainWaits, 'accepted'),
  ])
    process.stdout.write(`${text}\n`)
} finally {
  peer?.kill()
  await database.end()
  await program.stop()
  await server.stop()
  program.remove()
}
process.exit(0)

/** All rounds, and whether each payment was credited once and opened the line. */
async function measure(target: PaymentTarget, payers: readonly Payer[]): Promise<Waits[]> {
  const paying = await Paying.open(target, nas)
  await paying.oneAtATime(payers.slice(0, warmUp))
  let from = warmUp
  const next = (count: number) => {
    from += count
    return payers.slice(from - count, from)
  }
  const waits = [await paying.oneAtATime(next(oneByOne))]
  for (const rate of rates) waits.push(await paying.steadily(next(rate * seconds), rate))
  paying.close()
  if (paying.toldAgain > 0) process.stdout.write(`${target.webhook}: ${paying.toldAgain} webhooks were sent again\n`)
  const open = await countOpen(database, payers)
  // Too much for the machine: those that were refused would be told of again later.
  if (open !== payers.length)
    process.stdout.write(`${target.webhook}: ${open} of ${payers.length} are credited and open\n`)
  return waits
}

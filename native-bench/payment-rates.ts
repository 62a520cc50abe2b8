import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { FakeNas } from '../test/support/nas.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { linePassword, signUp } from '../test/support/provider.ts'
import { atRateProgram } from './at-rate.ts'
import { measureCreditCpu } from './credits.ts'
import { alone, type Figure, figureAtMost, percentile, ratioAtMost, table } from './figures.ts'
import { clockAhead, commitTimes, pay } from './gate.ts'
import { addPayers, countOpen, type Payer, shopSettings } from './payers.ts'
import { payAtRate, type Till } from './paying-at-rate.ts'
import { cpuMicroseconds } from './processes.ts'
import { secretsIn } from '../test/support/secrets.ts'

/** Payments a second, one round after another, and what p99 of both waits may be. */
const rates = [
  { perSecond: 200, acceptMs: 12, cutMs: 4 },
  { perSecond: 500, acceptMs: 20, cutMs: 6 },
  { perSecond: 1000, acceptMs: 20, cutMs: 5 },
]
/** A payment may cost so many credits of `credits`, where groups are as large as there. */
const creditsMax = { perSecond: 1000, times: 4 }
/** Until V8 has compiled nearly everything. In rounds of five seconds, because idle connections are closed after ten. */
const warmUp = { rounds: 3, count: 2_500, perSecond: 500 }
/** Between two blocks; each is followed by its lifting. */
const pauseMs = 20

const gateways = { gwb: 'gateway B, form', gwa: 'gateway A, REST v3' } as const
type Gateway = keyof typeof gateways

/**
 * From the webhook to the Access-Accept, and from the COMMIT of a block to the Disconnect-Request, at so many payments
 * a second, on the machine that also makes the load. The whole program on a server of its own with fsync; every payer
 * is somebody else, blocked, with an order, and not in memory. The load does not wait for answers; a wait begins when
 * its payment was due.
 */
export async function measurePaymentRates({ seconds = 6 } = {}): Promise<Figure[]> {
  // Says what is missing before anything is started.
  atRateProgram()
  const credit = await measureCreditCpu()
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog, settings: { track_commit_timestamp: 'on' } })
  const program = new RunningProgram({
    DATABASE_URL: server.url,
    ...shopSettings,
  })
  const database = new pg.Client({ connectionString: server.url })
  const nas = await FakeNas.start({ ip: '127.0.0.51' })
  try {
    await Promise.all([program.start(), database.connect()])
    const { name, ip, secret, coaPort } = nas.entry
    await program.rest('POST', '/rest_api/v2/Nas/', { name, ip, secret, coa_port: coaPort })
    const [debtor] = await signUp(program, 1)
    await program.stop()
    const sealed = secretsIn(program.dataDir).seal(linePassword)
    const count = rates.reduce((sum, { perSecond }) => sum + 2 * perSecond * seconds, warmUp.rounds * warmUp.count)
    const payers: Record<Gateway, Payer[]> = {
      gwb: await addPayers(database, 'gwb', 2_000_000, count, sealed),
      gwa: await addPayers(database, 'gwa', 3_000_000, count, sealed),
    }
    await database.query('VACUUM ANALYZE')
    await haveWorked(database)
    await program.start()
    const postmaster = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    const cutting = new Cutting(program, nas, debtor!.account)
    const till: Till = {
      webhook: `${program.address.http}/lk/payments/webhook/`,
      authPort: program.address.authPort,
      nas: { ip: ip!, secret },
    }
    const figures: Figure[] = []
    for (const gateway of ['gwb', 'gwa'] as const) {
      const left = [...payers[gateway]]
      for (let round = 0; round < warmUp.rounds; round++)
        await payAtRate(till, left.splice(0, warmUp.count), warmUp.perSecond)
      // As autovacuum does within seconds: what the tables were when everything was planned, they are no more.
      await database.query('ANALYZE')
      for (const { perSecond, acceptMs, cutMs } of rates) {
        const round = left.splice(0, perSecond * seconds)
        const cuts = cutting.during()
        const { answered, accepted, lost } = await payAtRate(till, round, perSecond)
        const disconnects = await cuts()
        const commits = await commitTimes(
          database,
          disconnects.map(({ operation }) => operation),
        )
        const aheadMs = await clockAhead(database)
        const wires = disconnects.map(({ onWire }, n) => onWire - commits[n]! - aheadMs)
        // A round of payments alone, because a block and its lifting cost several payments.
        const before = [cpuMicroseconds([program.pid]), cpuMicroseconds([postmaster])]
        const alike = left.splice(0, perSecond * seconds)
        await payAtRate(till, alike, perSecond)
        const [ours, theirs] = [cpuMicroseconds([program.pid]), cpuMicroseconds([postmaster])].map(
          (now, n) => (now - before[n]!) / alike.length,
        )
        const what = `${gateways[gateway]}, ${perSecond}/s`
        figures.push(
          alone(`${what}: webhook → answer, p50`, 'ms', percentile(answered, 0.5)),
          alone(`${what}: webhook → answer, p99`, 'ms', percentile(answered, 0.99)),
          alone(`${what}: webhook → Access-Accept, p50`, 'ms', percentile(accepted, 0.5)),
          alone(`${what}: webhook → Access-Accept, p99`, 'ms', percentile(accepted, 0.99), figureAtMost(acceptMs)),
          alone(`${what}: COMMIT → Disconnect-Request, p50`, 'ms', percentile(wires, 0.5)),
          alone(`${what}: COMMIT → Disconnect-Request, p99`, 'ms', percentile(wires, 0.99), figureAtMost(cutMs)),
          {
            what: `${what}: CPU of a payment`,
            unit: 'µs',
            ours: ours! + theirs!,
            peer: 'a credit of `credits`',
            theirs: credit,
            target: perSecond === creditsMax.perSecond ? ratioAtMost(creditsMax.times) : null,
          },
          alone(`${what}: of it PostgreSQL`, 'µs', theirs!),
        )
        if (lost > 0) process.stdout.write(`${what}: ${lost} of ${round.length} were not taken or not let in at once\n`)
      }
      const open = await countOpen(database, payers[gateway])
      if (open !== count) process.stdout.write(`${gateways[gateway]}: ${open} of ${count} are credited and open\n`)
    }
    return figures
  } finally {
    await nas.close()
    await database.end()
    await program.stop()
    await server.stop()
    program.remove()
  }
}

/** A server that has been at work has files of its log to use again; to make a new one holds up every commit. */
async function haveWorked(database: pg.Client): Promise<void> {
  for (let file = 0; file < 24; file++) {
    await database.query("SELECT pg_logical_emit_message(true, 'tollgate', '')")
    await database.query('SELECT pg_switch_wal()')
  }
  await database.query('CHECKPOINT')
}

type Cut = { operation: number; onWire: number }

/** Blocks somebody again and again while something else goes on. */
class Cutting {
  readonly #program: RunningProgram
  readonly #nas: FakeNas
  readonly #account: number

  constructor(program: RunningProgram, nas: FakeNas, account: number) {
    this.#program = program
    this.#nas = nas
    this.#account = account
  }

  /** Begins; the answer ends it and tells when each Disconnect-Request was there. */
  during(): () => Promise<Cut[]> {
    let isOver = false
    const cuts: Cut[] = []
    const rounds = (async () => {
      while (!isOver) {
        const received = this.#nas.received(this.#nas.seen.length + 1)
        const { body } = await pay(this.#program, this.#account, 9)
        const onWire = performance.timeOrigin + (await received).at(-1)!.at
        cuts.push({ operation: body.op_id, onWire })
        await pay(this.#program, this.#account, 7)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    })()
    return async () => {
      isOver = true
      await rounds
      return cuts
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${table(await measurePaymentRates())}\n`)
  process.exit(0)
}

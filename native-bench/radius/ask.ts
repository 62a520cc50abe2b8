import { parseArgs } from 'node:util'
import { type LoadOptions, load, type Measured, measured } from './load.ts'
import { inTurn } from './rounds.ts'
import { blockedEvery, nasAddresses, wrongEvery } from './subscribers.ts'
import { startTollgate, type Tollgate } from './tollgate.ts'

/**
 * `npx node native-bench/radius/ask.ts [--method pap] [--users 10000] [--workers 2] [--rounds 3] [--seconds 2] [--rate
 * 0] [--repeats 0] [--accepts]`: Tollgate alone, for whoever makes it faster. NODE_OPTIONS of the program, such as
 * --cpu-prof, go into PROGRAM_NODE_OPTIONS. With `--accepts` two of them run, one with RADIUS_LOG_ACCEPTS and one
 * without, and are asked in turn.
 */
const { values } = parseArgs({
  options: {
    method: { type: 'string', default: 'pap' },
    users: { type: 'string', default: '10000' },
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    rate: { type: 'string', default: '0' },
    repeats: { type: 'string', default: '0' },
    accepts: { type: 'boolean', default: false },
  },
})
const nas = nasAddresses(1)
const users = Number(values.users)
const method = values.method as LoadOptions['method']
const question: Omit<LoadOptions, 'port'> = {
  method,
  nas: nas[0]!,
  users,
  'blocked-every': blockedEvery,
  'wrong-every': wrongEvery,
  rate: Number(values.rate),
  repeats: Number(values.repeats),
  seconds: Number(values.seconds),
}
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const servers: Tollgate[] = []
try {
  if (values.accepts) await compareAccepts()
  else await askAlone()
} finally {
  for (const server of servers) await server.stop()
}
process.exit()

async function started(settings: Readonly<Record<string, string>> = {}): Promise<Tollgate> {
  const environment = { NODE_OPTIONS: process.env.PROGRAM_NODE_OPTIONS ?? '', ...settings }
  const server = await startTollgate({ users, nas }, Number(values.workers), environment)
  servers.push(server)
  return server
}

async function askAlone(): Promise<void> {
  const server = await started()
  const options = { ...question, port: method === 'accounting' ? server.acctPort : server.authPort }
  await load({ ...options, seconds: 3 })
  for (let round = 0; round < rounds; round++) say('', await measured(server.pids, options))
}

/** The median round of each, and what the log of accepts costs: processor time and answers beside those without it. */
async function compareAccepts(): Promise<void> {
  const sides = {
    with: await started({ TOLLGATE_SETTING_RADIUS_LOG_ACCEPTS: '1' }),
    without: await started({ TOLLGATE_SETTING_RADIUS_LOG_ACCEPTS: '0' }),
  }
  const found = await inTurn(sides, question, { rounds, seconds })
  const [on, off] = [found.with.median, found.without.median]
  say('accepts logged: ', on)
  say('not logged:     ', off)
  const text = 'SELECT coalesce(sum(count), 0)::int8 AS logged FROM radius_auth_log WHERE accepted'
  const [logged] = (await sides.with.database.query<{ logged: string }>(text)).rows
  const [cpu, rate] = [on.cpu / off.cpu, on.rate / off.rate].map((ratio) => ratio.toFixed(3))
  process.stdout.write(`with / without: CPU ${cpu}, answers a second ${rate}; accepts in the log ${logged!.logged}\n`)
}

function say(what: string, { cpu, rate, latency, lost, retransmitted }: Measured): void {
  process.stdout.write(
    `${what}${cpu.toFixed(2)} µs CPU, ${Math.round(rate)} /s, p50 ${latency.p50} µs, p99 ${latency.p99} µs, sent again ${retransmitted}, lost ${lost}\n`,
  )
}

import { parseArgs } from 'node:util'
import { type LoadOptions, load, measured } from './load.ts'
import { blockedEvery, nasAddresses, wrongEvery } from './subscribers.ts'
import { startTollgate } from './tollgate.ts'

/**
 * `npx node native-bench/radius/ask.ts [--method pap] [--users 10000] [--workers 2] [--rounds 3] [--seconds 2] [--rate
 * 0] [--repeats 0]`: Tollgate alone, for whoever makes it faster. NODE_OPTIONS of the program, such as --cpu-prof, go
 * into PROGRAM_NODE_OPTIONS.
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
  },
})
const nas = nasAddresses(1)
const users = Number(values.users)
const method = values.method as LoadOptions['method']
const server = await startTollgate({ users, nas }, Number(values.workers), {
  NODE_OPTIONS: process.env.PROGRAM_NODE_OPTIONS ?? '',
})
try {
  const options: LoadOptions = {
    port: method === 'accounting' ? server.acctPort : server.authPort,
    method,
    nas: nas[0]!,
    users,
    'blocked-every': blockedEvery,
    'wrong-every': wrongEvery,
    rate: Number(values.rate),
    repeats: Number(values.repeats),
    seconds: Number(values.seconds),
  }
  await load({ ...options, seconds: 3 })
  for (let round = 0; round < Number(values.rounds); round++) {
    const { cpu, rate, latency, lost, retransmitted } = await measured(server.pids, options)
    process.stdout.write(
      `${cpu.toFixed(2)} µs CPU, ${Math.round(rate)} /s, p50 ${latency.p50} µs, p99 ${latency.p99} µs, sent again ${retransmitted}, lost ${lost}\n`,
    )
  }
} finally {
  await server.stop()
}
process.exit()

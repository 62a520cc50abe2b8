import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { silentLog } from '../src/platform/log.ts'
import { startPostgres } from '../src/platform/postgres/server.ts'
import { FakeNas } from '../test/support/nas.ts'
import { newDataDir } from '../test/support/data-folder.ts'
import { RunningProgram } from '../test/support/program.ts'
import { ruble, signUp } from '../test/support/provider.ts'
import { Watcher } from '../test/support/watcher.ts'
import { type Figure, percentile, table } from './figures.ts'

const rounds = 300

/**
 * From the COMMIT of an expense to the Disconnect-Request at the NAS and to the live frame at the watcher, one block
 * after another through the whole program.
 *
 * The moment of the commit is PostgreSQL's own: the server runs with track_commit_timestamp and is asked afterwards
 * when the transaction that wrote the operation committed. It notes that before the commit record is flushed, so the
 * times hold the fsync and the way of its answer to the program. NAS and watcher are this process; its clock is set
 * beside the server's first.
 */
export async function measureGate(): Promise<Figure[]> {
  const dataDir = newDataDir()
  const server = await startPostgres({ dataDir, log: silentLog, settings: { track_commit_timestamp: 'on' } })
  const program = new RunningProgram({ DATABASE_URL: server.url })
  const database = new pg.Client({ connectionString: server.url })
  // It acknowledges, so that nothing is sent again into a later round.
  const nas = await FakeNas.start()
  try {
    await Promise.all([program.start(), database.connect()])
    const { name, ip, secret, coaPort } = nas.entry
    await program.rest('POST', '/rest_api/v2/Nas/', { name, ip, secret, coa_port: coaPort })
    const [client] = await signUp(program, 1)
    const watcher = await new Watcher(program.address.http, program.session).open(['blocks'])
    const aheadMs = await clockAhead(database)
    const operations: number[] = []
    const moments: { sent: number; answered: number; onWire: number; onSocket: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const cut = nas.received(round + 1)
      const shown = watcher.next((frame) => frame.type === 'block.changed' && frame.b_negbal === true)
      const sent = nowMs()
      const posted = pay(program, client!.account, 9)
      const [answered, seen, onSocket] = await Promise.all([posted.then(nowMs), cut, shown.then(nowMs)])
      const onWire = performance.timeOrigin + seen[round]!.at
      operations.push((await posted).body.op_id)
      moments.push({ sent, answered, onWire, onSocket })
      await pay(program, client!.account, 7)
    }
    watcher.close()
    if (nas.seen.length !== rounds) throw new Error(`${nas.seen.length} Disconnect-Requests for ${rounds} blocks.`)
    const commits = (await commitTimes(database, operations)).map((ms) => ms + aheadMs)
    const spans = (of: (moment: (typeof moments)[number], committed: number) => number) =>
      moments.map((moment, round) => of(moment, commits[round]!))
    const figure = (what: string, samples: number[], share: number): Figure => ({
      what: `${what}, p${share * 100}`,
      unit: 'ms',
      ours: percentile(samples, share),
      peer: null,
      theirs: null,
    })
    return [
      ['COMMIT → Disconnect-Request received', spans(({ onWire }, committed) => onWire - committed)] as const,
      ['COMMIT → live frame received', spans(({ onSocket }, committed) => onSocket - committed)] as const,
      ['COMMIT → HTTP answer', spans(({ answered }, committed) => answered - committed)] as const,
      ['HTTP request → COMMIT', spans(({ sent }, committed) => committed - sent)] as const,
    ].flatMap(([what, samples]) => [figure(what, samples, 0.5), figure(what, samples, 0.99)])
  } finally {
    await nas.close()
    await database.end()
    await program.stop()
    await server.stop()
    program.remove()
  }
}

/** Epoch milliseconds, in microseconds and monotonic, unlike Date.now(). */
const nowMs = () => performance.timeOrigin + performance.now()

/**
 * How far our clock is ahead of the server's: by the quickest of many questions, so by half of its round trip at most
 * wrong.
 */
export async function clockAhead(database: pg.Client): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let question = 0; question < 300; question++) {
    const askedMs = nowMs()
    const { rows } = await database.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms')
    const tookMs = nowMs() - askedMs
    if (tookMs < best.tookMs) best = { tookMs, aheadMs: askedMs + tookMs / 2 - rows[0].ms }
  }
  return best.aheadMs
}

/** When the transaction of each operation committed, by the server's clock. */
export async function commitTimes(database: pg.Client, operations: readonly number[]): Promise<number[]> {
  const { rows } = await database.query<{ ms: number }>(
    `SELECT extract(epoch FROM pg_xact_commit_timestamp(o.xmin))::float8 * 1000 AS ms
     FROM unnest($1::int8[]) WITH ORDINALITY AS asked(op_id, round) JOIN finance_operations o USING (op_id) ORDER BY round`,
    [operations],
  )
  if (rows.length !== operations.length) throw new Error('An operation is missing.')
  return rows.map(({ ms }) => ms)
}

export const pay = (program: RunningProgram, account: number, type: 7 | 9) =>
  program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: type, op_summa: ruble })

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${table(await measureGate())}\n`)
}

import { count } from '../../billing/importing/progress.ts'
import { csvLine, csvMark } from '../../platform/formats/csv.ts'
import { type Difference, differenceKinds } from '../shadow/comparison.ts'
import { type Exchange, Seen, SourceFault } from '../shadow/exchange.ts'
import type { Judgement } from '../shadow/judge.ts'
import { isoMoment, reportLines, reportObject } from '../shadow/report.ts'
import { runShadow } from '../shadow/run.ts'
import { sources } from '../shadow/sources.ts'
import { exampleOf, Tally } from '../shadow/tally.ts'
import { ByteProgress } from './byte-progress.ts'
import { CommandRefusal, defineCommand, table } from './command.ts'
import { withSecrets } from './database.ts'
import { WrittenFile } from './written-file.ts'

const details = `Sources:
${table(Object.entries(sources).map(([name, { about }]) => [name, about] as const)).join('\n')}

Each Access-Request is decided as RADIUS would decide it, by the tables as they are now; nothing is answered and nothing
is written. Accept or reject and the attributes of an accept are compared with what the other server said. Live sessions
do not count, and of a pool any address is as good as another. The secrets of the NAS here open the passwords of captured
packets. Detail files hardly ever have passwords; then the right one is assumed, and the report says so. May run beside
the program. Ctrl+C ends a source that is piped in, and the report follows.

Exit status 0 when nothing differs, 1 when something does, 2 when nothing could be compared or not
all could be read. docs/moving-in.md tells how to have the other server write, or how to capture, what is read here.`

const columns = ['at', 'login', 'nas', 'kind', 'detail', 'there', 'here']

export default defineCommand({
  about: 'Compares what another RADIUS server answered with what Tollgate would answer; answers nothing itself.',
  details,
  operands: ['<source>', '<from>'],
  failureStatus: 2,
  options: {
    json: { type: 'boolean', about: 'Print the report as one JSON object' },
    differences: { type: 'string', value: '<file.csv>', about: 'Write every difference into this file' },
    examples: { type: 'string', value: '<n>', about: 'So many examples of each kind of difference; otherwise 5' },
    port: { type: 'string', value: '<n>', about: 'Of the source pcap: the port of the server; otherwise 1812' },
    replies: {
      type: 'string',
      value: '<file>',
      about: 'Of the source detail: what was answered to one file of requests',
    },
  },
  async run(given, context, [name = '', from = '']) {
    const source = Object.hasOwn(sources, name) ? sources[name as keyof typeof sources] : undefined
    if (!source)
      throw new CommandRefusal(`There is no source "${name}"; there are ${Object.keys(sources).join(' and ')}.`)
    const port = readNumber('port', given.port, 1812, 65_535)
    const tally = new Tally(readNumber('examples', given.examples, 5, 1_000))
    const [seen, stop] = [new Seen(), new AbortController()]
    const exchanges = source.exchanges({ from, port, replies: given.replies, seen, signal: stop.signal })
    const list = given.differences === undefined ? null : await openList(given.differences)
    const end = () => stop.abort()
    process.once('SIGINT', end).once('SIGTERM', end)
    const progress = new ByteProgress(process.stderr)
    const onRequest = () => {
      const what = `${count(tally.requests)} requests, ${count(tally.differing)} answered otherwise`
      progress.at({ what, done: seen.bytes, total: seen.totalBytes })
    }
    const onDifference = (...difference: [Exchange, Judgement, Difference]) => list?.write(lineOf(...difference))
    let fault: string | null = null
    try {
      await withSecrets(context, (_, secrets, url) =>
        runShadow(context, { url, secrets }, { exchanges, tally, onDifference, onRequest }),
      )
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      fault = error.message
    } finally {
      progress.end()
      process.off('SIGINT', end).off('SIGTERM', end)
      await list?.close()
    }
    // What has come before the fault is told all the same.
    if (fault === null || tally.requests > 0) {
      if (given.json) context.print(JSON.stringify(reportObject(tally, seen), null, 2))
      else for (const line of reportLines(tally, seen)) context.print(line)
    }
    if (fault !== null) throw new CommandRefusal(fault)
    if (tally.compared === 0) throw new CommandRefusal(`${from} has no sign-in that could be compared.`)
    return tally.differing === 0 ? 0 : 1
  },
})

async function openList(path: string): Promise<WrittenFile> {
  const file = await WrittenFile.open(path)
  await file.write(`${csvMark}${csvLine(columns)}`)
  return file
}

function lineOf(exchange: Exchange, judgement: Judgement, difference: Difference): string {
  const { atMs, login, nas, there, here } = exampleOf(exchange, judgement, difference)
  const { kind, detail } = difference
  return csvLine([isoMoment(atMs), login, nas, differenceKinds[kind], detail, there, here])
}

function readNumber(option: string, text: string | undefined, usual: number, most: number): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (!/^\d{1,6}$/.test(text) || number > most) throw new CommandRefusal(`--${option} is a number up to ${most}.`)
  return number
}

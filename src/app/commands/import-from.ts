import type { Client } from 'pg'
import { type Day, startOfDay } from '../../domain/calendar.ts'
import { encodings } from '../../billing/importing/file.ts'
import { Progress } from '../../billing/importing/progress.ts'
import { moveIn } from '../../billing/moving-in/move.ts'
import { reportLines, reportRows } from '../../billing/moving-in/report.ts'
import { sources } from '../../billing/moving-in/sources.ts'
import { SourceFault } from '../../billing/moving-in/tables/tables.ts'
import type { ReplyFault } from '../../billing/moving-in/reply-lines.ts'
import { encodeReplyAttributes } from '../../network/radius/wire/dictionary.ts'
import { withPromises } from '../moved-promises.ts'
import { CommandRefusal, defineCommand, table } from './command.ts'
import { withSecrets } from './database.ts'
import { WrittenFile } from './written-file.ts'

const details = `Sources:
${table(Object.entries(sources).map(([name, { about }]) => [name, about] as const)).join('\n')}

Without --apply everything is read and compared, and nothing is written. The report tells what would be made, what is here
already, what cannot be carried over and why, and adds up numbers and balances of both sides to the kopeck. With --apply
tariffs, NAS, subscribers, logins and balances are made; a balance becomes the opening operation of its account. What is here
already stays as it is, so the command can be given again: after something was corrected, and after it was cut off. The exit
status is 1 when something was left out or is here otherwise. docs/moving-in.md tells what each source gives.`

export default defineCommand({
  about: 'Moves in from another billing or RADIUS server; tells first what would be made, without --apply.',
  details,
  operands: ['<source>', '<from>'],
  options: {
    apply: { type: 'boolean', about: 'Move in; otherwise the source is only read and compared' },
    report: { type: 'string', value: '<file.csv>', about: 'Write every line of the report into this file' },
    encoding: { type: 'string', value: '<name>', about: `Of files: ${encodings.join(' or ')}; the first if left out` },
    mapping: { type: 'string', value: '<file.json>', about: 'Of the source csv: what the columns are' },
    'charged-from': {
      type: 'string',
      value: '<day>',
      about: 'Charge tariffs from this day on, such as 2026-12-01; otherwise from now on',
    },
    sessions: {
      type: 'string',
      value: '<n>',
      about: 'Sessions at once of a login of which the source names no number; otherwise 1',
    },
  },
  async run(given, context, [name = '', from = '']) {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined
    if (!source) throw new CommandRefusal(`There is no source "${name}"; there are ${Object.keys(sources).join(', ')}.`)
    const encoding = encodings.find((known) => known === (given.encoding ?? encodings[0]))
    if (!encoding) throw new CommandRefusal(`The encoding is ${encodings.join(' or ')}.`)
    const { apply } = given
    const [day, sessions] = [readDay(given['charged-from']), readCount(given.sessions)]
    const now = new Date()
    const mapping = given.mapping ?? null
    const report = given.report === undefined ? null : await WrittenFile.open(given.report)
    const { stderr } = process
    const progress = new Progress({ write: (text) => stderr.write(text), isTerminal: stderr.isTTY === true })
    const findings = await withSecrets(context, async (client, secrets, url) => {
      const present = { now, zone: await zoneOf(client) }
      const records = await source.read({ from, encoding, mapping, present }).catch(explain)
      const chargedFrom = day === null ? null : startOfDay(day, present.zone)
      const order = { client, url, secrets, records, apply, progress, now, chargedFrom, sessions, replyFault }
      return await withPromises(url, context.log, (givePromise) => moveIn({ ...order, givePromise })).catch(explain)
    })
    for (const line of reportLines(findings, apply)) context.print(line)
    for (const row of reportRows(findings.notes)) await report?.write(row)
    await report?.close()
    return findings.isWhole && findings.addsUp ? 0 : 1
  },
})

const replyFault: ReplyFault = (lines) => {
  const encoded = encodeReplyAttributes(lines)
  return 'fault' in encoded ? encoded.fault : null
}

function explain(error: unknown): never {
  throw error instanceof SourceFault ? new CommandRefusal(error.message) : error
}

function readDay(text: string | undefined): Day | null {
  if (text === undefined) return null
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new CommandRefusal('--charged-from is a day such as 2026-12-01.')
  return text as Day
}

/** The time zone of the provider. */
async function zoneOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ value: string }>(`SELECT value FROM system_settings WHERE name = 'TIME_ZONE'`)
  return rows[0]!.value
}

function readCount(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new CommandRefusal('--sessions is a number of 1 or more.')
  return Number(text)
}

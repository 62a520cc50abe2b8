import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { importKey } from '../../domain/money-keys.ts'
import { type Money, moneyFromUnits, plus } from '../../domain/money.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { importStaged } from '../importing/importer.ts'
import { loadDictionaries, Names } from '../importing/names.ts'
import type { Shown } from '../importing/progress.ts'
import { copyMovedIntoStaging, createStaging, remarks } from '../importing/staging.ts'
import { type DictionaryParts, moveAuthor, moveNas, moveTariff } from './dictionaries.ts'
import { Findings } from './findings.ts'
import { type GivePromise, movePromises } from './promises.ts'
import type { MovedRecord } from './records.ts'
import type { ReplyFault } from './reply-lines.ts'
import { SubscriberRows } from './subscriber-rows.ts'

export type MoveOrder = {
  /** A dedicated connection, as of an import. */
  readonly client: Client
  readonly url: string
  readonly secrets: Secrets
  readonly records: Iterable<MovedRecord>
  /** False: a dry run, which writes nothing. */
  readonly apply: boolean
  readonly progress: Shown
  readonly now: Date
  readonly chargedFrom: Date | null
  readonly sessions: number | null
  readonly replyFault: ReplyFault
  readonly givePromise: GivePromise
}

/**
 * Moves in what a source says: tariffs and NAS one by one, then the subscribers with their logins and balances as an
 * import does (importing/importer.ts), whole chunks at a time. What is here already is compared and left as it is, so a
 * second run changes nothing, and a run after one that was cut off does the rest.
 */
export async function moveIn(order: MoveOrder): Promise<Findings> {
  const { client, url, secrets, apply, progress, now, replyFault } = order
  const findings = new Findings()
  const records = order.records[Symbol.iterator]()
  const first = await moveDictionaries(records, { client, secrets, apply, findings, replyFault })
  await createStaging(client)
  const dictionaries = await loadDictionaries(client)
  // No tariff has such an id, so whoever is here already has another one.
  for (const [at, name] of first.newTariffs.entries()) dictionaries.tariffs.add(String(-1 - at), name)
  const rows = new SubscriberRows({
    ...{ findings, dictionaries, pools: await loadPools(client), replyFault, now, chargedFrom: order.chargedFrom },
    ...{ sessions: order.sessions, sealed: (password) => (apply ? secrets.seal(password) : null) },
  })
  progress.begin('reading', 0)
  const staged = stagedRows(first.rest, records, rows, findings)
  await pipeline(Readable.from(staged, { objectMode: true }), copyMovedIntoStaging(client))
  progress.end(findings.subscribers.there)
  await importStaged({ client, url, apply, progress, author: moveAuthor }, { isMoved: true })
  await settle(client, findings)
  await movePromises(order, rows.promises, findings)
  return findings
}

/** All records before the first subscriber, who is returned with the tariffs that a dry run has not made. */
async function moveDictionaries(records: Iterator<MovedRecord>, parts: DictionaryParts) {
  const newTariffs: string[] = []
  for (;;) {
    const { value: record, done } = records.next()
    if (done) return { rest: null, newTariffs }
    if (record.kind === 'subscriber') return { rest: record, newTariffs }
    if (record.kind === 'nas') await moveNas(parts, record)
    else if (record.kind === 'remark') parts.findings.note('remark', record.place, record.text)
    else if ((await moveTariff(parts, record)) === null) newTariffs.push(record.name.trim().slice(0, 255))
  }
}

/** So many characters are sent at once. */
const pieceMax = 64 * 1024

function* stagedRows(
  first: MovedRecord | null,
  records: Iterator<MovedRecord>,
  rows: SubscriberRows,
  findings: Findings,
): Generator<Buffer> {
  let piece = ''
  for (let record = first; record !== null; ) {
    if (record.kind === 'subscriber') piece += rows.of(record)
    else if (record.kind === 'remark') findings.note('remark', record.place, record.text)
    else throw new Error('A source tells its tariffs and NAS before its subscribers.')
    if (piece.length >= pieceMax) {
      yield Buffer.from(piece)
      piece = ''
    }
    const next = records.next()
    record = next.done ? null : next.value
  }
  if (piece !== '') yield Buffer.from(piece)
}

async function loadPools(client: Client): Promise<Names> {
  const pools = new Names()
  const { rows } = await client.query<{ id: string; name: string }>('SELECT id, trim(name) AS name FROM ip_pulls')
  for (const { id, name } of rows) pools.add(id, name)
  return pools
}

type State = 'made' | 'same' | 'differing' | 'left'
type StateRow = {
  readonly state: State
  readonly subscribers: number
  readonly logins: number
  readonly balance: string
}

const stateSql = `CASE WHEN fault IS NOT NULL THEN 'left' WHEN NOT known THEN 'made' WHEN bool_or(note IS NOT NULL) OVER whole THEN 'differing'
  ELSE 'same' END`

/** Counts the lines of the staging table as they ended, and notes what is to be said of them. */
async function settle(client: Client, findings: Findings): Promise<void> {
  const { rows } = await client.query<StateRow>(
    `SELECT state, count(*) FILTER (WHERE of_line IS NULL)::int4 AS subscribers, count(login)::int4 AS logins,
        coalesce(sum(balance), 0)::text AS balance
      FROM (SELECT of_line, login, balance, ${stateSql} AS state FROM import_lines
        WINDOW whole AS (PARTITION BY coalesce(of_line, line))) AS lines GROUP BY state`,
  )
  for (const { state, subscribers, logins, balance } of rows) {
    findings.subscribers[state] += subscribers
    findings.logins[state] += logins
    findings.balances[state] = plus(findings.balances[state], moneyFromUnits(balance))
  }
  for await (const { place, line, text } of remarks(client, 'fault'))
    findings.note('left', place ?? `line ${line}`, text)
  for await (const { place, line, contractNumber, text } of remarks(client, 'note'))
    findings.note(
      'differing',
      place ?? `line ${line}`,
      `contract_number "${contractNumber}" is here and stays as it is; ${text} would differ`,
    )
  findings.opened = await openedHere(client)
}

/** The opening operations of the subscribers that are not left out, as the tables have them. */
async function openedHere(client: Client): Promise<{ count: number; sum: Money }> {
  const { rows } = await client.query<{ count: number; sum: string }>(
    `SELECT count(*)::int4 AS count, coalesce(sum(operation.op_summa), 0)::text AS sum
      FROM import_lines AS line JOIN money_keys AS key ON key.key = ${importKey.sql('line.contract_number')}
      JOIN finance_operations AS operation ON operation.op_id = key.op_id
      WHERE line.of_line IS NULL AND line.fault IS NULL`,
  )
  const [found] = rows
  return { count: found!.count, sum: moneyFromUnits(found!.sum) }
}

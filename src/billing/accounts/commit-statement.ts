import { type Subscriber, subscribersById } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { sameBlocks } from '../../domain/block.ts'
import type { StoredEffect } from '../../domain/effects.ts'
import { type BinaryArrays, binaryArrays } from '../../platform/storage/binary-arrays.ts'
import type { AccountChange } from './account-change.ts'
import type { SectionColumn } from './commit-section.ts'
import { type CommitRows, type SectionName, sections } from './commit-sections.ts'
import { toldCommit } from './told-commit.ts'

/**
 * What one turn writes: the changes of one account, or of two when a subscriber moves between them. They are written
 * together or not at all.
 */
export type CommitUnit = {
  readonly changes: readonly AccountChange[]
  readonly effects: readonly StoredEffect[]
  readonly author: Author
  readonly now: Date
  /** Whether the commit is written to the log of nodes, by which the other nodes follow it. */
  readonly isTold: boolean
}

/** Which turns of one statement the database has written. */
export type CommitVerdict = {
  /** One letter per turn, in order: t or f. */
  accepted: string
  /** For every turn that was not accepted, its accounts as they were found; null when all turns were accepted. */
  refused: CommitRefusal[] | null
}

export type CommitRefusal = {
  turn: number
  /** Null: the row does not exist, or another transaction holds its lock. */
  version: number | null
  /** Whether the account exists. */
  present: boolean
  /** Whether a key of the turn was taken before. */
  known: boolean
  /** The operation that took the key; null: the key was taken without an operation. */
  op_id: string | null
  amount: string | null
}

export type Statement = { name: string; text: string; values: Buffer[] }

const sectionNames = Object.keys(sections) as SectionName[]

/**
 * The batch as one statement. It locks the accounts in id order, skips every turn whose account is locked or has
 * another version, or whose key is known, and writes the others. A section takes part only when it has rows, so that
 * the usual batches stay short and each combination is prepared once. Throws OutOfRange.
 */
export function commitStatement(units: readonly CommitUnit[]): Statement {
  const rows = rowsOf(units)
  const used = sectionNames.filter((name) => rows[name].length > 0)
  const values = binaryArrays((arrays) => {
    for (const name of used) writeSection(arrays, rows, name)
  })
  return { name: nameOf(used), text: statementText(used), values }
}

function writeSection<Name extends SectionName>(arrays: BinaryArrays, rows: Rows, name: Name): void {
  const columns: readonly SectionColumn<CommitRows[Name]>[] = Object.values(sections[name].columns)
  arrays.columns(rows[name], columns)
}

/** PostgreSQL cuts names of prepared statements at 63 bytes, so the sections are named by their numbers. */
const nameOf = (used: readonly SectionName[]): string =>
  `commit:${used.map((section) => sectionNames.indexOf(section)).join()}`

const texts = new Map<string, string>()

function statementText(used: readonly SectionName[]): string {
  const name = nameOf(used)
  const known = texts.get(name)
  if (known) return known
  let parameter = 0
  const columnsOf = new Map(
    used.map((section) => {
      const columns = Object.entries(sections[section].columns).map(
        ([column, { type }]) => [column, `unnest($${++parameter}::${type}[]) AS "${column}"`] as const,
      )
      return [section, new Map(columns)]
    }),
  )
  const selected = (section: SectionName, names = [...columnsOf.get(section)!.keys()]): string =>
    `SELECT ${names.map((name) => columnsOf.get(section)!.get(name)).join(', ')}`
  const writes = used.flatMap((section) =>
    sections[section].writes.map(
      (write, index) => `written_${section}_${index} AS (
  WITH row AS (SELECT * FROM (${selected(section)}) AS all_rows WHERE (SELECT turns FROM accepted)[turn + 1])
  ${write})`,
    ),
  )
  const text = `WITH
wanted AS MATERIALIZED (${selected('accounts', ['turn', 'id', 'version'])}),
locked AS MATERIALIZED (
  SELECT id, version FROM admin_accounts WHERE id IN (SELECT id FROM wanted) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
known AS MATERIALIZED (${
    used.includes('keys')
      ? `SELECT DISTINCT ON (row.turn) row.turn, taken.op_id, taken.amount
    FROM (${selected('keys', ['turn', 'key'])}) AS row JOIN money_keys AS taken USING (key) ORDER BY row.turn, taken.op_id`
      : 'SELECT NULL::int4 AS turn, NULL::int8 AS op_id, NULL::int8 AS amount WHERE false'
  }),
judged AS (
  SELECT turn, bool_and(locked.version IS NOT DISTINCT FROM wanted.version) AND turn NOT IN (SELECT turn FROM known) AS is_accepted
  FROM wanted LEFT JOIN locked USING (id) GROUP BY turn),
accepted AS MATERIALIZED (SELECT array_agg(is_accepted ORDER BY turn) AS turns FROM judged),
${writes.join(',\n')}
SELECT array_to_string(turns, '') AS accepted,
  CASE WHEN false = ANY (turns) THEN (
    SELECT json_agg(json_build_object('turn', turn, 'version', locked.version, 'known', known.turn IS NOT NULL, 'op_id', known.op_id::text, 'amount', known.amount::text,
      'present', locked.id IS NOT NULL OR EXISTS (SELECT FROM admin_accounts WHERE admin_accounts.id = wanted.id)))
    FROM wanted LEFT JOIN locked USING (id) LEFT JOIN known USING (turn) WHERE NOT turns[turn + 1]) END AS refused
FROM accepted`
  texts.set(name, text)
  return text
}

type Rows = { [Name in SectionName]: CommitRows[Name][] }

function rowsOf(units: readonly CommitUnit[]): Rows {
  const rows = Object.fromEntries(sectionNames.map((name) => [name, []])) as unknown as Rows
  units.forEach((unit, turn) => {
    for (const change of unit.changes) addChange(rows, turn, unit, change)
    for (const stored of unit.effects) rows.outbox.push({ turn, stored, at: unit.now })
    if (unit.isTold)
      for (const change of unit.changes) rows.told.push({ turn, account: change.after.id, commit: toldCommit(change) })
  })
  return rows
}

function addChange(rows: Rows, turn: number, { author, now: at }: CommitUnit, change: AccountChange): void {
  const { before, after, operation, removed, joined, order } = change
  rows.accounts.push({ turn, version: before.version, account: after })
  for (const posted of change.operations) {
    rows.operations.push({ turn, operation: posted })
    if (posted.reversalOf !== null) rows.reversed.push({ turn, id: posted.reversalOf })
  }
  if (removed !== null) rows.removed.push({ turn, id: removed.id, at, author })
  for (const key of change.keys) rows.keys.push({ turn, key, account: after, operation })
  if (change.unlinked !== undefined) rows.unlinked.push({ turn, id: change.unlinked })
  for (const use of change.usesEnded) rows.usesEnded.push({ turn, ...use })
  if (order && operation) rows.orders.push({ turn, order, operation })
  if (after.subscribers !== before.subscribers || change.plan) {
    const earlier = subscribersById(before)
    for (const is of after.subscribers) {
      const was = earlier.get(is.id)
      const plan = change.plan?.subscriberId === is.id ? change.plan : null
      if (was) addSubscriber(rows, { turn, at, account: after, was, is, plan }, false)
      else if (joined?.id === is.id) addSubscriber(rows, { turn, at, account: after, was: joined, is, plan }, true)
    }
  }
  const organizationId = after.subscribers[0]?.organizationId ?? operation?.organizationId ?? null
  for (const audit of change.audits) rows.audits.push({ turn, audit, author, organizationId, at })
}

/** Adds rows only for what differs. */
function addSubscriber(rows: Rows, row: CommitRows['subscribers'], joins: boolean): void {
  const { turn, at, was, is, plan } = row
  if (was === is && !joins && !plan) return
  if (joins || plan || subscriberDiffers(was, is)) rows.subscribers.push(row)
  if (was.promise && was.promise.linkId !== null && was.promise.linkId !== is.promise?.linkId) {
    rows.unlinked.push({ turn, id: was.promise.linkId })
  }
  if (is.promise && is.promise.linkId !== was.promise?.linkId) {
    rows.linked.push({ turn, subscriber: is, promise: is.promise, at })
  }
  if (was.hasBlockRecord !== is.hasBlockRecord || !sameBlocks(was.blocks, is.blocks)) {
    if (is.hasBlockRecord) rows.blocked.push({ turn, subscriber: is, blocks: is.blocks, at })
    else rows.unblocked.push({ turn, subscriber: is })
  }
  for (const login of is.logins) {
    const before = was.logins.find(({ id }) => id === login.id)
    if (before?.enabled !== login.enabled || before.disabledByHand !== login.disabledByHand)
      rows.logins.push({ turn, login })
  }
}

const subscriberDiffers = (was: Subscriber, is: Subscriber): boolean =>
  was.enabled !== is.enabled ||
  was.deleted !== is.deleted ||
  was.tariffId !== is.tariffId ||
  was.promise?.until !== is.promise?.until ||
  was.promise?.limit !== is.promise?.limit ||
  was.lastPromiseAt !== is.lastPromiseAt ||
  was.chargedFrom !== is.chargedFrom

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import Type, { type TProperties } from 'typebox'
import type { RunOrder } from '../../../../billing/runs/run-table.ts'
import type { Runs } from '../../../../billing/runs/runs.ts'
import { type SubscriberStep, subscribersRun } from '../../../../billing/runs/subscribers-run.ts'
import { isShortened } from '../../../../platform/formats/json.ts'
import type { Call, Reply } from '../../../../platform/http/call.ts'
import { field, parametersOf, readBySchema, type Values } from '../../../../platform/http/fields.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { authorOf } from '../../../../platform/staff/author.ts'
import { bulkForbiddenReply, findAllVisible, visibleTo } from '../../../../platform/staff/visible-records.ts'
import { patientFor, reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { idempotencyHeader, keysOf } from '../../accounts/money-request.ts'
import { type Fields, type Refused, readBody, readSent, refused } from '../../body.ts'
import { answers } from '../../doors.ts'
import { ListFilters } from '../../list-filters.ts'
import { startedReply } from '../../runs/routes.ts'
import { runSchema } from '../../runs/shapes.ts'
import { type Asked, filterParameters, narrow } from '../list-filters.ts'
import type { Countings, Progress } from '../../countings.ts'
import { confirmedFields, confirmedIdsMax, idsMember, sinceConfirmed } from './confirmed.ts'

/** What every bulk action on subscribers needs. */
export type ManyParts = TransactionScope & {
  readonly runs: Pick<Runs, 'start' | 'table'>
  readonly countings: Countings
}

const idsMax = 5_000
/** A search for a word that half of all subscribers have may take some seconds on a busy machine. */
export const patientMs = 6_000
/** Makes a query wait for as long as it may take. */
export const patient = patientFor(patientMs)
/** One statement that looks at a million subscribers takes many seconds on a busy machine. */
const togetherMs = 30_000
/** Of a million subscribers each would hold up everything else, were they one turn of the loop or one statement. */
const pieceMax = 5_000
/** Some of those who change, by whom an operator recognizes what he is about to do. */
const sampleMax = 5

/** The filter of the list of subscribers, by the names that the list gives it. */
const filterField = field<Asked>(
  Type.Object(
    Object.fromEntries(Object.entries(filterParameters).map(([name, { schema }]) => [name, Type.Optional(schema)])),
  ),
  `have members of ${Object.keys(filterParameters).join(', ')}, as the list of subscribers takes them, each with a value`,
  (sent) => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return null
    if (isShortened(sent) || Object.keys(sent).some((name) => !Object.hasOwn(filterParameters, name))) return null
    // A member without a value would narrow nothing, so that a slip of a program would mean everybody.
    if (Object.values(sent).some((value) => value === null || value === '')) return null
    const read = readBySchema(parametersOf(filterParameters), sent as Fields)
    return 'wrong' in read ? null : read.values
  },
)

const idsField = field<number[]>(
  Type.Array(schemas.integer, { minItems: 1, maxItems: idsMax }),
  `be a list of 1 to ${idsMax} ids`,
  (sent) => (Array.isArray(sent) && sent.length > 0 && sent.length <= idsMax ? (sent as number[]) : null),
)

/** Whom an order means: the fields of its body. */
const meantFields = {
  ids: Type.Optional(idsField),
  filter: Type.Optional(Type.With(filterField, { description: 'Everybody whom the list of subscribers finds by it' })),
}

/** The body of an order with fields of its own. */
export const orderBodyOf = <P extends TProperties>(own: P) => Type.Object({ ...own, ...meantFields })

export type Order<P extends TProperties> = {
  readonly ids: readonly number[] | undefined
  readonly filter: Asked | undefined
  readonly own: Values<P>
  /** As they were sent. */
  readonly fields: Fields
}

/** Reads an order. Ids must all be of subscribers whom the caller sees. */
export async function readOrder<P extends TProperties>(
  scope: TransactionScope,
  call: Call,
  ownFields: P,
): Promise<Order<P> | Refused> {
  const body = readBody(call)
  if ('refused' in body) return body
  const own = readSent(ownFields, body.fields)
  if ('refused' in own) return own
  const read = readSent(meantFields, body.fields)
  if ('refused' in read) return read
  const { ids: sent, filter } = read.values
  if ((sent === undefined) === (filter === undefined))
    return { refused: refused(400, 'wrong_field', 'Name either ids or filter.') }
  const ids = sent && (await findAllVisible(scope.database.pool, 'subscriber', sent, visibleTo(call)))
  if (ids === null) return { refused: bulkForbiddenReply() }
  return { ids, filter, own: own.values as Values<P>, fields: body.fields }
}

export type Meant = { readonly id: number; readonly name: string }
export type WhomMeant = Pick<Order<TProperties>, 'ids' | 'filter'> & {
  /** In place of them: whom this run has left. */
  readonly restOf?: number
}

/** Conditions over `client` and `account` that find those whom an order means now. */
export function meantFilters(call: Call, { ids, filter, restOf }: WhomMeant): ListFilters {
  const filters = new ListFilters()
  if (restOf !== undefined) {
    filters.where(`client.id IN (SELECT record FROM staff_run_rest WHERE run_id = ${filters.add(restOf, 'int8')})`)
    filters.whereVisible('client.organization_id', visibleTo(call))
  } else if (ids) filters.where(`client.id = ANY(${filters.add(ids, 'int8[]')})`)
  else narrow(filters, filter ?? {}, visibleTo(call))
  return filters
}

const meantFrom = (filters: ListFilters): string =>
  `FROM abonents AS client LEFT JOIN admin_accounts AS account ON account.id = client.account_id
    LEFT JOIN abonents_block AS block ON block.abonent_id = client.id WHERE ${filters.conditions}`

/** Further columns of `client`, `account` and `block`, each with a name; what they compare with goes into `filters`. */
type Columns = (filters: ListFilters) => readonly string[]

/** SQL: those whom an order means now, in the order of their ids, with further columns. */
function meantQuery(call: Call, order: WhomMeant, columns: Columns = () => []) {
  const filters = meantFilters(call, order)
  const selected = ['client.id::float8 AS id', 'client.name', ...columns(filters)].join(', ')
  return { text: `SELECT ${selected} ${meantFrom(filters)} ORDER BY client.id`, values: filters.values }
}

/** SQL: how many of those whom an order means have the same values in some columns, and the price of their tariff. */
function meantGroups(call: Call, order: WhomMeant, columns: Columns) {
  const filters = meantFilters(call, order)
  const selected = columns(filters)
  const places = selected.map((_, at) => at + 1).join(', ')
  const groups = `SELECT ${selected.join(', ')}, count(*)::int4 AS count ${meantFrom(filters)} GROUP BY ${places}`
  const text = `SELECT meant.*, tarif.price FROM (${groups}) AS meant LEFT JOIN tarifs AS tarif ON tarif.id = meant.tarif_id`
  return { text, values: filters.values }
}

/** Those whom an order means now, all of them. */
export const findMeant = (scope: TransactionScope, call: Call, order: WhomMeant): Promise<readonly Meant[]> =>
  reading(scope, async (client) => (await client.query<Meant>(patient(meantQuery(call, order)))).rows, patientMs)

/** Whom a preview of a filter has meant, where they are few enough to be confirmed one by one. */
export async function meantIds(
  scope: TransactionScope,
  { call, order }: Pick<Looking, 'call' | 'order'>,
  total: number,
): Promise<readonly number[] | null> {
  if (!order.filter || total > confirmedIdsMax) return null
  return (await findMeant(scope, call, order)).slice(0, confirmedIdsMax).map(({ id }) => id)
}

/**
 * Those whom an order means, piece by piece as the transaction of `client` sees them. `most` is what part of them is
 * expected to be read: a plan for the first tenth, as PostgreSQL makes it for a cursor, takes seven times as long for
 * all.
 */
async function* meantPieces<Row extends Meant>(
  client: PoolClient,
  { call, order, progress }: Looking,
  columns: Columns,
  most: 'all' | 'first',
): AsyncGenerator<readonly Row[], void, undefined> {
  const { text, values } = meantQuery(call, order, columns)
  if (most === 'all') await client.query('SET LOCAL cursor_tuple_fraction = 1')
  await client.query(patient({ text: `DECLARE meant NO SCROLL CURSOR FOR ${text}`, values }))
  for (let isLast = false; !isLast; await nextTurn()) {
    const { rows } = await client.query<Row>(patient({ text: `FETCH ${pieceMax} FROM meant` }))
    progress.signal.throwIfAborted()
    isLast = rows.length < pieceMax
    yield rows
  }
}

/**
 * Looks at all whom an order means, piece by piece in one snapshot, and gives the loop to others in between. Resolves
 * with how many were meant.
 */
export const lookAtMeant = <Row extends Meant>(
  scope: TransactionScope,
  looking: Looking,
  columns: readonly string[],
  look: (piece: readonly Row[], client: PoolClient) => Promise<void>,
): Promise<number> =>
  reading(
    scope,
    async (client) => {
      for await (const piece of meantPieces<Row>(client, looking, () => columns, 'all')) {
        await look(piece, client)
        looking.progress.counted += piece.length
      }
      return looking.progress.counted
    },
    patientMs,
  )

/** Who asks for a preview, of what, and how far it is. */
export type Looking = { readonly call: Call; readonly order: WhomMeant; readonly progress: Progress }

type Prospects<T> = (client: PoolClient, ids: readonly number[]) => Promise<readonly T[]>

/** Tells of each whom an order means what would become of him. Resolves with how many were meant. */
export const foresee = <T>(
  scope: TransactionScope,
  looking: Looking,
  prospects: Prospects<T>,
  tell: (one: Meant, prospect: T) => void,
): Promise<number> =>
  lookAtMeant<Meant>(scope, looking, [], async (piece, client) => {
    const found = await prospects(
      client,
      piece.map(({ id }) => id),
    )
    for (const [place, one] of piece.entries()) tell(one, found[place]!)
  })

/** How those are judged who have the same values in some columns, one of which is their tariff. */
type Judging<Row, Prospect> = {
  readonly columns: Columns
  /** What would become of whoever has such a row. */
  readonly judge: (client: PoolClient) => Promise<(row: Row) => Prospect>
  readonly tell: (prospect: Prospect, count: number) => void
  readonly tally: Tally
}

type Judged = { readonly tarif_id: string | null; readonly price: string | null }

/**
 * As `foresee` where few values decide: those who have the same are counted by PostgreSQL and judged together, and
 * nobody is looked at but for the sample.
 */
export const foreseeTogether = <Row extends Judged, Prospect extends { readonly kind: string }>(
  scope: TransactionScope,
  looking: Looking,
  { columns, judge, tell, tally }: Judging<Row, Prospect>,
): Promise<number> =>
  reading(
    scope,
    async (client) => {
      const { call, order, progress } = looking
      const prospectOf = await judge(client)
      const groups = patientFor(togetherMs)(meantGroups(call, order, columns))
      const { rows } = await client.query<Row & { count: number }>(groups)
      const prices = new Map<string | null, string | null>()
      for (const [at, row] of rows.entries()) {
        if (at % pieceMax === pieceMax - 1) await nextTurn()
        progress.signal.throwIfAborted()
        prices.set(row.tarif_id, row.price)
        tell(prospectOf(row), row.count)
        progress.counted += row.count
      }
      if (tally.isShown) return progress.counted
      for await (const piece of meantPieces<Row & Meant>(client, looking, columns, 'first')) {
        for (const row of piece)
          if (isChange(prospectOf({ ...row, price: prices.get(row.tarif_id) ?? null }))) tally.show(row)
        if (tally.isShown) break
      }
      return progress.counted
    },
    togetherMs,
  )

const isChange = ({ kind }: { readonly kind: string }): boolean => kind !== 'refused' && kind !== 'same'

/** Counts what would become of those who are meant. */
export class Tally {
  #changing = 0
  #same = 0
  readonly #sample: Meant[] = []
  readonly #refused = new Map<string, { readonly code: string; readonly error: string; count: number }>()

  change(one: Meant): void {
    this.changeSome(1)
    this.show(one)
  }

  /** Of whom the sample is made apart, by `show`. */
  changeSome(count: number): void {
    this.#changing += count
  }

  show({ id, name }: Meant): void {
    if (!this.isShown) this.#sample.push({ id, name })
  }

  /** Whether the sample has as many as it may, or all who change. */
  get isShown(): boolean {
    return this.#sample.length >= Math.min(sampleMax, this.#changing)
  }

  leave(count = 1): void {
    this.#same += count
  }

  refuse(code: string, error: string, count = 1): void {
    const known = this.#refused.get(code) ?? { code, error, count: 0 }
    known.count += count
    this.#refused.set(code, known)
  }

  /** As `previewMembers` and `refusalsMember` describe them; the most frequent refusal comes first, equals by code. */
  get counts() {
    const refused = [...this.#refused.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
    return { changing: this.#changing, same: this.#same, refused, sample: this.#sample }
  }
}

/** What every preview tells. */
export const previewMembers = {
  total: Type.Integer({ description: 'Those who were meant' }),
  ids: idsMember,
  changing: schemas.integer,
  same: Type.Integer({ description: 'Those who are so already' }),
  sample: Type.Array(Type.Object({ id: schemas.integer, name: schemas.text })),
}

export const refusalsMember = Type.Array(
  Type.Object({ code: schemas.text, error: schemas.text, count: schemas.integer }),
  { description: 'How many would be left as they are, by the reason' },
)

/** Starts the run of an order and answers with it. */
export async function startMany(
  parts: ManyParts,
  call: Call,
  order: Order<TProperties>,
  { kind, asked }: Pick<RunOrder, 'kind' | 'asked'>,
  step: SubscriberStep,
): Promise<Reply> {
  const key = keysOf(call, order.fields)
  if ('refused' in key) return key.refused
  const sent = readSent(confirmedFields, order.fields)
  if ('refused' in sent) return sent.refused
  const subscribers = await findMeant(parts, call, order)
  const author = authorOf(call)
  const { confirmed } = sent.values
  const ofFilter = order.filter && {
    filter: order.filter,
    ...(confirmed && sinceConfirmed(confirmed, subscribers)),
  }
  const told = { ...asked, ...ofFilter }
  const work = subscribersRun({ subscribers, author }, step)
  const started = await parts.runs.start({ kind, author, asked: told, keys: key.keys }, work)
  return startedReply(parts, call, started, 'run')
}

export const refusedOrder = {
  400: 'Neither ids nor filter, or both, or a wrong field; `code` names it',
  403: 'One of the subscribers is missing or of another organization; nothing is done',
}

/** The documentation of an endpoint that starts a run. */
export const startDoc = <P extends TProperties>(summary: string, body: ReturnType<typeof orderBodyOf<P>>) => ({
  tag: 'Subscribers',
  summary,
  description:
    'Each by a turn of its account; what cannot be done for one holds up no other. It answers at once, and the run goes on: ask `/admin/runs/{id}/`, and `/admin/runs/{id}/faults/` for whom it could not be done.',
  headers: idempotencyHeader,
  body: Type.Object({ ...body.properties, ...confirmedFields }),
  isFormToo: false,
  answers: answers('It has begun', { run: runSchema }, { ...refusedOrder, 409: 'The key was used for another order' }),
})

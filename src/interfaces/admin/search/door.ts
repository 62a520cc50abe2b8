import Type, { type Static } from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import { missingRight, type Right } from '../../../domain/staff-user.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { count, text } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { readQuery } from '../body.ts'
import { answers, get } from '../doors.ts'
import { type Asked, type Item, itemSchema, plannerSql } from './asked.ts'
import { type FoundHomes, findHomes } from './homes.ts'
import { findNas, findPools, findSessions } from './network.ts'
import { findOperations, findTickets } from './office.ts'
import { findLogins, findSubscribers } from './people.ts'
import { readQuestion } from './question.ts'

/** One box for everything (contract section 8): what somebody types is looked for in every way that it can be meant. */
export const searchRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/search', doc, (call) => search(scope, call)),
]

type Kind = {
  readonly kind: string
  readonly rights: readonly Right[]
  readonly find: (asked: Asked, homes: FoundHomes) => Item[] | Promise<Item[]>
}

/** In the order in which they are shown. */
const kinds = [
  { kind: 'subscriber', rights: recordRights.usual.read, find: findSubscribers },
  { kind: 'login', rights: recordRights.usual.read, find: findLogins },
  { kind: 'session', rights: recordRights.usual.read, find: findSessions },
  { kind: 'operation', rights: recordRights.operation.read, find: findOperations },
  { kind: 'ticket', rights: recordRights.usual.read, find: findTickets },
  { kind: 'home', rights: recordRights.usual.read, find: (_, { items }) => [...items] },
  { kind: 'nas', rights: recordRights.usual.read, find: findNas },
  { kind: 'pool', rights: recordRights.usual.read, find: findPools },
] as const satisfies readonly Kind[]

const limitUsual = 5
const limitMax = 20
/** Nothing that is looked for has a longer name. */
const textMax = 200
/** Far above what a question takes; whoever waits longer has typed on. */
const timeoutMs = 1000

async function search(scope: TransactionScope, call: Call): Promise<Reply> {
  const read = readQuery(parameters, call.query)
  if ('refused' in read) return read.refused
  const { q = '', limit = limitUsual } = read.values
  const allowed = kinds.filter(({ rights }) => missingRight(call.staff, rights) === null)
  if (q === '' || allowed.length === 0) return json({ ok: true, groups: [] })
  const groups: Static<typeof groupSchema>[] = []
  await reading(
    scope,
    async (client) => {
      await client.query(plannerSql)
      const asked: Asked = {
        question: readQuestion(q),
        visible: visibleTo(call),
        limit: Math.min(limit, limitMax),
        client,
      }
      const homes = await findHomes(asked)
      for (const { kind, find } of allowed) {
        const items = await find(asked, homes)
        if (items.length > 0) groups.push({ kind, items })
      }
    },
    timeoutMs,
  )
  return json({ ok: true, groups })
}

const groupSchema = Type.Object({
  kind: Type.Enum(kinds.map(({ kind }) => kind)),
  items: Type.Array(itemSchema),
})

const parameters = {
  q: {
    doc: 'Words of a name in any order, each as far as it is typed; a contract, phone or its last digits; a login, IP, IPv6 or MAC in any spelling; street, house and flat; the number of an operation or a ticket; a NAS or a pool',
    schema: text(textMax),
  },
  limit: { doc: `Of each kind; ${limitUsual} if left out, at most ${limitMax}`, schema: count(1000) },
} as const

const doc: RouteDoc = {
  tag: 'Search',
  summary: 'Find anybody and anything',
  description:
    'Kinds of which nothing is found, or which the caller may not read, are left out. An empty `q` finds nothing. Of what very many share (a first name, the beginning of a login) some are shown, not all.',
  query: parameters,
  answers: answers('What was found', { groups: Type.Array(groupSchema) }, { 400: 'A parameter is wrong' }),
}

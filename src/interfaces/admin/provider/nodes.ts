import Type from 'typebox'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { nullable, schemas } from '../../../platform/http/schemas.ts'
import { isAliveSql } from '../../../platform/nodes/nodes-table.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { notFoundReply } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { answers, get, post } from '../doors.ts'
import { shapeOf } from '../shapes.ts'

/** The programs that serve this database (contract section 9). */
export const nodeRoutes = (scope: TransactionScope): Route[] => [
  get('/admin/nodes', docs.list, () => list(scope)),
  post('/admin/nodes/:name/drain', docs.drain, (call) => drain(scope, call), {
    right: recordRights.job.create,
    forAllOrganizations: true,
    allowedReadOnly: true,
  }),
]

/** Longer without a word, and a node is gone rather than cut off. */
const cutOffMinutes = 1

const stateSql = `CASE WHEN ${isAliveSql} THEN 'alive'
  WHEN stopped_at IS NULL AND heartbeat_at > clock_timestamp() - interval '${cutOffMinutes} min' THEN 'fenced' ELSE 'gone' END`

const told = (name: string) => `node.state->'${name}'`

const perSecond = Type.Object({
  accept: schemas.number,
  reject: schemas.number,
  accounting: schemas.number,
  dropped: schemas.number,
})

const [nodeSchema, shown] = shapeOf('node', {
  name: schemas.text,
  role: Type.Enum(['full', 'edge'], { description: 'edge: RADIUS alone, without the office, jobs and effects' }),
  version: schemas.text,
  state: [
    Type.Enum(['alive', 'fenced', 'gone'], {
      description: 'fenced: its heartbeat does not reach the database; gone: it has ended, or was silent for a minute',
    }),
    stateSql,
  ],
  draining: [schemas.boolean, 'is_draining'],
  started_at: schemas.moment,
  heartbeat_at: schemas.moment,
  lag_ms: [
    Type.Union([schemas.integer, Type.Null()], {
      description: 'Milliseconds from the last commit of another node that it has read until it knew of it',
    }),
    told('lag_ms'),
  ],
  clock_offset_ms: [
    Type.Union([schemas.integer, Type.Null()], {
      description: 'Its clock is ahead of that of the database by so much',
    }),
    told('clock_offset_ms'),
  ],
  http: [
    Type.Union([schemas.text, Type.Null()], { description: 'Of an edge where it answers /healthz and /readyz' }),
    told('http'),
  ],
  radius: [
    Type.Union([schemas.text, Type.Null()], { description: 'Address, port for sign-ins, port for accounting' }),
    told('radius'),
  ],
  sessions: [nullable(schemas.integer), told('sessions')],
  rates: [
    Type.Union([perSecond, Type.Null()], { description: 'RADIUS requests a second by what became of them' }),
    told('rates'),
  ],
})

async function list(scope: TransactionScope): Promise<Reply> {
  const nodes = await reading(scope, async (client) => {
    const { rows } = await client.query(`SELECT ${shown} AS item FROM nodes AS node ORDER BY name`)
    return rows.map(({ item }) => item)
  })
  return json({ ok: true, nodes })
}

async function drain(scope: TransactionScope, call: Call): Promise<Reply> {
  const name = call.params.name ?? ''
  const outcome = await writing(scope, async (client) => {
    const { rows } = await client.query<{ is_alive: boolean }>(
      `UPDATE nodes SET is_draining = is_draining OR ${isAliveSql} WHERE name = $1 RETURNING ${isAliveSql} AS is_alive`,
      [name],
    )
    if (!rows[0]?.is_alive) return rows[0] ? 'gone' : 'missing'
    const author = authorOf(call)
    const diff = { draining: [false, true] } as const
    await writeAudit(client, { author, table: 'NODES', id: name, action: 'change', diff, organizationId: null })
    return 'draining'
  })
  if (outcome === 'missing') return notFoundReply()
  if (outcome === 'gone') return refusal('admin', 409, 'This node is not running, so there is nothing to drain.')
  return json({ ok: true })
}

const docs = {
  list: {
    tag: 'Nodes',
    summary: 'The programs that serve this database together; none where DATABASE_URL is not set',
    answers: answers('By name, with those that are gone', { nodes: Type.Array(nodeSchema) }),
  },
  drain: {
    tag: 'Nodes',
    summary: 'Prepare a node for its stop',
    description:
      'Within a second it answers /readyz with 503, closes its WebSockets with 1012 and begins no more jobs; RADIUS and requests go on. Stop it then; a start under its name ends the draining.',
    answers: answers('It is told', {}, { 404: 'There is no such node', 409: 'It is not running' }),
  },
} as const satisfies Record<string, RouteDoc>

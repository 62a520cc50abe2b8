import { type RecordRights, recordRights } from '../../domain/record-rights.ts'
import type { Call, Handler, Reply, Route } from '../../platform/http/call.ts'
import { json, jsonText } from '../../platform/http/reply.ts'
import { Counts } from '../../platform/records/counts.ts'
import { listRecords, readList } from '../../platform/records/lists.ts'
import type { Model } from '../../platform/records/model.ts'
import { readId, readRecord } from '../../platform/records/reads.ts'
import { notFound } from '../../platform/records/refusals.ts'
import { reading } from '../../platform/storage/transactions.ts'
import { metadataReply } from './metadata.ts'
import { models } from './models/index.ts'
import { openApi } from './openapi.ts'
import { pageLinks } from './page-links.ts'
import type { RestParts } from './parts.ts'
import { RecordReads } from './record-reads.ts'
import { recordReply, refusalReply } from './replies.ts'
import { restRight } from './rights.ts'
import { addMessage } from './writes/hdsk.ts'
import { writesOf } from './writes/index.ts'

const base = '/rest_api/v2'

/** The routes of REST v2 (specification 4.2). */
export function restV2Routes(parts: RestParts): Route[] {
  const counts = new Counts()
  return [...models.flatMap((model) => routesOf(parts, model, counts)), messageRoute(parts), openApiRoute(parts)]
}

function routesOf(parts: RestParts, model: Model, counts: Counts): Route[] {
  const writes = writesOf(parts, model)
  const reads = new RecordReads(parts, model)
  const list = `${base}/${model.name}`
  const one = `${list}/:id`
  const rights = model.rights ?? recordRights.usual
  const route = (method: Route['method'], path: string, handler: Handler): Route => ({
    method,
    path,
    door: 'rest',
    right: restRight(rights[workOf[method]]),
    isConditional: method === 'GET',
    handler,
  })
  return [
    route('GET', list, (call) => listReply(parts, model, call, counts)),
    route('POST', list, writes.create),
    route(
      'GET',
      one,
      withId((call, id) => {
        // Of all parameters only `fields` changes the answer, so requests without a query can share a statement.
        return call.queryText === '' ? reads.reply(id) : recordReply(parts, model, id, 200, call)
      }),
    ),
    route('PUT', one, withId(writes.change)),
    route('PATCH', one, withId(writes.change)),
    route('DELETE', one, withId(writes.remove)),
    route('OPTIONS', list, () => metadataReply(model, 'List', 'POST')),
    route('OPTIONS', one, async ({ params }) => {
      const id = readId(params.id)
      const record = id && (await reading(parts, (client) => readRecord(client, model, id)))
      return metadataReply(model, 'Instance', record ? 'PUT' : null)
    }),
  ]
}

/** Which of the rights of a model each method needs. */
const workOf = {
  GET: 'read',
  OPTIONS: 'read',
  POST: 'create',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'remove',
} as const satisfies Record<Route['method'], keyof RecordRights>

/** Passes the id of the path on. Anything that cannot be an id is answered with 404, as by Django REST framework. */
const withId =
  (handler: (call: Call, id: string) => Reply | Promise<Reply>): Handler =>
  (call) => {
    const id = readId(call.params.id)
    return id === null ? refusalReply(notFound) : handler(call, id)
  }

async function listReply(parts: RestParts, model: Model, { query }: Call, counts: Counts): Promise<Reply> {
  const asked = readList(model, query)
  if (asked.kind === 'wrong') return json(asked.errors, 400)
  const { count, page, records } = await reading(parts, (client) =>
    listRecords(client, asked, counts, parts.timeZone()),
  )
  const { next, previous } = pageLinks(`${parts.publicUrl()}${base}/${model.name}/`, query, page, count)
  const head = JSON.stringify({ count, next, previous }).slice(0, -1)
  return jsonText(`${head},"results":[${records.join(',')}]}`)
}

const messageRoute = (parts: RestParts): Route => ({
  method: 'POST',
  path: `${base}/Hdsk/:id/messages`,
  door: 'rest',
  right: restRight(recordRights.usual.change),
  handler: withId((call, id) => addMessage(parts, call, id)),
})

/** The OpenAPI document of REST v2. It is the same for everybody who is signed in. */
const openApiRoute = (parts: RestParts): Route => ({
  method: 'GET',
  path: `${base}/openapi.json`,
  door: 'rest',
  right: restRight(recordRights.usual.read),
  doc: {
    tag: 'Documentation',
    summary: 'REST v2 alone, as OpenAPI',
    answers: { 200: { doc: 'OpenAPI 3.1', schema: {} } },
  },
  handler: () => json(openApi(parts.publicUrl())),
})

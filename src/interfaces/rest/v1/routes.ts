import { mediaTypeOf } from '../../../platform/http/form.ts'
import { parseJson, stringifyJson } from '../../../platform/formats/json.ts'
import type { Call, Handler, Reply, Route } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import { models } from '../models/index.ts'
import type { RestParts } from '../parts.ts'
import { notFound, wrongRequest } from '../../../platform/records/refusals.ts'
import { refusalReply } from '../replies.ts'
import { restV2Routes } from '../routes.ts'
import { readXml, type XmlValue } from './xml-reader.ts'
import { writeXml } from './xml-writer.ts'

/**
 * REST v1, `/rest_api/<Model>/[<id>/]?format=json|xml`. Records, filters, rights and refusals are those of REST v2, but
 * a list is `{count, results}`, and both requests and answers may be XML.
 */
export const restV1Routes = (parts: RestParts): Route[] =>
  restV2Routes(parts)
    .filter(({ path }) => !path.endsWith('.json'))
    .map((route) => {
      const { doc: _, ...plain } = route
      const path = route.path.replace('/rest_api/v2/', '/rest_api/')
      return {
        ...plain,
        path,
        inFormat: (call, refusal) => shaped(refusal, formatOf(call) ?? 'json'),
        handler: inFormat(route.handler, path.split('/')[2]!),
      }
    })

type Format = 'json' | 'xml'

const inFormat =
  (handler: Handler, modelName: string): Handler =>
  async (call) => {
    const format = formatOf(call)
    // Django REST framework answers unknown formats the same way.
    if (!format) return refusalReply(notFound)
    const converted = isXml(mediaTypeOf(call)) && call.body.length > 0 ? await fromXml(call, modelName) : call
    const reply = 'status' in converted ? converted : await handler(converted)
    return reply.body === undefined || reply.body === '' ? reply : shaped(reply, format)
  }

const isXml = (mediaType: string): boolean => mediaType === 'application/xml' || mediaType === 'text/xml'

/**
 * The format of the answer; null when `?format=` names an unknown one. `?format=` takes precedence over Accept. Only
 * the first entry of Accept counts, because browsers list XML among others.
 */
function formatOf(call: Call): Format | null {
  const asked = call.query.getAll('format').at(-1)
  if (asked) return asked === 'json' || asked === 'xml' ? asked : null
  return isXml(call.header('accept').split(/[,;]/, 1)[0]!.trim().toLowerCase()) ? 'xml' : 'json'
}

/** The same call with its XML body converted to JSON, or the refusal of the XML. */
async function fromXml(call: Call, modelName: string): Promise<Call | Reply> {
  const read = await readXml(call.body)
  if (read.kind === 'refused') return json({ detail: read.detail }, 400)
  if (read.value === null || Array.isArray(read.value)) return refusalReply(wrongRequest('The root has no fields.'))
  const body = typeof read.value === 'string' ? {} : withEmptyLists(read.value, modelName)
  return {
    ...call,
    // The spread copies own properties only, and these may be getters of the class.
    path: call.path,
    query: call.query,
    params: call.params,
    staff: call.staff,
    header: (name) => (name === 'content-type' ? 'application/json' : call.header(name)),
    body: Buffer.from(stringifyJson(body)),
  }
}

/**
 * An element without content is read as an empty text. For a field that is a list or an object it means an empty one.
 */
function withEmptyLists(body: Record<string, XmlValue>, modelName: string): Record<string, unknown> {
  const fields = models.find(({ name }) => name === modelName)?.fields ?? []
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const field = value === '' ? fields.find((known) => known.name === name && known.kind === 'json') : undefined
      if (!field) return [name, value]
      return [name, (field.schema as { type?: string } | undefined)?.type === 'array' ? [] : {}]
    }),
  )
}

function shaped(reply: Reply, format: Format): Reply {
  // REST v2 answers every request with JSON text.
  const parsed = parseJson(Buffer.from(reply.body as string), Number.POSITIVE_INFINITY)
  if (parsed.kind === 'refused') throw new Error(`REST v2 wrote what is not JSON: ${parsed.detail}`)
  const value = adaptedToV1(parsed.value)
  if (format === 'json') return { ...reply, body: stringifyJson(value) }
  return { ...reply, contentType: 'application/xml; charset=utf-8', body: writeXml(value) }
}

/** Removes `next` and `previous` from lists and adds XML to the formats in answers to OPTIONS. */
function adaptedToV1(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if ('results' in value && 'next' in value) {
    const { count, results } = value as { count?: unknown; results: unknown }
    return { count, results }
  }
  if ('renders' in value && 'parses' in value) {
    const { renders, parses } = value as { renders: string[]; parses: string[] }
    return { ...value, renders: [...renders, 'application/xml'], parses: [...parses, 'application/xml'] }
  }
  return value
}

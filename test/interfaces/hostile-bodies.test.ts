import t from 'tap'
import { parseJson } from '../../src/platform/formats/json.ts'
import { isBodySource } from '../../src/platform/http/body-stream.ts'
import type { Call, Route } from '../../src/platform/http/call.ts'
import { compileRoutes } from '../../src/platform/http/routes.ts'
import { publishedByProgram } from '../support/published.ts'
import { clientUser, type Doors, type Json, newSubscriber, openDoors } from './door.ts'

/**
 * Whoever may send a request may send the worst one. At every door of the document, and at the writes that it does not
 * describe (SOAP, the portal, REST v1), hostile bodies and queries are read, and no single turn of the loop may take
 * the main thread longer than 20 ms, because RADIUS accounting is answered between the turns.
 *
 * What is measured is processor time of the main thread, which another busy process does not lengthen, and of several
 * attempts the best counts, because garbage is collected in between. What is quadratic takes seconds every time.
 */
const heldMaxMs = 20
const attemptsMax = 6

const doors = await openDoors(t)
const { document } = publishedByProgram(doors.parts.routes)

const mebibyte = 1024 * 1024
/** Room for what is around the repeated text. */
const around = 20_000
const fill = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))

type Hostile = { readonly name: string; readonly type: string; readonly body: Buffer }

/**
 * The processor time that the main thread spent in the longest turn of its loop, while `work` was done. Looked at every
 * millisecond, so that what waits for PostgreSQL costs nothing; a millisecond of short turns may count with it.
 */
async function longestTurn(work: () => unknown): Promise<number> {
  let longestMs = 0
  let from = process.threadCpuUsage()
  const look = () => {
    const now = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (now.user - from.user + now.system - from.system) / 1000)
    from = now
  }
  const looking = setInterval(look, 1)
  try {
    await work()
  } finally {
    clearInterval(looking)
    look()
  }
  return longestMs
}

/** A slow or crowded processor takes longer for everything, so also for this, which no door can do without. */
const plainText = Buffer.from(JSON.stringify([fill('a', mebibyte - around)]))
const allowedMs = async (): Promise<number> => Math.max(heldMaxMs, 3 * (await longestTurn(() => parseJson(plainText))))

/** The best of several attempts; the first that is short enough ends them. */
async function heldMs(work: () => Promise<unknown>): Promise<{ heldMs: number; allowedMs: number }> {
  let best = Number.POSITIVE_INFINITY
  let allowed = heldMaxMs
  for (let attempt = 0; attempt < attemptsMax && best > allowed; attempt++) {
    best = Math.min(best, await longestTurn(work))
    if (best > allowed) allowed = Math.max(allowed, await allowedMs())
    // So that a second is not spent six times on what will not become better.
    if (best > 20 * allowed) break
  }
  return { heldMs: best, allowedMs: allowed }
}

const jsonType = 'application/json'
const json = (name: string, text: string): Hostile => ({ name, type: jsonType, body: Buffer.from(text) })
const formType = 'application/x-www-form-urlencoded'
const form = (name: string, text: string): Hostile => ({ name, type: formType, body: Buffer.from(text) })

const list = Buffer.from(JSON.stringify(Array.from({ length: 4_000 }, (_, n) => n)))
/** Bodies that no door means, of about so many bytes. */
function meaningless(bytes: number): readonly Hostile[] {
  const most = (unit: string) => fill(unit, bytes - around)
  const names = Array.from({ length: bytes / 13 }, (_, n) => `"k${n}":1`).join(',')
  return [
    json('deep nesting', '['.repeat(bytes - 1)),
    json('deep members', most('{"a":')),
    json('many values', `{"a":[${most('1,')}12345678901234567]}`),
    json('many members', `{${names},"n":12345678901234567}`),
    json('many lists', `{"a":[${most('[],')}1]}`),
    json('a long number', `{"a":${most('9')}}`),
    json('runs of digits', `{"a":"${most(`${'1'.repeat(40)}x`)}"}`),
    form('many fields', most('a=1&')),
    form('ampersands', most('&')),
    form('a long name', `${most('%41')}=1`),
    { name: 'parts', type: 'multipart/form-data; boundary=x', body: Buffer.from(most('--x\r\n\r\n')) },
    { name: 'entities', type: 'text/xml', body: Buffer.from(`<root><a>${most('&amp;')}</a></root>`) },
    { name: 'elements', type: 'application/xml', body: Buffer.from(`<root>${most('<a/>')}</root>`) },
  ]
}

/** Enough for what is quadratic to take several times what is allowed. */
const enough = 16_384

/** Doors of one kind have one reader of bodies, so the first of each meets the largest ones. */
const largest = meaningless(mebibyte)
const smaller = meaningless(enough + around)

/** For doors that take a file: much of everything that its reader counts, splits or compares. */
const files: readonly Hostile[] = ['a,', '"a";', 'a\n', '"', '"\n', ',', '\r\n--x'].flatMap((unit) => {
  const text = fill(unit, mebibyte)
  const parts = `--x\r\nContent-Disposition: form-data; filename=a.csv\r\n\r\n${text}\r\n--x--`
  return [
    { name: `a file of ${JSON.stringify(unit)}`, type: 'text/csv', body: Buffer.from(text) },
    {
      name: `a sent file of ${JSON.stringify(unit)}`,
      type: 'multipart/form-data; boundary=x',
      body: Buffer.from(parts),
    },
  ]
})

/** Units of the text of one field: regular expressions that backtrack meet spaces, digits and commas. */
const units = [' ', '0', '1,']
/** Of all fields at once: what is escaped, normalized, split or cut. */
const signs = ['&', '"', 'é\u0301', '😀', '\n', '+']

/** The end is not what went before, so that what looks for repeats up to the end has looked in vain. */
const written = (unit: string, bytes: number) => `1${fill(unit, bytes)}x`

/** One field and its value, as a form says it. */
const inForm = (name: string, value: string) => new URLSearchParams([[name, value]]).toString()

/** A hostile text as JSON and as a form write it. Many doors have as many fields, and it takes longer than to read it. */
function spelled(unit: string, bytes: number): { readonly inJson: Buffer; readonly inForm: Buffer } {
  const key = `${unit} ${Math.floor(bytes)}`
  const known = spellings.get(key)
  if (known) return known
  const text = written(unit, bytes)
  const made = { inJson: Buffer.from(JSON.stringify(text)), inForm: Buffer.from(inForm('', text)) }
  spellings.set(key, made)
  return made
}
const spellings = new Map<string, ReturnType<typeof spelled>>()

const joined = (pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))

/** A schema, or the one that it refers to. */
function followed(schema: Json): Json {
  const name = schema?.$ref?.split('/').at(-1)
  return name ? document.components.schemas[name] : schema
}

/** What the schema means, at its shortest. */
function plain(schema: Json): unknown {
  if (schema?.anyOf) return plain(schema.anyOf[0])
  if (schema?.const !== undefined) return schema.const
  if (schema?.enum) return schema.enum[0]
  const type = Array.isArray(schema?.type) ? schema.type[0] : schema?.type
  if (type === 'object') return {}
  if (type === 'array') return []
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return 1
  return schema?.format === 'date' ? '2026-01-05' : '1'
}

/** One field after the other hostile, the rest as the schema means it; and all of them at once. */
function* inFields(properties: Json): Generator<Hostile> {
  const fields = Object.keys(properties)
  if (fields.length === 0) return
  const usual = new Map<string, string | Buffer>(fields.map((name) => [name, JSON.stringify(plain(properties[name]))]))
  const asJson = (name: string, values: ReadonlyMap<string, string | Buffer>): Hostile => {
    const members = [...values].flatMap(([field, value]) => [',', JSON.stringify(field), ':', value])
    return { name, type: jsonType, body: joined(['{', ...members.slice(1), '}']) }
  }
  for (const name of fields) {
    const withOne = (value: string | Buffer) => new Map(usual).set(name, value)
    for (const unit of units) yield asJson(`${name} of ${JSON.stringify(unit)}`, withOne(spelled(unit, enough).inJson))
    yield asJson(`${name} a list`, withOne(list))
  }
  for (const unit of [...units, ...signs]) {
    const text = spelled(unit, (2 * enough) / fields.length)
    const name = `all of ${JSON.stringify(unit)}`
    yield asJson(name, new Map(fields.map((field) => [field, text.inJson])))
    const pairs = fields.flatMap((field) => ['&', inForm(field, '').slice(0, -1), text.inForm])
    yield { name, type: formType, body: joined(pairs.slice(1)) }
  }
}

type Door = { readonly method: string; readonly path: string; readonly route: Route; readonly operation: Json }

/** Every operation of the document, and every other write. */
function doorsOf(routes: readonly Route[]): Door[] {
  const router = compileRoutes(routes)
  const documented = Object.entries<Json>(document.paths).flatMap(([template, operations]) =>
    Object.entries<Json>(operations)
      .filter(([name]) => name !== 'parameters')
      .map(([name, operation]): Door => {
        const [method, path] = [name.toUpperCase(), template.replace(/\{(\w+)\}/g, '1')]
        const found = router.find(path)
        const route = typeof found === 'string' ? undefined : found.methods.get(method)
        if (!route) throw new Error(`${method} ${template} is in the document and not among the routes.`)
        return { method, path, route, operation }
      }),
  )
  const seen = new Set(documented.map(({ route }) => route))
  const others = routes
    .filter((route) => route.method !== 'GET' && !seen.has(route))
    .map((route): Door => ({ method: route.method, path: route.path.replace(/[:*]\w+/g, '1'), route, operation: {} }))
  return [...documented, ...others]
}

function callOf({ staff }: Doors, { method, path, route }: Door, sent: Partial<Hostile>, queryText = ''): Call {
  const found = compileRoutes([route]).find(path)
  const headers: Readonly<Record<string, string>> = { 'content-type': sent.type ?? '', host: 'billing.example' }
  return {
    ...{ id: 'hostile', startedMs: performance.now(), method, path, queryText, address: '127.0.0.1', secure: true },
    query: new URLSearchParams(queryText),
    header: (name) => headers[name] ?? '',
    body: sent.body ?? Buffer.alloc(0),
    params: typeof found === 'string' ? {} : found.params,
    client: clientUser(1),
    staff,
  }
}

await newSubscriber(doors)
const all = doorsOf(doors.parts.routes)

/** To the end of the answer. */
async function answer({ route }: Door, call: Call): Promise<void> {
  const { body } = await route.handler(call)
  if (isBodySource(body)) for await (const _ of body);
}

async function faultOf(door: Door, name: string, call: Call): Promise<string[]> {
  const held = await heldMs(() => answer(door, call))
  if (held.heldMs <= held.allowedMs) return []
  return [`${name}: ${held.heldMs.toFixed(1)} ms of ${held.allowedMs.toFixed(1)}`]
}

/** Of a door that has not looked at a body of some type no other body of that type can hold up anything. */
async function faultsOfBodies(door: Door, bodies: readonly Hostile[]): Promise<string[]> {
  const read = new Map<string, boolean>()
  const faults: string[] = []
  for (const hostile of bodies) {
    const { name, type, body } = hostile
    if (read.get(type) === false) continue
    read.set(type, false)
    const call = Object.defineProperty(callOf(doors, door, hostile), 'body', {
      enumerable: true,
      get: () => {
        read.set(type, true)
        return body
      },
    })
    faults.push(...(await faultOf(door, name, call)))
  }
  return faults
}

const kinds = new Set<string>()

async function faultsOf(door: Door): Promise<string[]> {
  const { method, path, operation, route } = door
  const content = operation.requestBody?.content ?? {}
  // It reads fields and parameters as v2 does.
  const isV1 = path.startsWith('/rest_api/') && !path.startsWith('/rest_api/v2/')
  // Those of SOAP have a reader each, and of the others those that take the same types.
  const reader = path.startsWith('/api/') ? path : `${path.split('/')[1]} ${isV1}`
  const kind = [route.door, reader, ...Object.keys(content)].join(' ')
  const isFirst = method !== 'GET' && !kinds.has(kind)
  if (isFirst) kinds.add(kind)
  const faults: string[] = []
  if (method !== 'GET') {
    const fields = isV1 ? {} : (followed(content['application/json']?.schema)?.properties ?? {})
    const ofFiles = content['text/csv'] ? files : []
    const bodies = [...(isFirst ? largest : smaller), ...ofFiles, ...inFields(fields)]
    faults.push(...(await faultsOfBodies(door, bodies)))
  }
  const parameters = (isV1 ? [] : (operation.parameters ?? [])).filter((parameter: Json) => parameter.in === 'query')
  for (const [n, { name }] of parameters.entries()) {
    const unit = units[n % units.length]!
    const query = `${name}=${encodeURIComponent(written(unit, 5_000)).slice(0, 15_000)}`
    faults.push(...(await faultOf(door, `${name} of ${JSON.stringify(unit)}`, callOf(doors, door, {}, query))))
  }
  return faults
}

t.test('no body and no query holds up the main thread, at any door', async (t) => {
  for (const door of all) t.strictSame(await faultsOf(door), [], `${door.method} ${door.path}`)
})

import type { Parts } from '../../src/app/program.ts'
import { loginId, organizationId, staffId, subscriberId } from '../../src/domain/ids.ts'
import type { StaffUser } from '../../src/domain/staff-user.ts'
import { parseJson, stringifyJson } from '../../src/platform/formats/json.ts'
import { isBodySource } from '../../src/platform/http/body-stream.ts'
import type { Call, Reply } from '../../src/platform/http/call.ts'
import type { ClientUser } from '../../src/platform/http/client-user.ts'
import { conditional } from '../../src/platform/http/conditional.ts'
import { roles } from '../../src/platform/staff/roles.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import type { SharedDatabase } from '../support/database.ts'
import { openFixture } from '../support/fixture.ts'
import { type Published, publishedByProgram } from '../support/published.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
export type Json = any
export type Answer = { status: number; body: Json; text: string; headers: ReadonlyMap<string, string> }
export type Sent = {
  body?: unknown
  raw?: string
  headers?: Record<string, string>
  organizations?: number[]
  client?: ClientUser
}

/** A client who is signed in at the portal or on a phone. */
export const clientUser = (id: number): ClientUser => ({
  subscriberId: subscriberId(id),
  loginId: loginId(id),
  session: 'session',
})

/** The doors of the program, called without a socket in between. */
export class Doors {
  readonly parts: Parts
  readonly database: Database
  readonly #published: Published

  constructor(parts: Parts) {
    this.parts = parts
    this.database = parts.database
    this.#published = publishedByProgram(parts.routes)
  }

  /** Who calls. */
  readonly staff: StaffUser = {
    id: staffId(1),
    username: 'operator',
    isSuperuser: false,
    rights: roles.admin,
    organizations: null,
  }

  get = (path: string, sent?: Sent) => this.call('GET', path, sent)
  post = (path: string, body: unknown, sent?: Sent) => this.call('POST', path, { ...sent, body })
  put = (path: string, body: unknown, sent?: Sent) => this.call('PUT', path, { ...sent, body })
  delete = (path: string, sent?: Sent) => this.call('DELETE', path, sent)

  async call(
    method: string,
    address: string,
    { body, raw, headers = {}, organizations, client }: Sent = {},
  ): Promise<Answer> {
    const [path = '', queryText = ''] = address.split(/\?(.*)/s)
    const found = this.parts.http.router.find(path)
    if (typeof found === 'string') return { status: 404, body: null, text: found, headers: new Map() }
    const route = found.methods.get(method)
    if (!route) return { status: 405, body: null, text: '', headers: new Map() }
    const sentHeaders: Record<string, string> = { 'content-type': 'application/json', ...headers }
    const call: Call = {
      id: 'test',
      startedMs: performance.now(),
      method,
      path: found.path,
      queryText,
      query: new URLSearchParams(queryText),
      header: (name) => sentHeaders[name] ?? '',
      address: '127.0.0.1',
      secure: true,
      body: Buffer.from(raw ?? (body === undefined ? '' : stringifyJson(body))),
      params: found.params,
      client: client ?? null,
      staff: { ...this.staff, organizations: organizations ? organizations.map(organizationId) : null },
    }
    const reply = await route.handler(call)
    const sent = route.isConditional ? conditional(call, reply) : reply
    const answer = await answerOf(sent)
    const { status, text } = answer
    this.#published.check(method, path, { status, contentType: sent.contentType ?? '', text })
    return answer
  }

  async rows<Row = Json>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query(text, values)).rows as Row[]
  }
}

async function answerOf(reply: Reply): Promise<Answer> {
  const text = await textOf(reply.body ?? '')
  const headers = new Map((reply.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]))
  if (!reply.contentType?.startsWith('application/json')) return { status: reply.status, body: null, text, headers }
  const parsed = parseJson(Buffer.from(text), Number.POSITIVE_INFINITY)
  if (parsed.kind === 'refused') throw new Error(`${parsed.detail}: ${text}`)
  return { status: reply.status, body: parsed.value, text, headers }
}

async function textOf(body: NonNullable<Reply['body']>): Promise<string> {
  if (!isBodySource(body)) return String(body)
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}

type Test = { teardown(deed: () => unknown): unknown }

export async function openDoors(t: Test, shared?: SharedDatabase): Promise<Doors> {
  const parts = await openFixture(t, { env: { TOLLGATE_PUBLIC_URL: 'https://billing.example' }, shared })
  await parts.database.pool.query(`INSERT INTO staff (username, password_hash) VALUES ('operator', 'x')`)
  return new Doors(parts)
}

/** Stored units of whole rubles. */
export const units = (rubles: number) => rubles * 10_000_000_000

/** A subscriber with a tariff, an account and a login; answers the records. */
export async function newSubscriber(doors: Doors, name = 'Иванов', number = '1001') {
  const tarif = (await doors.post('/rest_api/v2/Tarif/', { name: 'Home 100', price: units(500), speed_mbit: 100 })).body
  const abonent = (await doors.post('/rest_api/v2/Abonents/', { name, contract_number: number, tarif: tarif.id })).body
  const login = (
    await doors.post('/rest_api/v2/Users/', {
      abonent: abonent.id,
      login: `login${number}`,
      password: 'secret',
      ip: '10.0.0.7',
    })
  ).body
  return { tarif, abonent, login }
}

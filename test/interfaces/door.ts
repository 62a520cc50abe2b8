import { followEvents } from '../../src/app/event-followers.ts'
import { AccountStore } from '../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../src/billing/accounts/accounts.ts'
import { SubscriberActors } from '../../src/billing/accounts/subscribers.ts'
import { Events } from '../../src/domain/events.ts'
import { organizationId, staffId } from '../../src/domain/ids.ts'
import { adminBlockRoutes } from '../../src/interfaces/admin/subscribers/blocks.ts'
import { promiseOperatorRoutes } from '../../src/interfaces/admin/subscribers/promises.ts'
import type { RestParts } from '../../src/interfaces/rest/parts.ts'
import { promiseRestRoutes } from '../../src/interfaces/rest/promises/routes.ts'
import { restV2Routes } from '../../src/interfaces/rest/routes.ts'
import { restV1Routes } from '../../src/interfaces/rest/v1/routes.ts'
import { systemClock } from '../../src/platform/actors/clock.ts'
import { parseJson, stringifyJson } from '../../src/platform/formats/json.ts'
import { isBodySource } from '../../src/platform/http/body-stream.ts'
import type { Call, Reply } from '../../src/platform/http/call.ts'
import { conditional } from '../../src/platform/http/conditional.ts'
import { compileRoutes } from '../../src/platform/http/routes.ts'
import { silentLog } from '../../src/platform/log.ts'
import { roles } from '../../src/platform/staff/roles.ts'
import type { WrittenRows } from '../../src/platform/storage/changes.ts'
import { asUnavailable, type Database } from '../../src/platform/storage/database.ts'
import { testDatabase } from '../support/database.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field
export type Json = any
export type Answer = { status: number; body: Json; text: string; headers: ReadonlyMap<string, string> }
export type Sent = { body?: unknown; raw?: string; headers?: Record<string, string>; organizations?: number[] }

/** The doors of the faces over a real database and the real accounts, without a socket in between. */
export class Doors {
  readonly database: Database
  readonly changed: WrittenRows[] = []
  readonly #router: ReturnType<typeof compileRoutes>

  constructor(database: Database, accounts: AccountActors, subscribers: SubscriberActors) {
    this.database = database
    const parts: RestParts = {
      database,
      accounts,
      secrets: { seal: (clear) => `sealed(${clear})` },
      changed: async (change) => {
        this.changed.push(change)
      },
      publicUrl: () => 'https://billing.example',
      timeZone: doorZone,
      log: silentLog,
    }
    this.#router = compileRoutes([
      ...restV2Routes(parts),
      ...restV1Routes(parts),
      ...adminBlockRoutes({ ...parts, subscribers }),
      ...promiseRestRoutes({ ...parts, subscribers }),
      ...promiseOperatorRoutes({ ...parts, subscribers }),
    ])
  }

  get = (path: string, sent?: Sent) => this.call('GET', path, sent)
  post = (path: string, body: unknown, sent?: Sent) => this.call('POST', path, { ...sent, body })
  put = (path: string, body: unknown, sent?: Sent) => this.call('PUT', path, { ...sent, body })
  delete = (path: string, sent?: Sent) => this.call('DELETE', path, sent)

  async call(method: string, address: string, { body, raw, headers = {}, organizations }: Sent = {}): Promise<Answer> {
    const [path = '', queryText = ''] = address.split(/\?(.*)/s)
    const found = this.#router.find(path)
    if (typeof found === 'string') return { status: 404, body: null, text: found, headers: new Map() }
    const route = found.methods.get(method)
    if (!route) return { status: 405, body: null, text: '', headers: new Map() }
    const sentHeaders: Record<string, string> = { 'content-type': 'application/json', ...headers }
    const call: Call = {
      id: 'test',
      method,
      path: found.path,
      queryText,
      query: new URLSearchParams(queryText),
      header: (name) => sentHeaders[name] ?? '',
      address: '127.0.0.1',
      secure: true,
      body: Buffer.from(raw ?? (body === undefined ? '' : stringifyJson(body))),
      params: found.params,
      client: null,
      staff: {
        id: staffId(1),
        username: 'operator',
        isSuperuser: false,
        rights: roles.admin,
        organizations: organizations ? organizations.map(organizationId) : null,
      },
    }
    const reply = await route.handler(call)
    return await answerOf(route.isConditional ? conditional(call, reply) : reply)
  }

  async rows<Row = Json>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query(text, values)).rows as Row[]
  }
}

const doorZone = () => 'Europe/Moscow'

async function answerOf(reply: Reply): Promise<Answer> {
  const text = await textOf(reply.body ?? '')
  const headers = new Map((reply.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]))
  if (!reply.contentType?.startsWith('application/json')) return { status: reply.status, body: null, text, headers }
  const parsed = parseJson(Buffer.from(text))
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

export async function openDoors(t: Test): Promise<Doors> {
  const { database } = await testDatabase(t)
  const events = new Events((error) => {
    throw error
  })
  const store = new AccountStore(database.ledger)
  const accounts = new AccountActors({ store, events, clock: systemClock, asUnavailable })
  const subscribers = new SubscriberActors({ store, accounts, clock: systemClock, sessionsOf: () => [] })
  followEvents(events, { subscribers })
  t.teardown(async () => {
    await subscribers.stop()
    await accounts.stop()
  })
  await database.pool.query(`INSERT INTO staff (username, password_hash) VALUES ('operator', 'x') RETURNING id`)
  return new Doors(database, accounts, subscribers)
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

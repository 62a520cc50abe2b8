import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type EventOf, Events } from '../../../src/domain/events.ts'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { AddressPools, type PoolDefinition } from '../../../src/network/access/pools.ts'
import type { AccessFields } from '../../../src/network/access/record.ts'
import { AccessTable } from '../../../src/network/access/table.ts'
import { RadiusEngine } from '../../../src/network/radius/engine.ts'
import { isCryptOf } from '../../../src/platform/passwords/crypt.ts'
import type {
  AccountingSink,
  NasHeard,
  NasLearned,
  PasswordComparison,
  RadiusSettings,
} from '../../../src/network/radius/worker/messages.ts'
import type { UdpPreference } from '../../../src/network/radius/udp/open-port.ts'
import { createLog, type Log } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { freeUdpPort } from '../../support/free-port.ts'
import { fieldsOf } from '../access/entries.ts'
import { build, sealed, signed, type Tlv, zeros } from './wire/builder.ts'

type Decoded = {
  code: string
  identifier: number
  attributes: Record<string, unknown>
  raw_attributes: [number, Buffer][]
}
/** As much of the npm package as is used here; it has no types. */
type Radius = {
  decode(args: { packet: Buffer; secret: string }): Decoded
  encode(args: {
    code: string
    secret: string
    identifier: number
    attributes: unknown
    add_message_authenticator?: boolean
  }): Buffer
}
const radius: Radius = createRequire(import.meta.url)('radius')

export const secret = 'a shared secret'
export const classKey = Buffer.alloc(32, 3)
export const secrets = new Secrets(Buffer.alloc(32, 4))
export const usualSettings: RadiusSettings = {
  interimSeconds: 300,
  simultaneous: 'reject',
  walledGardenList: 'debtors',
  realms: '',
  loginCase: 'exact',
  logsAccepts: false,
  timeZone: 'Europe/Moscow',
}

/** How the workers of these tests receive: the files of test/radius/udp run the same tests the other way. */
export const udpPreference: UdpPreference = process.env.TOLLGATE_RADIUS_UDP === 'dgram' ? 'dgram' : 'auto'

export const nasEntry = (changes: Partial<NasEntry> = {}): NasEntry => ({
  id: nasId(1),
  name: 'bras-1',
  ip: '127.0.0.1',
  secret,
  type: 'generic',
  coaPort: 3799,
  enabled: true,
  requireMessageAuthenticator: 'no',
  limitProxyState: 'no',
  ...changes,
})

type FixtureOptions = {
  workers?: number
  host?: string
  nas?: NasEntry[]
  settings?: Partial<RadiusSettings>
  pools?: PoolDefinition[]
  accounting?: AccountingSink
  comparePassword?: PasswordComparison
  authPort?: number
}

/** A RADIUS engine with real workers and sockets over a table the test fills; no database. */
export class RadiusFixture {
  readonly table = new AccessTable()
  readonly pools = new AddressPools()
  readonly learned: NasLearned[] = []
  readonly heard: NasHeard[] = []
  readonly logged: string[] = []
  readonly events = new Events((error) => {
    throw error
  })
  readonly log: Log = createLog({ level: 'debug', pretty: false, write: (line) => this.#write(line) })
  engine!: RadiusEngine
  readonly #clients: Client[] = []
  readonly #lineWatchers: (() => void)[] = []
  #onLearned: () => void = () => {}
  #onHeard: () => void = () => {}

  static async start(
    t: { teardown(action: () => unknown): unknown },
    options: FixtureOptions = {},
  ): Promise<RadiusFixture> {
    const fixture = new RadiusFixture()
    t.teardown(() => fixture.close())
    fixture.pools.define(options.pools ?? [], () => [])
    fixture.engine = new RadiusEngine({
      config: {
        host: options.host ?? '127.0.0.1',
        authPort: options.authPort ?? (await freeUdpPort()),
        acctPort: await freeUdpPort(),
        workers: options.workers ?? 1,
        udp: udpPreference,
      },
      access: fixture,
      accounting: options.accounting ?? (async (batch) => Int32Array.from(batch.tokens.keys())),
      comparePassword: options.comparePassword ?? (async (hash, password) => isCryptOf(hash, password)),
      settings: { ...usualSettings, ...options.settings },
      classKey,
      secretKeys: secrets.keys,
      offersFolder: null,
      nas: options.nas ?? [nasEntry()],
      log: fixture.log,
      events: fixture.events,
      onLearned: (learned) => {
        fixture.learned.push(learned)
        fixture.#onLearned()
      },
      onHeard: (heard) => {
        fixture.heard.push(heard)
        fixture.#onHeard()
      },
    })
    await fixture.engine.start()
    return fixture
  }

  login(loginId: number, changes: Partial<AccessFields> = {}): void {
    this.table.put(fieldsOf(loginId, changes))
  }

  async client(address = '127.0.0.1'): Promise<Client> {
    const client = await Client.open(this.engine, address)
    this.#clients.push(client)
    return client
  }

  /** What was learned as the so manieth thing. */
  async taught(count: number): Promise<NasLearned | undefined> {
    while (this.learned.length < count) await new Promise<void>((resolve) => (this.#onLearned = resolve))
    return this.learned[count - 1]
  }

  /** What was heard of NAS beside their questions, once so much has been. */
  async heardOf(count: number): Promise<readonly NasHeard[]> {
    while (this.heard.length < count) await new Promise<void>((resolve) => (this.#onHeard = resolve))
    return this.heard
  }

  /** Resolves when this message has been logged. */
  async nextLine(message: string): Promise<void> {
    while (!this.logged.some((line) => line.includes(message))) {
      await new Promise<void>((resolve) => this.#lineWatchers.push(resolve))
    }
  }

  nextRejection(): Promise<EventOf<'accessRejected'>> {
    return new Promise((resolve) => this.events.on('accessRejected', resolve))
  }

  #write(line: string): void {
    this.logged.push(line)
    for (const watcher of this.#lineWatchers.splice(0)) watcher()
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.engine?.stop()
    this.table.close()
    this.pools.close()
  }
}

export type Answer = { code: string; bytes: Buffer; attributes: Record<string, unknown>; raw: [number, Buffer][] }

/** A NAS: one socket, requests built by the npm package or by hand, answers verified by the package. */
export class Client {
  readonly #socket: Socket
  readonly #engine: Pick<RadiusEngine, 'addresses'>
  readonly #received: Buffer[] = []
  #watcher: (() => void) | null = null
  #identifier = 0

  private constructor(socket: Socket, engine: Pick<RadiusEngine, 'addresses'>) {
    this.#socket = socket
    this.#engine = engine
    socket.on('message', (bytes) => {
      this.#received.push(bytes)
      this.#watcher?.()
    })
  }

  static async open(engine: Pick<RadiusEngine, 'addresses'>, address: string): Promise<Client> {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    return new Client(socket, engine)
  }

  get identifier(): number {
    this.#identifier = (this.#identifier + 1) & 0xff
    return this.#identifier
  }

  send(packet: Buffer, port: 'auth' | 'acct' = 'auth'): void {
    const { authPort, acctPort, host } = this.#engine.addresses
    this.#socket.send(
      packet,
      port === 'auth' ? authPort : acctPort,
      host === '::' ? this.#socket.address().address : host,
    )
  }

  /** The next datagram that arrives. */
  async next(): Promise<Buffer> {
    while (this.#received.length === 0) await new Promise<void>((resolve) => (this.#watcher = resolve))
    return this.#received.shift()!
  }

  async exchange(packet: Buffer, port: 'auth' | 'acct' = 'auth'): Promise<Answer> {
    this.send(packet, port)
    return verified(packet, await this.next())
  }

  /** An Access-Request as the npm package builds it. */
  access(attributes: readonly unknown[], options: { signed?: boolean; secret?: string } = {}): Buffer {
    return radius.encode({
      code: 'Access-Request',
      secret: options.secret ?? secret,
      identifier: this.identifier,
      // The package adds to the list it is given.
      attributes: [...attributes],
      add_message_authenticator: options.signed ?? true,
    })
  }

  pap(login: string, password: string, more: [string, unknown][] = []): Promise<Answer> {
    return this.exchange(this.access([['User-Name', login], ['User-Password', password], ...more]))
  }

  /** An Access-Request from raw attributes, signed. */
  raw(attributes: readonly Tlv[], authenticator = randomBytes(16), code = 1): Buffer {
    const all = [[80, zeros(16)], ...attributes] as Tlv[]
    return sealed(build(code, this.identifier, authenticator, all), authenticator, secret)
  }

  accounting(attributes: readonly unknown[], options: { secret?: string } = {}): Buffer {
    return radius.encode({
      code: 'Accounting-Request',
      secret: options.secret ?? secret,
      identifier: this.identifier,
      // The package adds to the list it is given.
      attributes: [...attributes],
      add_message_authenticator: false,
    })
  }

  /** Sends what must stay unanswered, then a Status-Server: its answer is the first to come. */
  async staysSilent(packet: Buffer, port: 'auth' | 'acct' = 'auth'): Promise<boolean> {
    this.send(packet, port)
    const status = this.raw([], randomBytes(16), 12)
    this.send(status, port)
    const first = await this.next()
    return first[1] === status[1] && isSigned(status, first)
  }

  close(): void {
    this.#socket.close()
  }
}

/** Checks both authenticators with node:crypto, then reads the answer with the npm package. */
export function verified(request: Buffer, response: Buffer): Answer {
  if (!isSigned(request, response)) throw new Error('The answer is not signed by the secret.')
  const { code, attributes, raw_attributes: raw } = radius.decode({ packet: response, secret })
  return { code, bytes: response, attributes, raw }
}

/** Both authenticators of the answer are of this secret. */
export function isSigned(request: Buffer, response: Buffer, by = secret): boolean {
  const asked = request.subarray(4, 20)
  if (!signed(response, asked, by).equals(response)) return false
  return response[20] !== 80 || sealed(response, asked, by).equals(response)
}

/** The values of a vendor's attribute. */
export const vendorValues = (answer: Answer, vendor: number, type: number): Buffer[] =>
  answer.raw
    .filter(([kind, value]) => kind === 26 && value.readUInt32BE(0) === vendor && value[4] === type)
    .map(([, value]) => value.subarray(6))

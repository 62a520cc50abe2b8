import { createHash, randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { beginAccounting } from '../../src/demo/accounting-request.ts'
import type { Dice } from '../../src/demo/dice.ts'
import { attributes, errorCauses } from '../../src/network/radius/wire/attribute-types.ts'
import { verifyRequestAuthenticator } from '../../src/network/radius/wire/authenticator.ts'
import { codes, decodePacket, type PacketView } from '../../src/network/radius/wire/packet.ts'
import { hidePassword } from '../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'
import { type Answered, answeredNow } from './losses.ts'
import { NasLine, type Weather } from './nas-line.ts'
import { between, chance } from './plan.ts'

/**
 * How a NAS repeats accounting, the records of a session one after another. `sameBytes`: the packet as it was.
 * `delayTime`: with Acct-Delay-Time, and so with other bytes. `stamped`: the same bytes, with Event-Timestamp.
 */
type NasManner = 'sameBytes' | 'delayTime' | 'stamped'

/** A session as its NAS knows it. */
export type NasSession = {
  readonly nasIp: string
  readonly login: string
  readonly sessionId: string
  readonly station: string
  readonly className: string | null
  readonly ip: string | null
  readonly beganAtMs: number
  isLive: boolean
  /** Gone with a reboot: what had not been acknowledged then never will be. */
  isForgotten: boolean
  /** As the NAS counts. */
  counters: Counters
  /** The greatest ones in an acknowledged record; null before the first. */
  acknowledged: Counters | null
  /** A Stop was acknowledged. */
  stopAcknowledged: boolean
  /** Its records that were acknowledged. */
  readonly heard: Answered[]
}

export type Counters = { seconds: number; input: bigint; output: bigint }

export type RadiusServer = { readonly authPort: number; readonly acctPort: number }

type Verdict = 'accepted' | 'rejected' | 'silence'

export type ChaosNasParts = {
  ip: string
  coaPort: number
  manner: NasManner
  /** Which of the servers it asks first. */
  home: number
  /** Never answers a Disconnect. */
  isDeaf: boolean
  /** All of them, of which it asks one until that is silent. */
  servers: readonly RadiusServer[]
  /** Milliseconds the clock of the NAS is ahead of the real one. */
  clockMs: number
  dice: Dice
  /** A record was answered, or not yet; `tookMs` since it was sent first. */
  onRecord(isAnswered: boolean, tookMs: number): void
}

export const nasSecret = 'chaos-secret'

const interimEveryMs = 1_200
const repeatMs = 700
/** So many packets without an answer, and the next server is asked. */
const silencesMax = 3

/**
 * A network access server as far as RADIUS sees one, in good and bad weather: it asks, accounts until it is answered,
 * obeys.
 */
export class ChaosNas {
  readonly parts: ChaosNasParts
  readonly weather: Weather = { silent: false, lost: 0, doubled: 0 }
  /** All it ever had. */
  readonly sessions: NasSession[] = []
  readonly #live = new Map<string, NasSession>()
  readonly #secret = new SharedSecret(nasSecret)
  readonly #writer = new PacketWriter()
  readonly #closing = new AbortController()
  /** Records that are not answered yet; of a session only while the NAS remembers it. */
  readonly #open = new Set<Promise<void>>()
  readonly #chains = new Map<NasSession, Promise<void>>()
  /** Aborted with the session's memory. */
  readonly #memory = new WeakMap<NasSession, AbortController>()
  #auth!: NasLine
  #acct!: NasLine
  #coa!: Socket
  #timer: NodeJS.Timeout | null = null
  #number = 0
  #at: number
  #silences = 0
  #isStaying = false
  #rebooting: Promise<void> | null = null
  disconnects = 0

  constructor(parts: ChaosNasParts) {
    this.parts = parts
    this.#at = parts.home % parts.servers.length
  }

  get server(): RadiusServer {
    return this.parts.servers[this.#at]!
  }

  /** From now on it asks this server; `staying`: however silent that is. */
  moveTo(server: number, staying = false): void {
    this.#at = server % this.parts.servers.length
    this.#silences = 0
    this.#isStaying = staying
  }

  async start(): Promise<void> {
    const { ip, coaPort, dice } = this.parts
    const onTry = (isAnswered: boolean) => this.#tried(isAnswered)
    const line = { onTry, secret: this.#secret, weather: this.weather, dice }
    this.#auth = await NasLine.open(ip, { ...line, port: () => this.server.authPort })
    this.#acct = await NasLine.open(ip, { ...line, port: () => this.server.acctPort })
    this.#coa = createSocket('udp4')
    this.#coa.on('message', (datagram, from) => this.#takeRequest(datagram, from.port, from.address))
    this.#coa.bind(coaPort, ip)
    await once(this.#coa, 'listening')
    this.#timer = setInterval(() => this.#tellAll(), interimEveryMs)
  }

  get live(): readonly NasSession[] {
    return [...this.#live.values()]
  }

  liveOf(login: string): NasSession | null {
    return this.live.find((session) => session.login === login) ?? null
  }

  get isBooting(): boolean {
    return this.#rebooting !== null
  }

  /** One question of access. */
  async ask(login: string, password: string, method: 'pap' | 'chap', station: string, tries = 3) {
    const answer = await this.#auth.ask(
      (identifier) => this.#accessRequest(identifier, login, password, method, station),
      tries,
      repeatMs,
    )
    const verdict: Verdict = !answer ? 'silence' : answer.code === codes.accessAccept ? 'accepted' : 'rejected'
    return { verdict, answer }
  }

  /** After an Access-Accept. */
  begin(login: string, station: string, answer: PacketView): NasSession {
    const session: NasSession = {
      nasIp: this.parts.ip,
      login,
      sessionId: `${this.parts.ip.split('.')[3]}-${(this.#number++).toString(16)}`,
      station,
      className: answer.text(attributes.class),
      ip: answer.ipv4(attributes.framedIpAddress),
      beganAtMs: Date.now(),
      isLive: true,
      isForgotten: false,
      counters: { seconds: 0, input: 0n, output: 0n },
      acknowledged: null,
      stopAcknowledged: false,
      heard: [],
    }
    this.sessions.push(session)
    this.#memory.set(session, new AbortController())
    this.#live.set(session.sessionId, session)
    this.#account('start', session)
    return session
  }

  end(session: NasSession, cause = 1): void {
    if (!this.#live.delete(session.sessionId)) return
    session.isLive = false
    this.#account('stop', session, cause)
  }

  /** Power off and on: sessions are gone, and Accounting-On is said until it is heard. */
  reboot(offMs: number): void {
    if (this.#rebooting) return
    for (const session of this.sessions) {
      if (!session.isLive && session.stopAcknowledged) continue
      session.isForgotten = true
      this.#memory.get(session)?.abort()
    }
    for (const session of this.live) session.isLive = false
    this.#live.clear()
    this.weather.silent = true
    this.#rebooting = this.#comeBack(offMs).finally(() => {
      this.#rebooting = null
    })
  }

  async #comeBack(offMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, offMs))
    this.weather.silent = false
    await this.#acct.ask(
      (identifier) => this.#bootRecord(identifier),
      Number.POSITIVE_INFINITY,
      repeatMs,
      this.#closing.signal,
    )
  }

  /** No more records of its own accord. Resolves when all that were told are answered. */
  async quiet(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    await this.#rebooting
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Once more, in the quiet: what was concluded from records that came late is set right. */
  async tellOnce(): Promise<void> {
    this.#tellAll()
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  get unanswered(): number {
    return this.#open.size
  }

  /** The last packets it sent, of access and of accounting. */
  get overheard(): Buffer[] {
    return [this.#auth.overheard, this.#acct.overheard].filter((one) => one !== null)
  }

  throwAway(bytes: Buffer): void {
    ;(chance(this.parts.dice, 50) ? this.#auth : this.#acct).throwAway(bytes)
  }

  close(): void {
    this.#closing.abort()
    if (this.#timer) clearInterval(this.#timer)
    this.#auth.close()
    this.#acct.close()
    this.#coa.close()
  }

  #tried(isAnswered: boolean): void {
    this.#silences = isAnswered ? 0 : this.#silences + 1
    if (this.#silences >= silencesMax && !this.#isStaying) this.moveTo(this.#at + 1)
  }

  #tellAll(): void {
    if (this.#rebooting) return
    for (const session of this.#live.values()) {
      const { counters } = session
      counters.input += BigInt(between(this.parts.dice, 1, 3_000_000)) * 1000n
      counters.output += BigInt(between(this.parts.dice, 1, 900_000)) * 1000n
      // A NAS in trouble does not pile up what the next record says as well.
      if (!this.#chains.has(session)) this.#account('interim', session)
    }
  }

  #account(status: 'start' | 'interim' | 'stop', session: NasSession, cause = 0): void {
    session.counters.seconds = Math.round((Date.now() - session.beganAtMs) / 1000)
    const counters = { ...session.counters }
    const before = this.#chains.get(session)
    const told = (before ?? Promise.resolve()).then(() => this.#tell(status, session, counters, cause))
    this.#chains.set(session, told)
    this.#open.add(told)
    void told.finally(() => {
      this.#open.delete(told)
      if (this.#chains.get(session) === told) this.#chains.delete(session)
    })
  }

  async #tell(
    status: 'start' | 'interim' | 'stop',
    session: NasSession,
    counters: Counters,
    cause: number,
  ): Promise<void> {
    const { manner, onRecord } = this.parts
    const happenedMs = Date.now()
    const until = AbortSignal.any([this.#closing.signal, this.#memory.get(session)!.signal])
    const beganMs = performance.now()
    let isAnswered = false
    while (!isAnswered && !until.aborted) {
      const tries = manner === 'delayTime' ? 1 : Number.POSITIVE_INFINITY
      const answer = await this.#acct.ask(
        (identifier) => this.#record(identifier, status, session, counters, cause, happenedMs),
        tries,
        repeatMs,
        until,
      )
      isAnswered = answer !== null
      onRecord(isAnswered, performance.now() - beganMs)
    }
    if (!isAnswered || session.isForgotten) return
    session.heard.push(answeredNow(beganMs))
    if (status === 'stop') session.stopAcknowledged = true
    const known = session.acknowledged
    if (!known || known.input <= counters.input) session.acknowledged = counters
  }

  #record(
    identifier: number,
    status: 'start' | 'interim' | 'stop',
    session: NasSession,
    counters: Counters,
    cause: number,
    happenedMs: number,
  ): Buffer {
    const { ip: nasIp, manner, clockMs } = this.parts
    const writer = this.#writer
    beginAccounting(writer, identifier, {
      status,
      nasIp,
      session,
      counters: status === 'start' ? null : counters,
      cause,
    })
    if (manner === 'delayTime') writer.integer(attributes.acctDelayTime, Math.round((Date.now() - happenedMs) / 1000))
    if (manner === 'stamped') writer.integer(attributes.eventTimestamp, Math.floor((happenedMs + clockMs) / 1000))
    writer.finishRequest(this.#secret)
    return writer.copy()
  }

  #bootRecord(identifier: number): Buffer {
    this.#writer.begin(codes.accountingRequest, identifier)
    this.#writer.integer(attributes.acctStatusType, 7)
    this.#writer.octets(attributes.nasIpAddress, Buffer.from(this.parts.ip.split('.').map(Number)))
    // Two boots are not the same bytes.
    this.#writer.text(attributes.acctSessionId, `boot-${Date.now()}`)
    this.#writer.finishRequest(this.#secret)
    return this.#writer.copy()
  }

  #accessRequest(identifier: number, login: string, password: string, method: 'pap' | 'chap', station: string): Buffer {
    const authenticator = randomBytes(16)
    const writer = this.#writer
    writer.begin(codes.accessRequest, identifier, authenticator)
    writer.messageAuthenticator()
    writer.text(attributes.userName, login)
    if (method === 'pap')
      writer.octets(attributes.userPassword, hidePassword(Buffer.from(password), authenticator, this.#secret))
    else {
      const id = Buffer.from([identifier])
      const challenge = randomBytes(16)
      const digest = createHash('md5').update(id).update(password).update(challenge).digest()
      writer.octets(attributes.chapPassword, Buffer.concat([id, digest]))
      writer.octets(attributes.chapChallenge, challenge)
    }
    writer.text(attributes.callingStationId, station)
    writer.finishRequest(this.#secret)
    return writer.copy()
  }

  /** RFC 5176: one session where it is named, else every one of the user; 503 where there is none. */
  #takeRequest(datagram: Buffer, port: number, address: string): void {
    const { isDeaf, dice } = this.parts
    const { silent, lost } = this.weather
    if (isDeaf || silent || this.#rebooting || chance(dice, lost)) return
    const decoded = decodePacket(Buffer.from(datagram))
    if ('fault' in decoded || !verifyRequestAuthenticator(decoded.packet, this.#secret)) return
    const { packet } = decoded
    const isDisconnect = packet.code === codes.disconnectRequest
    const named = packet.text(attributes.acctSessionId)
    const login = packet.text(attributes.userName) ?? ''
    const meant = this.live.filter(
      (session) => session.login === login && (named === null || session.sessionId === named),
    )
    const [ack, nak] = isDisconnect ? [codes.disconnectAck, codes.disconnectNak] : [codes.coaAck, codes.coaNak]
    this.#writer.begin(meant.length > 0 ? ack : nak, packet.identifier)
    this.#writer.messageAuthenticator()
    if (meant.length === 0) this.#writer.integer(attributes.errorCause, errorCauses.sessionContextNotFound)
    this.#writer.proxyStates(packet)
    this.#writer.finishResponseTo(packet, this.#secret)
    const answer = this.#writer.copy()
    if (isDisconnect)
      for (const session of meant) {
        this.disconnects++
        this.end(session, 6)
      }
    if (!chance(dice, lost)) this.#coa.send(answer, port, address)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { DgramAsPromised, type SocketAsPromised } from 'dgram-as-promised'
import { attributes, errorCauses } from '../network/radius/wire/attribute-types.ts'
import { verifyRequestAuthenticator, verifyResponse } from '../network/radius/wire/authenticator.ts'
import { codes, decodePacket, type PacketView } from '../network/radius/wire/packet.ts'
import { beginPapRequest } from '../network/radius/wire/pap-request.ts'
import { SharedSecret } from '../network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../network/radius/wire/writer.ts'
import { beginAccounting } from './accounting-request.ts'

export type SimulatedNasParts = {
  /** Its own loopback address, by which the server recognizes it. */
  ip: string
  secret: string
  coaPort: number
  server: { host: string; authPort: number; acctPort: number }
  /** Called when a Disconnect-Request has ended a session. */
  onDisconnected: (login: string) => void
}

export type SimulatedSession = {
  login: string
  sessionId: string
  ip: string | null
  /** Class of the Access-Accept, which accounting returns (RFC 2865 section 5.25). */
  className: string | null
  station: string
  startedAtMs: number
  inputOctets: number
  outputOctets: number
}

/** A session that has lasted for some time. */
export type Begun = { readonly sinceMs: number; readonly input: number; readonly output: number }

export type SignIn =
  | { kind: 'accepted'; session: SimulatedSession; answer: PacketView }
  | { kind: 'rejected'; reason: string }
  | { kind: 'silence' }

const retryMs = [1_000, 2_000, 4_000]

/**
 * A network access server as RADIUS sees it: it sends Access-Requests and accounting, and obeys Disconnect-Requests.
 */
export class SimulatedNas {
  readonly #parts: SimulatedNasParts
  readonly #secret: SharedSecret
  readonly #writer = new PacketWriter()
  readonly #sessions = new Map<string, SimulatedSession>()
  readonly #waiting = new Map<number, { authenticator: Buffer; take: (answer: PacketView) => void }>()
  #client: SocketAsPromised | null = null
  #coa: SocketAsPromised | null = null
  #identifier = 0
  #sessionNumber = Date.now()

  constructor(parts: SimulatedNasParts) {
    this.#parts = parts
    this.#secret = new SharedSecret(parts.secret)
  }

  get sessions(): readonly SimulatedSession[] {
    return [...this.#sessions.values()]
  }

  async start(): Promise<void> {
    this.#client = DgramAsPromised.createSocket('udp4')
    this.#coa = DgramAsPromised.createSocket('udp4')
    // Events instead of recv(), which would lose what arrives between two calls.
    this.#client.socket.on('message', (datagram) => this.#takeAnswer(datagram))
    this.#coa.socket.on('message', (datagram, from) => this.#takeRequest(datagram, from.port, from.address))
    await this.#client.bind(0, this.#parts.ip)
    await this.#coa.bind(this.#parts.coaPort, this.#parts.ip)
  }

  /** Where it listens for Disconnect and CoA. */
  get coaPort(): number {
    return this.#coa?.socket.address().port ?? this.#parts.coaPort
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.account('stop', session)))
    const sockets = [this.#client, this.#coa]
    // Requests that still wait for an answer are not sent again.
    this.#client = this.#coa = null
    await Promise.all(sockets.map((socket) => socket?.close()))
  }

  /**
   * Asks for access by PAP and begins a session when it is given. With `begun` the session is one that it has had for
   * some time, of which it tells now.
   */
  async signIn(login: string, password: string, station: string, begun?: Begun): Promise<SignIn> {
    const answer = await this.#ask(this.#parts.server.authPort, (identifier) =>
      beginPapRequest(this.#writer, identifier, this.#secret, { login, password, station }),
    )
    if (!answer) return { kind: 'silence' }
    if (answer.code !== codes.accessAccept) {
      return { kind: 'rejected', reason: answer.text(attributes.replyMessage) ?? '' }
    }
    const session: SimulatedSession = {
      login,
      sessionId: (this.#sessionNumber++).toString(16),
      ip: answer.ipv4(attributes.framedIpAddress),
      className: answer.text(attributes.class),
      station,
      startedAtMs: begun?.sinceMs ?? Date.now(),
      inputOctets: begun?.input ?? 0,
      outputOctets: begun?.output ?? 0,
    }
    this.#sessions.set(login, session)
    await this.account('start', session)
    if (begun) await this.account('interim', session)
    return { kind: 'accepted', session, answer }
  }

  /** Sends an accounting record of a session. False: there was no answer. */
  async account(status: 'start' | 'interim' | 'stop', session: SimulatedSession, cause = 1): Promise<boolean> {
    if (status === 'stop') this.#sessions.delete(session.login)
    const answer = await this.#ask(this.#parts.server.acctPort, (identifier) => {
      const counters = {
        seconds: Math.round((Date.now() - session.startedAtMs) / 1000),
        input: BigInt(session.inputOctets),
        output: BigInt(session.outputOctets),
      }
      const isStart = status === 'start'
      const told = { status, nasIp: this.#parts.ip, session, counters: isStart ? null : counters, cause }
      beginAccounting(this.#writer, identifier, told)
      // A start that comes late says so.
      if (isStart && counters.seconds > 1) this.#writer.integer(attributes.acctDelayTime, counters.seconds)
      this.#writer.integer(attributes.nasPort, 1)
    })
    return answer !== null
  }

  async #ask(port: number, write: (identifier: number) => void): Promise<PacketView | null> {
    const identifier = this.#freeIdentifier()
    if (identifier === null) return null
    write(identifier)
    this.#writer.finishRequest(this.#secret)
    const request = this.#writer.copy()
    const answered = new Promise<PacketView>((take) => {
      this.#waiting.set(identifier, { authenticator: request.subarray(4, 20), take })
    })
    try {
      for (const waitMs of retryMs) {
        if (!this.#client) return null
        this.#client.socket.send(request, port, this.#parts.server.host)
        const answer = await Promise.race([answered, pause(waitMs, null, { ref: false })])
        if (answer) return answer
      }
      return null
    } finally {
      this.#waiting.delete(identifier)
    }
  }

  #freeIdentifier(): number | null {
    for (let tries = 0; tries < 256; tries++) {
      this.#identifier = (this.#identifier + 1) & 255
      if (!this.#waiting.has(this.#identifier)) return this.#identifier
    }
    return null
  }

  #takeAnswer(datagram: Buffer): void {
    const decoded = decodePacket(datagram)
    if ('fault' in decoded) return
    const waiting = this.#waiting.get(decoded.packet.identifier)
    if (waiting && verifyResponse(decoded.packet, waiting.authenticator, this.#secret)) waiting.take(decoded.packet)
  }

  /** RFC 5176: acknowledges a request, or refuses it with Error-Cause 503 when there is no such session. */
  #takeRequest(datagram: Buffer, port: number, address: string): void {
    const decoded = decodePacket(datagram)
    if ('fault' in decoded || !verifyRequestAuthenticator(decoded.packet, this.#secret)) return
    const { packet } = decoded
    const isDisconnect = packet.code === codes.disconnectRequest
    const session = this.#sessions.get(packet.text(attributes.userName) ?? '')
    const [ack, nak] = isDisconnect ? [codes.disconnectAck, codes.disconnectNak] : [codes.coaAck, codes.coaNak]
    this.#writer.begin(session ? ack : nak, packet.identifier)
    this.#writer.messageAuthenticator()
    if (!session) this.#writer.integer(attributes.errorCause, errorCauses.sessionContextNotFound)
    this.#writer.proxyStates(packet)
    this.#writer.finishResponseTo(packet, this.#secret)
    this.#coa?.socket.send(this.#writer.copy(), port, address)
    if (!session || !isDisconnect) return
    this.account('stop', session, 6)
    this.#parts.onDisconnected(session.login)
  }
}

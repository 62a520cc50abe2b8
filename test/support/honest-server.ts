import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { addressOf, blockedEvery, passwordNumber, passwords, secret } from '../../native-bench/radius/subscribers.ts'
import { parseIpv4 } from '../../src/network/radius/wire/address.ts'
import { attributes } from '../../src/network/radius/wire/attribute-types.ts'
import { verifyMessageAuthenticator, verifyRequestAuthenticator } from '../../src/network/radius/wire/authenticator.ts'
import { writeMsChapAccept } from '../../src/network/radius/wire/mppe.ts'
import { ntPasswordHash, readMsChap, verifyMsChap } from '../../src/network/radius/wire/ms-chap.ts'
import { codes, PacketView } from '../../src/network/radius/wire/packet.ts'
import { passwordMethod, verifyChap, verifyPap } from '../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../src/network/radius/wire/writer.ts'

/** What a lying server may change: how it decides, what stands in the answer, and the finished datagram. */
export type Lies = {
  decide?: (isDeserved: boolean) => boolean
  address?: (user: number) => string
  isUnsigned?: boolean
  /** Leaves out what proves by MS-CHAPv2 that the server knows the password. */
  isUnproven?: boolean
  /** Null: says nothing. `nth` counts requests from 0. */
  datagram?: (answer: Buffer, nth: number, request: Buffer) => Buffer | null
  /** Milliseconds before the first answer; what comes meanwhile waits. */
  asleepMs?: number
}

/**
 * A RADIUS server in this process that knows the load generator's subscribers, and tells the truth except where it is
 * told to lie.
 */
export class HonestServer {
  /** Requests whose own signatures were wrong. */
  unauthentic = 0
  readonly #socket: Socket
  readonly #lies: Lies
  readonly #secret = new SharedSecret(secret)
  readonly #packet = new PacketView()
  readonly #writer = new PacketWriter()
  #seen = 0
  #wakesAt = 0

  private constructor(socket: Socket, lies: Lies) {
    this.#socket = socket
    this.#lies = lies
    socket.on('message', (datagram, from) => this.#take(datagram, from))
  }

  static async start(lies: Lies = {}): Promise<HonestServer> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new HonestServer(socket, lies)
  }

  get port(): number {
    return this.#socket.address().port
  }

  close(): void {
    this.#socket.close()
  }

  #take(datagram: Buffer, from: RemoteInfo): void {
    const packet = this.#packet
    if (packet.reset(datagram) !== null) return
    const isRight =
      packet.code === codes.accountingRequest
        ? verifyRequestAuthenticator(packet, this.#secret)
        : verifyMessageAuthenticator(packet, this.#secret) === 'right'
    if (!isRight) this.unauthentic++
    this.#write()
    const { datagram: changed, asleepMs = 0 } = this.#lies
    const answer = changed ? changed(this.#writer.copy(), this.#seen, datagram) : this.#writer.copy()
    const now = performance.now()
    if (this.#seen++ === 0) this.#wakesAt = now + asleepMs
    const send = () => answer && this.#socket.send(answer, from.port, from.address)
    if (now < this.#wakesAt) setTimeout(send, this.#wakesAt - now)
    else send()
  }

  #write(): void {
    const [packet, writer] = [this.#packet, this.#writer]
    if (packet.code === codes.accountingRequest) writer.begin(codes.accountingResponse, packet.identifier)
    else this.#writeAccess()
    writer.finishResponseTo(packet, this.#secret)
  }

  #writeAccess(): void {
    const [packet, writer, lies] = [this.#packet, this.#writer, this.#lies]
    const user = Number(packet.text(attributes.userName)?.slice('user'.length))
    const password = passwords[passwordNumber(user)]!
    const isDeserved = this.#isPassword(password) && user % blockedEvery !== 0
    const isAccept = lies.decide?.(isDeserved) ?? isDeserved
    writer.begin(isAccept ? codes.accessAccept : codes.accessReject, packet.identifier)
    if (!lies.isUnsigned) writer.messageAuthenticator()
    if (!isAccept) return
    writer.ipv4(attributes.framedIpAddress, parseIpv4((lies.address ?? addressOf)(user))!)
    const msChap = passwordMethod(packet) === 'mschap2' ? readMsChap(packet, 2) : null
    const proof = { ntHash: ntPasswordHash(password), password, secret: this.#secret, salt: 0 }
    if (msChap && !lies.isUnproven) writeMsChapAccept(writer, msChap, packet.authenticator, proof)
  }

  #isPassword(password: string): boolean {
    const packet = this.#packet
    const method = passwordMethod(packet)
    if (method === 'pap') return verifyPap(packet, this.#secret, password)
    if (method === 'chap') return verifyChap(packet, password)
    const msChap = readMsChap(packet, 2)
    return msChap !== null && verifyMsChap(msChap, ntPasswordHash(password))
  }
}

import { createHash } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const [disconnectAck, disconnectNak] = [41, 42]
const [userName, acctSessionId] = [1, 44]
/** Error-Cause 503, Session Context Not Found. */
const noSuchSession = Buffer.from([101, 6, 0, 0, 1, 247])
const nothing = Buffer.alloc(0)
const windowMs = 100

/**
 * A NAS that does no more than cut sessions and say so, at a few microseconds a request: the machine is needed by what
 * is measured. `losesEvery`: of so many datagrams one never arrives.
 */
export class QuickNas {
  readonly #socket: Socket
  readonly #secret: string
  readonly #losesEvery: number
  readonly #perWindow = new Map<number, number>()
  #heard = 0
  /** Logins whose session it was asked to end, by its name. */
  readonly cut = new Set<string>()

  private constructor(socket: Socket, secret: string, losesEvery: number) {
    this.#socket = socket
    this.#secret = secret
    this.#losesEvery = losesEvery
    socket.on('message', (request, { port, address }) => this.#take(request, port, address))
  }

  static async start(ip: string, secret: string, losesEvery: number): Promise<QuickNas> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 21 })
    socket.bind(0, ip)
    await once(socket, 'listening')
    return new QuickNas(socket, secret, losesEvery)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Datagrams that reached it, the lost ones included. */
  get heard(): number {
    return this.#heard
  }

  /** The most that came in a tenth of a second, as a rate a second. */
  get fastest(): number {
    return Math.max(0, ...this.#perWindow.values()) * (1000 / windowMs)
  }

  close(): void {
    this.#socket.close()
  }

  #take(request: Buffer, port: number, address: string): void {
    const window = Math.floor(performance.now() / windowMs)
    this.#perWindow.set(window, (this.#perWindow.get(window) ?? 0) + 1)
    if (++this.#heard % this.#losesEvery === 0) return
    const isHeld = textOf(request, acctSessionId) !== null
    if (isHeld) this.cut.add(textOf(request, userName) ?? '')
    const cause = isHeld ? nothing : noSuchSession
    const answer = Buffer.concat([request.subarray(0, 20), cause])
    answer[0] = isHeld ? disconnectAck : disconnectNak
    answer.writeUInt16BE(answer.length, 2)
    createHash('md5').update(answer).update(this.#secret).digest().copy(answer, 4)
    this.#socket.send(answer, port, address)
  }
}

function textOf(packet: Buffer, type: number): string | null {
  for (let at = 20; at + 2 <= packet.length && packet[at + 1]! >= 2; at += packet[at + 1]!)
    if (packet[at] === type) return packet.toString('utf8', at + 2, at + packet[at + 1]!)
  return null
}

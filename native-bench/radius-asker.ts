import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { SharedSecret } from '../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../src/network/radius/wire/writer.ts'
import { accessRequest } from './access-client.ts'

/**
 * Asks for access at a steady rate, whether or not the last question has been answered, and keeps how long each answer
 * took. A question without an answer counts with the time since it was asked when the samples are taken.
 */
export class RadiusAsker {
  readonly #socket: Socket
  readonly #secret: SharedSecret
  readonly #writer = new PacketWriter()
  readonly #asked = new Map<number, number>()
  #samples: number[] = []
  #timer: NodeJS.Timeout | null = null
  #identifier = 0

  private constructor(socket: Socket, secret: string) {
    this.#socket = socket
    this.#secret = new SharedSecret(secret)
    socket.on('message', (answer) => this.#take(answer[1]!))
  }

  static async open(secret: string, address: string): Promise<RadiusAsker> {
    const socket = createSocket('udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    return new RadiusAsker(socket, secret)
  }

  start(port: number, login: string, password: string, everyMs: number): void {
    this.#timer = setInterval(() => this.#ask(port, login, password), everyMs)
  }

  /** Milliseconds of every answer since the last call. */
  take(): number[] {
    const now = performance.now()
    const late = [...this.#asked.values()].map((at) => now - at).filter((ms) => ms > 1_000)
    const samples = [...this.#samples, ...late]
    this.#samples = []
    return samples
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#socket.close()
  }

  #ask(port: number, login: string, password: string): void {
    this.#identifier = (this.#identifier + 1) & 255
    const request = accessRequest(this.#writer, this.#secret, this.#identifier, login, password)
    this.#asked.set(this.#identifier, performance.now())
    this.#socket.send(request, port, '127.0.0.1')
  }

  #take(identifier: number): void {
    const at = this.#asked.get(identifier)
    if (at === undefined) return
    this.#asked.delete(identifier)
    this.#samples.push(performance.now() - at)
  }
}

import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dice } from '../../src/demo/dice.ts'
import { verifyResponse } from '../../src/network/radius/wire/authenticator.ts'
import { decodePacket, type PacketView } from '../../src/network/radius/wire/packet.ts'
import type { SharedSecret } from '../../src/network/radius/wire/shared-secret.ts'
import { chance } from './plan.ts'

/** How the way between a NAS and the server is. */
export type Weather = {
  silent: boolean
  /** Per cent of the packets, both ways. */
  lost: number
  doubled: number
}

type Waiting = { authenticator: Buffer; take: (answer: PacketView) => void }

type LineParts = {
  /** Of the server that is asked, at the moment of asking. */
  readonly port: () => number
  /** A packet was answered, or was not in time. */
  readonly onTry: (isAnswered: boolean) => void
  readonly secret: SharedSecret
  readonly weather: Weather
  readonly dice: Dice
}

/** One socket of a NAS towards one port of the server: identifiers, answers, and what the weather makes of both. */
export class NasLine {
  readonly #socket: Socket
  readonly #port: () => number
  readonly #onTry: (isAnswered: boolean) => void
  readonly #secret: SharedSecret
  readonly #weather: Weather
  readonly #dice: Dice
  readonly #waiting = new Map<number, Waiting>()
  #identifier = 0
  /** What whoever listens on the way has heard last. */
  overheard: Buffer | null = null

  private constructor(socket: Socket, { port, onTry, secret, weather, dice }: LineParts) {
    this.#socket = socket
    this.#port = port
    this.#onTry = onTry
    this.#secret = secret
    this.#weather = weather
    this.#dice = dice
    socket.on('message', (datagram) => this.#take(datagram))
    // A port where nobody listens just now.
    socket.on('error', () => {})
  }

  static async open(ip: string, parts: LineParts): Promise<NasLine> {
    const socket = createSocket('udp4')
    socket.bind(0, ip)
    await once(socket, 'listening')
    return new NasLine(socket, parts)
  }

  /**
   * Sends what `write` makes under a free identifier until it is answered: `tries` times, `everyMs` between. Null: no
   * answer.
   */
  async ask(
    write: (identifier: number) => Buffer,
    tries: number,
    everyMs: number,
    until?: AbortSignal,
  ): Promise<PacketView | null> {
    const identifier = await this.#freeIdentifier()
    const request = write(identifier)
    let answer: PacketView | null = null
    const answered = new Promise<void>((resolve) => {
      const take = (packet: PacketView) => {
        answer = packet
        resolve()
      }
      this.#waiting.set(identifier, { authenticator: request.subarray(4, 20), take })
    })
    for (let tried = 0; tried < tries && !answer && !until?.aborted; tried++) {
      this.#send(request)
      const patience = new AbortController()
      const signal = until ? AbortSignal.any([patience.signal, until]) : patience.signal
      await Promise.race([answered, pause(everyMs, undefined, { signal }).catch(() => {})])
      patience.abort()
      if (!until?.aborted) this.#onTry(answer !== null)
    }
    this.#waiting.delete(identifier)
    return answer
  }

  /** Bytes that are nobody's question. */
  throwAway(bytes: Buffer): void {
    this.#socket.send(bytes, this.#port(), '127.0.0.1')
  }

  close(): void {
    this.#socket.close()
  }

  #send(request: Buffer): void {
    const { silent, lost, doubled } = this.#weather
    if (silent || chance(this.#dice, lost)) return
    this.overheard = request
    this.#socket.send(request, this.#port(), '127.0.0.1')
    if (chance(this.#dice, doubled)) this.#socket.send(request, this.#port(), '127.0.0.1')
  }

  #take(datagram: Buffer): void {
    if (this.#weather.silent || chance(this.#dice, this.#weather.lost)) return
    const decoded = decodePacket(Buffer.from(datagram))
    if ('fault' in decoded) return
    const waiting = this.#waiting.get(decoded.packet.identifier)
    if (waiting && verifyResponse(decoded.packet, waiting.authenticator, this.#secret)) waiting.take(decoded.packet)
  }

  async #freeIdentifier(): Promise<number> {
    for (;;) {
      for (let tried = 0; tried < 256; tried++) {
        this.#identifier = (this.#identifier + 1) & 255
        if (!this.#waiting.has(this.#identifier)) return this.#identifier
      }
      await pause(20)
    }
  }
}

import { Socket } from 'node:net'

/** The sockets of every connection to the database, so that they can be cut together: pg has no such door. */
export class DatabaseSockets {
  readonly #open = new Set<Socket>()
  #isCut = false

  /** pg's option `stream`. */
  readonly open = (): Socket => {
    const socket = new CuttableSocket(() => this.#isCut)
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    return socket
  }

  /** Whoever waits for an answer, and whoever asks from now on, is told that the connection is lost. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#open) socket.destroy(cutError())
  }
}

class CuttableSocket extends Socket {
  readonly #isCut: () => boolean

  constructor(isCut: () => boolean) {
    super()
    this.#isCut = isCut
  }

  override connect(...to: unknown[]): this {
    if (!this.#isCut()) return Reflect.apply(super.connect, this, to) as this
    process.nextTick(() => this.destroy(cutError()))
    return this
  }
}

const cutError = () => Object.assign(new Error('The program stops.'), { code: 'ECONNRESET' })

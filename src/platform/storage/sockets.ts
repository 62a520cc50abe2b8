import { Socket } from 'node:net'

/** The sockets of every connection to the database, so that all can be destroyed at once, which pg does not offer. */
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

  /** Everybody who waits for an answer, now or later, gets the error that the connection is lost. */
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

import { once } from 'node:events'
import { createConnection, createServer, type Server, type Socket } from 'node:net'

type Pair = { readonly near: Socket; readonly far: Socket; readonly to: number }

/**
 * A way of TCP on the loopback that can be cut, and one on which nothing more is heard although it stands. Where a
 * connection goes is asked when it is made.
 */
export class Wire {
  readonly port: number
  readonly #server: Server
  readonly #target: () => number | null
  readonly #pairs = new Set<Pair>()
  #isCut = false

  private constructor(server: Server, port: number, target: () => number | null) {
    this.#server = server
    this.port = port
    this.#target = target
    server.on('connection', (near) => this.#connect(near))
  }

  /** To the port that `target` names; null: nobody is there, and the connection is refused. */
  static async open(port: number, target: () => number | null): Promise<Wire> {
    const server = createServer({ noDelay: true })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return new Wire(server, port, target)
  }

  /** Every connection breaks, and none is made until it is mended. */
  cut(): void {
    this.#isCut = true
    this.drop()
  }

  mend(): void {
    this.#isCut = false
  }

  /** Breaks the connections to this port, or all of them. */
  drop(to: number | null = null): void {
    for (const { near, far, to: port } of this.#pairs) if (to === null || port === to) destroy(near, far)
  }

  /**
   * Whoever is connected hears nothing more and is told of no end, as when a machine is gone or a firewall has
   * forgotten. New connections are as good as ever. The returned function breaks the deaf ones.
   */
  deafen(): () => void {
    const deaf = [...this.#pairs]
    for (const { near, far } of deaf) {
      near.unpipe(far)
      far.unpipe(near)
      near.pause()
      far.pause()
    }
    return () => {
      for (const { near, far } of deaf) destroy(near, far)
    }
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #connect(near: Socket): void {
    near.on('error', () => {})
    const to = this.#isCut ? null : this.#target()
    if (to === null) {
      near.resetAndDestroy()
      return
    }
    const far = createConnection({ port: to, host: '127.0.0.1', noDelay: true })
    const pair = { near, far, to }
    this.#pairs.add(pair)
    far.on('error', () => near.destroy())
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.pipe(other)
      one.on('close', () => {
        this.#pairs.delete(pair)
        other.destroy()
      })
    }
  }
}

function destroy(near: Socket, far: Socket): void {
  near.destroy()
  far.destroy()
}

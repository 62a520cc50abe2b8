import { http } from '../door.ts'
import { Wire } from './wire.ts'

/** Between two questions of a node, and how long it may take over the answer. */
const everyMs = 250
const patienceMs = 1_000
/** A node is given up after so many questions without an answer. */
const fallsMax = 2

/** Where a balancer may send: `up` takes connections, `leaving` keeps those it has, `down` loses them. */
type Readiness = 'up' | 'leaving' | 'down'

/**
 * What stands before several nodes: connections go in turn to those whose `/readyz` is well, a draining one keeps those
 * that it has, and those of one that does not answer are broken. deploy/haproxy.cfg does the same.
 */
export class Balancer {
  readonly #ports: readonly number[]
  readonly #states = new Map<number, Readiness>()
  readonly #closing = new AbortController()
  #turn = 0
  #wire!: Wire
  #asking: Promise<unknown> = Promise.resolve()

  private constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  /** `ports` are those of the nodes. */
  static async open(port: number, ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports)
    balancer.#wire = await Wire.open(port, () => balancer.#next())
    balancer.#asking = Promise.all(ports.map((one) => balancer.#follow(one)))
    return balancer
  }

  get base(): string {
    return `http://127.0.0.1:${this.#wire.port}`
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#asking
    await this.#wire.close()
  }

  #next(): number | null {
    const up = this.#ports.filter((port) => this.#states.get(port) === 'up')
    return up.length === 0 ? null : up[this.#turn++ % up.length]!
  }

  async #follow(port: number): Promise<void> {
    const { signal } = this.#closing
    let falls = 0
    while (!signal.aborted) {
      const state = await readinessOf(port)
      falls = state === 'down' ? falls + 1 : 0
      if (falls === 0 || falls >= fallsMax) this.#states.set(port, state)
      if (falls === fallsMax) this.#wire.drop(port)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs)
        signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
      })
    }
  }
}

async function readinessOf(port: number): Promise<Readiness> {
  const answer = await http(`http://127.0.0.1:${port}/readyz`, {}, patienceMs)
  if (answer?.status === 200) return 'up'
  return answer?.text.includes('draining') ? 'leaving' : 'down'
}

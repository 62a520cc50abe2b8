import type { Dice } from './dice.ts'
import type { Begun, SimulatedNas } from './simulated-nas.ts'

export type Client = { login: string; password: string; station: string }

const tickMs = 500
const interimMs = 20_000
/** A rejected client tries again after so long, as a home router would. */
const retryMs = 15_000
const signInsPerTick = 16

/** Keeps the clients of the demo coming and going: they sign in, move octets, hang up now and then, and come back. */
export class Traffic {
  readonly #nas: readonly SimulatedNas[]
  readonly #clients: readonly Client[]
  readonly #dice: Dice
  /** Sessions that are told of at the first sign-in. */
  readonly #begun: Map<string, Begun>
  /** When a client that is offline wants to come back. Clients that are online or signing in are not in the map. */
  readonly #returns = new Map<string, number>()
  readonly #interims = new Map<string, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(
    nas: readonly SimulatedNas[],
    clients: readonly Client[],
    dice: Dice,
    begun: ReadonlyMap<string, Begun> = new Map(),
  ) {
    this.#nas = nas
    this.#clients = clients
    this.#dice = dice
    this.#begun = new Map(begun)
    for (const { login } of clients) this.#returns.set(login, 0)
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(Date.now()), tickMs)
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  /** A client that was disconnected dials again soon, as its router would. */
  disconnected(login: string): void {
    this.#returns.set(login, Date.now() + 3_000)
  }

  #tick(nowMs: number): void {
    const due = this.#clients.filter(({ login }) => (this.#returns.get(login) ?? Number.POSITIVE_INFINITY) <= nowMs)
    for (const client of due.slice(0, signInsPerTick)) this.#signIn(client)
    for (const nas of this.#nas) {
      for (const session of nas.sessions) {
        session.inputOctets += this.#dice.below(60_000)
        session.outputOctets += this.#dice.below(600_000)
        if ((this.#interims.get(session.login) ?? 0) > nowMs) continue
        this.#interims.set(session.login, nowMs + interimMs + this.#dice.below(interimMs))
        if (this.#dice.below(300) === 0) {
          this.#returns.set(session.login, nowMs + 5_000 + this.#dice.below(30_000))
          nas.account('stop', session)
        } else nas.account('interim', session)
      }
    }
  }

  async #signIn({ login, password, station }: Client): Promise<void> {
    this.#returns.delete(login)
    const nas = this.#dice.pick(this.#nas)
    const begun = this.#begun.get(login)
    this.#begun.delete(login)
    const outcome = await nas.signIn(login, password, station, begun)
    if (outcome.kind === 'accepted') this.#interims.set(login, Date.now() + this.#dice.below(interimMs))
    else this.#returns.set(login, Date.now() + retryMs + this.#dice.below(retryMs))
  }
}

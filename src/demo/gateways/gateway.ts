import { setTimeout as pause } from 'node:timers/promises'
import { type Behaviour, goodBehaviour } from './behaviour.ts'
import { type Answered, type Asked, Site } from './site.ts'

export type Notice = {
  readonly contentType: string
  readonly body: string | Buffer
}

export type Delivered = { readonly status: number; readonly text: string }

/** Sends one notice to the shop. Status 0: the shop was not reached. */
async function send(webhook: string, { contentType, body }: Notice): Promise<Delivered> {
  try {
    const response = await fetch(webhook, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body,
      signal: AbortSignal.timeout(10_000),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return { status: 0, text: '' }
  }
}

/** What both simulated gateways have: a site on the loopback, and notices that they send to the shop. */
export abstract class SimulatedGateway<Shop extends { readonly webhook: string }> {
  readonly shop: Shop
  readonly behaviour: Behaviour
  /** The last answer of the shop to each copy of a notice, and its answers to forged ones. */
  readonly answers: Delivered[] = []
  readonly toForged: Delivered[] = []
  readonly #site = new Site((asked) => this.answer(asked))

  constructor(shop: Shop, behaviour: Partial<Behaviour> = {}) {
    this.shop = shop
    this.behaviour = { ...goodBehaviour, ...behaviour }
  }

  get address(): string {
    return this.#site.address
  }

  start = (port?: number): Promise<void> => this.#site.start(port)
  stop = (): Promise<void> => this.#site.stop()

  protected abstract answer(asked: Asked): Promise<Answered | null> | Answered | null

  /** As many forged notices as the behaviour says, each of another sum. */
  protected forged(forge: (sum: string) => Notice): Notice[] {
    return Array.from({ length: this.behaviour.forged }, (_, n) => forge(`${1000 + n}.00`))
  }

  /**
   * Sends as many copies of a notice as the behaviour says, and repeats those that were not accepted. True: every copy
   * was taken.
   */
  protected async deliver(
    notice: Notice,
    forged: readonly Notice[],
    isTaken: (answer: Delivered) => boolean,
  ): Promise<boolean> {
    const { shop, behaviour } = this
    const persistently = async () => {
      let answer = await send(shop.webhook, notice)
      for (let tries = 0; tries < behaviour.retries && !isTaken(answer); tries++) {
        await pause(behaviour.retryMs)
        answer = await send(shop.webhook, notice)
      }
      return answer
    }
    const copies = Promise.all(Array.from({ length: behaviour.repeats }, persistently))
    const fakes = Promise.all(forged.map((fake) => send(shop.webhook, fake)))
    const answers = await copies
    this.answers.push(...answers)
    this.toForged.push(...(await fakes))
    return answers.every(isTaken)
  }
}

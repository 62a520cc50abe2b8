import { Agent, request } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { linePassword } from '../test/support/provider.ts'
import { AccessClient } from './access-client.ts'
import type { LiveBlocks } from './live-blocks.ts'
import type { Payer } from './payers.ts'

/** Milliseconds from the moment a webhook was due: to its answer, to the Access-Accept, to the live frame. */
export type Waits = { readonly answered: number[]; readonly accepted: number[]; readonly shown: number[] }

/** Who is paid to: a program with a webhook and RADIUS, and with live frames if it has any. */
export type PaymentTarget = {
  readonly webhook: string
  readonly authPort: number
  readonly live: LiveBlocks | null
}

const radiusSockets = 8
const retryMs = 1_000
const patienceMs = 15_000

/** The gateway and the NAS in one: tells of payments and asks for the access of those who paid. */
export class Paying {
  readonly #target: PaymentTarget
  readonly #nas: readonly AccessClient[]
  readonly #agent = new Agent({ keepAlive: true })
  #next = 0
  #isOver = false
  /** Webhooks that had to be sent again. */
  toldAgain = 0

  private constructor(target: PaymentTarget, nas: readonly AccessClient[]) {
    this.#target = target
    this.#nas = nas
  }

  static async open(target: PaymentTarget, nas: { ip: string; secret: string }): Promise<Paying> {
    const clients = Array.from({ length: radiusSockets }, () => AccessClient.open(target.authPort, nas.secret, nas.ip))
    return new Paying(target, await Promise.all(clients))
  }

  close(): void {
    for (const nas of this.#nas) nas.close()
    this.#agent.destroy()
  }

  /**
   * One payment after another; the NAS asks again a millisecond after each reject, from the moment the webhook is sent.
   */
  async oneAtATime(payers: readonly Payer[]): Promise<Waits> {
    const waits: Waits = { answered: [], accepted: [], shown: [] }
    for (const payer of payers) {
      const dueMs = performance.now()
      await Promise.all([
        this.#tell(payer).then(noted(waits.answered, dueMs)),
        this.#askUntilAccepted(payer).then(noted(waits.accepted, dueMs)),
        this.#target.live?.opened(payer.id).then(noted(waits.shown, dueMs)),
      ])
    }
    return waits
  }

  /**
   * So many payments a second, whether or not those before are through; the NAS asks when the webhook has its answer. A
   * wait that has not ended fifteen seconds after the last payment counts as long as it has lasted.
   */
  async steadily(payers: readonly Payer[], perSecond: number): Promise<Waits> {
    const waits: Waits = { answered: [], accepted: [], shown: [] }
    const under: Promise<unknown>[] = []
    const open = new Map<number[], Map<number, number>>()
    const wait = (into: number[], dueMs: number, id: number, end: Promise<unknown> | undefined) => {
      if (!end) return
      const mine = open.get(into) ?? new Map<number, number>()
      open.set(into, mine.set(id, dueMs))
      under.push(end.then(noted(into, dueMs)).then(() => mine.delete(id)))
    }
    this.#isOver = false
    const startedMs = performance.now()
    for (const [n, payer] of payers.entries()) {
      const dueMs = startedMs + (n * 1000) / perSecond
      while (performance.now() < dueMs) await after(1)
      const answered = this.#tell(payer)
      wait(waits.answered, dueMs, payer.id, answered)
      wait(
        waits.accepted,
        dueMs,
        payer.id,
        answered.then(() => this.#askUntilAccepted(payer)),
      )
      wait(waits.shown, dueMs, payer.id, this.#target.live?.opened(payer.id))
    }
    await Promise.race([Promise.all(under), after(patienceMs)])
    this.#isOver = true
    for (const [into, late] of open) for (const dueMs of late.values()) into.push(performance.now() - dueMs)
    return waits
  }

  /** As long as it takes: what the program cannot take now it is told again, and that is counted. */
  async #tell(payer: Payer): Promise<void> {
    while (!(await this.#isTaken(payer)) && !this.#isOver) {
      this.toldAgain++
      await after(retryMs)
    }
  }

  #isTaken({ body, contentType }: Payer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const headers = { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) }
      const call = request(this.#target.webhook, { method: 'POST', agent: this.#agent, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve(answer.statusCode === 200 && (text === 'OK\n' || text === 'WMI_RESULT=OK')))
      })
      call.on('error', reject).end(body)
    })
  }

  async #askUntilAccepted({ login }: Payer): Promise<void> {
    for (;;) {
      const answer = this.#nas[this.#next++ % this.#nas.length]!.ask(login, linePassword)
      if ((answer !== null && (await answer)) || this.#isOver) return
      await after(1)
    }
  }
}

const noted = (into: number[], dueMs: number) => (): void => {
  into.push(performance.now() - dueMs)
}

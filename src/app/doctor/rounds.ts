import type { Payments } from '../../billing/payments/payments.ts'
import { connectionWords } from '../../billing/payments/connection.ts'
import { neededOf } from '../../billing/payments/gateways.ts'
import type { Base } from '../base.ts'
import { type Check, ok, warn } from './check.ts'
import { checkTables } from './doctor.ts'
import { checkMachine } from './machine.ts'
import { checkRunning, figuresOf } from './running.ts'

/** What was found, and when. */
export type Round = { readonly at: Date; readonly checks: readonly Check[] }

type RoundParts = Pick<Base, 'config' | 'clock' | 'log' | 'metrics' | 'settings' | 'database'> & {
  readonly payments: Pick<Payments, 'checkConnection'>
}

const hourMs = 3_600_000
/** The start has other work, and NAS are to be heard first. */
const firstMs = 60_000
/** Who asks within it gets the same answer: looking costs the disk some writes and a gateway a request. */
const freshMs = 10_000

/** The doctor of the program that runs: each hour, for Prometheus and its alerts, and whenever somebody looks. */
export class DoctorRounds {
  readonly #parts: RoundParts
  #last: Round | null = null
  #looking: Promise<Round> | null = null
  #cancel: () => void = () => {}

  constructor(parts: RoundParts) {
    this.#parts = parts
  }

  /** Null: it has not looked yet. */
  get last(): Round | null {
    return this.#last
  }

  start(): void {
    this.#plan(firstMs)
  }

  async stop(): Promise<void> {
    this.#cancel()
    await this.#looking?.catch(() => {})
  }

  /** What there is to be found now. */
  async look(): Promise<Round> {
    const { clock } = this.#parts
    if (this.#last && clock.now().getTime() - this.#last.at.getTime() < freshMs) return this.#last
    this.#looking ??= this.#examine().finally(() => {
      this.#looking = null
    })
    return await this.#looking
  }

  #plan(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.look()
        .catch((error) => this.#parts.log.warn('The doctor could not look at everything.', { error }))
        .finally(() => this.#plan(hourMs))
    })
  }

  async #examine(): Promise<Round> {
    const { config, clock, metrics, database } = this.#parts
    const at = clock.now()
    const figures = figuresOf(await metrics.text())
    const checks = [
      ...(await checkMachine(config, figures, at)),
      ...checkRunning(figures),
      ...(await checkTables({ config, figures }, at, (work) => work({ url: database.url }))),
      ...(await this.#checkGateways()),
    ]
    this.#last = { at, checks }
    return this.#last
  }

  /** Those that are set up; what is set up in part the tables tell. */
  async #checkGateways(): Promise<Check[]> {
    const { settings, payments } = this.#parts
    const checks: Check[] = []
    for (const gateway of ['gwa', 'gwb'] as const) {
      if (neededOf[gateway].some((name) => settings.get(name) === '')) continue
      const connection = await payments.checkConnection(gateway)
      const said = [connectionWords(connection, 'en'), connectionWords(connection, 'ru')] as const
      checks.push((connection.fault ? warn : ok)(`gateway ${gateway === 'gwa' ? 'A' : 'B'}`, ...said))
    }
    return checks
  }
}

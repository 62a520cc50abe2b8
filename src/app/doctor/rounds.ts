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
/** The first round comes so long after the start, which has other work, and when NAS have been heard. */
const firstMs = 60_000
/** Whoever asks again within this time gets the same answer, because a round writes to the disk and asks gateways. */
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

  /** The last round; null: there has been none yet. */
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

  /** Makes a round, or returns one that is fresh. */
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

  /** Checks the gateways that are set up. Those that are set up in part are found in the tables. */
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

import { growingCache } from '../../platform/growing-cache.ts'
import type { Log } from '../../platform/log.ts'
import type { SharedValue } from '../access/shared.ts'
import { udpOpener, type UdpPreference } from './udp/open-port.ts'
import type { UdpPort } from './udp/udp-port.ts'
import { AccountingReceiver } from './worker/accounting-receiver.ts'
import { WorkerCounters } from './worker/counters.ts'
import { FaultLimit } from './worker/fault-limit.ts'
import type { AccountingBatch, AccountingSink, NasSlot, WorkerRules } from './worker/messages.ts'
import type { NasNotices } from './worker/nas-notices.ts'
import { NasSigns } from './worker/nas-signs.ts'
import { NasTable } from './worker/nas-table.ts'

type AccountingPortParts = {
  host: string
  port: number
  udp: UdpPreference
  /** Another object after each publication. */
  rules: Pick<SharedValue<WorkerRules>, 'published'>
  counters: SharedArrayBuffer
  signs: SharedArrayBuffer
  notices: NasNotices
  dayTimeMs: () => number
  accounting: AccountingSink
  log: Log
}

const toldEveryMs = 3_600_000
const nothing = new Int32Array(0)

/**
 * The port of accounting, on the main thread: a record is stored there, and at an ordinary load two hops to a thread
 * and back cost more than checking the packet and sending the answer.
 */
export class AccountingPort {
  readonly #parts: AccountingPortParts
  readonly #receiver: AccountingReceiver
  #rules: WorkerRules
  #nas: NasTable
  #socket: UdpPort | undefined
  /** By NAS and status type, when the log last said that such records are not stored. */
  readonly #toldMs = growingCache<string, number>(1_000)

  constructor(parts: AccountingPortParts) {
    this.#parts = parts
    this.#rules = parts.rules.published
    this.#nas = new NasTable(this.#rules.nas)
    const faults = new FaultLimit((error) => parts.log.error('A RADIUS packet could not be handled.', { error }))
    this.#receiver = new AccountingReceiver(
      {
        counters: new WorkerCounters(parts.counters),
        signs: new NasSigns(parts.signs),
        nas: () => this.#followRules(),
        notices: parts.notices,
        dayTimeMs: parts.dayTimeMs,
        failed: faults.report,
      },
      (batch) => this.#store(batch),
      (nas, statusType) => this.#tellUnstored(nas, statusType),
    )
  }

  /** Rejects when the port cannot be opened. */
  async start(): Promise<void> {
    const { host, port, udp } = this.#parts
    const { replies } = this.#receiver
    this.#socket = await udpOpener(udp).open({
      host,
      port,
      sharesPort: false,
      output: replies.bytes,
      stamps: true,
      listener: this.#receiver,
    })
  }

  /** Receives nothing more, and answers what is in work within the given time. */
  async stop(withinMs: number): Promise<void> {
    this.#socket?.stopReceiving()
    let late: NodeJS.Timeout | undefined
    const timeIsUp = new Promise<void>((resolve) => (late = setTimeout(resolve, withinMs)))
    await Promise.race([this.#receiver.idle(), timeIsUp])
    clearTimeout(late)
    this.#socket?.close()
  }

  /** The rules that the workers have, because each change costs a new table of all NAS. */
  #followRules(): NasTable {
    const { published } = this.#parts.rules
    if (published !== this.#rules) {
      this.#rules = published
      this.#nas = new NasTable(published.nas)
    }
    return this.#nas
  }

  /** Logs at most one line an hour for a NAS and a type, because such a record may come with every session. */
  #tellUnstored({ id, name }: NasSlot, statusType: number | null): void {
    const { dayTimeMs, log } = this.#parts
    const key = `${id} ${statusType}`
    if (dayTimeMs() - (this.#toldMs.get(key) ?? Number.NEGATIVE_INFINITY) < toldEveryMs) return
    this.#toldMs.set(key, dayTimeMs())
    if (statusType === null) log.warn('Accounting without an Acct-Status-Type is not answered.', { nas: name })
    else log.warn('Accounting of this Acct-Status-Type is answered and not stored.', { nas: name, statusType })
  }

  async #store(batch: AccountingBatch): Promise<Int32Array> {
    try {
      return await this.#parts.accounting(batch)
    } catch (error) {
      this.#parts.log.error('Accounting could not be stored; the NAS will repeat it.', { error })
      return nothing
    }
  }
}

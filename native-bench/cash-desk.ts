import type { RunningProgram } from '../test/support/program.ts'
import { ruble } from '../test/support/provider.ts'

/** Ten receipts a second, one at a time or more when they are slow. */
export class CashDesk {
  #samples: number[] = []
  readonly #timer: NodeJS.Timeout
  readonly #underWay = new Set<Promise<void>>()

  constructor(program: RunningProgram, account: number) {
    this.#timer = setInterval(() => {
      const startedMs = performance.now()
      const paid = program
        .rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: ruble })
        .then(({ status }) => {
          if (status !== 201) throw new Error(`A receipt was answered ${status}.`)
          this.#samples.push(performance.now() - startedMs)
          this.#underWay.delete(paid)
        })
      this.#underWay.add(paid)
    }, 100)
  }

  take(): number[] {
    return this.#samples.splice(0)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }
}

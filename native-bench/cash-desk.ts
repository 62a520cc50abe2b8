import type { RunningProgram } from '../test/support/program.ts'
import { ruble } from '../test/support/provider.ts'

export type Receipts = { readonly tookMs: number[]; readonly refused: string[] }

/**
 * Ten receipts a second, one at a time or more when they are slow. One that is refused is paid in again, as cash desks
 * do.
 */
export class CashDesk {
  #receipts: Receipts = { tookMs: [], refused: [] }
  #number = 0
  readonly #timer: NodeJS.Timeout
  readonly #underWay = new Set<Promise<void>>()

  constructor(program: RunningProgram, account: number) {
    this.#timer = setInterval(() => {
      const paid = this.#pay(program, account, `bench-${this.#number++}`).finally(() => this.#underWay.delete(paid))
      this.#underWay.add(paid)
    }, 100)
  }

  take(): Receipts {
    const receipts = this.#receipts
    this.#receipts = { tookMs: [], refused: [] }
    return receipts
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }

  async #pay(program: RunningProgram, account: number, txn: string): Promise<void> {
    const startedMs = performance.now()
    const body = { account, op_type: 7, op_summa: ruble, txn }
    for (;;) {
      const answer = await program.rest('POST', '/rest_api/v2/FinanceOperations/', body)
      if (answer.status === 201 || answer.status === 200) break
      this.#receipts.refused.push(`${answer.status} ${JSON.stringify(answer.body)}`)
    }
    this.#receipts.tookMs.push(performance.now() - startedMs)
  }
}

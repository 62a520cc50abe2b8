const terminalMs = 200
/** A pipe or a log keeps every line, so fewer are written. */
const pipeMs = 5_000

type Output = { readonly isTTY?: boolean; write(text: string): unknown }

/**
 * Shows how far a backup, a restore or a reading is: on a terminal in one line that is rewritten, elsewhere in several.
 */
export class ByteProgress {
  readonly #output: Output
  #shownMs = performance.now()
  #isShown = false

  constructor(output: Output) {
    this.#output = output
  }

  /** Shows how far the work is; `total` is null where nobody knows it. */
  at({ what, done, total }: { readonly what: string; readonly done: number; readonly total: number | null }): void {
    const now = performance.now()
    const isTerminal = this.#output.isTTY === true
    if (now - this.#shownMs < (isTerminal ? terminalMs : pipeMs)) return
    this.#shownMs = now
    const share = total === null ? '' : `${total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0} %, `
    const text = `${share}${what}`
    this.#output.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`)
    this.#isShown = isTerminal
  }

  /** Clears the line of the terminal. */
  end(): void {
    if (this.#isShown) this.#output.write('\r\u001b[K')
    this.#isShown = false
  }
}

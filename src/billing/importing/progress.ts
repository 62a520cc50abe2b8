export type ProgressOutput = {
  write(text: string): void
  readonly isTerminal: boolean
}

const terminalMs = 200
/** A pipe or a log keeps every line, so fewer are written. */
const pipeMs = 5_000

/** Who wants to know how far an import is. */
export type Shown = {
  /** Begins a phase. `total`: its size, in the unit of `done` below. */
  begin(what: string, total: number): void
  /** Reports that `lines` are done, which is `done` of the total of this phase. */
  at(lines: number, done?: number): void
  end(lines: number): void
}

/**
 * Shows the progress, speed and remaining time of a long command: on a terminal in one line that is rewritten,
 * elsewhere in several lines.
 */
export class Progress implements Shown {
  readonly #output: ProgressOutput
  readonly #nowMs: () => number
  #what = ''
  #total = 0
  #startedMs = 0
  #shownMs = 0

  constructor(output: ProgressOutput, nowMs: () => number = () => performance.now()) {
    this.#output = output
    this.#nowMs = nowMs
  }

  begin(what: string, total: number): void {
    this.#what = what
    this.#total = total
    this.#startedMs = this.#nowMs()
    this.#shownMs = this.#startedMs
  }

  at(lines: number, done = lines): void {
    const now = this.#nowMs()
    if (now - this.#shownMs < (this.#output.isTerminal ? terminalMs : pipeMs)) return
    this.#shownMs = now
    this.#show(this.#text(lines, done, now - this.#startedMs))
  }

  end(lines: number): void {
    const seconds = (this.#nowMs() - this.#startedMs) / 1000
    const rate = seconds >= 0.1 ? `, ${count(lines / seconds)}/s` : ''
    this.#show(`${this.#what}: ${count(lines)} lines in ${duration(seconds)}${rate}`)
    if (this.#output.isTerminal) this.#output.write('\n')
  }

  #text(lines: number, done: number, elapsedMs: number): string {
    const share = this.#total > 0 ? Math.min(1, done / this.#total) : 0
    const left = share > 0 ? `, ${duration(((elapsedMs / share) * (1 - share)) / 1000)} left` : ''
    return `${this.#what}: ${count(lines)} lines (${Math.floor(share * 100)} %), ${count(lines / (elapsedMs / 1000))}/s${left}`
  }

  #show(text: string): void {
    this.#output.write(this.#output.isTerminal ? `\r\u001b[K${text}` : `${text}\n`)
  }
}

export const count = (number: number): string => Math.round(number).toLocaleString('en-US')

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

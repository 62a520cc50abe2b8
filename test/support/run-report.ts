/** What a reader of a long run wants at its end: how many, what failed and why, and where the time went. */
export type RunReport = {
  passed: number
  failed: number
  /** A failed assertion each: its file and titles, and what tap says of it. */
  failures: { title: string; detail: string[] }[]
  /** Seconds of a test file, the slowest first. */
  slowest: { file: string; seconds: number }[]
}

type Failure = RunReport['failures'][number]

const detailLines = 40

/** Reads tap's own words as they come. Output of a file comes in one piece, its line of result last. */
export class RunReader {
  #rest = ''
  #inFile: Failure[] = []
  /** The one that the line before was about, and may begin to explain. */
  #last: Failure | null = null
  /** The one that is being explained. */
  #open: Failure | null = null
  #titles: string[] = []
  #summary: Record<string, number> | null = null
  readonly #failures: RunReport['failures'] = []
  readonly #times: RunReport['slowest'] = []

  read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#line(line)
  }

  /** A run that broke without a summary, or that ended with a status of failure, has failed. */
  report(exitCode: number): RunReport {
    const failed = this.#summary?.fail ?? 0
    return {
      passed: this.#summary?.pass ?? 0,
      failed: failed === 0 && (exitCode !== 0 || !this.#summary) ? 1 : failed,
      failures: this.#failures,
      slowest: this.#times.toSorted((a, b) => b.seconds - a.seconds),
    }
  }

  #line(line: string): void {
    const depth = line.search(/\S/)
    const text = line.trim()
    if (this.#open) {
      if (text === '...') this.#open = null
      else if (this.#open.detail.length < detailLines) this.#open.detail.push(line)
      return
    }
    if (text === '---') this.#open = this.#last
    this.#last = null
    const result = /^(not ok|ok) \d+ - (.*?)(?: # time=([\d.]+)ms)?$/.exec(text)
    if (result) {
      const [, state, title = '', milliseconds] = result
      if (depth === 0) this.#fileEnds(title, state === 'ok', Number(milliseconds ?? 0))
      // A test with a time holds others; what failed is among them.
      else if (state === 'not ok' && milliseconds === undefined) {
        this.#last = { title: [...this.#titles.slice(1, depth / 4), title].join(' > '), detail: [] }
        this.#inFile.push(this.#last)
      }
      return
    }
    const subtest = /^# Subtest: (.*)$/.exec(text)
    if (subtest) this.#titles = [...this.#titles.slice(0, depth / 4), subtest[1]!]
    const summary = /^# \{ (total: .*) \}$/.exec(line)
    if (summary) this.#summary = countsOf(summary[1]!)
  }

  #fileEnds(file: string, ok: boolean, milliseconds: number): void {
    this.#times.push({ file, seconds: milliseconds / 1_000 })
    for (const { title, detail } of this.#inFile) this.#failures.push({ title: `${file}: ${title}`, detail })
    if (!ok && this.#inFile.length === 0) this.#failures.push({ title: `${file}: ended badly`, detail: [] })
    this.#inFile = []
    this.#titles = []
  }
}

const countsOf = (text: string): Record<string, number> =>
  Object.fromEntries(text.split(', ').map((part) => [part.split(': ')[0]!, Number(part.split(': ')[1])]))

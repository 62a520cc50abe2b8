/** What a reader of a long run wants at its end: how many, what failed and why, and where the time went. */
export type RunReport = {
  passed: number
  failed: number
  /** A failed assertion each: its file and titles, and what tap says of it. */
  failures: { title: string; detail: string[] }[]
  /** Seconds of a test file. */
  times: { file: string; seconds: number }[]
}

type Failure = RunReport['failures'][number]

const detailLines = 40

/**
 * Reads what one process of the run says in TAP about the files it was given. `onFile` takes all lines of a file at
 * once, so that processes beside each other do not mix theirs.
 */
export class TapReader {
  readonly #files: string[]
  readonly #onFile: (file: string, lines: readonly string[]) => void
  #rest = ''
  #lines: string[] = []
  #inFile: Failure[] = []
  /** The one that the line before was about, and may begin to explain. */
  #last: Failure | null = null
  /** The one that is being explained. */
  #open: Failure | null = null
  /** The last one of the test that ends: what is remarked there is about it. */
  #remarked: Failure | null = null
  /** Of the tests that are open, the outermost, which is the file, first. */
  #titles: string[] = []
  #passed = 0
  readonly #failures: RunReport['failures'] = []
  readonly #times: RunReport['times'] = []

  constructor(files: readonly string[], onFile: (file: string, lines: readonly string[]) => void = () => {}) {
    this.#files = [...files]
    this.#onFile = onFile
  }

  /** The process was given one more. */
  expect(file: string): void {
    this.#files.push(file)
  }

  read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) this.#line(line)
  }

  /**
   * `end` is how the process ended where that was badly, else null. The files it has not come to have failed with it.
   */
  report(end: string | null): RunReport {
    const ended = new Set(this.#times.map(({ file }) => file))
    const missing = this.#files.filter((file) => !ended.has(file))
    const why = `its process ended before its result (${end ?? 'nothing was left to wait for'})`
    const failures = [
      ...this.#failures,
      ...this.#inFile.map(({ title, detail }) => ({ title: `${missing[0]}: ${title}`, detail })),
      ...missing.map((file) => ({ title: `${file}: ${why}`, detail: [] })),
    ]
    if (failures.length === 0 && end !== null)
      failures.push({ title: `${this.#files.at(-1)}: its process did not end well (${end})`, detail: [] })
    if (this.#lines.length > 0) this.#onFile(missing[0] ?? '', this.#lines)
    return { passed: this.#passed, failed: failures.length, failures, times: this.#times }
  }

  #line(line: string): void {
    const depth = line.search(/\S/)
    const text = line.trim()
    if (depth > 0 || this.#titles.length > 0 || /^# Subtest|^(not )?ok/.test(line)) this.#lines.push(line)
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
      this.#result(depth, state === 'ok', title, Number(milliseconds ?? 0))
      return
    }
    const subtest = /^# Subtest: (.*)$/.exec(text)
    if (subtest) {
      this.#remarked = null
      this.#titles = [...this.#titles.slice(0, depth / 4), subtest[1]!]
    } else if (text.startsWith('# ')) this.#remarked?.detail.push(line)
  }

  #result(depth: number, ok: boolean, title: string, milliseconds: number): void {
    const level = depth / 4
    // A test that held others has said what failed in it.
    const isTest = this.#titles.length > level && this.#titles[level] === title
    if (isTest) this.#titles = this.#titles.slice(0, level)
    if (level === 0) this.#fileEnds(title, ok, milliseconds)
    else if (ok && !isTest) this.#passed++
    else if (!isTest) this.#fails(level, title)
  }

  #fails(level: number, title: string): void {
    this.#last = { title: [...this.#titles.slice(1, level), title].join(' > '), detail: [] }
    this.#inFile.push(this.#last)
    this.#remarked = this.#last
  }

  #fileEnds(file: string, ok: boolean, milliseconds: number): void {
    // tap reports what goes wrong between the files as a result of its own.
    if (this.#files.includes(file)) this.#times.push({ file, seconds: milliseconds / 1_000 })
    for (const { title, detail } of this.#inFile) this.#failures.push({ title: `${file}: ${title}`, detail })
    if (!ok && this.#inFile.length === 0) {
      this.#last = { title: `${file}: ended badly`, detail: [] }
      this.#failures.push(this.#last)
    }
    this.#inFile = []
    this.#remarked = null
    this.#titles = []
    this.#onFile(file, this.#lines.splice(0))
  }
}

export const together = (reports: readonly RunReport[]): RunReport => ({
  passed: reports.reduce((sum, { passed }) => sum + passed, 0),
  failed: reports.reduce((sum, { failed }) => sum + failed, 0),
  failures: reports.flatMap(({ failures }) => failures),
  times: reports.flatMap(({ times }) => times),
})

/** Kept short: a reader of a long log sees its last lines first. */
export function closingWords({ failures, times }: RunReport): string[] {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
  const seconds = slowest.map(({ file, seconds }) => `${seconds.toFixed(1)} s ${file}`)
  return [
    ...(seconds.length > 1 ? [`Slowest: ${seconds.join(', ')}`] : []),
    ...failures.slice(0, 20).flatMap(({ title, detail }) => [`Failed: ${title}`, ...detail]),
    ...(failures.length > 20 ? [`Failed too: ${failures.length - 20} more, see above.`] : []),
  ]
}

/** Of a file that nobody has timed yet. */
const secondsGuessed = 2

/**
 * More of them would make a process that drags along what all its files have left behind; fewer, and each process loads
 * the program anew.
 */
const filesAtMost = 120

/**
 * Each process with a browser has a Chromium of its own, which compiles the scripts of the console anew for each kind of
 * tab. So there are few, and as many as can work beside the others at once.
 */
export const browsersFor = (cores: number): number => Math.max(1, Math.floor(cores / 2))

/** What one process runs: gives the next file, or null when there is none for it. */
export type Room = () => string | null

/** What decides when a file may run. */
export type FileTraits = {
  /** It wants a process for itself. */
  isAlone(file: string): boolean
  /** It makes network interfaces on this machine, and takes them away. */
  changesNetwork(file: string): boolean
  /** It has a Chromium, which drops its requests when an interface comes or goes. */
  hasBrowser(file: string): boolean
  /** What it took in the last run. */
  secondsOf(file: string): number | undefined
  /** How many processes have one, as long as the others have something else to do. */
  readonly browsers: number
}

/**
 * The files of a run, for the processes that ask for them. The slowest come first, by the seconds of the last run, so
 * that no long one begins when the others end. Before them come those that want a process for themselves, and those
 * that change the network; no browser starts before these are through, unless nothing else is left. A process that has
 * a browser takes the files that need one first, so that no other has to.
 */
export class Rooms {
  readonly #alone: string[]
  readonly #shared: string[]
  readonly #changing: Set<string>
  readonly #hasBrowser: (file: string) => boolean
  readonly #browsers: number
  /** The processes that have a browser, by the files that they were given. */
  readonly #withBrowser = new Set<readonly string[]>()

  constructor(files: readonly string[], { isAlone, changesNetwork, hasBrowser, secondsOf, browsers }: FileTraits) {
    const seconds = (file: string) => secondsOf(file) ?? secondsGuessed
    const sorted = files.toSorted((a, b) => seconds(b) - seconds(a))
    this.#alone = sorted.filter(isAlone)
    const shared = sorted.filter((file) => !isAlone(file))
    const changing = shared.filter(changesNetwork)
    this.#changing = new Set(changing)
    this.#shared = [...changing, ...shared.filter((file) => !this.#changing.has(file))]
    this.#hasBrowser = hasBrowser
    this.#browsers = browsers
  }

  /** Whether the next process runs a file that wants it for itself. */
  get isNextAlone(): boolean {
    return this.#alone.length > 0
  }

  /** For one more process; null when nothing is left. */
  open(): Room | null {
    if (this.#alone.length + this.#shared.length === 0) return null
    let left = this.isNextAlone ? 1 : filesAtMost
    const files = this.isNextAlone ? this.#alone : this.#shared
    const given: string[] = []
    return () => {
      // A process has one file ahead, so it is through with the last but one when it asks.
      this.#changing.delete(given.at(-2) ?? '')
      const file = left-- > 0 ? this.#next(files, given) : undefined
      if (file === undefined) {
        this.#withBrowser.delete(given)
        return null
      }
      if (this.#hasBrowser(file)) this.#withBrowser.add(given)
      given.push(file)
      return file
    }
  }

  #next(files: string[], given: readonly string[]): string | undefined {
    const has = this.#withBrowser.has(given)
    const mayHave = this.#changing.size === 0 && (has || this.#withBrowser.size < this.#browsers)
    const first = has || !mayHave ? files.findIndex((file) => this.#hasBrowser(file) === mayHave) : 0
    return files.splice(Math.max(first, 0), 1)[0]
  }
}

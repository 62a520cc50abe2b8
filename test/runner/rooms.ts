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

/**
 * What one process runs: gives the next file, or null when there is none for it. It asks when it is through with the
 * file before, so that none waits in a process that is still busy while another has nothing to do.
 */
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
 * that change the network; no browser starts before these are through, unless nothing else is left. Then one starts at
 * once, because the files that need one are the longest way to the end of the run; a process that has a browser takes
 * them first, so that no other has to.
 */
export class Rooms {
  readonly #alone: string[]
  readonly #shared: string[]
  readonly #traits: FileTraits
  /** Those that have not ended yet. */
  readonly #changing: Set<string>
  /** The processes that have a browser. */
  readonly #withBrowser = new Set<Room>()

  constructor(files: readonly string[], traits: FileTraits) {
    const { isAlone, changesNetwork, secondsOf } = traits
    const seconds = (file: string) => secondsOf(file) ?? secondsGuessed
    const sorted = files.toSorted((a, b) => seconds(b) - seconds(a))
    this.#traits = traits
    this.#alone = sorted.filter(isAlone)
    const shared = sorted.filter((file) => !isAlone(file))
    this.#changing = new Set(shared.filter(changesNetwork))
    this.#shared = [...this.#changing, ...shared.filter((file) => !this.#changing.has(file))]
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
    let running = ''
    const room: Room = () => {
      this.#changing.delete(running)
      const file = left-- > 0 ? this.#next(files, room) : undefined
      if (file === undefined) {
        this.#withBrowser.delete(room)
        return null
      }
      if (this.#traits.hasBrowser(file)) this.#withBrowser.add(room)
      running = file
      return file
    }
    return room
  }

  #next(files: string[], room: Room): string | undefined {
    const { hasBrowser, browsers } = this.#traits
    const has = this.#withBrowser.has(room)
    const mayHave = this.#changing.size === 0 && (has || this.#withBrowser.size < browsers)
    const first = files.findIndex((file) => hasBrowser(file) === mayHave)
    return files.splice(Math.max(first, 0), 1)[0]
  }
}

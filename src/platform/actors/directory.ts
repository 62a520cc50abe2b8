import type { Clock } from './clock.ts'
import { Mailbox } from './mailbox.ts'

/**
 * One actor per id, alive only while it is needed.
 *
 *     absent ──first message──► loading ──► awake ──idle for long, or too many awake──► absent
 *                                  ▲           │
 *                                  └─ a turn failed, or the state was invalidated: the next turn loads again
 *
 * The state changes in one place: a turn returns the next state, which replaces the old one when the turn succeeded.
 */
export type ActorKind<Id, State> = {
  /** Names the kind in metrics and errors. */
  name: string
  /** Loads the state from storage; null when there is no such actor. */
  readonly load: (id: Id) => Promise<State | null>
  /** Turns that may wait for one actor. */
  waitingMax: number
  /** Actors kept in memory; the longest unused are put to sleep first. */
  awakeMax: number
  /** An actor that has received no message for this long is put to sleep. */
  idleMs: number
  /**
   * A sender waits at most this long. A turn that has begun is not interrupted; one that has not begun is dropped with
   * its sender.
   */
  deadlineMs: number
  clock: Clock
  observe?: ActorObserver
}

export type ActorObserver = {
  readonly turn?: (kind: string, seconds: number, ok: boolean) => void
}

export type Turn<State, Result> = (state: State | null) => Promise<{ state: State | null; result: Result }>

/** How many of the actors that have left memory are remembered. */
const leftMax = 1_000

/** Bounds the search for an idle actor when nearly all are busy, so that waking one stays cheap. */
const lookedMax = 64

export class DeadlinePassed extends Error {
  constructor(kind: string, deadlineMs: number) {
    super(`The ${kind} did not answer within ${deadlineMs} ms; whether the command was carried out is not known.`)
    this.name = 'DeadlinePassed'
  }
}

export class Stopping extends Error {
  constructor() {
    super('The program is stopping and takes no new work.')
    this.name = 'Stopping'
  }
}

type Actor<State> = {
  mailbox: Mailbox
  /** Undefined: to be loaded by the next turn. Null: known not to exist. */
  state: State | null | undefined
  /** Grows when the state is invalidated, so that a running turn does not put an old state back. */
  generation: number
  usedAtMs: number
  /** Nobody but `askInPassing` has asked it, so it leaves memory after its last turn. */
  isPassing: boolean
}

export class Directory<Id extends number | string, State> {
  readonly #kind: ActorKind<Id, State>
  /** In the order of use: the first is the longest unused. */
  readonly #awake = new Map<Id, Actor<State>>()
  #running = 0
  /** Counts the calls of `invalidate`, whether or not the actor was awake. */
  #invalidations = 0
  /** Counts the actors that have left memory. */
  #leavings = 0
  /** The last of them, in their order, each with the number of its leaving. */
  readonly #left = new Map<Id, number>()
  #stopping = false
  #drained: (() => void) | null = null
  #cancelSweep: () => void

  constructor(kind: ActorKind<Id, State>) {
    this.#kind = kind
    this.#cancelSweep = this.#planSweep()
  }

  /** Actors in memory. */
  get awake(): number {
    return this.#awake.size
  }

  /** Messages that wait in all mailboxes together. */
  get waiting(): number {
    let waiting = 0
    for (const actor of this.#awake.values()) waiting += actor.mailbox.depth
    return waiting
  }

  /**
   * Lets a state follow what happened elsewhere: at once where the actor has nothing to do, otherwise in a turn of its
   * own, so that a load under way, which may have read what was before, is followed too. An actor without a state is
   * left alone, because it will load a newer one.
   */
  follow(id: Id, change: (state: State | null) => State | null): void {
    const actor = this.#awake.get(id)
    if (!actor) return
    if (actor.mailbox.idle) {
      if (actor.state !== undefined) actor.state = change(actor.state)
    } else
      this.askInPassing(id, async (state) => ({ state: change(state), result: undefined })).catch(() =>
        this.invalidate(id),
      )
  }

  /**
   * Gives one message its turn. Rejects with MailboxFull (mailbox.ts), DeadlinePassed, Stopping, or whatever the turn
   * throws.
   */
  ask<Result>(id: Id, turn: Turn<State, Result>): Promise<Result> {
    if (this.#stopping) return Promise.reject(new Stopping())
    return this.#withDeadline((isAwaited) => this.#take(id, isAwaited, turn))
  }

  /**
   * As `ask`, for one after another of a great many: an actor that was absent before is absent after the last such
   * turn, unless somebody else wants it meanwhile.
   */
  askInPassing<Result>(id: Id, turn: Turn<State, Result>): Promise<Result> {
    if (this.#stopping) return Promise.reject(new Stopping())
    return this.#withDeadline((isAwaited) => this.#take(id, isAwaited, turn, true))
  }

  /** One turn of two actors, taken in id order so that two such turns never wait for each other. */
  askBoth<Result>(
    one: Id,
    other: Id,
    turn: (
      one: State | null,
      other: State | null,
    ) => Promise<{ one: State | null; other: State | null; result: Result }>,
  ): Promise<Result> {
    if (one === other)
      return Promise.reject(new Error(`A turn of two ${this.#kind.name} actors needs two different ids.`))
    if (one > other) {
      return this.askBoth(other, one, async (o, s) => {
        const done = await turn(s, o)
        return { one: done.other, other: done.one, result: done.result }
      })
    }
    if (this.#stopping) return Promise.reject(new Stopping())
    return this.#withDeadline((isAwaited) =>
      this.#take(one, isAwaited, async (oneState) => {
        const done = await this.#take(other, isAwaited, async (otherState) => {
          const both = await turn(oneState, otherState)
          return { state: both.other, result: both }
        })
        return { state: done.one, result: done.result }
      }),
    )
  }

  /**
   * To be called before states are read from storage together with something else. The returned function keeps a state
   * that was read, so that the actor's next turn need not load it. It keeps nothing for an actor that is awake, whose
   * own state is at least as new, for one that has left memory since the reading began, because it may have changed
   * before, and nothing once any actor has been invalidated since then.
   */
  beginReading(): (id: Id, state: State) => void {
    const [invalidations, leavings] = [this.#invalidations, this.#leavings]
    return (id, state) => {
      if (this.#stopping || invalidations !== this.#invalidations || this.#awake.has(id)) return
      const isRemembered = this.#leavings - leavings <= leftMax
      if (!isRemembered || (this.#left.get(id) ?? 0) > leavings) return
      this.#wake(id).state = state
    }
  }

  /** Makes the next turn load the state from storage again. */
  invalidate(id: Id): void {
    this.#invalidations++
    const actor = this.#awake.get(id)
    if (!actor) return
    actor.generation++
    actor.state = undefined
  }

  invalidateAll(): void {
    this.#invalidations++
    for (const id of this.#awake.keys()) this.invalidate(id)
  }

  /** Refuses new messages and resolves when the accepted ones have had their turn. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#cancelSweep()
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve
      })
    }
    this.#awake.clear()
  }

  async #take<Result>(id: Id, isAwaited: () => boolean, turn: Turn<State, Result>, isPassing = false): Promise<Result> {
    const actor = this.#wake(id, isPassing)
    this.#running++
    try {
      return await actor.mailbox.run(async () => {
        try {
          // A sender that timed out may have asked again, so carrying out its first message as well would do it twice.
          if (!isAwaited()) throw this.#deadlinePassed()
          return await this.#turn(id, actor, turn)
        } finally {
          if (actor.isPassing && actor.mailbox.depth === 0) this.#leave(id)
        }
      })
    } finally {
      this.#running--
      if (this.#running === 0) this.#drained?.()
    }
  }

  async #turn<Result>(id: Id, actor: Actor<State>, turn: Turn<State, Result>): Promise<Result> {
    const startedMs = performance.now()
    const { generation } = actor
    let ok = false
    try {
      const state = actor.state === undefined ? await this.#kind.load(id) : actor.state
      const done = await turn(state)
      if (generation === actor.generation) actor.state = done.state
      ok = true
      return done.result
    } catch (error) {
      actor.state = undefined
      throw error
    } finally {
      this.#kind.observe?.turn?.(this.#kind.name, (performance.now() - startedMs) / 1000, ok)
    }
  }

  #wake(id: Id, isPassing = false): Actor<State> {
    const nowMs = this.#kind.clock.elapsedMs()
    const known = this.#awake.get(id)
    if (known) {
      known.usedAtMs = nowMs
      known.isPassing &&= isPassing
      this.#awake.delete(id)
      this.#awake.set(id, known)
      return known
    }
    const actor: Actor<State> = {
      mailbox: new Mailbox(this.#kind.waitingMax),
      state: undefined,
      generation: 0,
      usedAtMs: nowMs,
      isPassing,
    }
    this.#awake.set(id, actor)
    if (this.#awake.size > this.#kind.awakeMax) this.#putToSleep(nowMs, this.#awake.size - this.#kind.awakeMax)
    return actor
  }

  /** Puts idle actors to sleep: all that are overdue, and at least `atLeast` of the longest unused. */
  #putToSleep(nowMs: number, atLeast: number): void {
    let left = atLeast
    let looked = 0
    for (const [id, actor] of this.#awake) {
      if (nowMs - actor.usedAtMs < this.#kind.idleMs && (left <= 0 || ++looked > lookedMax)) break
      if (!actor.mailbox.idle || actor.usedAtMs === nowMs) continue
      this.#leave(id)
      left--
    }
  }

  #leave(id: Id): void {
    this.#awake.delete(id)
    this.#left.delete(id)
    this.#left.set(id, ++this.#leavings)
    if (this.#left.size > leftMax) this.#left.delete(this.#left.keys().next().value!)
  }

  #planSweep(): () => void {
    return this.#kind.clock.after(this.#kind.idleMs, () => {
      this.#putToSleep(this.#kind.clock.elapsedMs(), 0)
      if (!this.#stopping) this.#cancelSweep = this.#planSweep()
    })
  }

  #withDeadline<Result>(start: (isAwaited: () => boolean) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let isAwaited = true
      const cancel = this.#kind.clock.after(this.#kind.deadlineMs, () => {
        isAwaited = false
        reject(this.#deadlinePassed())
      })
      start(() => isAwaited)
        .then(resolve, reject)
        .finally(cancel)
    })
  }

  #deadlinePassed(): DeadlinePassed {
    return new DeadlinePassed(this.#kind.name, this.#kind.deadlineMs)
  }
}

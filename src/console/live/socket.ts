import { ask, leaveForSignIn } from '../api/client.ts'

/** A frame of `/admin/live/`. */
export type Frame = { readonly type: string; readonly seq: number; readonly at: string } & Readonly<
  Record<string, unknown>
>

/** The state of a topic when it is subscribed to; the events that follow change it. */
export const isSnapshot = ({ type, topic }: Frame, of: string): boolean => type === 'snapshot' && topic === of

export type LiveState = 'connecting' | 'open' | 'lost'

type Hearer = (frame: Frame) => void

/** Frames that tell the state of one topic. All others are events, which may be of several. */
const topicsOfStates: Readonly<Record<string, string>> = {
  system: 'system',
  'radius.rates': 'radius',
  'job.changed': 'system',
}
/** Frames that answer the console itself and tell of nothing that has happened. */
const answers: ReadonlySet<string> = new Set(['pong', 'unsubscribed', 'error'])

/** A ping is answered at once, so after a silence what is shown may be out of date: it is said within five seconds. */
const pingMs = 1_500
const silenceMaxMs = 3_400
/** On a slow line a long snapshot is silent as well, and would never come if each new connection began it anew. */
const givenUpMs = 12_000
const retryMs = { first: 500, most: 15_000 }
const signedOutCode = 4401
/** A gap in `seq` means that frames were replaced or dropped; a snapshot mends that, one in a while at most. */
const snapshotPauseMs = 5_000

/**
 * The one WebSocket of the tab. Screens subscribe to topics through `useLive`; a topic is subscribed to while somebody
 * hears it, and each new connection begins with a snapshot of every topic.
 */
export class LiveSocket {
  #socket: WebSocket | null = null
  #state: LiveState = 'connecting'
  readonly #hearers = new Map<string, Set<Hearer>>()
  readonly #watchers = new Set<() => void>()
  #heardAt = 0
  #retries = 0
  #lastSeq = 0
  #askedAt = 0
  #mendTimer = 0
  #retryTimer = 0
  /** The session is being changed for another one, so its end is not that of being signed in. */
  #isRenewed = false

  get state(): LiveState {
    return this.#state
  }

  /** Tells of changes of `state`. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  start(): void {
    this.#connect()
    setInterval(() => this.#lookAfter(), pingMs)
    addEventListener('online', () => this.#again())
    addEventListener('offline', () => this.#again())
    // The browser slows the timers of a hidden tab down, so nothing was asked meanwhile: ask now and judge by that.
    document.addEventListener('visibilitychange', () => {
      this.#heardAt = Date.now()
      if (!document.hidden) this.#lookAfter()
    })
  }

  /** Hears the frames of topics from now on, first of all their snapshots. Returns how to stop. */
  hear(topics: readonly string[], hearer: Hearer): () => void {
    const fresh: string[] = []
    for (const topic of topics) {
      const hearers = this.#hearers.get(topic)
      if (hearers) hearers.add(hearer)
      else {
        this.#hearers.set(topic, new Set([hearer]))
        fresh.push(topic)
      }
    }
    this.#subscribe(fresh)
    const known = topics.filter((topic) => !fresh.includes(topic))
    if (known.length > 0) this.#say({ type: 'snapshot', topics: known })
    return () => this.#unhear(topics, hearer)
  }

  /** A request that gives this browser another session; the page is loaded anew when it has succeeded. */
  async whileRenewed<A>(request: Promise<A>): Promise<A> {
    this.#isRenewed = true
    return await request.catch((error: unknown) => {
      this.#isRenewed = false
      throw error
    })
  }

  /** Asks for the snapshot of a topic again, where an event says that something in it is another and not what. */
  askAgain(topic: string): void {
    this.#say({ type: 'snapshot', topics: [topic] })
  }

  #unhear(topics: readonly string[], hearer: Hearer): void {
    const left: string[] = []
    for (const topic of topics) {
      const hearers = this.#hearers.get(topic)
      hearers?.delete(hearer)
      if (hearers?.size !== 0) continue
      this.#hearers.delete(topic)
      left.push(topic)
    }
    this.#say({ type: 'unsubscribe', topics: left })
  }

  #connect(): void {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/admin/live/`)
    this.#socket = socket
    this.#heardAt = Date.now()
    socket.onopen = () => {
      this.#lastSeq = 0
      this.#subscribe([...this.#hearers.keys()])
      this.#say({ type: 'ping' })
    }
    socket.onmessage = ({ data }) => {
      this.#heardAt = Date.now()
      this.#retries = 0
      // Not when it opens: a connection is good when something comes through it.
      this.#setState('open')
      this.#take(JSON.parse(String(data)) as Frame)
    }
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return
      if (code === signedOutCode && !this.#isRenewed) leaveForSignIn()
      else this.#retryLater()
    }
  }

  #take(frame: Frame): void {
    if (this.#lastSeq > 0 && frame.seq > this.#lastSeq + 1) this.#mend()
    this.#lastSeq = frame.seq
    if (answers.has(frame.type)) return
    const topic = frame.type === 'snapshot' ? String(frame.topic) : topicsOfStates[frame.type]
    const hearers = topic === undefined ? [...this.#hearers.values()] : [this.#hearers.get(topic) ?? []]
    for (const hearer of new Set(hearers.flatMap((set) => [...set]))) hearer(frame)
  }

  #mend(): void {
    if (this.#mendTimer !== 0) return
    const waitMs = Math.max(0, this.#askedAt + snapshotPauseMs - Date.now())
    this.#mendTimer = setTimeout(() => {
      this.#mendTimer = 0
      this.#askedAt = Date.now()
      this.#say({ type: 'snapshot' })
    }, waitMs)
  }

  #lookAfter(): void {
    if (document.hidden || this.#socket?.readyState !== WebSocket.OPEN) return
    const silentMs = Date.now() - this.#heardAt
    if (silentMs > silenceMaxMs) this.#setState('lost')
    if (silentMs > givenUpMs) this.#again()
    else this.#say({ type: 'ping' })
  }

  /** Leaves a connection that says nothing any more, and tries a new one at once. */
  #again(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
    this.#setState('lost')
    clearTimeout(this.#retryTimer)
    this.#connect()
  }

  #retryLater(): void {
    this.#socket = null
    this.#setState('lost')
    // A refused upgrade looks like any other failure; an endpoint says whether we are still signed in.
    if (this.#retries >= 2) void ask('GET /admin/me/').catch(() => {})
    const pauseMs = Math.min(retryMs.most, retryMs.first * 2 ** this.#retries++) * (0.7 + 0.6 * Math.random())
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => this.#connect(), pauseMs)
  }

  /** No screen shows the sessions that a snapshot would list, five hundred of them; lists ask their endpoints. */
  #subscribe(topics: readonly string[]): void {
    this.#say({ type: 'subscribe', topics, sessions: 0 })
  }

  #say(message: { readonly type: string; readonly topics?: readonly string[]; readonly sessions?: number }): void {
    if (message.topics?.length === 0 || this.#socket?.readyState !== WebSocket.OPEN) return
    this.#socket.send(JSON.stringify(message))
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return
    this.#state = state
    for (const watcher of this.#watchers) watcher()
  }
}

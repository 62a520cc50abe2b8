import type { EventOf, TollgateEvent } from '../domain/events.ts'
import type { SubscriberId } from '../domain/ids.ts'
import type { Clock } from '../platform/actors/clock.ts'
import type { Log } from '../platform/log.ts'
import type { StaffUser } from '../domain/staff-user.ts'
import { type LiveClosing, LiveConnection } from './connection.ts'
import { type FrameFields, type Notice, type NoticeType, sees, type Topic, writeFrame } from './frames.ts'
import { Rates, type RequestCount } from './rates.ts'
import { Recent } from './recent.ts'
import { readSnapshot, type SnapshotSources } from './snapshots.ts'
import type { FrameBody, FrameFate, LiveSocket, Soon } from './sockets.ts'
import { isShownLater, noticesOf, subscriberOf } from './topics.ts'

/** The state of the program itself as the operator sees it. Plain data, sent whenever it changes. */
export type SystemState = {
  ready: boolean
  /** The reasons why the program is not ready, as text. */
  reason: string | null
  databaseUp: boolean
  readOnly: boolean
  /** Accounting that waits for the database. */
  spoolBytes: number
  /** The NAS that have left their last Disconnects unanswered, and how many of them in a row. */
  unansweredNas: readonly { nas: string; disconnects: number }[]
}

export type LiveParts = SnapshotSources & {
  clock: Pick<Clock, 'now' | 'after'>
  log: Log
  /** RADIUS requests since the start, read once a second. */
  readonly radius: () => readonly RequestCount[]
  readonly system: () => SystemState
  readonly observe: {
    readonly frame: (fate: FrameFate) => void
    readonly cut: (closing: Exclude<LiveClosing, 'stopping'>) => void
  }
  /**
   * When frames leave. By default at the end of a turn of the event loop: a group of commits has many frames for the
   * same page.
   */
  readonly soon?: Soon
}

/** What the server calls when something happens on a socket. None of these methods throws. */
export type LiveClient = Pick<LiveConnection, 'message' | 'drained' | 'closed'>

const socketsOfOneMax = 30
const unansweredNasShownMax = 20
/** Shorter than the silence after which a client gives a connection up: frames wait behind a snapshot. */
const snapshotDeadlineMs = 2500
/** More rejections per second are only counted, because a faulty NAS causes thousands. */
const rejectionsShownPerSecond = 100

type FollowsEveryEvent = { readonly [Kind in TollgateEvent['kind']]: (event: EventOf<Kind>) => void }

/** Sends the sockets of the staff what they have subscribed to. It ticks once a second from its construction on. */
export class Live implements FollowsEveryEvent {
  readonly #parts: LiveParts
  readonly #connections = new Set<LiveConnection>()
  readonly #subscribers = new Map<Topic, Set<LiveConnection>>()
  readonly #recent = new Recent()
  readonly #rates = new Rates()
  #rateFields: FrameFields
  #systemFields: FrameFields
  #rejectionsShown = 0
  #rejectionsHidden = 0
  #cancelTick: () => void

  constructor(parts: LiveParts) {
    this.#parts = parts
    this.#rateFields = this.#rates.take(parts.radius(), parts.clock.now())
    this.#systemFields = readSystem(parts)
    this.#cancelTick = parts.clock.after(1000, () => this.#tick())
  }

  /** Open sockets. */
  get sockets(): number {
    return this.#connections.size
  }

  /** Whose pages are open. */
  *watchedSubscribers(): Generator<SubscriberId> {
    for (const topic of this.#subscribers.keys()) {
      const id = subscriberOf(topic)
      if (id !== null) yield id
    }
  }

  /** On the tariff day there is one for everybody, of which nothing is kept. */
  readonly accountCommitted = (event: EventOf<'accountCommitted'>): void => {
    if (this.#subscribers.size > 0 || isShownLater(event)) this.#publish(event)
  }
  readonly accessRejected = (event: TollgateEvent): void => this.#publish(event)
  readonly coaAnswered = (event: TollgateEvent): void => this.#publish(event)
  readonly jobChanged = (event: TollgateEvent): void => this.#publish(event)
  readonly ticketChanged = (event: TollgateEvent): void => this.#publish(event)
  readonly sessionStarted = (event: TollgateEvent): void => this.#announceSession(event)
  readonly sessionUpdated = (event: TollgateEvent): void => this.#announceSession(event)
  readonly sessionStopped = (event: TollgateEvent): void => this.#announceSession(event)

  /** A mailing is further than before; its endpoint says how far, to whom it may. */
  mailingProgressed({ id, state }: { readonly id: number; readonly state: string }): void {
    const at = this.#parts.clock.now()
    const replaces = `mailing:${id}`
    this.#send({
      type: 'mailing.progress',
      at,
      topics: ['system'],
      audience: 'everybody',
      replaces,
      fields: { id, state },
    })
  }

  /** Accepts the socket of a signed-in user. */
  open(socket: LiveSocket, staff: StaffUser): LiveClient {
    const connection = new LiveConnection({
      socket,
      staff,
      subscribed: (by, topic) => this.#subscribed(by, topic),
      unsubscribed: (by, topic) => this.#unsubscribed(by, topic),
      snapshot: (of, topic) => this.#snapshot(of, topic),
      ended: (one, closing) => this.#ended(one, closing),
      now: () => this.#parts.clock.now(),
      observe: this.#parts.observe.frame,
      soon: this.#parts.soon ?? setImmediate,
    })
    const ofOne = [...this.#connections].filter((other) => other.staff.id === staff.id)
    this.#connections.add(connection)
    if (ofOne.length >= socketsOfOneMax) connection.close('tooMany')
    return connection
  }

  /** Closes every socket with 1001. */
  stop(): void {
    this.#cancelTick()
    for (const connection of [...this.#connections]) connection.close('stopping')
  }

  #publish(event: TollgateEvent): void {
    for (const notice of noticesOf(event)) this.#send(notice)
  }

  /**
   * There may be ten thousand session events a second and none is kept, so notices are written only when somebody is
   * subscribed.
   */
  #announceSession(event: TollgateEvent): void {
    if (this.#subscribers.size > 0) this.#publish(event)
  }

  #send(notice: Notice): void {
    this.#recent.add(notice)
    const topics = notice.type === 'access.rejected' ? this.#withinLimit(notice.topics) : notice.topics
    let body: FrameBody | null = null
    for (const connection of this.#concerned(topics)) {
      if (!sees(connection.visible, notice.audience)) continue
      body ??= writeFrame(notice.type, notice.at, notice.fields)
      connection.frames.push(body, notice.replaces)
    }
  }

  #withinLimit(topics: readonly Topic[]): readonly Topic[] {
    if (this.#rejectionsShown < rejectionsShownPerSecond) {
      this.#rejectionsShown++
      return topics
    }
    this.#rejectionsHidden++
    return topics.filter((topic) => topic !== 'radius')
  }

  /** The connections that subscribed to at least one of the topics, each once. */
  #concerned(topics: readonly Topic[]): Iterable<LiveConnection> {
    const sets = topics.flatMap((topic) => this.#subscribers.get(topic) ?? [])
    if (sets.length <= 1) return [...(sets[0] ?? [])]
    return new Set(sets.flatMap((set) => [...set]))
  }

  #snapshot(connection: LiveConnection, topic: Topic): void {
    const { clock, log } = this.#parts
    const memory = { recent: this.#recent, rates: this.#rateFields, system: this.#systemFields }
    const read = readSnapshot(topic, connection, this.#parts, memory)
    const write = (fields: FrameFields) => writeFrame('snapshot', clock.now(), { topic, ...fields })
    if (!(read instanceof Promise)) {
      connection.frames.push(write(read), `snapshot:${topic}`)
      return
    }
    const fill = connection.frames.reserve()
    const cancelDeadline = clock.after(snapshotDeadlineMs, () => fill(unavailable(connection, topic)))
    read
      .then(
        (fields) => fill(fields ? write(fields) : this.#missing(connection, topic)),
        (error) => {
          log.warn('A live snapshot could not be read.', { topic, error })
          fill(unavailable(connection, topic))
        },
      )
      .finally(cancelDeadline)
  }

  #missing(connection: LiveConnection, topic: Topic): FrameBody {
    connection.topics.delete(topic)
    this.#unsubscribed(connection, topic)
    return connection.fault('not_found', 'There is no such subscriber.', topic)
  }

  #subscribed(connection: LiveConnection, topic: Topic): void {
    const set = this.#subscribers.get(topic) ?? new Set()
    this.#subscribers.set(topic, set.add(connection))
  }

  #unsubscribed(connection: LiveConnection, topic: Topic): void {
    const set = this.#subscribers.get(topic)
    set?.delete(connection)
    if (set?.size === 0) this.#subscribers.delete(topic)
  }

  #ended(connection: LiveConnection, closing: LiveClosing | null): void {
    for (const topic of connection.topics) this.#unsubscribed(connection, topic)
    this.#connections.delete(connection)
    if (closing === null || closing === 'stopping') return
    this.#parts.observe.cut(closing)
  }

  #tick(): void {
    this.#cancelTick = this.#parts.clock.after(1000, () => this.#tick())
    try {
      this.#sendRates()
      this.#sendSystem()
    } catch (error) {
      this.#parts.log.error('The live state could not be read.', { error })
    }
    for (const connection of this.#connections) connection.tick()
  }

  #sendRates(): void {
    const { clock, radius } = this.#parts
    const at = clock.now()
    this.#rateFields = { ...this.#rates.take(radius(), at), rejections_hidden: this.#rejectionsHidden }
    this.#rejectionsShown = 0
    this.#rejectionsHidden = 0
    this.#sendState('radius', 'radius.rates', at, this.#rateFields)
  }

  #sendSystem(): void {
    const fields = readSystem(this.#parts)
    if (JSON.stringify(fields) === JSON.stringify(this.#systemFields)) return
    this.#systemFields = fields
    this.#sendState('system', 'system', this.#parts.clock.now(), fields)
  }

  #sendState(topic: Topic, type: NoticeType, at: Date, fields: FrameFields): void {
    this.#send({ type, at, topics: [topic], audience: 'everybody', replaces: type, fields })
  }
}

const unavailable = (connection: LiveConnection, topic: Topic): FrameBody =>
  connection.fault('unavailable', 'The state cannot be read now; ask for the snapshot again shortly.', topic)

function readSystem({ system }: LiveParts): FrameFields {
  const { ready, reason, databaseUp, readOnly, spoolBytes, unansweredNas } = system()
  return {
    ready,
    reason,
    database_up: databaseUp,
    read_only: readOnly,
    spool_bytes: spoolBytes,
    unanswered_nas: unansweredNas.slice(0, unansweredNasShownMax),
  }
}

import type { EventOf, TollgateEvent } from '../domain/events.ts'
import type { StaffId } from '../domain/ids.ts'
import type { Log } from '../platform/log.ts'
import type { StaffUser } from '../domain/staff-user.ts'
import { type Closing, closings, LiveConnection } from './connection.ts'
import { type FrameFields, type Notice, sees, type Topic, writeFrame } from './frames.ts'
import { Rates, type RequestCount } from './rates.ts'
import { Recent } from './recent.ts'
import { readSnapshot, type SnapshotSources } from './snapshots.ts'
import type { FrameBody, FrameFate, LiveSocket } from './sockets.ts'
import { noticesOf } from './topics.ts'

/** What the operator should know of the program itself. Plain data; sent whenever it changes. */
export type SystemState = {
  ready: boolean
  /** Why not ready, in words. */
  reason: string | null
  databaseUp: boolean
  readOnly: boolean
  /** Accounting that waits for the database. */
  spoolBytes: number
}

export type LiveParts = SnapshotSources & {
  /** Time and alarms, as in actors/clock.ts; an alarm must not keep the process alive. */
  clock: { now(): Date; after(ms: number, callback: () => void): () => void }
  log: Log
  /** RADIUS requests since the start, read once a second. */
  radius(): readonly RequestCount[]
  system(): SystemState
  /** The staff user as of now, null when disabled. A socket ends when its user may see something else than when it opened. */
  staffNow?(id: StaffId): Promise<StaffUser | null>
  observe?: { frame?(fate: FrameFate): void; cut?(closing: Exclude<Closing, 'stopping'>): void }
}

export type Live = {
  readonly [Kind in TollgateEvent['kind']]: (event: EventOf<Kind>) => void
} & {
  /** Takes a socket of somebody signed in. */
  open(socket: LiveSocket, staff: StaffUser): LiveClient
  readonly sockets: number
  /** Closes every socket with 1001. */
  stop(): void
}

/** Where the server brings what happens on a socket. None of these throws. */
export type LiveClient = Pick<LiveConnection, 'message' | 'drained' | 'closed'>

const socketsOfOneMax = 30
const recheckSeconds = 30
const snapshotDeadlineMs = 5000
/** Beyond it rejections are counted and not shown one by one: a NAS gone mad sends thousands. */
const rejectionsShownPerSecond = 100

export function startLive(parts: LiveParts): Live {
  const { clock, log } = parts
  const connections = new Set<LiveConnection>()
  const audience = new Map<Topic, Set<LiveConnection>>()
  const recent = new Recent()
  const rates = new Rates()
  let rateFields: FrameFields = rates.take(parts.radius(), clock.now())
  let systemFields = readSystem(parts)
  let rejectionsShown = 0
  let rejectionsHidden = 0
  let seconds = 0
  let cancelTick = clock.after(1000, tick)

  const announce = (event: TollgateEvent) => noticesOf(event).forEach(tell)
  /** Session events come by the ten thousand a second and nothing is kept of them, so nobody writes a notice that nobody sees. */
  const announceSession = (event: TollgateEvent) => {
    if (audience.size > 0) announce(event)
  }

  function tell(notice: Notice): void {
    recent.add(notice)
    const topics = notice.type === 'access.rejected' ? withinLimit(notice.topics) : notice.topics
    let body: FrameBody | null = null
    for (const connection of concerned(topics)) {
      if (!sees(connection.visible, notice.audience)) continue
      body ??= writeFrame(notice.type, notice.at, notice.fields)
      connection.frames.push(body, notice.replaces)
    }
  }

  function withinLimit(topics: readonly Topic[]): readonly Topic[] {
    if (rejectionsShown < rejectionsShownPerSecond) {
      rejectionsShown++
      return topics
    }
    rejectionsHidden++
    return topics.filter((topic) => topic !== 'radius')
  }

  /** Who subscribed to one of the topics, each once. */
  function concerned(topics: readonly Topic[]): Iterable<LiveConnection> {
    const sets = topics.flatMap((topic) => audience.get(topic) ?? [])
    if (sets.length <= 1) return [...(sets[0] ?? [])]
    return new Set(sets.flatMap((set) => [...set]))
  }

  function snapshot(connection: LiveConnection, topic: Topic): void {
    const memory = { recent, rates: rateFields, system: systemFields }
    const read = readSnapshot(topic, connection.visible, parts, memory)
    const write = (fields: FrameFields) => writeFrame('snapshot', clock.now(), { topic, ...fields })
    if (!(read instanceof Promise)) {
      connection.frames.push(write(read), `snapshot:${topic}`)
      return
    }
    const fill = connection.frames.reserve()
    const cancelDeadline = clock.after(snapshotDeadlineMs, () => fill(unavailable(connection, topic)))
    read
      .then(
        (fields) => fill(fields ? write(fields) : missing(connection, topic)),
        (error) => {
          log.warn('A live snapshot could not be read.', { topic, error })
          fill(unavailable(connection, topic))
        },
      )
      .finally(cancelDeadline)
  }

  function missing(connection: LiveConnection, topic: Topic): FrameBody {
    connection.topics.delete(topic)
    unsubscribed(connection, topic)
    return connection.fault('not_found', 'There is no such subscriber.', topic)
  }

  const unavailable = (connection: LiveConnection, topic: Topic) =>
    connection.fault('unavailable', 'The state cannot be read now; ask for the snapshot again shortly.', topic)

  function subscribed(connection: LiveConnection, topic: Topic): void {
    const set = audience.get(topic) ?? new Set()
    audience.set(topic, set.add(connection))
  }

  function unsubscribed(connection: LiveConnection, topic: Topic): void {
    const set = audience.get(topic)
    set?.delete(connection)
    if (set?.size === 0) audience.delete(topic)
  }

  function ended(connection: LiveConnection, closing: Closing | null): void {
    for (const topic of connection.topics) unsubscribed(connection, topic)
    connections.delete(connection)
    if (closing === null || closing === 'stopping') return
    parts.observe?.cut?.(closing)
    log.info('A live socket was closed.', { user: connection.staff.username, ...closings[closing] })
  }

  function tick(): void {
    cancelTick = clock.after(1000, tick)
    seconds++
    try {
      tellRates()
      tellSystem()
    } catch (error) {
      log.error('The live state could not be read.', { error })
    }
    for (const connection of connections) connection.tick()
    if (seconds % recheckSeconds === 0) recheckRights()
  }

  function tellRates(): void {
    const at = clock.now()
    rateFields = { ...rates.take(parts.radius(), at), rejections_hidden: rejectionsHidden }
    rejectionsShown = 0
    rejectionsHidden = 0
    const notice = { type: 'radius.rates', at, replaces: 'radius.rates', fields: rateFields } as const
    tell({ ...notice, topics: ['radius'], audience: 'everybody' })
  }

  function tellSystem(): void {
    const fields = readSystem(parts)
    if (JSON.stringify(fields) === JSON.stringify(systemFields)) return
    systemFields = fields
    const notice = { type: 'system', at: clock.now(), replaces: 'system', fields } as const
    tell({ ...notice, topics: ['system'], audience: 'everybody' })
  }

  /** Somebody whose rights were taken must not go on listening. While nobody can tell, the socket stays. */
  function recheckRights(): void {
    const ids = new Set([...connections].map(({ staff }) => staff.id))
    for (const id of ids) {
      parts.staffNow?.(id).then(
        (now) => {
          for (const connection of [...connections]) {
            if (connection.staff.id === id && !(now && sameSight(now, connection.staff))) connection.close('signedOut')
          }
        },
        () => {},
      )
    }
  }

  return {
    accountCommitted: announce,
    accessRejected: announce,
    coaAnswered: announce,
    sessionStarted: announceSession,
    sessionUpdated: announceSession,
    sessionStopped: announceSession,
    open(socket, staff) {
      const observe = parts.observe?.frame
      const connection = new LiveConnection({
        ...{ socket, staff, subscribed, unsubscribed, snapshot, ended, now: () => clock.now() },
        ...(observe && { observe: (fate) => observe(fate) }),
      })
      const ofOne = [...connections].filter((other) => other.staff.id === staff.id)
      connections.add(connection)
      if (ofOne.length >= socketsOfOneMax) connection.close('tooMany')
      return connection
    },
    get sockets() {
      return connections.size
    },
    stop() {
      cancelTick()
      for (const connection of [...connections]) connection.close('stopping')
    },
  }
}

function readSystem({ system }: LiveParts): FrameFields {
  const { ready, reason, databaseUp, readOnly, spoolBytes } = system()
  return { ready, reason, database_up: databaseUp, read_only: readOnly, spool_bytes: spoolBytes }
}

const sameSight = (a: StaffUser, b: StaffUser): boolean =>
  [...(a.organizations ?? ['all'])].sort().join() === [...(b.organizations ?? ['all'])].sort().join()

import type { StaffUser } from '../domain/staff-user.ts'
import {
  type ClientMessage,
  type MessageFault,
  messageFaultText,
  readClientMessage,
  sessionsShownMax,
  topicsMax,
} from './client-messages.ts'
import { type Topic, type VisibleOrganizations, writeFrame } from './frames.ts'
import { isFromDatabase } from './snapshots.ts'
import { type Closing, endSocket, type FrameFate, FrameQueue, type LiveSocket, type Soon } from './sockets.ts'

/** Why the live room closes a socket; when its user is signed out, the HTTP server does. */
export type LiveClosing = Exclude<Closing, 'signedOut'>

export type ConnectionParts = {
  socket: LiveSocket
  staff: StaffUser
  now: () => Date
  readonly subscribed: (connection: LiveConnection, topic: Topic) => void
  readonly unsubscribed: (connection: LiveConnection, topic: Topic) => void
  readonly snapshot: (connection: LiveConnection, topic: Topic) => void
  /** Called once, whoever closed the socket; null when the client or the network did. */
  readonly ended: (connection: LiveConnection, closing: LiveClosing | null) => void
  readonly observe: (fate: FrameFate) => void
  readonly soon: Soon
}

/** A message costs one token, a wrong one more; this many tokens are added every second. */
const budgetMax = 60
const budgetPerSecond = 10
const wrongMessageCost = 5
/** How many seconds a client may take nothing although frames wait for it. */
const stuckSecondsMax = 30

/** One client: its subscriptions, what it may see, and its frames that wait to be sent. */
export class LiveConnection {
  readonly staff: StaffUser
  readonly visible: VisibleOrganizations
  readonly topics = new Set<Topic>()
  readonly frames: FrameQueue
  /** How many sessions its snapshots list. */
  sessionsShown = sessionsShownMax
  readonly #parts: ConnectionParts
  #budget = budgetMax
  /** The topics whose snapshot has been sent in the present second, and those that were requested again meanwhile. */
  readonly #fresh = new Set<Topic>()
  readonly #due = new Set<Topic>()
  #sentBefore = 0
  #stuckSeconds = 0
  #open = true

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.staff = parts.staff
    this.visible = parts.staff.organizations && new Set(parts.staff.organizations)
    this.frames = new FrameQueue(parts.socket, () => this.close('slow'), parts.observe, parts.soon)
  }

  /** A text frame of the client. */
  message(text: string): void {
    if (!this.#open) return
    const message = readClientMessage(text)
    this.#budget -= costOf(message)
    if (this.#budget < 0) this.close('noise')
    else this.#obey(message)
  }

  /** The socket can take more. */
  drained(): void {
    if (this.#open) this.frames.pump()
  }

  /** The socket is gone. */
  closed(): void {
    this.#end(null)
  }

  close(closing: LiveClosing): void {
    if (!this.#open) return
    this.#end(closing)
    endSocket(this.#parts.socket, closing)
  }

  /** Once a second. */
  tick(): void {
    if (!this.#open) return
    this.#budget = Math.min(budgetMax, this.#budget + budgetPerSecond)
    this.#snapshotDue()
    this.frames.pump()
    this.#stuckSeconds = this.frames.waiting > 0 && this.frames.sent === this.#sentBefore ? this.#stuckSeconds + 1 : 0
    this.#sentBefore = this.frames.sent
    if (this.#stuckSeconds >= stuckSecondsMax) this.close('slow')
  }

  fault(fault: MessageFault | 'not_subscribed' | 'not_found' | 'unavailable', message: string, topic?: Topic): string {
    return writeFrame('error', this.#parts.now(), { error: fault, message, ...(topic && { topic }) })
  }

  #obey(message: ClientMessage): void {
    switch (message.kind) {
      case 'subscribe':
        this.sessionsShown = message.sessions ?? this.sessionsShown
        this.#subscribe(message.topics)
        break
      case 'unsubscribe':
        this.#unsubscribe(message.topics)
        break
      case 'snapshot':
        for (const topic of message.topics ?? this.topics) this.#snapshotAgain(topic)
        break
      case 'ping':
        this.frames.answer(writeFrame('pong', this.#parts.now(), {}))
        break
      case 'wrong':
        this.frames.push(this.fault(message.fault, messageFaultText[message.fault]))
    }
  }

  #subscribe(topics: readonly Topic[]): void {
    if (new Set([...this.topics, ...topics]).size > topicsMax) {
      this.frames.push(this.fault('bad_topics', messageFaultText.bad_topics))
      return
    }
    for (const topic of [...topics].sort(byTheirSource)) {
      // A snapshot that did not fit may have ended the connection meanwhile.
      if (!this.#open) return
      this.topics.add(topic)
      this.#parts.subscribed(this, topic)
      this.#snapshot(topic)
    }
  }

  #snapshotAgain(topic: Topic): void {
    if (this.topics.has(topic)) this.#snapshot(topic)
    else this.frames.push(this.fault('not_subscribed', 'A snapshot is of a topic that is subscribed to.', topic))
  }

  /**
   * At most one snapshot of a topic per second: that of a hundred thousand sessions blocks the event loop for about 20
   * ms.
   */
  #snapshot(topic: Topic): void {
    if (this.#fresh.has(topic)) {
      this.#due.add(topic)
      return
    }
    this.#fresh.add(topic)
    this.#parts.snapshot(this, topic)
  }

  #snapshotDue(): void {
    this.#fresh.clear()
    const due = [...this.#due]
    this.#due.clear()
    for (const topic of due) if (this.#open && this.topics.has(topic)) this.#snapshot(topic)
  }

  #unsubscribe(topics: readonly Topic[]): void {
    for (const topic of topics) {
      if (this.topics.delete(topic)) this.#parts.unsubscribed(this, topic)
    }
    this.frames.push(writeFrame('unsubscribed', this.#parts.now(), { topics }))
  }

  #end(closing: LiveClosing | null): void {
    if (!this.#open) return
    this.#open = false
    this.frames.end()
    this.#parts.ended(this, closing)
  }
}

/** What memory knows does not wait behind what the database is asked for. */
const byTheirSource = (a: Topic, b: Topic): number => Number(isFromDatabase(a)) - Number(isFromDatabase(b))

/** A snapshot is the most expensive request of a client. */
function costOf(message: ClientMessage): number {
  switch (message.kind) {
    case 'subscribe':
    case 'snapshot':
      return message.topics ? Math.ceil(message.topics.length / 5) : wrongMessageCost
    case 'wrong':
      return wrongMessageCost
    default:
      return 1
  }
}

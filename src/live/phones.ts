import type { EventOf, Session } from '../domain/events.ts'
import type { SubscriberId } from '../domain/ids.ts'
import type { Language } from '../domain/language.ts'
import { isForClient } from '../domain/ticket.ts'
import { readBearer } from '../platform/http/bearer.ts'
import type { Call } from '../platform/http/call.ts'
import { preferredLanguage } from '../platform/http/languages.ts'
import type { Socket, SocketBehaviour } from '../platform/http/socket.ts'
import { writeFrame } from './frames.ts'
import { readObject } from './client-messages.ts'
import { type AttachedPhone, PhoneConnection, type PhoneUser } from './phone-connection.ts'
import { PhoneStatuses, type PhoneStatusesParts } from './phone-statuses.ts'
import { endSocket, type FrameFate } from './sockets.ts'

export const phonesPath = '/mobile-api/v1/live'

export type PhonesParts = PhoneStatusesParts & {
  /** The user of an access token; null when the token is not valid. */
  readonly find: (token: string) => Promise<PhoneUser | null>
  /** The sessions among these that are still valid. */
  readonly going: (sessions: readonly string[]) => Promise<ReadonlySet<string>>
  readonly observe: (fate: FrameFate) => void
}

/** A message to a client that has been written to the database. */
export type WrittenMessage = {
  readonly id: number
  readonly subscriberId: SubscriberId
  readonly kind: string
  readonly wordingIn: (language: Language) => { readonly title: string; readonly text: string }
}

/** Code and reason of the close frame; others are in sockets.ts. */
const badToken = [4401, 'bad token'] as const
const patienceMs = 10_000
const recheckMs = 60_000
/** Each recheck reads one share of this size of the statuses again. */
const lookShares = 5
const messageBytesMax = 8 * 1024
const bufferedBytesMax = 256 * 1024
/** Sockets of one subscriber; when there are more than `crowdedAt` in all, only a few. */
const socketsOfOneMax = 1_000
const crowdedAt = 20_000
const socketsOfOneWhenCrowded = 20

/**
 * `/mobile-api/v1/live` (contract section 7): every signed-in phone has its account status at once and after each
 * change.
 *
 *     open ──token of the upgrade, or of the first message──► signed in ──session ends──► closed 4401
 *       └──a bad token, or none for ten seconds──► closed 4401
 */
export class Phones {
  readonly endpoint: SocketBehaviour<AttachedPhone>
  readonly #parts: PhonesParts
  readonly #statuses: PhoneStatuses
  readonly #bySession = new Map<string, Set<PhoneConnection>>()
  #count = 0
  #wantsRecheck = false
  #rechecking: Promise<void> | null = null
  #share = 0
  #stopRecheck: () => void

  constructor(parts: PhonesParts) {
    this.#parts = parts
    this.#statuses = new PhoneStatuses(parts)
    this.#stopRecheck = parts.clock.after(recheckMs, () => void this.#recheck())
    this.endpoint = {
      door: 'public',
      messageBytesMax,
      bufferedBytesMax,
      idleSeconds: 60,
      upgrade: (call) => ({ kind: 'accepted', ...seatOf(call) }),
      open: (socket) => this.#open(socket),
      message: (socket, message, isBinary) => this.#message(socket, isBinary ? '' : message.toString('utf8')),
      drain: (socket) => socket.data.connection?.drained(),
      close: (socket) => this.#closed(socket),
    }
  }

  accountCommitted(event: EventOf<'accountCommitted'>): void {
    for (const { id, deleted } of event.after.subscribers) {
      if (deleted) for (const connection of this.#statuses.connectionsOf(id)) connection.close('signedOut')
    }
    this.#statuses.committed(event)
  }

  sessionStarted({ session }: EventOf<'sessionStarted'>): void {
    this.#sessionChanged(session)
  }

  sessionStopped({ session }: EventOf<'sessionStopped'>): void {
    this.#sessionChanged(session)
  }

  /** The client's other phones hear of what this client writes, too; of notes and who works on it none does. */
  ticketChanged({ at, deeds, ticket }: EventOf<'ticketChanged'>): void {
    if (!deeds.some(isForClient)) return
    const { id, subject, status, create_date, unread } = ticket
    const body = writeFrame('ticket', at, { ticket: { id, subject, status, create_date, unread } })
    for (const connection of this.#statuses.connectionsOf(ticket.subscriberId)) connection.ticket(id, body)
  }

  /** Open sockets. */
  get sockets(): number {
    return this.#count
  }

  /** Subscribers with a phone here. */
  get subscribers(): SubscriberId[] {
    return this.#statuses.subscribers
  }

  /** Something that the status depends on may have changed; a phone is sent its status only if it differs. */
  mayHaveChanged(ids: Iterable<SubscriberId>): void {
    for (const id of ids) this.#statuses.mayHaveChanged(id)
  }

  messagesWritten(messages: readonly WrittenMessage[]): void {
    for (const { id, subscriberId, kind, wordingIn } of messages) {
      for (const connection of this.#statuses.connectionsOf(subscriberId)) {
        const notification = { id, kind, ...wordingIn(connection.language) }
        connection.notification(writeFrame('notification', this.#parts.clock.now(), { notification }))
      }
    }
  }

  /** A phone was signed out. */
  sessionEnded(session: string): void {
    for (const connection of [...(this.#bySession.get(session) ?? [])]) connection.close('signedOut')
  }

  stop(): void {
    this.#stopRecheck()
    this.#statuses.stop()
  }

  #sessionChanged({ subscriberId }: Session): void {
    if (subscriberId !== null) this.#statuses.changed(subscriberId)
  }

  #open(socket: Socket<AttachedPhone>): void {
    this.#count++
    const { data } = socket
    if (data.token !== null) void this.#signIn(socket, data.token)
    else data.stopWaiting = this.#parts.clock.after(patienceMs, () => socket.end(...badToken))
  }

  #message(socket: Socket<AttachedPhone>, text: string): void {
    const { data } = socket
    const { connection } = data
    const message = readObject(text)
    if (!connection) {
      // Messages that arrive while the token is being looked up are ignored.
      if (data.isAsked) return
      if (message?.type === 'auth' && typeof message.token === 'string') void this.#signIn(socket, message.token)
      else socket.end(...badToken)
      return
    }
    const now = this.#parts.clock.now()
    if (!connection.mayTalk(now.getTime())) connection.close('noise')
    else if (message?.type === 'snapshot') this.#statuses.wanted(connection)
    else if (message?.type === 'ping') connection.answer(writeFrame('pong', now, {}))
    // A client that sends its token both ways has been authenticated already.
    else if (message?.type !== 'auth') connection.answer(writeFrame('error', now, wrongMessage))
  }

  async #signIn(socket: Socket<AttachedPhone>, token: string): Promise<void> {
    const { data } = socket
    data.isAsked = true
    data.stopWaiting?.()
    data.stopWaiting = null
    let user: PhoneUser | null = null
    try {
      user = await this.#parts.find(token)
    } catch (error) {
      this.#parts.log.warn('A phone could not be signed in now', { error })
      socket.end(1013, 'ask again shortly')
      return
    }
    const max = this.#count > crowdedAt ? socketsOfOneWhenCrowded : socketsOfOneMax
    if (!user) socket.end(...badToken)
    else if (this.#statuses.connectionsOf(user.subscriberId).size >= max) endSocket(socket, 'tooMany')
    else if (socket.isOpen) this.#attach(socket, user)
  }

  #attach(socket: Socket<AttachedPhone>, user: PhoneUser): void {
    const connection = new PhoneConnection(socket, user, this.#parts.observe)
    socket.data.connection = connection
    const ofSession = this.#bySession.get(user.session) ?? new Set()
    this.#bySession.set(user.session, ofSession.add(connection))
    this.#statuses.add(connection)
  }

  #closed({ data }: Socket<AttachedPhone>): void {
    this.#count--
    data.stopWaiting?.()
    const { connection } = data
    if (!connection) return
    connection.closed()
    this.#statuses.remove(connection)
    const { session } = connection.user
    const ofSession = this.#bySession.get(session)
    ofSession?.delete(connection)
    if (ofSession?.size === 0) this.#bySession.delete(session)
  }

  /** Time alone changes a status, when a freeze ends or a promise comes to its last day, and no event reports it. */
  #lookAgain(): void {
    this.#share = (this.#share + 1) % lookShares
    this.mayHaveChanged(this.subscribers.filter((id) => id % lookShares === this.#share))
  }

  /**
   * Finds sessions that expired or that another program on the same database ended. While the database is unavailable,
   * phones stay connected. Sessions that end meanwhile are found by one more reading.
   */
  recheckSessions(): void {
    this.#wantsRecheck = true
    this.#rechecking ??= this.#recheckAll().finally(() => {
      this.#rechecking = null
    })
  }

  async #recheckAll(): Promise<void> {
    while (this.#wantsRecheck) {
      this.#wantsRecheck = false
      await this.#endThoseOver()
    }
  }

  async #endThoseOver(): Promise<void> {
    try {
      const sessions = [...this.#bySession.keys()]
      const going = sessions.length === 0 ? new Set() : await this.#parts.going(sessions)
      for (const session of sessions) if (!going.has(session)) this.sessionEnded(session)
    } catch (error) {
      this.#parts.log.debug('Sessions of phones could not be looked at now', { error })
    }
  }

  async #recheck(): Promise<void> {
    this.#lookAgain()
    this.recheckSessions()
    await this.#rechecking
    this.#stopRecheck = this.#parts.clock.after(recheckMs, () => void this.#recheck())
  }
}

const wrongMessage = {
  error: 'bad_message',
  message: 'A message is JSON of type snapshot or ping.',
}

/**
 * `Sec-WebSocket-Protocol: bearer, <token>`, which is what a page can send; the answer names the protocol alone, as RFC
 * 6455 wants one that was offered. An application may send Authorization, as to every other door.
 */
function seatOf(call: Call): { data: AttachedPhone; protocol?: string } {
  const offered = call
    .header('sec-websocket-protocol')
    .split(',')
    .map((name) => name.trim())
  const isBearer = offered[0]?.toLowerCase() === 'bearer' && offered.length > 1
  const language = preferredLanguage(call.header('accept-language'))
  const data: AttachedPhone = {
    language,
    token: isBearer ? (offered[1] ?? '') : readBearer(call.header('authorization')),
    connection: null,
    stopWaiting: null,
    isAsked: false,
  }
  return { data, ...(isBearer && { protocol: offered[0]! }) }
}

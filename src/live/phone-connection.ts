import type { SubscriberId } from '../domain/ids.ts'
import type { Language } from '../domain/language.ts'
import type { Socket } from '../platform/http/socket.ts'
import { type Closing, endSocket, type FrameBody, type FrameFate, FrameQueue } from './sockets.ts'

/** Who is signed in on a phone. */
export type PhoneUser = { readonly subscriberId: SubscriberId; readonly session: string }

/** What the phone sent in the upgrade request, and its state since then. */
export type AttachedPhone = {
  readonly language: Language
  /** The token of the upgrade request; null when the first message brings it. */
  readonly token: string | null
  connection: PhoneConnection | null
  /** Cancels the timer that closes a phone that has not authenticated in time. */
  stopWaiting: (() => void) | null
  isAsked: boolean
}

/** Notifications that wait for a slow phone; older ones give way, and the numbers of the frames show it. */
const notificationsMax = 16
/** The burst of messages that a phone may send; one more is allowed each second. */
const messagesMax = 30

/** A phone that is signed in. The status it waits for is always the latest: an older one that waits is replaced. */
export class PhoneConnection {
  readonly user: PhoneUser
  readonly language: Language
  /** The next status that is read is sent. */
  wantsStatus = true
  readonly #socket: Socket<AttachedPhone>
  readonly #frames: FrameQueue
  #notifications = 0
  #messages = 0
  #messagesSinceMs = 0

  constructor(socket: Socket<AttachedPhone>, user: PhoneUser, observe: (fate: FrameFate) => void) {
    this.user = user
    this.language = socket.data.language
    this.#socket = socket
    this.#frames = new FrameQueue(socket, () => this.close('slow'), observe)
  }

  status(body: FrameBody): void {
    this.wantsStatus = false
    this.#frames.push(body, 'status')
  }

  notification(body: FrameBody): void {
    this.#frames.push(body, `notification ${this.#notifications++ % notificationsMax}`)
  }

  /** As the list of tickets has it; an older one of the same ticket that waits is replaced. */
  ticket(id: number, body: FrameBody): void {
    this.#frames.push(body, `ticket ${id}`)
  }

  answer(body: FrameBody): void {
    this.#frames.push(body, 'answer')
  }

  /** Whether the phone may say something more. */
  mayTalk(nowMs: number): boolean {
    const back = Math.floor((nowMs - this.#messagesSinceMs) / 1000)
    if (back > 0) {
      this.#messages = Math.max(0, this.#messages - back)
      this.#messagesSinceMs = nowMs
    }
    return ++this.#messages <= messagesMax
  }

  drained(): void {
    this.#frames.pump()
  }

  close(closing: Closing): void {
    this.#frames.end()
    endSocket(this.#socket, closing)
  }

  /** The socket is gone. */
  closed(): void {
    this.#frames.end()
  }
}

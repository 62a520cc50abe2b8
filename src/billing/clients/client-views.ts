import { createHmac } from 'node:crypto'
import { readId, type StaffId, type SubscriberId, subscriberId } from '../../domain/ids.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import { isSameText } from '../../platform/same-text.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'

/** For so long staff may see the portal as a client does, before they have to begin again. */
const viewMs = 15 * 60_000

/** What a user of the staff may look at: the pages of one client, until a moment. */
export type ClientView = { readonly subscriberId: SubscriberId; readonly until: Date }

const keyForm = /^(\d{1,15})-(\d{1,12})-([\w-]{43})$/

/**
 * The keys by which staff see the portal as a client does. A key is no session of the client: it is signed for one user
 * and one client, and is worth nothing without a session of that user. Nothing is stored, so nothing is left behind.
 */
export class ClientViews {
  readonly #key: Buffer
  readonly #clock: Clock

  constructor({ secrets, clock }: { secrets: Pick<Secrets, 'derive'>; clock: Clock }) {
    this.#key = secrets.derive('view of a client')
    this.#clock = clock
  }

  begin(staff: StaffId, subscriber: SubscriberId): { readonly key: string; readonly until: Date } {
    const seconds = Math.floor((this.#clock.now().getTime() + viewMs) / 1000)
    const key = `${subscriber}-${seconds}-${this.#sign(staff, subscriber, seconds)}`
    return { key, until: new Date(seconds * 1000) }
  }

  /** Null: the key is not ours, is of another user, or its time is over. */
  find(key: string, staff: StaffId): ClientView | null {
    const [, subscriber, seconds, signature = ''] = keyForm.exec(key) ?? []
    const id = readId(subscriber)
    if (id === null || !isSameText(signature, this.#sign(staff, id, Number(seconds)))) return null
    const until = new Date(Number(seconds) * 1000)
    return until > this.#clock.now() ? { subscriberId: subscriberId(id), until } : null
  }

  #sign(staff: StaffId, subscriber: number, seconds: number): string {
    return createHmac('sha256', this.#key).update(`${staff} ${subscriber} ${seconds}`).digest('base64url')
  }
}

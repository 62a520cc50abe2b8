import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import type { CoaOutcome } from './coa-outcome.ts'

/** A Disconnect-Request to every recipient: any NAS that has sessions of this login ends them. */
export type CoaBroadcast = {
  login: string
  recipients: Recipients
  /** The ids of NAS that are left out. */
  except: ReadonlySet<number>
  /** How the NAS names itself. */
  nasIdentity: (nas: NasEntry) => NasIdentity
  /** Called with the outcome at one NAS; null when the client stopped first. */
  answered: (nas: NasEntry, outcome: CoaOutcome | null) => void
}

/** The key of the address and port where a NAS listens; its queue is found by it. */
export const endpointKey = (ip: string, port: number): string => `${ip} ${port}`

/** The enabled NAS by the address where they listen. Made once for a list of NAS, not for every broadcast. */
export class Recipients {
  readonly members: ReadonlyMap<string, NasEntry>

  constructor(nas: readonly NasEntry[]) {
    const enabled = nas.filter((entry) => entry.enabled)
    this.members = new Map(enabled.map((entry) => [endpointKey(entry.ip, entry.coaPort), entry]))
  }

  without(except: ReadonlySet<number>): NasEntry[] {
    return [...this.members.values()].filter(({ id }) => !except.has(id))
  }
}

/** `broadcast` is null only in the link before the first one. */
type Link = { readonly broadcast: CoaBroadcast | null; next: Link | null }

/**
 * The broadcasts that wait. A block of ten thousand logins with twenty NAS is two hundred thousand requests, so a
 * broadcast is stored once in a linked list along which every NAS advances at its own pace; what all of them have
 * passed is garbage-collected.
 */
export class Broadcasts {
  #last: Link = { broadcast: null, next: null }
  /** The number of requests that have not been sent, over all recipients. */
  count = 0

  /** Every recipient must have a reader already. */
  add(broadcast: CoaBroadcast): void {
    this.count += broadcast.recipients.without(broadcast.except).length
    this.#last.next = { broadcast, next: null }
    this.#last = this.#last.next
  }

  /** A reader for the NAS at this endpoint, which starts with the next broadcast that is added. */
  reader(key: string): BroadcastReader {
    let passed = this.#last
    /** Skips broadcasts that are not for this NAS; returns its record in the next one that is. */
    const first = (): NasEntry | null => {
      for (let { next } = passed; next; { next } = next) {
        const { recipients, except } = next.broadcast!
        const nas = recipients.members.get(key)
        if (nas && !except.has(nas.id)) return nas
        passed = next
      }
      return null
    }
    const shift = () => {
      const nas = first()
      if (nas === null) return null
      passed = passed.next!
      this.count--
      return { broadcast: passed.broadcast!, nas }
    }
    return { hasNext: () => first() !== null, shift }
  }
}

/** The broadcasts that have not been sent to one NAS yet. */
export type BroadcastReader = {
  hasNext(): boolean
  shift(): { broadcast: CoaBroadcast; nas: NasEntry } | null
}

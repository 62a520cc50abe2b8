import type { NasEntry } from '../../../domain/nas.ts'
import type { CoaOutcome } from './coa-outcome.ts'

/** One Disconnect-Request to each NAS of an recipients: whoever has this user is to cut it. */
export type CoaBroadcast = {
  login: string
  recipients: Recipients
  /** These of the recipients are not sent. */
  except: ReadonlySet<number>
  /** As the NAS names itself. */
  nasIpAddress: (nas: NasEntry) => string
  /** What became of it at one NAS; null when the client stopped first. */
  answered: (nas: NasEntry, outcome: CoaOutcome | null) => void
}

/** Where a NAS listens: what is on its way to it is found by this. */
export const endpointKey = (ip: string, port: number): string => `${ip} ${port}`

/** The NAS that are sent, by where they listen. Made once for a list of NAS, not for a broadcast. */
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

/** Only before the first broadcast is there none. */
type Link = { readonly broadcast: CoaBroadcast | null; next: Link | null }

/**
 * What all NAS are to be sent. A block of ten thousand with twenty NAS is two hundred thousand requests, so a broadcast
 * is kept once and every NAS works its way along the chain; what all of them have passed is garbage.
 */
export class Broadcasts {
  #last: Link = { broadcast: null, next: null }
  /** Askings of one NAS that have not begun. */
  count = 0

  /** Every NAS of the recipients has a reader already. */
  add(broadcast: CoaBroadcast): void {
    this.count += broadcast.recipients.without(broadcast.except).length
    this.#last.next = { broadcast, next: null }
    this.#last = this.#last.next
  }

  /** For the NAS that listens there; it begins with what is added next. */
  reader(key: string): BroadcastReader {
    let passed = this.#last
    /** The NAS as the next broadcast to it has it, behind those that are not for it. */
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

/** What one NAS has not been sent yet. */
export type BroadcastReader = {
  hasNext(): boolean
  shift(): { broadcast: CoaBroadcast; nas: NasEntry } | null
}

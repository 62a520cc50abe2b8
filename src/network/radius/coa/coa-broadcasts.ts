import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import { coaAddress, type PlannedRequest } from './coa-rules.ts'

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

/** The requests that disconnect one login: one for each of its known sessions, and a broadcast to every other NAS. */
export type LoginPlan = {
  login: string
  held: PlannedRequest[]
  recipients: Recipients
  except: ReadonlySet<number>
  /** How many NAS get the broadcast. */
  recipientCount: number
}

/** The key of the address and port where a NAS listens; its queue is found by it. */
export const endpointKey = (ip: string, port: number): string => `${ip} ${port}`

/** A NAS and the address where it listens. */
type Recipient = { readonly nas: NasEntry; readonly address: string }

/**
 * The enabled NAS by the address where they listen: several behind one proxy, and none of a record of a network, whose
 * NAS are only known by their sessions. Made once for a list of NAS, not for every broadcast.
 */
export class Recipients {
  readonly members: ReadonlyMap<string, readonly Recipient[]>

  constructor(list: readonly NasEntry[]) {
    const recipients = list.flatMap((nas) => {
      const address = nas.enabled ? coaAddress(nas, null) : null
      return address === null ? [] : [{ nas, address }]
    })
    this.members = Map.groupBy(recipients, ({ nas, address }) => endpointKey(address, nas.coaPort))
  }

  without(except: ReadonlySet<number>): Recipient[] {
    return [...this.members.values()].flat().filter(({ nas }) => !except.has(nas.id))
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
  reader(key: string) {
    let passed = this.#last
    /** How many recipients at this endpoint are done with the broadcast after `passed`. */
    let done = 0
    /** Skips broadcasts that are not for this endpoint; returns the next recipient. */
    const first = (): Recipient | null => {
      for (let { next } = passed; next; { next } = next) {
        const { recipients, except } = next.broadcast!
        const here = recipients.members.get(key) ?? []
        while (done < here.length && except.has(here[done]!.nas.id)) done++
        if (done < here.length) return here[done]!
        passed = next
        done = 0
      }
      return null
    }
    const shift = () => {
      const recipient = first()
      if (recipient === null) return null
      done++
      this.count--
      return { broadcast: passed.next!.broadcast!, ...recipient }
    }
    return { hasNext: () => first() !== null, shift }
  }
}

/** The broadcasts that have not been sent to one NAS yet. */
export type BroadcastReader = ReturnType<Broadcasts['reader']>

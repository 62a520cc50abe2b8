import type { NasEntry } from '../../../domain/nas.ts'
import type { CoaOutcome } from './coa-outcome.ts'

/** One Disconnect-Request to each NAS of an audience: whoever has this user is to cut it. */
export type CoaQuestion = {
  login: string
  audience: Audience
  /** These of the audience are not asked. */
  except: ReadonlySet<number>
  /** As the NAS names itself. */
  nasIpAddress: (nas: NasEntry) => string
  /** What became of it at one NAS; null when the client stopped first. */
  answered: (nas: NasEntry, outcome: CoaOutcome | null) => void
}

/** Where a NAS listens: what is on its way to it is found by this. */
export const laneKey = (ip: string, port: number): string => `${ip} ${port}`

/** The NAS that are asked, by where they listen. Made once for a list of NAS, not for a question. */
export class Audience {
  readonly members: ReadonlyMap<string, NasEntry>

  constructor(nas: readonly NasEntry[]) {
    const enabled = nas.filter((entry) => entry.enabled)
    this.members = new Map(enabled.map((entry) => [laneKey(entry.ip, entry.coaPort), entry]))
  }

  without(except: ReadonlySet<number>): NasEntry[] {
    return [...this.members.values()].filter(({ id }) => !except.has(id))
  }
}

/** Only before the first question is there none. */
type Link = { readonly question: CoaQuestion | null; next: Link | null }

/**
 * What all NAS are to be asked. A block of ten thousand with twenty NAS is two hundred thousand requests, so a question is kept once and
 * every NAS works its way along the chain; what all of them have passed is garbage.
 */
export class Questions {
  #last: Link = { question: null, next: null }
  /** Askings of one NAS that have not begun. */
  count = 0

  /** Every NAS of the audience has a reader already. */
  add(question: CoaQuestion): void {
    this.count += question.audience.without(question.except).length
    this.#last.next = { question, next: null }
    this.#last = this.#last.next
  }

  /** For the NAS that listens there; it begins with what is added next. */
  reader(key: string): QuestionReader {
    let passed = this.#last
    /** The NAS as the next question to it has it, behind those that are not for it. */
    const first = (): NasEntry | null => {
      for (let { next } = passed; next; { next } = next) {
        const { audience, except } = next.question!
        const nas = audience.members.get(key)
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
      return { question: passed.question!, nas }
    }
    return { hasNext: () => first() !== null, shift }
  }
}

/** What one NAS has not been asked yet. */
export type QuestionReader = {
  hasNext(): boolean
  shift(): { question: CoaQuestion; nas: NasEntry } | null
}

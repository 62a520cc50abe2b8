import type { NasEntry } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'

/** How often the Disconnect of a session is repeated because the NAS goes on reporting the session. */
const repeatsMax = 3
/** When that many have been repeated, one more is sent after this time, to see whether the NAS answers by now. */
const trialEveryMs = 3_600_000

/** What a NAS has left unanswered since its last answer. */
type Silence = {
  /** Where the Disconnects went and how they were signed; they count only as long as that stays. */
  place: string
  /** Disconnects without an answer. */
  disconnects: number
  /** By session, how many of the Disconnects were repetitions. */
  repeats: Map<string, number>
  /** When the operator was told of it, or the last trial after that, by Clock.elapsedMs. */
  toldAtMs: number | null
}

/**
 * The NAS that answer no Disconnect, such as ocserv, which has no RFC 5176. A session is disconnected again whenever
 * its NAS reports that it goes on. A NAS that was away for a while reports nothing meanwhile and answers the next one;
 * one that reports the same session again and again and never answers is asked no more, until it has answered anything.
 */
export class UnansweredDisconnects {
  readonly #clock: Clock
  readonly #log: Log
  /** The silences by the id of the NAS record. */
  readonly #silences = new Map<number, Silence>()

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock
    this.#log = log
  }

  noAnswer(nas: NasEntry): void {
    this.#silenceOf(nas).disconnects++
  }

  answered(nas: NasEntry): void {
    const silence = this.#silences.get(nas.id)
    if (!silence) return
    this.#silences.delete(nas.id)
    if (silence.toldAtMs !== null) this.#log.info('A NAS answers Disconnects again.', { nas: nas.name })
  }

  /** Whether a session that its NAS still reports is to be disconnected again; counts it as done when it is. */
  takeRepeat(nas: NasEntry, session: string): boolean {
    const silence = this.#silenceOf(nas)
    const repeats = silence.repeats.get(session) ?? 0
    if (repeats >= repeatsMax) return this.#isTimeForTrial(nas, silence)
    silence.repeats.set(session, repeats + 1)
    return true
  }

  sessionEnded(nas: number, session: string): void {
    this.#silences.get(nas)?.repeats.delete(session)
  }

  /** How many Disconnects in a row each of these NAS has left unanswered; those without any are left out. */
  counts(list: readonly NasEntry[]): { nas: string; disconnects: number }[] {
    return list.flatMap((nas) => {
      const silence = this.#silences.get(nas.id)
      const isOf = silence?.place === placeOf(nas) && silence.disconnects > 0
      return isOf ? [{ nas: nas.name, disconnects: silence.disconnects }] : []
    })
  }

  #silenceOf(nas: NasEntry): Silence {
    const place = placeOf(nas)
    let silence = this.#silences.get(nas.id)
    if (silence?.place !== place) {
      silence = { place, disconnects: 0, repeats: new Map(), toldAtMs: null }
      this.#silences.set(nas.id, silence)
    }
    return silence
  }

  #isTimeForTrial(nas: NasEntry, silence: Silence): boolean {
    const nowMs = this.#clock.elapsedMs()
    if (silence.toldAtMs === null) {
      silence.toldAtMs = nowMs
      this.#log.warn('A NAS answers no Disconnect and goes on reporting the sessions; they are not repeated for now.', {
        nas: nas.name,
        unanswered: silence.disconnects,
      })
      return false
    }
    if (nowMs - silence.toldAtMs < trialEveryMs) return false
    silence.toldAtMs = nowMs
    return true
  }
}

const placeOf = ({ ip, network, coaIp, coaPort, coaSource, secret, secretNext }: NasEntry): string =>
  JSON.stringify([ip, network, coaIp, coaPort, coaSource, secret, secretNext])

import type { HeardNas } from './heard-nas.ts'
import type { NasInterims } from './nas-interims.ts'
import type { NodeSessions, Silence } from './node-sessions.ts'
import { findSessions } from './session-search.ts'
import { endReasons } from './session-terms.ts'
import type { LiveSession } from './live-session.ts'
import { nasPlaceOf, type SessionTable } from './session-table.ts'

export type SilentSessionsParts = {
  readonly nodes?: NodeSessions | null
  readonly sessions: SessionTable
  readonly interims: NasInterims
  readonly heard: HeardNas
  readonly interimSeconds: () => number
  readonly interimSecondsOf?: (session: LiveSession) => number
  readonly sessionSecondsOf: (session: LiveSession) => number
  readonly disconnect: (session: LiveSession) => Promise<unknown>
  readonly endSession: (session: LiveSession, at: Date, reason: string, silentSinceMs: number | null) => Promise<void>
}

/** A session of which nobody has heard. Since when matters only where other nodes may hear of it meanwhile. */
type Silent = Omit<Silence, 'sinceMs'> & { readonly session: LiveSession; readonly sinceMs: number | null }

/** The job runs every minute; a longer gap means that the program did not run. */
const checkGapMsMax = 3 * 60_000

/** Ends sessions whose Stop was lost. */
export class SilentSessions {
  readonly #parts: SilentSessionsParts
  /** Silence counts from here on: before, nothing could be heard. */
  #sinceMs = 0
  #lastCheckMs = 0

  constructor(parts: SilentSessionsParts) {
    this.#parts = parts
  }

  /** The program hears from now on. */
  begin(now: Date): void {
    this.#sinceMs = now.getTime()
  }

  /**
   * Ends the sessions that have been silent for three interim intervals, unless their NAS sends no Interim-Updates, and
   * returns how many. The time in which the program did not run does not count as silence, nor is a session silent that
   * another node hears.
   */
  async close(now: Date): Promise<number> {
    const nowMs = now.getTime()
    const silenceMs = 3 * this.#parts.interimSeconds() * 1000
    // A machine that slept, or whose clock was set, could not receive anything, so the silence begins anew.
    if (nowMs - this.#lastCheckMs > Math.max(silenceMs / 3, checkGapMsMax)) this.#sinceMs = nowMs
    this.#lastCheckMs = nowMs
    if (nowMs - this.#sinceMs < silenceMs) return 0
    const silent = await this.#silentFor(silenceMs, nowMs)
    const sendsInterims = this.#whetherInterimsAreSent()
    const closed = await Promise.all(
      silent.map((one) => this.#closeOne(one, sendsInterims(one.session), now, silenceMs)),
    )
    return closed.filter(Boolean).length
  }

  /** Memory knows only what this node has heard, and the rows also what others have. */
  async #silentFor(silenceMs: number, nowMs: number): Promise<Silent[]> {
    const { nodes, sessions } = this.#parts
    if (!nodes) {
      const silent = sessions.silentSince(nowMs - silenceMs)
      return silent.map((session) => ({ session, forMs: nowMs - session.updatedAt.getTime(), sinceMs: null }))
    }
    const silences = await nodes.silentFor(silenceMs)
    if (silences.size === 0) return []
    const found = await findSessions(sessions, { ids: new Set(silences.keys()) })
    return found.map((session) => ({ session, ...silences.get(Number(session.id))! }))
  }

  #whetherInterimsAreSent(): (session: LiveSession) => boolean {
    const { interims, heard, sessions } = this.#parts
    let reporting: ReadonlySet<string> | null = null
    return (session) => {
      const { nasId: nas } = session
      if (!interims.areExpectedOf(nas)) return false
      if (!interims.areLearnedOf(nas) || !heard.isShared(nas)) return true
      // What one NAS has taught about the record says nothing about another.
      reporting ??= sessions.reportingNas((shared) => heard.isShared(shared))
      return reporting.has(nasPlaceOf(session))
    }
  }

  /**
   * False while the session may go on unseen, or has been heard of meanwhile. One whose time is up after all is
   * disconnected first, so that nobody is online with an address that is free.
   */
  async #closeOne(
    { session, forMs, sinceMs }: Silent,
    sendsInterims: boolean,
    now: Date,
    silenceMs: number,
  ): Promise<boolean> {
    const { nasId: nas, startedAt } = session
    const { interims, sessions, endSession, disconnect } = this.#parts
    const timeoutMs = this.#parts.sessionSecondsOf(session) * 1000
    const isTimedOut = timeoutMs > 0 && startedAt.getTime() + timeoutMs + silenceMs < now.getTime()
    const ownSilenceMs = 3000 * (this.#parts.interimSecondsOf?.(session) ?? 0)
    if (sendsInterims && forMs <= ownSilenceMs) return false
    if (sendsInterims) await endSession(session, now, endReasons.lostCarrier, sinceMs)
    else if (isTimedOut) await endSession(session, now, endReasons.sessionTimeout, sinceMs)
    else if (forMs > interims.silenceMsMaxOf(nas)) {
      await disconnect(session)
      await endSession(session, now, endReasons.lostCarrier, sinceMs)
    } else return false
    return sessions.idAt(session.slot) !== Number(session.id)
  }
}

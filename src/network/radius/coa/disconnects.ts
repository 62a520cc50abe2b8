import { isIPv4 } from 'node:net'
import type { Effect, EffectResult, VlanChange } from '../../../domain/effects.ts'
import type { EventOf, Session } from '../../../domain/events.ts'
import type { SubscriberId } from '../../../domain/ids.ts'
import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import { nameOfNas, nasIdentity, unnamedNas } from '../accounting/nas-identity.ts'
import { beganAgain } from '../accounting/session-terms.ts'
import type { LiveSession, SessionKey } from '../accounting/live-session.ts'
import { CoaClient } from './coa-client.ts'
import { CoaLog } from './coa-log.ts'
import type { CoaOutcome } from './coa-outcome.ts'
import { type LoginPlan, Recipients } from './coa-broadcasts.ts'
import { type NasProbe, probeNas } from './nas-probe.ts'
import {
  coaAddress,
  endReasonAfter,
  hasMoved,
  hasOutdatedAccess,
  type PlannedRequest,
  planSessionDisconnect,
  planSpeed,
  replacedBy,
  type SentRequest,
  subjectAfter,
  subjectOf,
} from './coa-rules.ts'
import type { DisconnectParts } from './disconnect-parts.ts'
import { count, type DisconnectTally, emptyTally, sum } from './disconnect-tally.ts'
import { UnansweredDisconnects } from './unanswered.ts'

/** How many requests are sent, and their results (null when the program stopped before every NAS had answered). */
export type DisconnectOrder = { sent: number; answered: Promise<EffectResult | null> }

const orderedAtOnce = 2_000
/** By then two nodes have heard what the other one did, and a NAS has answered. */
const crossingMs = 2_000

type Context = { outboxId: number | null; subscriberId: SubscriberId | null }

/** Disconnects sessions, changes their speed and stores what every NAS answers. */
export class Disconnects {
  readonly #parts: DisconnectParts
  readonly #client: CoaClient
  readonly #answers: CoaLog
  readonly #unanswered: UnansweredDisconnects
  #recipients = { nas: [] as readonly NasEntry[], of: new Recipients([]) }
  /** By session, how many Disconnects have been ordered or sent and not answered. */
  readonly #beingCut = new Map<string, number>()

  constructor(parts: DisconnectParts) {
    this.#parts = parts
    this.#client = new CoaClient(parts)
    this.#answers = new CoaLog(parts)
    this.#unanswered = new UnansweredDisconnects(parts)
  }

  sessionStarted({ session, isForeign }: EventOf<'sessionStarted'>): void {
    if (isForeign) this.#cutOutdatedLater(session)
    else if (!this.#cutOutdated(session)) this.#replaceOldest(session)
  }

  sessionUpdated({ session, isForeign }: EventOf<'sessionUpdated'>): void {
    if (!isForeign) this.#cutOutdated(session)
  }

  sessionStopped({ session }: EventOf<'sessionStopped'>): void {
    this.#unanswered.sessionEnded(session.nasId, nameOf(session))
  }

  /** The NAS that have left their last Disconnects unanswered, and how many of them in a row. */
  get unanswered(): readonly { nas: string; disconnects: number }[] {
    return this.#unanswered.counts(this.#parts.nas())
  }

  get counts() {
    return { ...this.#client.counts, depth: this.#client.depth, lostAnswers: this.#answers.lost }
  }

  /**
   * The handlers of the outbox. They resolve with null when the stop came before every NAS had answered, to be repeated
   * after the start.
   */
  readonly handlers = {
    disconnect: (effect: Extract<Effect, { kind: 'disconnect' }>, outboxId: number | null) => {
      const { logins, subscriberId } = effect
      return this.#cutLogins(this.#planned(logins, subscriberId), { outboxId, subscriberId })
    },
    disconnectSession: (effect: Extract<Effect, { kind: 'disconnectSession' }>, outboxId: number | null) => {
      const { subscriberId } = effect
      return this.#cutSessions(this.#plannedSession(effect), { outboxId, subscriberId })
    },
    speed: (effect: Extract<Effect, { kind: 'speed' }>, outboxId: number): Promise<EffectResult | null> =>
      this.#changeSpeed(effect, outboxId),
    readdress: ({ subscriberId, logins, changes }: Extract<Effect, { kind: 'readdress' }>, outboxId: number) => {
      const all = logins.flatMap((login) => this.#sessionsOf(login, subscriberId))
      const moved = all.filter((one) => hasMoved(one, this.#parts.sessions.delegatedIpv6PrefixAt(one.slot), changes))
      return this.#cutSessions(this.#plannedOf(moved), { outboxId, subscriberId })
    },
  }

  start(): Promise<void> {
    return this.#client.start()
  }

  /** Disconnects every session of the logins on every enabled NAS. */
  orderLogins(logins: readonly string[], subscriberId: SubscriberId | null = null): DisconnectOrder {
    const sent = this.#planned(logins, subscriberId).reduce(
      (sum, { held, recipientCount }) => sum + held.length + recipientCount,
      0,
    )
    return { sent, answered: this.#parts.order({ kind: 'disconnect', subscriberId, logins }) }
  }

  /** Disconnects one session on the NAS that has it; nothing is sent when that NAS is no longer enabled. */
  orderSession(session: LiveSession): DisconnectOrder {
    return { sent: this.#nasOf(session) ? 1 : 0, answered: this.#orderCut(session) }
  }

  /**
   * Disconnects many sessions on the NAS that have them, leaving out those that are being disconnected already. So many
   * are ordered at a time, so that a NAS with a hundred thousand of them fills neither memory nor the outbox.
   */
  orderSessions(sessions: readonly LiveSession[]): DisconnectOrder {
    const wanted = sessions.filter((one) => this.#nasOf(one) && !this.#beingCut.has(nameOf(one)))
    return { sent: wanted.length, answered: this.#orderInTurn(wanted) }
  }

  async #orderInTurn(sessions: readonly LiveSession[]): Promise<null> {
    for (let at = 0; at < sessions.length; at += orderedAtOnce)
      await Promise.all(sessions.slice(at, at + orderedAtOnce).map((one) => this.#orderCut(one)))
    return null
  }

  /** As orderSession, for a session that may be being disconnected already; resolves when the NAS has answered. */
  async cut(session: LiveSession): Promise<void> {
    if (!this.#beingCut.has(nameOf(session))) await this.#orderCut(session)
  }

  /**
   * Tells the NAS of a session by CoA what its login has now, as after a change of tariff; a refusal cuts nothing.
   * `nothing`: the NAS has no attributes for it. Null: the program stopped before the answer.
   */
  async tellAgain(session: LiveSession): Promise<CoaOutcome | 'unreachable' | 'nothing' | null> {
    const { subscriberId, userLogin } = session
    if (subscriberId !== null) await this.#parts.readSpeed(subscriberId)
    const nas = this.#nasOf(session)
    if (!nas) return 'unreachable'
    const attributes = this.#parts.speedAttributes(nas, userLogin)
    const change = attributes === 'nothing' ? null : planSpeed(nas, session, attributes)
    return change ? this.#request(change, { outboxId: null, subscriberId }) : 'nothing'
  }

  /**
   * Asks whether a NAS listens where Disconnect and CoA go. Nothing of this is stored or shown as a Disconnect, but an
   * answer ends the silence of the NAS.
   */
  async probe(nas: NasEntry): Promise<NasProbe> {
    const probe = await probeNas(this.#client, nas, this.#identityOf(nas), this.#parts.clock)
    if (probe.result === 'answered') this.#unanswered.answered(nas)
    return probe
  }

  /** Waits up to `graceMs` for answers, then closes. Unfinished effects stay in the outbox. */
  async stop(graceMs: number): Promise<void> {
    await this.#client.stop(graceMs)
    await this.#answers.flush()
  }

  /**
   * Specification 3.2: every enabled NAS is asked to disconnect the login, whatever sessions are known, because an
   * Accounting-Start may have been lost. A NAS with known sessions gets one request for each of them instead of the
   * broadcast.
   */
  #planned(logins: readonly string[], subscriberId: SubscriberId | null): LoginPlan[] {
    const recipients = this.#currentRecipients()
    return logins.map((login) => {
      const held = this.#plannedOf(this.#sessionsOf(login, subscriberId))
      const except = held.length === 0 ? none : new Set(held.map(({ nas }) => nas.id))
      return { login, held, recipients, except, recipientCount: recipients.without(except).length }
    })
  }

  /** Leaves out sessions of which no NAS can be asked. */
  #plannedOf(sessions: readonly LiveSession[]): PlannedRequest[] {
    return sessions.flatMap((session) => {
      const nas = this.#nasOf(session)
      return nas ? [planSessionDisconnect(nas, session)] : []
    })
  }

  #currentRecipients(): Recipients {
    const nas = this.#parts.nas()
    if (nas !== this.#recipients.nas) this.#recipients = { nas, of: new Recipients(nas) }
    return this.#recipients.of
  }

  /** Empty for a session that has ended meanwhile. */
  #plannedSession(effect: Extract<Effect, { kind: 'disconnectSession' }>): PlannedRequest[] {
    const { startedAt, nasIdentity = unnamedNas } = effect
    const { sessions } = this.#parts
    const slot = sessions.find({ ...effect, nasIdentity })
    if (slot < 0) return []
    const session = sessions.at(slot)
    return beganAgain(session.startedAt.getTime(), Date.parse(startedAt)) ? [] : this.#plannedOf([session])
  }

  async #orderCut(session: LiveSession): Promise<EffectResult | null> {
    const { nasId, nasIdentity, acctSessionId, login, subscriberId, startedAt } = session
    const done = this.#beginCut(session)
    try {
      return await this.#parts.order({
        kind: 'disconnectSession',
        subscriberId,
        nasId,
        nasIdentity,
        acctSessionId,
        login,
        startedAt: startedAt.toISOString(),
      })
    } finally {
      done()
    }
  }

  #beginCut(session: SessionKey): () => void {
    const name = nameOf(session)
    this.#beingCut.set(name, (this.#beingCut.get(name) ?? 0) + 1)
    return () => {
      const left = this.#beingCut.get(name)! - 1
      if (left > 0) this.#beingCut.set(name, left)
      else this.#beingCut.delete(name)
    }
  }

  async #changeSpeed(
    { subscriberId, logins, vlan }: Extract<Effect, { kind: 'speed' }>,
    outboxId: number,
  ): Promise<DisconnectTally | null> {
    const sessions = logins.flatMap((login) => this.#sessionsOf(login, subscriberId))
    if (sessions.length > 0) await this.#parts.readSpeed(subscriberId)
    const context = { outboxId, subscriberId }
    const tallies = await Promise.all(sessions.map((session) => this.#changeSpeedOf(session, context, vlan)))
    return tallies.reduce(sum, emptyTally)
  }

  async #changeSpeedOf(session: LiveSession, context: Context, vlan?: VlanChange): Promise<DisconnectTally | null> {
    const nas = this.#nasOf(session)
    if (!nas) return emptyTally
    const attributes = this.#parts.speedAttributes(nas, session.userLogin, vlan)
    if (attributes === 'nothing') return emptyTally
    const change = planSpeed(nas, session, attributes)
    if (change) {
      const outcome = await this.#request(change, context)
      if (outcome === null) return null
      if (outcome.result === 'ack') return { ...emptyTally, ack: 1 }
    }
    return this.#cutSessions([planSessionDisconnect(nas, session)], context)
  }

  /** Includes sessions that began when the login had another name, which is the name that the NAS knows. */
  #sessionsOf(login: string, subscriberId: SubscriberId | null): LiveSession[] {
    const { loginOf, sessions } = this.#parts
    const found = sessions.liveOf(login)
    if (subscriberId === null) return found
    const renamed = sessions
      .ofSubscriber(subscriberId)
      .filter(({ userId, userLogin }) => userId !== null && userLogin !== login && loginOf(userId) === login)
    return [...found, ...renamed]
  }

  #nasOf(session: LiveSession): NasEntry | undefined {
    const nas = this.#parts.nas().find(({ id, enabled }) => id === session.nasId && enabled)
    return nas && coaAddress(nas, session) !== null ? nas : undefined
  }

  /**
   * What a request that is about no known session says of its NAS: how the NAS names itself, or else the address in its
   * record. A proxy before several NAS is told none of them, because a NAS refuses the name of another.
   */
  #identityOf({ id, ip, identifier = null }: NasEntry): NasIdentity {
    const heard = this.#parts.accounting.nasIdentity(id)
    if (heard === 'several') return nasIdentity(null, null, identifier)
    return heard ?? nasIdentity(ip !== null && isIPv4(ip) && !identifier ? ip : null, null, identifier)
  }

  async #cutLogins(plans: readonly LoginPlan[], context: Context): Promise<DisconnectTally | null> {
    const tallies = plans.flatMap((plan) => [this.#cutSessions(plan.held, context), this.#broadcast(plan, context)])
    return (await Promise.all(tallies)).reduce(sum, emptyTally)
  }

  async #cutSessions(requests: readonly PlannedRequest[], context: Context): Promise<DisconnectTally | null> {
    const outcomes = await Promise.all(requests.map((request) => this.#cut(request, context)))
    const tally = { ...emptyTally }
    for (const outcome of outcomes) {
      if (outcome === null) return null
      count(tally, outcome)
    }
    return tally
  }

  /** Resolves when every NAS has answered and the answers are stored. One promise serves all of them. */
  #broadcast(
    { login, recipients, except, recipientCount }: LoginPlan,
    context: Context,
  ): Promise<DisconnectTally | null> {
    if (recipientCount === 0) return Promise.resolve(emptyTally)
    let open = recipientCount
    let stopped = false
    const tally = { ...emptyTally }
    return new Promise((resolve) => {
      const close = () => {
        if (--open === 0) resolve(stopped ? null : tally)
      }
      this.#client.broadcast({
        login,
        recipients,
        except,
        nasIdentity: (nas) => this.#identityOf(nas),
        answered: (nas, outcome) => {
          if (outcome === null) {
            stopped = true
            return close()
          }
          count(tally, outcome)
          this.#take({ kind: 'disconnect', nas, login, session: null }, outcome, context, close)
        },
      })
    })
  }

  async #cut(planned: PlannedRequest, context: Context): Promise<CoaOutcome | null> {
    const done = this.#beginCut(planned.session)
    try {
      return await this.#request(planned, context)
    } finally {
      done()
    }
  }

  async #request(planned: PlannedRequest, context: Context): Promise<CoaOutcome | null> {
    const { kind, nas, address, session, extra } = planned
    const request = { kind, nas, address, subject: subjectOf(planned, this.#identityOf(nas)), extra }
    let outcome = await this.#client.send(request)
    const subject = subjectAfter(request, outcome)
    if (subject) outcome = await this.#client.send({ ...request, subject })
    if (outcome === null) return null
    await new Promise<void>((kept) => this.#take({ kind, nas, login: session.login, session }, outcome, context, kept))
    return outcome
  }

  /** Acts on an answer and stores it; `kept` is called when it is stored. */
  #take(sent: SentRequest, outcome: CoaOutcome, context: Context, kept: () => void): void {
    const { kind, nas, login, session } = sent
    if (outcome.result !== 'no_answer') this.#unanswered.answered(nas)
    else if (kind === 'disconnect') this.#unanswered.noAnswer(nas)
    this.#publish(sent, outcome, context)
    if (kind === 'disconnect') this.#endAfter(sent, outcome)
    const row = {
      ...outcome,
      outboxId: context.outboxId,
      nasId: nas.id,
      request: kind,
      login,
      // A session that the database does not have yet has a provisional id.
      sessionId: session && Number(session.id) > 0 ? Number(session.id) : null,
      subscriberId: context.subscriberId ?? session?.subscriberId ?? null,
    }
    this.#answers.keep(row, kept)
  }

  #endAfter({ nas, session, login }: SentRequest, outcome: CoaOutcome): void {
    const { accounting, clock } = this.#parts
    const reason = endReasonAfter(outcome, session !== null)
    if (reason === null) return
    const cut = session ? [session] : this.#begunMeanwhile(nas, login, outcome)
    for (const one of cut) void accounting.endSession(one, clock.now(), reason)
  }

  /**
   * A NAS without a known session has disconnected the session whose Start may have arrived meanwhile. Which of several
   * NAS has answered through their proxy is unknown.
   */
  #begunMeanwhile(nas: NasEntry, login: string, { repeatedAt }: CoaOutcome): LiveSession[] {
    const { accounting, sessions } = this.#parts
    if (accounting.nasIdentity(nas.id) === 'several') return []
    return sessions.liveOf(login).filter((one) => one.nasId === nas.id && one.startedAt <= repeatedAt)
  }

  #publish({ kind, nas, session, login }: SentRequest, outcome: CoaOutcome, context: Context): void {
    const { clock, events, organizationOf } = this.#parts
    const at = clock.now()
    events.publish({
      kind: 'coaAnswered',
      at,
      nasId: nas.id,
      request: kind,
      login,
      subscriberId: context.subscriberId ?? session?.subscriberId ?? null,
      organizationId: session?.organizationId ?? organizationOf(login),
      result: outcome.result,
      errorCause: outcome.errorCause,
      tookMs: (outcome.answeredAt ?? at).getTime() - outcome.sentAt.getTime(),
    })
  }

  /**
   * A NAS that had no session when it was asked to disconnect it may have been about to begin one, and a NAS that did
   * not answer may still have it. So when accounting reports a session whose access its login would not get now,
   * another Disconnect is sent, unless the NAS has left several of them unanswered.
   */
  #cutOutdated(heard: Session): boolean {
    const { clock, reachOf, sessions } = this.#parts
    const slot = sessions.find(heard)
    if (slot < 0) return false
    const userId = sessions.userIdAt(slot)
    const reach = userId === null ? null : reachOf(userId, clock.now())
    if (reach === null || !hasOutdatedAccess({ inGarden: sessions.inGardenAt(slot) }, reach)) return false
    this.#cutAgain(sessions.at(slot))
    return true
  }

  /**
   * A session that began at another node during a Disconnect of this one may have escaped both: this one did not know
   * the session, and the other not the block. Otherwise it has been cut by then.
   */
  #cutOutdatedLater(session: Session): void {
    const { clock } = this.#parts
    clock.after(crossingMs, () => this.#cutOutdated(session))
  }

  #cutAgain(session: LiveSession): void {
    const nas = this.#nasOf(session)
    const name = nameOf(session)
    if (nas && !this.#beingCut.has(name) && this.#unanswered.takeRepeat(nas, name)) void this.#orderCut(session)
  }

  #replaceOldest(started: Session): void {
    const { replaceBeyond, sessions } = this.#parts
    const slot = sessions.find(started)
    if (slot < 0) return
    for (const session of replacedBy(sessions.at(slot), sessions, replaceBeyond)) void this.cut(session)
  }
}

const none: ReadonlySet<number> = new Set()
const nameOf = ({ nasId, nasIdentity: nas, acctSessionId, login }: SessionKey): string =>
  `${nasId}\0${acctSessionId}\0${login}\0${nameOfNas(nas)}`

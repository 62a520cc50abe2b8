import type { EventOf } from '../../../domain/events.ts'
import type { NasId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
import type { Clock } from '../../../platform/actors/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { nasClockSecondsMax } from '../accounting/nas-clocks.ts'
import type { SeenOfNas } from '../engine.ts'
import type { DropFault } from '../worker/counters.ts'
import type { Stranger } from '../worker/nas-signs.ts'
import { type CoaShare, CoaWaits } from './coa-waits.ts'
import type { NasHealthStore } from './nas-health-store.ts'
import { SecretSuspicion } from './secret-suspicion.ts'

export const nasStates = ['ok', 'silent', 'never', 'wrong_secret'] as const
export type NasState = (typeof nasStates)[number]

type PerSecond = { readonly accept: number; readonly reject: number; readonly accounting: number }
type Drops = Partial<Record<DropFault, number>>

export type NasReport = {
  readonly nas: NasEntry
  readonly learnedInterims: boolean | null
  /** How far its clock is ahead of ours, negative where it is behind; null: not known. */
  readonly clockAheadSeconds: number | null
  readonly lastPacketAt: Date | null
  readonly state: NasState
  readonly sessions: number
  /** Packets a second, over the last five to ten seconds. */
  readonly perSecond: PerSecond
  /** The packets of the last hour that were dropped. */
  readonly drops: Drops
  readonly coa: CoaShare
}

/** An address that asked and got no answer, because no enabled record has it. */
export type UnknownSource = Stranger & {
  /** The record of the address that is switched off, or has another NAS-Identifier than its packets. */
  readonly nasId: NasId | null
}

type NasHealthParts = {
  readonly radius: { seenOfNas(): ReadonlyMap<NasId, SeenOfNas>; strangers(): readonly Stranger[] }
  readonly sessions: { countByNas(): ReadonlyMap<number, number> }
  /** With what `auto` has learned. */
  readonly nas: () => readonly NasEntry[]
  readonly learnedInterims: (nas: NasId) => boolean | null
  readonly clockAheadSeconds: (nas: NasId) => number | null
  readonly interimSeconds: () => number
  /** Other programs hear of NAS too, and write down when. */
  readonly hasOthers: boolean
  readonly store: NasHealthStore
  readonly clock: Clock
  readonly log: Log
}

type Totals = { accept: number; reject: number; accounting: number; drops: Drops }
type Sample = { readonly atMs: number; readonly totals: ReadonlyMap<NasId, Totals> }

const sampleEveryMs = 5_000
const saveEverySamples = 12
/** Every so many samples the drops are remembered, to tell those of the last hour. */
const dropsEverySamples = 60
const dropsKept = 12
/** A NAS without sessions has nothing to report for a while. */
const silentAfterMs = 15 * 60_000
/** Interims may be lost one by one. */
const interimsMissed = 3
const strangersShownMax = 100
const strangersForgottenMs = 3_600_000

const nothing: Totals = { accept: 0, reject: 0, accounting: 0, drops: {} }

/** How each NAS is doing. It reads what the receivers count, so that they have nothing more to do. */
export class NasHealth {
  readonly #parts: NasHealthParts
  /** Milliseconds since 1970. */
  readonly #heardAtMs = new Map<NasId, number>()
  readonly #unsaved = new Map<NasId, number>()
  readonly #coa = new Map<NasId, CoaWaits>()
  readonly #secrets = new Map<NasId, SecretSuspicion>()
  /** The last two samples, the older one first. */
  #samples: readonly [Sample, Sample]
  #drops: Sample[]
  #sampled = 0
  /** Whether a NAS has been heard since the last save that had never been heard before. */
  #hasFirst = false
  #cancel: () => void = () => {}
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: NasHealthParts) {
    this.#parts = parts
    const begin: Sample = { atMs: parts.clock.elapsedMs(), totals: new Map() }
    this.#samples = [begin, begin]
    this.#drops = [begin]
  }

  /** Reads what is known from before. Rejects while the database is away. */
  async start(): Promise<void> {
    const { store } = this.#parts
    await this.#hearStored()
    for (const { nasId, result, tookMs } of await store.lastAnswers()) this.#coaOf(nasId).add(result, tookMs)
    this.#plan()
  }

  /** Writes what is new, once. */
  async stop(): Promise<void> {
    this.#cancel()
    this.#look()
    await this.#saving
    await this.#save()
  }

  coaAnswered({ nasId, result, tookMs }: EventOf<'coaAnswered'>): void {
    this.#coaOf(nasId).add(result, tookMs)
  }

  report(): NasReport[] {
    const totals = this.#look()
    const sessions = this.#parts.sessions.countByNas()
    const [older] = this.#samples
    const seconds = (this.#parts.clock.elapsedMs() - older.atMs) / 1000
    const dropped = this.#drops[0]!.totals
    return this.#parts.nas().map((nas) => {
      const now = totals.get(nas.id) ?? nothing
      const heardAtMs = this.#heardAtMs.get(nas.id) ?? null
      return {
        nas,
        learnedInterims: this.#parts.learnedInterims(nas.id),
        clockAheadSeconds: this.#parts.clockAheadSeconds(nas.id),
        lastPacketAt: heardAtMs === null ? null : new Date(heardAtMs),
        state: this.#stateOf(nas.id, heardAtMs),
        sessions: sessions.get(nas.id) ?? 0,
        perSecond: ratesOf(now, older.totals.get(nas.id) ?? nothing, seconds),
        drops: dropsSince(now.drops, dropped.get(nas.id)?.drops ?? {}),
        coa: (this.#coa.get(nas.id) ?? noWaits).share(),
      }
    })
  }

  /** For the metrics. */
  counts(): Readonly<Record<NasState, number>> {
    this.#look()
    const counts = { ok: 0, silent: 0, never: 0, wrong_secret: 0 }
    for (const { id, enabled } of this.#parts.nas())
      if (enabled) counts[this.#stateOf(id, this.#heardAtMs.get(id) ?? null)]++
    return counts
  }

  /** For the metrics: enabled NAS whose clock is wrong. */
  wrongClocks(): number {
    const { nas, clockAheadSeconds } = this.#parts
    return nas().filter(({ id, enabled }) => enabled && isClockWrong(clockAheadSeconds(id))).length
  }

  /** The addresses of the last hour, the busiest first. */
  unknown(): UnknownSource[] {
    const records = new Map(this.#parts.nas().flatMap((nas) => (nas.ip === null ? [] : [[nas.ip, nas] as const])))
    const sinceMs = this.#parts.clock.now().getTime() - strangersForgottenMs
    return this.#parts.radius
      .strangers()
      .filter(({ lastAtMs, address }) => {
        const record = records.get(address)
        return lastAtMs >= sinceMs && !(record?.enabled && !record.identifier)
      })
      .sort((a, b) => b.packets - a.packets)
      .slice(0, strangersShownMax)
      .map((one) => ({ ...one, nasId: records.get(one.address)?.id ?? null }))
  }

  #stateOf(id: NasId, heardAtMs: number | null): NasState {
    if (heardAtMs === null) return 'never'
    const { clock, interimSeconds } = this.#parts
    const patienceMs = Math.max(silentAfterMs, interimsMissed * interimSeconds() * 1000)
    if (clock.now().getTime() - heardAtMs > patienceMs) return 'silent'
    return this.#secrets.get(id)?.isWrong ? 'wrong_secret' : 'ok'
  }

  /** Takes in what was seen since the last time; returns what was counted since the start. */
  #look(): ReadonlyMap<NasId, Totals> {
    const totals = new Map<NasId, Totals>()
    for (const [id, seen] of this.#parts.radius.seenOfNas()) {
      if (seen.heardAtMs > (this.#heardAtMs.get(id) ?? 0)) {
        this.#hasFirst ||= !this.#heardAtMs.has(id)
        this.#heardAtMs.set(id, seen.heardAtMs)
        this.#unsaved.set(id, seen.heardAtMs)
      }
      if (seen.counts.length === 0) continue
      totals.set(id, totalsOf(seen))
      const secret = this.#secrets.get(id) ?? new SecretSuspicion()
      this.#secrets.set(id, secret)
      secret.look(seen)
    }
    return totals
  }

  #plan(): void {
    this.#cancel = this.#parts.clock.after(sampleEveryMs, () => {
      this.#sample()
      this.#plan()
    })
  }

  #sample(): void {
    this.#sampled++
    const sample = { atMs: this.#parts.clock.elapsedMs(), totals: this.#look() }
    this.#samples = [this.#samples[1], sample]
    if (this.#sampled % dropsEverySamples === 0) this.#drops = [...this.#drops, sample].slice(-dropsKept)
    if (this.#sampled % saveEverySamples === 0) {
      this.#forgetMissing()
      this.#saving = this.#saving.then(() => this.#save()).then(() => this.#hearOthers())
    } else if (this.#hasFirst) this.#saving = this.#saving.then(() => this.#save())
    this.#hasFirst = false
  }

  /** A NAS may have turned to another node, and is silent only when no node hears it. */
  async #hearOthers(): Promise<void> {
    if (!this.#parts.hasOthers) return
    await this.#hearStored().catch((error) =>
      this.#parts.log.warn('When other nodes heard NAS last cannot be read now.', { error }),
    )
  }

  async #hearStored(): Promise<void> {
    for (const [nas, atMs] of await this.#parts.store.lastPackets())
      if (atMs > (this.#heardAtMs.get(nas) ?? 0)) this.#heardAtMs.set(nas, atMs)
  }

  /** What does not reach the table now is written a minute later. */
  async #save(): Promise<void> {
    if (this.#unsaved.size === 0) return
    const heard = new Map(this.#unsaved)
    this.#unsaved.clear()
    try {
      await this.#parts.store.save(heard, this.#parts.clockAheadSeconds)
    } catch (error) {
      for (const [id, atMs] of heard) if (!this.#unsaved.has(id)) this.#unsaved.set(id, atMs)
      this.#parts.log.warn('When NAS were heard last cannot be stored now.', { error })
    }
  }

  #forgetMissing(): void {
    const present = new Set<NasId>(this.#parts.nas().map(({ id }) => id))
    for (const map of [this.#heardAtMs, this.#unsaved, this.#coa, this.#secrets])
      for (const id of map.keys()) if (!present.has(id)) map.delete(id)
  }

  #coaOf(id: NasId): CoaWaits {
    const waits = this.#coa.get(id) ?? new CoaWaits()
    this.#coa.set(id, waits)
    return waits
  }
}

const noWaits = new CoaWaits()

const isClockWrong = (aheadSeconds: number | null): boolean => Math.abs(aheadSeconds ?? 0) > nasClockSecondsMax

function totalsOf({ counts }: SeenOfNas): Totals {
  const totals: Totals = { accept: 0, reject: 0, accounting: 0, drops: {} }
  for (const { result, fault, count } of counts) {
    if (result === 'accept' || result === 'reject' || result === 'accounting') totals[result] += count
    else if (fault !== null) totals.drops[fault] = (totals.drops[fault] ?? 0) + count
  }
  return totals
}

function ratesOf(now: Totals, older: Totals, seconds: number): PerSecond {
  const rate = (name: 'accept' | 'reject' | 'accounting') =>
    seconds > 0 ? Math.round(((now[name] - older[name]) / seconds) * 10) / 10 : 0
  return { accept: rate('accept'), reject: rate('reject'), accounting: rate('accounting') }
}

const dropsSince = (now: Drops, before: Drops): Drops =>
  Object.fromEntries(
    Object.entries(now).flatMap(([fault, count]) => {
      const since = count - (before[fault as DropFault] ?? 0)
      return since > 0 ? [[fault, since]] : []
    }),
  )

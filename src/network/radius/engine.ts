import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, isIPv6 } from 'node:net'
import { refusalCodes } from '../../domain/access.ts'
import type { Events } from '../../domain/events.ts'
import { type NasId, organizationId, subscriberId } from '../../domain/ids.ts'
import type { NasEntry } from '../../domain/nas.ts'
import { dayTimeOf } from '../../platform/actors/day-time.ts'
import type { Log } from '../../platform/log.ts'
import { StartRefusal } from '../../platform/start-refusal.ts'
import type { AddressPools } from '../access/pools.ts'
import { SharedValue } from '../access/shared.ts'
import type { AccessTable } from '../access/table.ts'
import { AccountingPort } from './accounting-port.ts'
import { templatesOf } from './templates.ts'
import type {
  AccountingSink,
  NasHeard,
  NasLearned,
  NasSlot,
  PasswordComparison,
  RadiusSettings,
  Rejection,
  TracedPacket,
  WorkerRules,
} from './worker/messages.ts'
import type { UdpMode, UdpPreference } from './udp/open-port.ts'
import {
  type AccessDurations,
  countersBytes,
  nasSlotsMax,
  type RadiusCount,
  readCounts,
  readDurations,
} from './worker/counters.ts'
import { NasNotices, noticeEveryMs } from './worker/nas-notices.ts'
import { type NasSign, readSign, readStrangers, signsBytes, type Stranger } from './worker/nas-signs.ts'
import { WorkerHandle } from './worker/worker-handle.ts'

type RadiusConfig = { host: string; authPort: number; acctPort: number; workers: number; udp: UdpPreference }

export type RadiusParts = {
  config: RadiusConfig
  /** The access table and the pools, which the workers read. */
  access: { readonly table: Pick<AccessTable, 'handle'>; readonly pools: Pick<AddressPools, 'handle' | 'unlockFor'> }
  accounting: AccountingSink
  /** Compares a password that was sent by PAP with a hash of crypt(3). */
  comparePassword: PasswordComparison
  settings: RadiusSettings
  /** Where the workers write down which pool addresses they offer; null for nowhere. */
  offersFolder: string | null
  /** Signs Class attributes (worker/session-class.ts). */
  classKey: Uint8Array
  /** The keys with which the workers decrypt passwords that are still encrypted in the access table. */
  secretKeys: readonly Uint8Array[]
  nas: readonly NasEntry[]
  /** Clock.origin; null: the time of day is that of the machine. */
  clockOrigin?: SharedArrayBuffer | null
  log: Log
  events: Events
  /** Called when something was learned about a NAS on `auto`, to be stored and shown. */
  onLearned?: (learned: NasLearned) => void
  /** Called with what packets of a NAS told, to be stored and shown. */
  onHeard?: (heard: NasHeard) => void
  /** Called at most once a second by each worker with what it has answered (worker/auth-entries.ts). */
  onAnswered?: (entries: Uint8Array<ArrayBuffer>, left: number) => void
  /** From 0 to 1, how many of the answered requests are traced, and where they are shown. */
  traced?: { readonly share: number; readonly show: (nas: string, packet: TracedPacket) => void } | null
}

/** For the metrics: requests since the start, by port, NAS, result and fault. */
export type RadiusSnapshot = {
  counts: (Omit<RadiusCount, 'nasSlot'> & { nas: string | null })[]
  access: AccessDurations
  /** Rejections that were answered and counted but not published, because one worker had more than 200 in a second. */
  suppressedRejections: number
}

/** What has been seen and counted of one NAS. */
export type SeenOfNas = NasSign & { readonly counts: Omit<RadiusCount, 'nasSlot'>[] }

type RadiusAddresses = { readonly host: string; readonly authPort: number; readonly acctPort: number }

const drainMs = 4000
const heardWithinMs = 1000

/** The RADIUS workers and their communication with the main thread, which itself receives accounting. */
export class RadiusEngine {
  readonly #parts: RadiusParts
  readonly #workers: WorkerHandle[] = []
  #accounting: AccountingPort | undefined
  readonly #counters: SharedArrayBuffer[] = []
  readonly #signs: SharedArrayBuffer[] = []
  /** The rows in the counters. A NAS keeps its nasSlot for as long as the program runs. */
  readonly #nasSlots = new Map<NasId, { nasSlot: number; name: string; askedAtMs: number }>()
  readonly #rules: SharedValue<WorkerRules>
  #suppressedRejections = 0
  #edition = 0
  #addresses: RadiusAddresses
  #mode: UdpMode = { kind: 'dgram', reason: 'not started' }

  constructor(parts: RadiusParts) {
    this.#parts = parts
    this.#addresses = parts.config
    this.#rules = new SharedValue<WorkerRules>({
      nas: this.#withSlots(parts.nas),
      settings: parts.settings,
      templates: templatesOf(parts.nas),
    })
  }

  /** Where the workers listen; before the start, the configured addresses. */
  get addresses(): RadiusAddresses {
    return this.#addresses
  }

  /** How the workers receive. */
  get mode(): UdpMode {
    return this.#mode
  }

  /** Resolves when all sockets are bound, rejects with a readable sentence when a port is taken. */
  async start(): Promise<void> {
    const { config, access, log, comparePassword } = this.#parts
    const { port: authPort, address } = await claimPort(config.host, config.authPort, 'TOLLGATE_RADIUS_AUTH_PORT')
    const { port: acctPort } = await claimPort(config.host, config.acctPort, 'TOLLGATE_RADIUS_ACCT_PORT')
    this.#addresses = { host: config.host, authPort, acctPort }
    for (let number = 1; number <= config.workers; number++) {
      const counters = this.#newCounters()
      const signs = this.#newSigns()
      const worker = new WorkerHandle({
        startWith: () => ({
          number,
          // `host` may be a name; this is the address it resolves to.
          host: address,
          authPort,
          sharesPort: config.workers > 1,
          udp: config.udp,
          table: access.table.handle(),
          pools: access.pools.handle(),
          rules: this.#rules.handle(),
          offersFolder: this.#parts.offersFolder,
          classKey: this.#parts.classKey,
          secretKeys: this.#parts.secretKeys,
          clock: this.#parts.clockOrigin ?? null,
          counters,
          signs,
          tracedShare: this.#parts.traced?.share ?? 0,
        }),
        comparePassword,
        log: log.with({ worker: number }),
        onLearned: (learned, edition) => this.#learn(learned, edition),
        onHeard: (heard, edition) => this.#hear(heard, edition),
        onRejections: (rejections, suppressed) => {
          this.#suppressedRejections += suppressed
          this.#publish(rejections)
        },
        onAnswered: (entries, left) => this.#parts.onAnswered?.(entries, left),
        onTraced: (packets) => this.#show(packets),
        onGone: () => access.pools.unlockFor(number),
      })
      this.#workers.push(worker)
    }
    try {
      const [mode] = await Promise.all(this.#workers.map((worker) => worker.start()))
      await this.#startAccounting(address, acctPort)
      this.#setMode(mode!)
    } catch (error) {
      await Promise.all(this.#workers.map((worker) => worker.stop(0)))
      throw error
    }
  }

  async #startAccounting(host: string, port: number): Promise<void> {
    const { accounting, clockOrigin = null, config, log } = this.#parts
    const dayTimeMs = dayTimeOf(clockOrigin)
    this.#accounting = new AccountingPort({
      host,
      port,
      udp: config.udp,
      rules: this.#rules,
      counters: this.#newCounters(),
      signs: this.#newSigns(),
      notices: new NasNotices((heard, edition) => this.#hear(heard, edition), dayTimeMs),
      dayTimeMs,
      accounting,
      log,
    })
    await this.#accounting.start()
  }

  #newCounters(): SharedArrayBuffer {
    const counters = new SharedArrayBuffer(countersBytes)
    this.#counters.push(counters)
    return counters
  }

  #newSigns(): SharedArrayBuffer {
    const signs = new SharedArrayBuffer(signsBytes)
    this.#signs.push(signs)
    return signs
  }

  setNas(list: readonly NasEntry[]): void {
    this.#rules.publish({ ...this.#rules.value, nas: this.#withSlots(list), templates: templatesOf(list) })
  }

  setSettings(settings: RadiusSettings): void {
    this.#rules.publish({ ...this.#rules.value, settings })
  }

  /** The records with what `auto` has learned since they were read. */
  get nas(): readonly NasEntry[] {
    return this.#rules.value.nas
  }

  snapshot(): RadiusSnapshot {
    const names = new Map([...this.#nasSlots.values()].map(({ nasSlot, name }) => [nasSlot, name]))
    const counts = readCounts(this.#counters, Math.min(nasSlotsMax, this.#nasSlots.size + 1)).map(
      ({ nasSlot, ...count }) => ({ ...count, nas: names.get(nasSlot) ?? null }),
    )
    return { counts, access: readDurations(this.#counters), suppressedRejections: this.#suppressedRejections }
  }

  /** What was counted and seen of each NAS since the start. Those beyond nasSlotsMax are seen as one. */
  seenOfNas(): Map<NasId, SeenOfNas> {
    const seen = new Map<number, SeenOfNas>()
    for (const { nasSlot } of this.#nasSlots.values())
      seen.set(nasSlot, { ...readSign(this.#signs, nasSlot), counts: [] })
    for (const { nasSlot, ...count } of readCounts(this.#counters, Math.min(nasSlotsMax, this.#nasSlots.size + 1)))
      seen.get(nasSlot)?.counts.push(count)
    return new Map([...this.#nasSlots].map(([id, { nasSlot }]) => [id, seen.get(nasSlot)!]))
  }

  /** Addresses that sent requests and have no record, or a record that is switched off. */
  strangers(): Stranger[] {
    return readStrangers(this.#signs)
  }

  /** True when every worker listens. */
  isReady(): boolean {
    return this.#workers.length > 0 && this.#workers.every((worker) => worker.isReady)
  }

  async stop(): Promise<void> {
    await Promise.all([this.#accounting?.stop(drainMs), ...this.#workers.map((worker) => worker.stop(drainMs))])
    this.#rules.close()
  }

  #setMode(mode: UdpMode): void {
    const { log } = this.#parts
    if (mode.kind === 'batches') log.info('RADIUS receives and answers in batches.')
    else log.info('RADIUS receives and answers packet by packet, through node:dgram.', { reason: mode.reason })
    this.#mode = mode
  }

  #withSlots(list: readonly NasEntry[]): NasSlot[] {
    const edition = ++this.#edition
    return list.map((nas) => {
      // Slot 0 counts unknown sources. When all slots are taken, further NAS share the last one.
      const known = this.#nasSlots.get(nas.id)
      const nasSlot = known?.nasSlot ?? Math.min(this.#nasSlots.size + 1, nasSlotsMax - 1)
      const askedAtMs = known?.askedAtMs ?? 0
      this.#nasSlots.set(nas.id, { nasSlot, name: nas.name, askedAtMs })
      return { ...nas, nasSlot, edition, askedAtMs }
    })
  }

  /** What one worker has learned is published to all. */
  #learn({ nasId, messageAuthenticator, proxyState }: NasLearned, edition: number): void {
    const { nas } = this.#rules.value
    // A record that was saved meanwhile starts without anything learned from earlier requests.
    const present = nas.find((entry) => entry.id === nasId && entry.edition === edition)
    if (!present) return
    // When two workers learn at the same moment and one has learned that the NAS signs, that counts; otherwise the
    // first one counts. Publishing corrects the other worker.
    const signs = present.learnedMessageAuthenticator || messageAuthenticator
    const learnedMessageAuthenticator = signs ?? present.learnedMessageAuthenticator ?? null
    const learnedProxyState = present.learnedProxyState ?? proxyState
    const taught = { ...present, learnedMessageAuthenticator, learnedProxyState }
    this.#rules.publish({ ...this.#rules.value, nas: nas.map((entry) => (entry === present ? taught : entry)) })
    this.#parts.onLearned?.({ nasId, messageAuthenticator: learnedMessageAuthenticator, proxyState: learnedProxyState })
  }

  #hear(heard: NasHeard, edition: number): void {
    const { nas } = this.#rules.value
    const present = nas.find((entry) => entry.id === heard.nasId && entry.edition === edition)
    if (!present) return
    if (isKnownOf(present, heard)) return
    if (heard.kind === 'asked') this.#nasSlots.get(heard.nasId)!.askedAtMs = heard.atMs
    const told = { ...present, ...factOf(heard) }
    const rules = { ...this.#rules.value, nas: nas.map((entry) => (entry === present ? told : entry)) }
    // After an update every NAS tells something within a minute, and each publication copies all of them to every
    // worker.
    this.#rules.publishSoon(rules, heardWithinMs)
    this.#parts.onHeard?.(heard)
  }

  #show(packets: readonly TracedPacket[]): void {
    for (const packet of packets) this.#parts.traced?.show(this.#nasSlots.get(packet.nasId)?.name ?? '', packet)
  }

  #publish(rejections: readonly Rejection[]): void {
    for (const rejection of rejections) {
      this.#parts.events.publish({
        kind: 'accessRejected',
        at: new Date(rejection.atMs),
        login: rejection.login,
        subscriberId: rejection.subscriberId === null ? null : subscriberId(rejection.subscriberId),
        organizationId: rejection.organizationId === null ? null : organizationId(rejection.organizationId),
        nasId: rejection.nasId,
        reason: rejection.text,
        code: refusalCodes[rejection.reason],
        station: rejection.station,
      })
    }
  }
}

/** Whether another thread has reported the same before. */
function isKnownOf(nas: NasSlot, heard: NasHeard): boolean {
  if (heard.kind === 'asked') return heard.address === nas.askedIp
  const knownAtMs = heard.usesNext ? nas.secretNextSeenAtMs : nas.secretSeenAtMs
  return heard.atMs - (knownAtMs ?? 0) < noticeEveryMs
}

const factOf = (heard: NasHeard): Partial<NasSlot> =>
  heard.kind === 'asked'
    ? { askedIp: heard.address, askedAtMs: heard.atMs }
    : heard.usesNext
      ? { secretNextSeenAtMs: heard.atMs }
      : { secretSeenAtMs: heard.atMs }

/**
 * Makes sure that the port is free, and picks one for port 0. The workers share their port, and another Tollgate of the
 * same user would share it too, which only a socket that does not share ports notices.
 */
async function claimPort(host: string, port: number, variable: string): Promise<AddressInfo> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' })
  try {
    socket.bind({ address: host, port, exclusive: true })
    await once(socket, 'listening')
    return socket.address()
  } catch (error) {
    const refusals: Record<string, string> = {
      EADDRINUSE: `RADIUS port ${port} on ${host} is in use by another program; stop that one or choose another port with ${variable}.`,
      EACCES: `RADIUS port ${port} may not be opened by this user; choose one above 1023 with ${variable}.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine; correct TOLLGATE_RADIUS_HOST.`,
    }
    const refusal = refusals[(error as NodeJS.ErrnoException).code ?? '']
    throw refusal === undefined ? error : new StartRefusal(refusal)
  } finally {
    await new Promise<void>((resolve) => socket.close(() => resolve()))
  }
}

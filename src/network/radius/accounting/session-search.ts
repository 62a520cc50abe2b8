import { subscriberId } from '../../../domain/ids.ts'
import type { SessionColumnsView } from './session-memory.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionTable } from './session-table.ts'

/** What live sessions are sought; null leaves a filter out. */
export type SessionSearch = {
  readonly login: string | null
  readonly subscriber: number | null
  readonly nas: number | null
  readonly ip: string | null
  /** The first 64 bits of an IPv6 address, as CIDR. */
  readonly ipv6Prefix: string | null
  readonly mac: string | null
  /** When it began, milliseconds since 1970; the end is excluded. */
  readonly fromMs: number
  readonly toMs: number
  /** Whether the sessions of an organization are shown; null: all are. */
  readonly isVisible: ((organization: number | null) => boolean) | null
}

export const liveOrders = ['started_at', 'updated_at', 'session_time', 'input_octets', 'output_octets', 'rate'] as const
type LiveOrder = (typeof liveOrders)[number]

/** The session before the page: what it is sorted by, and its id, which decides between equal ones. */
type SearchPlace = readonly [key: number, id: number]

export type SearchPage = {
  readonly sort: LiveOrder
  readonly descending: boolean
  readonly after: SearchPlace | null
  readonly limit: number
}

export type Found = {
  readonly sessions: readonly LiveSession[]
  /** All that fit, on every page. */
  readonly total: number
  readonly next: SearchPlace | null
}

/** This many slots take a few milliseconds of the main thread, which answers accounting between two such steps. */
export const slotsAtOnce = 25_000

/**
 * One page of the live sessions that fit, in order. All of them are looked through, a million in some tens of
 * milliseconds, and only those of the page are kept.
 */
export async function searchSessions(table: SessionTable, search: SessionSearch, page: SearchPage): Promise<Found> {
  const best = new Best(page)
  const indexed = slotsOf(table, search)
  if (indexed !== null) {
    const { view } = table
    for (const slot of indexed) if (fits(view, slot, search)) best.add(view, slot)
  } else await lookThrough(table, search, page, best)
  const { places, next } = best.page()
  // A session that ended since it was looked at has left its slot, perhaps to another one.
  const sessions = places.flatMap(({ slot, id }) => (table.idAt(slot) === id ? [table.at(slot)] : []))
  return { sessions, total: best.total, next }
}

/**
 * Sessions mostly lie in the order of what they are sorted by, or the other way round, so the search begins where the
 * first of the page are likely to be: what comes after them is then passed over by one comparison.
 */
async function lookThrough(table: SessionTable, search: SessionSearch, page: SearchPage, best: Best): Promise<void> {
  const isFromTop = page.descending === isAscending(table.view, keyOf[page.sort])
  const steps = Math.ceil(table.view.slots / slotsAtOnce)
  for (let step = 0; step < steps; step++) {
    if (step > 0) await new Promise(setImmediate)
    const { view } = table
    const from = (isFromTop ? steps - 1 - step : step) * slotsAtOnce
    const to = Math.min(view.slots, from + slotsAtOnce)
    if (isFromTop) for (let slot = to - 1; slot >= from; slot--) if (fits(view, slot, search)) best.add(view, slot)
    if (!isFromTop) for (let slot = from; slot < to; slot++) if (fits(view, slot, search)) best.add(view, slot)
  }
}

/** Whether the last slots have greater keys than the first, by some of either. */
function isAscending(view: SessionColumnsView, key: (view: SessionColumnsView, slot: number) => number): boolean {
  const mean = (from: number, step: number) => {
    let [sum, count] = [0, 0]
    for (let slot = from; slot >= 0 && slot < view.slots && count < sampledMax; slot += step) {
      if (view.numbers.nasId[slot] === 0) continue
      sum += key(view, slot)
      count++
    }
    return count === 0 ? 0 : sum / count
  }
  return mean(0, 1) <= mean(view.slots - 1, -1)
}

const sampledMax = 100

/** The live sessions that are wanted, by ids or of a NAS. */
export async function findSessions(
  table: SessionTable,
  wanted: { readonly ids: ReadonlySet<number> } | { readonly nas: number },
): Promise<LiveSession[]> {
  const found: LiveSession[] = []
  const isWanted =
    'nas' in wanted
      ? ({ numbers }: SessionColumnsView, slot: number) => numbers.nasId[slot] === wanted.nas
      : ({ numbers }: SessionColumnsView, slot: number) =>
          numbers.nasId[slot] !== 0 && wanted.ids.has(numbers.id[slot]!)
  for (let from = 0; from < table.view.slots; from += slotsAtOnce) {
    if (from > 0) await new Promise(setImmediate)
    const { view } = table
    const to = Math.min(view.slots, from + slotsAtOnce)
    for (let slot = from; slot < to; slot++) if (isWanted(view, slot)) found.push(table.at(slot))
  }
  return found
}

/** How many live sessions of each organization began at this moment (milliseconds since 1970) or before. */
export async function countBegunBy(table: SessionTable, ms: number): Promise<Map<number | null, number>> {
  const counts = new Map<number, number>()
  for (let from = 0; from < table.view.slots; from += slotsAtOnce) {
    if (from > 0) await new Promise(setImmediate)
    const { slots, numbers } = table.view
    const { nasId, startedAtMs, organizationId } = numbers
    const to = Math.min(slots, from + slotsAtOnce)
    for (let slot = from; slot < to; slot++) {
      if (nasId[slot] === 0 || startedAtMs[slot]! > ms) continue
      const organization = organizationId[slot]!
      counts.set(organization, (counts.get(organization) ?? 0) + 1)
    }
  }
  return new Map([...counts].map(([organization, count]) => [organization || null, count]))
}

/** The slots of one login or subscriber, which have an index; null for all. */
function slotsOf(table: SessionTable, { login, subscriber }: SessionSearch): number[] | null {
  if (login !== null) {
    const found = table.liveOf(login)
    return found.filter((one) => subscriber === null || one.subscriberId === subscriber).map(({ slot }) => slot)
  }
  return subscriber === null ? null : table.ofSubscriber(subscriberId(subscriber)).map(({ slot }) => slot)
}

function fits({ numbers, ips, ipv6Prefixes, macs }: SessionColumnsView, slot: number, search: SessionSearch): boolean {
  const nas = numbers.nasId[slot]!
  if (nas === 0 || (search.nas !== null && nas !== search.nas)) return false
  const startedAtMs = numbers.startedAtMs[slot]!
  if (startedAtMs < search.fromMs || startedAtMs >= search.toMs) return false
  if (search.ip !== null && ips[slot] !== search.ip) return false
  if (search.ipv6Prefix !== null && ipv6Prefixes[slot] !== search.ipv6Prefix) return false
  if (search.mac !== null && macs[slot] !== search.mac) return false
  return search.isVisible === null || search.isVisible(numbers.organizationId[slot] || null)
}

const keyOf: Readonly<Record<LiveOrder, (view: SessionColumnsView, slot: number) => number>> = {
  started_at: ({ numbers }, slot) => numbers.startedAtMs[slot]!,
  updated_at: ({ numbers }, slot) => numbers.receivedAtMs[slot]!,
  session_time: ({ numbers }, slot) => numbers.sessionTime[slot]!,
  input_octets: ({ inputOctets }, slot) => Number(inputOctets[slot]),
  output_octets: ({ outputOctets }, slot) => Number(outputOctets[slot]),
  // An unknown rate comes with those of nothing.
  rate: ({ numbers }, slot) => numbers.inputRate[slot]! + numbers.outputRate[slot]! || 0,
}

type Place = { readonly slot: number; readonly key: number; readonly id: number }

/** The first so many after a place: a heap with the last of them on top, which the next better one displaces. */
class Best {
  total = 0
  readonly #page: SearchPage
  readonly #key: (view: SessionColumnsView, slot: number) => number
  readonly #sign: number
  readonly #heap: Place[] = []

  constructor(page: SearchPage) {
    this.#page = page
    this.#key = keyOf[page.sort]
    this.#sign = page.descending ? -1 : 1
  }

  add(view: SessionColumnsView, slot: number): void {
    this.total++
    const { after, limit } = this.#page
    const key = this.#key(view, slot)
    const id = view.numbers.id[slot]!
    if (after !== null && this.#compare(key, id, after[0], after[1]) <= 0) return
    const heap = this.#heap
    // One more than the page tells whether there is another.
    if (heap.length <= limit) {
      heap.push({ slot, key, id })
      this.#rise(heap.length - 1)
    } else if (this.#compare(key, id, heap[0]!.key, heap[0]!.id) < 0) {
      heap[0] = { slot, key, id }
      this.#sink()
    }
  }

  page(): { places: readonly Place[]; next: SearchPlace | null } {
    const sorted = [...this.#heap].sort((a, b) => this.#compare(a.key, a.id, b.key, b.id))
    const places = sorted.slice(0, this.#page.limit)
    const last = places.at(-1)
    return { places, next: sorted.length > places.length && last ? [last.key, last.id] : null }
  }

  /** Below zero: the first one comes before the second one. */
  #compare(key: number, id: number, otherKey: number, otherId: number): number {
    return this.#sign * (key === otherKey ? id - otherId : key - otherKey)
  }

  #isWorse(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a]!, this.#heap[b]!]
    return this.#compare(one.key, one.id, other.key, other.id) > 0
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(): void {
    const { length } = this.#heap
    for (let at = 0; ; ) {
      let worst = at
      for (const child of [at * 2 + 1, at * 2 + 2]) if (child < length && this.#isWorse(child, worst)) worst = child
      if (worst === at) return
      this.#swap(at, worst)
      at = worst
    }
  }

  #swap(a: number, b: number): void {
    const place = this.#heap[a]!
    this.#heap[a] = this.#heap[b]!
    this.#heap[b] = place
  }
}

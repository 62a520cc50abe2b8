import type { Comparison, Difference, DifferenceKind, NotCompared } from './comparison.ts'
import { formatAddress } from '../../network/radius/wire/address.ts'
import type { Exchange } from './exchange.ts'
import type { Judgement } from './judge.ts'

export type Example = {
  readonly atMs: number
  readonly login: string
  readonly nas: string
  readonly there: string
  readonly here: string
  readonly isByOrder: boolean
}

/** Differences that are alike. */
export type Kind = {
  readonly kind: DifferenceKind
  readonly detail: string
  count: number
  readonly examples: Example[]
}

/** The most kinds of differences, and addresses of NAS, that are told apart, because anybody may have sent packets. */
const keptMax = 1_000

/** Sums up a parallel run, in a memory that does not grow with it. */
export class Tally {
  requests = 0
  compared = 0
  same = 0
  /** How many requests were answered otherwise, each perhaps in several things. */
  differing = 0
  byOrder = 0
  passwordsUnseen = 0
  firstMs: number | null = null
  lastMs: number | null = null
  readonly left = new Map<NotCompared, number>()
  readonly unknownNas = new Map<string, number>()
  /** How many requests came from addresses beyond those that are kept. */
  moreUnknownNas = 0
  readonly #kinds = new Map<string, Kind>()
  readonly #examplesMax: number

  constructor(examplesMax: number) {
    this.#examplesMax = examplesMax
  }

  add(exchange: Exchange, judgement: Judgement, comparison: Comparison): void {
    const { atMs } = exchange
    this.requests++
    this.firstMs = Math.min(this.firstMs ?? atMs, atMs)
    this.lastMs = Math.max(this.lastMs ?? atMs, atMs)
    if ('left' in comparison) {
      this.left.set(comparison.left, (this.left.get(comparison.left) ?? 0) + 1)
      if (comparison.left === 'unknownNas') this.#addStranger(formatAddress(exchange.source))
      return
    }
    this.compared++
    if (exchange.isByOrder) this.byOrder++
    if (!judgement.isPasswordSeen) this.passwordsUnseen++
    if (comparison.differences.length === 0) this.same++
    else this.differing++
    for (const difference of comparison.differences)
      this.#addDifference(difference, exampleOf(exchange, judgement, difference))
  }

  /** The kinds in this order, and of each kind the most frequent differences first. */
  kinds(order: readonly DifferenceKind[]): Kind[] {
    return [...this.#kinds.values()].sort(
      (a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.count - a.count || (a.detail < b.detail ? -1 : 1),
    )
  }

  #addStranger(address: string): void {
    if (this.unknownNas.size < keptMax || this.unknownNas.has(address))
      this.unknownNas.set(address, (this.unknownNas.get(address) ?? 0) + 1)
    else this.moreUnknownNas++
  }

  #addDifference({ kind, detail }: Difference, example: Example): void {
    const named = `${kind} ${detail}`
    const key = this.#kinds.size < keptMax || this.#kinds.has(named) ? named : `${kind} others`
    const known = this.#kinds.get(key) ?? { kind, detail: key === named ? detail : 'others', count: 0, examples: [] }
    this.#kinds.set(key, known)
    known.count++
    const { examples } = known
    if (examples.length < this.#examplesMax && !examples.some(({ login }) => login === example.login))
      examples.push(example)
  }
}

export const exampleOf = (exchange: Exchange, { login, nas }: Judgement, { there, here }: Difference): Example => ({
  atMs: exchange.atMs,
  login,
  nas: nas ?? formatAddress(exchange.source),
  there,
  here,
  isByOrder: exchange.isByOrder,
})

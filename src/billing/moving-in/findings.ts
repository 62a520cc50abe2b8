import { type Money, plus, zero } from '../../domain/money.ts'

/** What became, or in a dry run would become, of the records of one kind. */
export type Count = {
  /** In the source. */
  there: number
  made: number
  /** Here already, as there. */
  same: number
  /** Here already, and otherwise: it stays as it is. */
  differing: number
  left: number
}

/** Sums of balances beside the numbers of subscribers. */
export type Sum = { -readonly [name in keyof Count]: Money }

export type Note = {
  /** `differing`, `left`: as in Count. `remark`: something that is taken over otherwise, or not at all. */
  readonly kind: 'differing' | 'left' | 'remark'
  readonly place: string
  readonly text: string
}

const noneCounted = (): Count => ({ there: 0, made: 0, same: 0, differing: 0, left: 0 })

/** What a move found and did, as its report tells it. */
export class Findings {
  readonly tariffs = noneCounted()
  readonly nas = noneCounted()
  readonly subscribers = noneCounted()
  readonly logins = noneCounted()
  readonly promises = noneCounted()
  /** Of the source, in its own words; `differing` too. */
  readonly balances: Sum = { there: zero, made: zero, same: zero, differing: zero, left: zero }
  /** The opening operations of the subscribers that are not left out, as they are here. */
  opened: { readonly count: number; readonly sum: Money } = { count: 0, sum: zero }
  readonly notes: Note[] = []

  note(kind: Note['kind'], place: string, text: string): void {
    this.notes.push({ kind, place, text })
  }

  /** Whether each record of the source is in one column, to the kopeck. */
  get addsUp(): boolean {
    const { made, same, differing, left, there } = this.balances
    const counts = [this.tariffs, this.nas, this.subscribers, this.logins, this.promises]
    return (
      plus(plus(made, same), plus(differing, left)) === there &&
      counts.every((count) => count.made + count.same + count.differing + count.left === count.there)
    )
  }

  /** Whether everything of the source is here, or would be. */
  get isWhole(): boolean {
    return this.notes.every(({ kind }) => kind === 'remark')
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { NumbersById } from './numbers-by-id.ts'

/** `home` null: the subscriber is deleted, or nobody knows where he lives. `organization` as in the table. */
export type SubscriberHome = {
  readonly id: number
  readonly home: number | null
  readonly organization: number | null
}

/** Of the subscribers of a house. */
export type HouseCounts = {
  readonly id: number
  /** Who live there and are not deleted. */
  subscribers: number
  /** Of those who have a live session. */
  online: number
  /** Who have none, and had one at the moment that was asked for or later. */
  lost: number
}

/** Which subscribers are counted, and how. */
export type HouseCounting = {
  readonly online: NumbersById<Uint8Array>
  /** When the last session ended, in epoch seconds. */
  readonly ended: NumbersById<Uint32Array>
  readonly lostSince: number
  readonly isVisible: (organization: number | null) => boolean
  readonly isWanted: (home: number) => boolean
}

/** Pages of 8,192 subscribers, and places, that are looked at in one turn of the event loop, a few milliseconds. */
const pagesAtOnce = 8
const placesAtOnce = 5_000

/**
 * The house of every subscriber in memory, four bytes each. A house with an organization is a place, and what is kept
 * of a subscriber is the number of his place; there are few, so whatever concerns them is looked up once a question.
 */
export class SubscriberHomes {
  readonly #homes: number[] = [0]
  readonly #organizations: (number | null)[] = [null]
  readonly #numbers = new Map<string, number>()
  readonly #placeOf = new NumbersById(Uint32Array)

  put({ id, home, organization }: SubscriberHome): void {
    this.#placeOf.set(id, home === null ? 0 : this.#place(home, organization))
  }

  /** In turns with everything else, because a million subscribers take tens of milliseconds. */
  async count({ online, ended, lostSince, isVisible, isWanted }: HouseCounting): Promise<HouseCounts[]> {
    // What is added meanwhile is not counted.
    const places = this.#homes.length
    const newCounts = () => new Uint32Array(places)
    const [subscribers, onlineOf, lost] = [newCounts(), newCounts(), newCounts()]
    let pages = 0
    for (const [number, placesOf] of this.#placeOf.pages) {
      if (pages++ % pagesAtOnce === pagesAtOnce - 1) await nextTurn()
      const [live, gone] = [online.pages.get(number), ended.pages.get(number)]
      for (let at = 0; at < placesOf.length; at++) {
        const place = placesOf[at]!
        if (place === 0) continue
        subscribers[place]!++
        if (live !== undefined && live[at] !== 0) onlineOf[place]!++
        else if (gone !== undefined && gone[at]! >= lostSince) lost[place]!++
      }
    }
    const houses = new Map<number, HouseCounts>()
    for (let place = 1; place < places; place++) {
      if (place % placesAtOnce === 0) await nextTurn()
      const id = this.#homes[place]!
      if (subscribers[place] === 0 || !isVisible(this.#organizations[place]!) || !isWanted(id)) continue
      const house = houses.get(id) ?? { id, subscribers: 0, online: 0, lost: 0 }
      house.subscribers += subscribers[place]!
      house.online += onlineOf[place]!
      house.lost += lost[place]!
      houses.set(id, house)
    }
    return [...houses.values()]
  }

  #place(home: number, organization: number | null): number {
    const name = `${home} ${organization}`
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#homes.push(home) - 1
    this.#organizations.push(organization)
    this.#numbers.set(name, number)
    return number
  }
}

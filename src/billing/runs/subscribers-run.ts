import { setTimeout as pause } from 'node:timers/promises'
import type { Author } from '../../domain/author.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { inFlight } from '../jobs/in-flight.ts'
import type { RunFault } from './run-table.ts'
import type { RunRest, RunWork } from './runs.ts'

type Order = {
  /** With their names, by which a result tells those that were left. */
  readonly subscribers: readonly { readonly id: number; readonly name: string }[]
  readonly author: Author
  /** The run that was cut off, whose rest they are; null: they are an order of their own. */
  readonly restOf?: number | null
}

/** What became of one subscriber: changed, as wanted already, or left as it was for a reason. */
export type StepOutcome = 'changed' | 'same' | { readonly reason: string }

/** What a run does for one subscriber, by a turn of its account. May be repeated. */
export type SubscriberStep = (id: SubscriberId, author: Author) => Promise<StepOutcome>

/** Enough to share commits, few enough that the commands of people and RADIUS hardly wait. */
const atOnce = 25
/** Milliseconds before a subscriber that could not be reached is asked again. */
const waits = [500, 2_000, 5_000]
const notedAtOnce = 500

/**
 * Takes a step for each of many subscribers. What cannot be done for one holds up no other. What a run that is cut off
 * has left stays noted; of those who were done shortly before a kill some may be noted too, and the step for them is
 * repeated.
 */
export const subscribersRun =
  (order: Order, step: SubscriberStep): RunWork =>
  async ({ signal, total, done, addFaults, rest }) => {
    const { author } = order
    const subscribers = await noted(rest, order)
    const counts = { changed: 0, same: 0, refused: 0 }
    let ended = 0
    const faults: RunFault[] = []
    const settled: number[] = []
    const note = async () => {
      const [reasons, ids] = [faults.splice(0), settled.splice(0)]
      try {
        await addFaults(reasons)
        // Whoever is settled is not asked again, so their reasons are there before.
        await rest.settle(ids)
      } catch (error) {
        faults.unshift(...reasons)
        settled.unshift(...ids)
        throw error
      }
    }
    // People who wait for their own answers come first.
    const patient = { ...author, isBackground: true } as const
    total(subscribers.length)
    try {
      await inFlight(eachOf(subscribers), atOnce, signal, async ({ id, name }) => {
        const outcome = await persistently(() => step(subscriberId(id), patient), signal)
        if (typeof outcome === 'string') counts[outcome]++
        else {
          counts.refused++
          faults.push({ record: id, name, reason: outcome.reason })
        }
        settled.push(id)
        done(++ended)
        if (settled.length >= notedAtOnce) await note()
      })
    } finally {
      // Also of a run that is cut off, whose count includes them.
      await note()
    }
    return counts
  }

/** Those who are to be done, noted as the rest of this run. */
async function noted(rest: RunRest, { subscribers, restOf = null }: Order): Promise<Order['subscribers']> {
  const ids = subscribers.map(({ id }) => id)
  if (restOf === null) {
    await rest.keep(ids)
    return subscribers
  }
  const left = await rest.take(restOf, ids)
  return subscribers.filter(({ id }) => left.has(id))
}

/** What is unavailable for a moment is asked again some times. */
async function persistently(change: () => Promise<StepOutcome>, signal: AbortSignal): Promise<StepOutcome> {
  for (let tries = 0; ; tries++) {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      const wait = waits[tries]
      if (wait === undefined) return { reason: 'It could not be changed now; ask again shortly.' }
      await pause(wait, undefined, { signal })
    }
  }
}

async function* eachOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Author } from '../../domain/author.ts'
import { type SubscriberId, subscriberId } from '../../domain/ids.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import { accountRefusalText } from '../accounts/messages.ts'
import type { SubscriberActors } from '../accounts/subscribers.ts'
import { inFlight } from '../jobs/in-flight.ts'
import type { RunFault } from './run-table.ts'
import type { RunWork } from './runs.ts'

type Order = {
  /** With their names, by which a result tells those that were left. */
  readonly subscribers: readonly { readonly id: number; readonly name: string }[]
  /** False: the operator's block is lifted. */
  readonly on: boolean
  readonly author: Author
}

/** Enough to share commits, few enough that the commands of people and RADIUS hardly wait. */
const atOnce = 25
/** Milliseconds before a subscriber that could not be reached is asked again. */
const waits = [500, 2_000, 5_000]
const faultsAtOnce = 500

/**
 * Blocks many subscribers, or opens them, each by a turn of its account. What cannot be done for one holds up no other,
 * and whoever is blocked already is left as they are.
 */
export const blocksRun =
  (actors: Pick<SubscriberActors, 'ask' | 'status'>, { subscribers, on, author }: Order): RunWork =>
  async ({ signal, total, done, addFaults }) => {
    const counts = { changed: 0, same: 0, refused: 0 }
    let ended = 0
    const faults: RunFault[] = []
    // People who wait for their own answers come first.
    const patient = { ...author, isBackground: true } as const
    total(subscribers.length)
    try {
      await inFlight(eachOf(subscribers), atOnce, signal, async ({ id, name }) => {
        const change = () => changeOne(actors, subscriberId(id), on, patient)
        const outcome = await persistently(change, signal)
        if (typeof outcome === 'string') counts[outcome]++
        else {
          counts.refused++
          faults.push({ record: id, name, reason: outcome.reason })
          if (faults.length >= faultsAtOnce) await addFaults(faults.splice(0))
        }
        done(++ended)
      })
    } finally {
      // Also of a run that is cut off, whose count includes them.
      await addFaults(faults)
    }
    return counts
  }

type Outcome = 'changed' | 'same' | { readonly reason: string }

async function changeOne(
  actors: Pick<SubscriberActors, 'ask' | 'status'>,
  id: SubscriberId,
  on: boolean,
  author: Author,
): Promise<Outcome> {
  const known = await actors.status(id)
  const before = known?.account.subscribers.find((one) => one.id === id)
  if (before?.blocks.operator === on) return 'same'
  const outcome = await actors.ask({ kind: 'setBlock', subscriberId: id, reason: 'operator', on }, author)
  return outcome.kind === 'refused' ? { reason: accountRefusalText[outcome.reason] } : 'changed'
}

/** What is unavailable for a moment is asked again some times. */
async function persistently(change: () => Promise<Outcome>, signal: AbortSignal): Promise<Outcome> {
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

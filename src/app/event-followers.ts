import type { EventOf, Events, TollgateEvent } from '../domain/events.ts'

/**
 * Who is told of each event, in this order. Of a commit the access table is told first: the caller has its answer only when the
 * RADIUS workers see the new access. Then what answers questions and what acts on the network, then screens, then counters.
 */
export const toldInOrder = {
  accountCommitted: ['accessTable', 'subscribers', 'outbox', 'live', 'phones', 'metrics'],
  sessionStarted: ['subscribers', 'disconnects', 'live', 'phones'],
  sessionUpdated: ['subscribers', 'disconnects', 'live'],
  sessionStopped: ['subscribers', 'live', 'phones'],
  accessRejected: ['live'],
  coaAnswered: ['live', 'metrics'],
} as const satisfies Record<TollgateEvent['kind'], readonly string[]>

type Kind = keyof typeof toldInOrder
type NamesOf<K extends Kind> = (typeof toldInOrder)[K][number]
type KindsOf<Name> = { [K in Kind]: Name extends NamesOf<K> ? K : never }[Kind]

/** A follower has a method for each kind of event that it is told of, named as the kind. */
export type Followers = {
  [Name in NamesOf<Kind>]?: { readonly [K in KindsOf<Name>]: (event: EventOf<K>) => void }
}

/**
 * Joins the followers to the bus. The record may be filled afterwards: a part that is not made yet is not told, and its place in the
 * order stays. A follower that throws is reported by the bus, and the next ones are told.
 */
export function followEvents(events: Pick<Events, 'on'>, followers: Readonly<Followers>): void {
  for (const kind of Object.keys(toldInOrder) as Kind[]) followKind(events, followers, kind)
}

function followKind<K extends Kind>(events: Pick<Events, 'on'>, followers: Readonly<Followers>, kind: K): void {
  // The type of Followers says that whoever stands in the list of a kind has its method; the compiler cannot index it by both.
  const byName = followers as Readonly<Record<string, Partial<Record<K, (event: EventOf<K>) => void>>>>
  for (const name of toldInOrder[kind]) events.on(kind, (event) => byName[name]?.[kind]?.(event))
}

import type { EventOf, Events, TollgateEvent } from '../domain/events.ts'

/**
 * The followers of each event in the order in which they are called. The access table follows a commit first, because
 * the caller gets its answer only when the RADIUS workers see the new access; then the other nodes are woken. Then come
 * caches and what acts on the network, then screens, first the phone of the client who has paid, and then counters.
 */
export const followersInOrder = {
  accountCommitted: [
    'accessTable',
    'nodes',
    'subscribers',
    'clientSessions',
    'outbox',
    'webhooks',
    'phones',
    'live',
    'metrics',
  ],
  sessionStarted: ['subscribers', 'disconnects', 'webhooks', 'live', 'phones'],
  sessionUpdated: ['subscribers', 'disconnects', 'live'],
  sessionStopped: ['subscribers', 'disconnects', 'houses', 'webhooks', 'live', 'phones'],
  accessRejected: ['live'],
  coaAnswered: ['nasHealth', 'live', 'metrics'],
  jobChanged: ['live'],
  ticketChanged: ['live', 'phones'],
} as const satisfies Record<TollgateEvent['kind'], readonly string[]>

type Kind = keyof typeof followersInOrder
type NamesOf<K extends Kind> = (typeof followersInOrder)[K][number]
type KindsOf<Name> = { [K in Kind]: Name extends NamesOf<K> ? K : never }[Kind]

/** A follower has a method for each kind of event that it follows, named after the kind. */
export type Followers = {
  [Name in NamesOf<Kind>]?: { readonly [K in KindsOf<Name>]: (event: EventOf<K>) => void }
}

/**
 * Subscribes the followers to the bus. The record may be filled later: a part that does not exist yet is skipped and
 * keeps its position in the order. The bus reports a follower that throws and calls the next ones.
 */
export function followEvents(events: Pick<Events, 'on'>, followers: Readonly<Followers>): void {
  for (const kind of Object.keys(followersInOrder) as Kind[]) followKind(events, followers, kind)
}

function followKind<K extends Kind>(events: Pick<Events, 'on'>, followers: Readonly<Followers>, kind: K): void {
  // The type of Followers says that whoever stands in the list of a kind has its method; the compiler cannot index it
  // by both.
  const byName = followers as Readonly<Record<string, Partial<Record<K, (event: EventOf<K>) => void>>>>
  for (const name of followersInOrder[kind]) events.on(kind, (event) => byName[name]?.[kind]?.(event))
}

import { type Query, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, ask, type Counting, type Endpoint, type Sent } from './client.ts'

type Reading = Extract<Endpoint, `GET ${string}`>
type Writing = Exclude<Endpoint, Reading>

type ReadingOptions = {
  readonly isEnabled?: boolean
  /** For what changes without an event: it is asked again each time after so long while it is shown. */
  readonly everyMs?: number
}

/** What an endpoint answers now. It is asked again when the screen comes back, and after a write that names it. */
export function useEndpoint<D extends Reading>(
  endpoint: D,
  sent: Omit<Sent<D>, 'signal' | 'key'>,
  { isEnabled = true, everyMs }: ReadingOptions = {},
) {
  return useQuery<Answer<D>>({
    queryKey: [endpoint, sent],
    queryFn: ({ signal }) => (ask as Asking)(endpoint, { ...sent, signal }) as Promise<Answer<D>>,
    enabled: isEnabled,
    refetchInterval: everyMs ?? false,
  })
}

/** A call without its types: `ask` cannot follow them through the generics of a hook. */
type Asking = (endpoint: Endpoint, sent: object) => Promise<unknown>

export type Outcome<D extends Writing> = {
  readonly onSuccess?: (answer: Answer<D>) => void
  readonly onError?: (error: unknown) => void
}

/**
 * A write, and the endpoints whose answers are no longer true after it. What follows the write follows it also where
 * the new answers have taken its button off the screen, as that of a row that was deleted.
 */
export function useSend<D extends Writing>(endpoint: D, outdated: readonly Reading[] = []) {
  const queries = useQueryClient()
  const mutation = useMutation<Answer<D>, Error, Sent<D>>({
    mutationFn: (sent) => (ask as Asking)(endpoint, sent) as Promise<Answer<D>>,
    onSuccess: () => forget(queries, outdated),
  })
  const mutate = (sent: Sent<D>, { onSuccess, onError = () => {} }: Outcome<D> = {}) =>
    void mutation.mutateAsync(sent).then(onSuccess, onError)
  return { ...mutation, mutate }
}

/**
 * What these endpoints answered is no longer true, as after a write or a lost connection, and is asked for again where
 * it is shown. What is on its way is given up. Resolves when the new answers have come.
 */
export const forget = (queries: QueryClient, endpoints: readonly Reading[]): Promise<void> =>
  askAgain(queries, endpoints, true)

/**
 * The same after an event. Events may come faster than answers, so an answer that is on its way is waited for and
 * shown. It may be of the time before, so it is asked for once more then, however many events came meanwhile.
 */
export const follow = (queries: QueryClient, endpoints: readonly Reading[]): Promise<void> =>
  askAgain(queries, endpoints, false)

async function askAgain(queries: QueryClient, endpoints: readonly Reading[], givesUp: boolean): Promise<void> {
  const known = endpoints.flatMap((endpoint) => queries.getQueryCache().findAll({ queryKey: [endpoint] }))
  await Promise.all(known.map((query) => askOne(queries, query, givesUp)))
}

/** What is on its way and will be asked for once more: when that has come. */
const onceMore = new WeakMap<Query, Promise<void>>()

/** A first answer is not given up, because a screen waits for it. */
function askOne(queries: QueryClient, query: Query, givesUp: boolean): Promise<void> {
  const it = { predicate: (one: Query) => one === query }
  const { fetchStatus, data } = query.state
  if (fetchStatus !== 'fetching' || (givesUp && data !== undefined)) {
    onceMore.delete(query)
    return queries.invalidateQueries(it)
  }
  const waited = onceMore.get(query)
  if (waited) return waited
  const asked = queries.refetchQueries(it, { cancelRefetch: false }).then(() => {
    // What was given up meanwhile has been asked for anew.
    if (onceMore.get(query) !== asked) return undefined
    onceMore.delete(query)
    return queries.invalidateQueries(it, { cancelRefetch: false })
  })
  onceMore.set(query, asked)
  return asked
}

/** A preview of many subscribers, and how many were looked at while it is not ready. Null: there is nothing to ask. */
export function useCounted<T>(key: readonly unknown[], count: ((counting: Counting) => Promise<T>) | null) {
  const [counted, hear] = useState(0)
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => {
      hear(0)
      return count!({ signal, hear })
    },
    enabled: count !== null,
    gcTime: 0,
  })
  return { ...query, counted }
}

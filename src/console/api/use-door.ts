import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, ask, type Counting, type Door, type Sent } from './client.ts'

type Reading = Extract<Door, `GET ${string}`>
type Writing = Exclude<Door, Reading>

/** What a door answers now. It is asked again when the screen comes back, and after a write that names it. */
export function useDoor<D extends Reading>(door: D, sent: Omit<Sent<D>, 'signal' | 'key'>, isEnabled = true) {
  return useQuery<Answer<D>>({
    queryKey: [door, sent],
    queryFn: ({ signal }) => (ask as Asking)(door, { ...sent, signal }) as Promise<Answer<D>>,
    enabled: isEnabled,
  })
}

/** A call without its types: `ask` cannot follow them through the generics of a hook. */
type Asking = (door: Door, sent: object) => Promise<unknown>

export type Outcome<D extends Writing> = {
  readonly onSuccess?: (answer: Answer<D>) => void
  readonly onError?: (error: unknown) => void
}

/**
 * A write, and the doors whose answers are no longer true after it. What follows the write follows it also where the
 * new answers have taken its button off the screen, as that of a row that was deleted.
 */
export function useSend<D extends Writing>(door: D, outdated: readonly Reading[] = []) {
  const queries = useQueryClient()
  const mutation = useMutation<Answer<D>, Error, Sent<D>>({
    mutationFn: (sent) => (ask as Asking)(door, sent) as Promise<Answer<D>>,
    onSuccess: () => forget(queries, outdated),
  })
  const mutate = (sent: Sent<D>, { onSuccess, onError = () => {} }: Outcome<D> = {}) =>
    void mutation.mutateAsync(sent).then(onSuccess, onError)
  return { ...mutation, mutate }
}

/**
 * What these doors answered is asked for again where it is shown. A first answer that is still on its way is waited
 * for, and may be of the time before, so it is asked for once more.
 */
export const forget = async (queries: QueryClient, doors: readonly Reading[]): Promise<void> => {
  await Promise.all(
    doors.map(async (door) => {
      const isFirst = queries.isFetching({ queryKey: [door], predicate: ({ state }) => state.data === undefined }) > 0
      await queries.invalidateQueries({ queryKey: [door] })
      if (isFirst) await queries.invalidateQueries({ queryKey: [door] })
    }),
  )
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

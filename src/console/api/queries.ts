import { QueryClient } from '@tanstack/react-query'
import { Refused } from './client.ts'

/** What is worth asking again: no answer, or one that says so. */
const mayPass = (error: Error): boolean => error instanceof Refused && (error.status === 0 || error.status === 503)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 3 && mayPass(error),
      retryDelay: (failures) => Math.min(8_000, 500 * 2 ** failures),
    },
    // A write is repeated by its user, who sees what became of it. It does not wait for a connection either, since it
    // would then be done when nobody thinks of it any more.
    mutations: { retry: false, networkMode: 'always' },
  },
})

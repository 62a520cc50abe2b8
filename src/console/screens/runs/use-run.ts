import { useQuery } from '@tanstack/react-query'
import { type Answer, ask } from '../../api/client.ts'

const endpoint = 'GET /admin/runs/{id}/'
export type Run = Answer<typeof endpoint>['run']

/** How often a run that works is asked how far it is. */
const askMs = 700

/** A run as it is now, followed up to its end. */
export const useRun = (id: number) =>
  useQuery({
    queryKey: [endpoint, { path: { id } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id }, signal }),
    select: ({ run }) => run,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.run.state === 'running' ? askMs : false),
  })

/** An import is within its own place of the rail; other runs are of the list of subscribers. */
export const importRun = (id: number): string => `/subscribers/import/runs/${id}/`

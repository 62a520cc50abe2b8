import type { Answer, Sent } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'

const usageEndpoint = 'GET /admin/radius/usage/'
export type Points = Answer<typeof usageEndpoint>['points']

/** What sessions report is told some minutes later, and no event says that it is. */
const askAgainMs = 60_000

/** What a subscriber received and sent, in steps of time; kept up to now as long as it is shown. */
export const useUsage = (query: Required<Sent<typeof usageEndpoint>>['query']) =>
  useEndpoint(usageEndpoint, { query }, { everyMs: askAgainMs })

/** Octets that the subscriber received and sent; a NAS counts from its own side. */
export const sumsOf = (points: Points): { readonly received: bigint; readonly sent: bigint } => ({
  received: points.reduce((sum, point) => sum + BigInt(point.out), 0n),
  sent: points.reduce((sum, point) => sum + BigInt(point.in), 0n),
})

/** Those of the last 24 hours; null until they are known. */
export function useSumsOfDay(abonent: number): ReturnType<typeof sumsOf> | null {
  const { data } = useUsage({ abonent, step: 'hour' })
  return data ? sumsOf(data.points) : null
}

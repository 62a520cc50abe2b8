import type { Answer } from '../../../api/client.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'

export const usageEndpoint = 'GET /admin/radius/usage/'
export type Points = Answer<typeof usageEndpoint>['points']

/** Octets that the subscriber received and sent; a NAS counts from its own side. */
export const sumsOf = (points: Points): { readonly received: bigint; readonly sent: bigint } => ({
  received: points.reduce((sum, point) => sum + BigInt(point.out), 0n),
  sent: points.reduce((sum, point) => sum + BigInt(point.in), 0n),
})

/** Those of the last 24 hours; null until they are known. */
export function useSumsOfDay(abonent: number): ReturnType<typeof sumsOf> | null {
  const { data } = useEndpoint(usageEndpoint, { query: { abonent, step: 'hour' } })
  return data ? sumsOf(data.points) : null
}

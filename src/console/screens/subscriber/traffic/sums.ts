import type { Answer } from '../../../api/client.ts'
import { useDoor } from '../../../api/use-door.ts'

export const usageDoor = 'GET /admin/radius/usage/'
export type Points = Answer<typeof usageDoor>['points']

/** Octets that the subscriber received and sent; a NAS counts from its own side. */
export const sumsOf = (points: Points): { readonly received: bigint; readonly sent: bigint } => ({
  received: points.reduce((sum, point) => sum + BigInt(point.out), 0n),
  sent: points.reduce((sum, point) => sum + BigInt(point.in), 0n),
})

/** Those of the last 24 hours; null until they are known. */
export function useSumsOfDay(abonent: number): ReturnType<typeof sumsOf> | null {
  const { data } = useDoor(usageDoor, { query: { abonent, step: 'hour' } })
  return data ? sumsOf(data.points) : null
}

import { dayMs } from '../../domain/calendar.ts'
import type { ServerCheck } from '../../platform/server/server-check.ts'

export { fail, ok, warn } from '../../platform/server/server-check.ts'

/**
 * One thing that the doctor looked at. `fail`: the program does not do its work, or soon will not. `warn`: it does, at
 * a price.
 */
export type Check = ServerCheck

/** How many whole days have passed, for sentences. */
export const daysSince = (moment: Date, now: Date): number => Math.floor((now.getTime() - moment.getTime()) / dayMs)

const namesShown = 5

/** Some names of many, for sentences. */
export function someOf(names: readonly string[], andMore = (count: number) => `and ${count} more`): string {
  const shown = names.slice(0, namesShown).join(', ')
  return names.length > namesShown ? `${shown} ${andMore(names.length - namesShown)}` : shown
}

export const someRussian = (names: readonly string[]): string => someOf(names, (count) => `и ещё ${count}`)

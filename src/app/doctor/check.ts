import type { ServerCheck } from '../../platform/server/server-check.ts'

/**
 * One thing that the doctor looked at. `fail`: the program does not do its work, or soon will not. `warn`: it does, at
 * a price.
 */
export type Check = ServerCheck

export const ok = (name: string, sentence: string): Check => ({ name, state: 'ok', sentence })
export const warn = (name: string, sentence: string): Check => ({ name, state: 'warn', sentence })
export const fail = (name: string, sentence: string): Check => ({ name, state: 'fail', sentence })

const dayMs = 86_400_000

/** Whole days, for sentences. */
export const daysSince = (moment: Date, now: Date): number => Math.floor((now.getTime() - moment.getTime()) / dayMs)

/** Some names of many, for sentences. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

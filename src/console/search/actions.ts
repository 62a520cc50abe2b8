import { useEffect, useSyncExternalStore } from 'react'
import type { IconName } from '../patterns/icon.tsx'
import { useLatest } from '../patterns/latest.ts'

/** What can be done on the screen that is shown, in a word or two. */
export type Action = {
  readonly title: string
  readonly icon?: IconName
  readonly run: () => void
}

let registered: readonly (readonly Action[])[] = []
const listeners = new Set<() => void>()

function change(next: readonly (readonly Action[])[]): void {
  registered = next
  for (const hear of listeners) hear()
}

/** Offers these actions in the search box while the component is shown: those that the user may do now. */
export function useActions(actions: readonly Action[]): void {
  const latest = useLatest(actions)
  const titles = actions.map(({ title }) => title).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the titles say whether other actions are offered
  useEffect(() => {
    const offered = latest.current.map((action, at) => ({ ...action, run: () => latest.current[at]?.run() }))
    change([...registered, offered])
    return () => change(registered.filter((one) => one !== offered))
  }, [titles])
}

const subscribe = (hear: () => void): (() => void) => {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/** The actions of the screen; those of what is within it come first. */
export const useOfferedActions = (): readonly Action[] =>
  useSyncExternalStore(subscribe, () => registered)
    .toReversed()
    .flat()

import { useEffect, useSyncExternalStore } from 'react'
import type { IconName } from '../patterns/icon.tsx'
import { useLatest } from '../patterns/latest.ts'

/** What can be done on the screen that is shown, in a word or two. */
export type Deed = {
  readonly title: string
  readonly icon?: IconName
  readonly run: () => void
}

let registered: readonly (readonly Deed[])[] = []
const listeners = new Set<() => void>()

function change(next: readonly (readonly Deed[])[]): void {
  registered = next
  for (const hear of listeners) hear()
}

/** Offers these deeds in the search box while the component is shown: those that the user may do now. */
export function useDeeds(deeds: readonly Deed[]): void {
  const latest = useLatest(deeds)
  const titles = deeds.map(({ title }) => title).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the titles say whether other deeds are offered
  useEffect(() => {
    const offered = latest.current.map((deed, at) => ({ ...deed, run: () => latest.current[at]?.run() }))
    change([...registered, offered])
    return () => change(registered.filter((one) => one !== offered))
  }, [titles])
}

const subscribe = (hear: () => void): (() => void) => {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/** The deeds of the screen; those of what is within it come first. */
export const useOfferedDeeds = (): readonly Deed[] =>
  useSyncExternalStore(subscribe, () => registered)
    .toReversed()
    .flat()

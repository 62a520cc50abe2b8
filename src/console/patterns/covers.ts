import { useEffect, useSyncExternalStore } from 'react'

let covers = 0
const listeners = new Set<() => void>()

function change(by: 1 | -1): void {
  covers += by
  for (const hear of listeners) hear()
}

/** While a question, the search or the like is open, Esc is for that and not for the form beneath it. */
export function useCovers(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return
    change(1)
    // Not before the key that has closed it has gone everywhere.
    return () => void setTimeout(() => change(-1))
  }, [isOpen])
}

const subscribe = (hear: () => void): (() => void) => {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/** Whether something is open above the forms beside screens. */
export const useIsCovered = (): boolean => useSyncExternalStore(subscribe, () => covers > 0)

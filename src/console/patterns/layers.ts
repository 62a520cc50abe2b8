import { useId, useLayoutEffect, useSyncExternalStore } from 'react'

type Layer = {
  readonly id: string
  /** Nobody may go elsewhere before it is answered. */
  readonly isHolding: boolean
}

/** The forms, dialogs and questions that are open, the uppermost last. */
let layers: readonly Layer[] = []
const listeners = new Set<() => void>()

function change(next: readonly Layer[]): void {
  layers = next
  for (const hear of listeners) hear()
}

const subscribe = (hear: () => void): (() => void) => {
  listeners.add(hear)
  return () => listeners.delete(hear)
}

/**
 * Whether what is open here is above everything else that is open, so that Esc is for it. All dialogs hear that key,
 * and each would close by it.
 */
export function useOnTop(isOpen: boolean, isHolding = false): boolean {
  const id = useId()
  // Before it is painted, because who sees it may press the key.
  useLayoutEffect(() => {
    if (!isOpen) return
    change([...layers, { id, isHolding }])
    // Not before the key that has closed it has gone everywhere.
    return () => void setTimeout(() => change(layers.filter((one) => one.id !== id)))
  }, [id, isOpen, isHolding])
  return useSyncExternalStore(subscribe, () => layers.at(-1)?.id === id)
}

/** Whether something has to be answered first, a question or what is shown only once. */
export const isHeld = (): boolean => layers.at(-1)?.isHolding ?? false

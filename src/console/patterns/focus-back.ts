import { useEffect, useState } from 'react'

/** Gives the focus to what had it before, where that is still there, and otherwise to the screen. */
export function focusBack(before: Element | null): void {
  if (before instanceof HTMLElement && before !== document.body && before.isConnected)
    before.focus({ preventScroll: true })
  if (document.activeElement !== before || before === document.body)
    document.querySelector('main')?.focus({ preventScroll: true })
}

/**
 * When a dialog goes, the focus goes back to what had it before; where that is gone too, to the screen. For dialogs
 * that are there as long as they are open: what Mantine does by itself needs one that is there before it is opened.
 */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () =>
      void requestAnimationFrame(() => {
        // Whatever took the focus meanwhile keeps it.
        if (document.activeElement === document.body) focusBack(before)
      }),
    [before],
  )
}

import { type RefObject, useEffect } from 'react'

/**
 * Browsers give the focus to the body when what has it goes away, such as the row of a session that was ended or of a
 * list that makes way, or cannot be pressed for a while, such as a button whose action is under way. Here the screen
 * gets it in the first case, and the button gets it back in the second. What goes with a dialog is the dialog's own
 * matter.
 */
export function useFocusKept(screen: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const main = screen.current
    if (main === null) return undefined
    let last: HTMLElement = main
    let isOfScreen = true
    let wasOff = false
    const hear = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) last = target
      isOfScreen = main.contains(last)
      wasOff = false
    }
    const look = () => {
      const isThere = last.isConnected
      // The browser takes the focus from it only when it draws the page.
      if (isThere && last.matches(':disabled')) wasOff = true
      else if (document.activeElement !== document.body) return
      else if (!isThere && isOfScreen) main.focus({ preventScroll: true })
      else if (isThere && wasOff) last.focus({ preventScroll: true })
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    document.addEventListener('focusin', hear)
    return () => {
      watcher.disconnect()
      document.removeEventListener('focusin', hear)
    }
  }, [screen])
}

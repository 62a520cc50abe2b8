import { type RefObject, useEffect } from 'react'

/** A dialog gives the focus back within so long after it has gone. */
const afterDialogMs = 50

type PlaceOfFocus = {
  readonly element: HTMLElement
  /** The row that it was in; null: it was in none. */
  readonly row: { readonly list: Element; readonly index: string } | null
}

function rowOf(element: Element): PlaceOfFocus['row'] {
  const row = element.closest('[data-index]')
  const list = row?.closest('[data-list]')
  return row && list ? { list, index: row.getAttribute('data-index') ?? '' } : null
}

/** The row that now is where one was that is gone; otherwise the screen. */
const inPlaceOf = ({ row }: PlaceOfFocus, main: HTMLElement): HTMLElement =>
  (row?.list.isConnected && row.list.querySelector<HTMLElement>(`[data-index="${row.index}"] [data-row-link]`)) || main

/**
 * Browsers give the focus to the body when what has it goes away, such as the row of a session that was ended or of a
 * list that makes way, or cannot be pressed for a while, such as a button whose action is under way. Here the row that
 * is in its place gets it in the first case, or else the screen, and the button gets it back in the second. What goes
 * with a dialog is the dialog's own matter, unless what had the focus before is gone as well.
 */
export function useFocusKept(screen: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const main = screen.current
    if (main === null) return undefined
    let last: HTMLElement = main
    let isOfScreen = true
    let lastOfScreen: PlaceOfFocus = { element: main, row: null }
    let wasOff = false
    let late = 0
    const hear = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement) last = target
      isOfScreen = main.contains(last)
      if (isOfScreen) lastOfScreen = { element: last, row: rowOf(last) }
      wasOff = false
    }
    const look = () => {
      const isThere = last.isConnected
      // The browser takes the focus from it only when it draws the page.
      if (isThere && last.matches(':disabled')) wasOff = true
      else if (document.activeElement !== document.body) return
      else if (!isThere && isOfScreen) inPlaceOf(lastOfScreen, main).focus({ preventScroll: true })
      else if (!isThere && !lastOfScreen.element.isConnected) {
        clearTimeout(late)
        late = setTimeout(() => {
          if (document.activeElement === document.body) inPlaceOf(lastOfScreen, main).focus({ preventScroll: true })
        }, afterDialogMs)
      } else if (isThere && wasOff) last.focus({ preventScroll: true })
    }
    const watcher = new MutationObserver(look)
    watcher.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    document.addEventListener('focusin', hear)
    return () => {
      watcher.disconnect()
      clearTimeout(late)
      document.removeEventListener('focusin', hear)
    }
  }, [screen])
}

import { type RefObject, useEffect } from 'react'
import { isTyping } from '../../frame/keys.ts'
import { useLatest } from '../latest.ts'

type Moves = {
  readonly count: number
  readonly scrollTo: (index: number) => void
  readonly mark: ((index: number) => void) | null
}

/**
 * `j` and `k` walk through the rows of a list, `x` marks the one that has the focus, `a` leads past all rows to what
 * may be done with the marked ones; Enter opens a row, as any link.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, moves: Moves): void {
  const latest = useLatest(moves)
  useEffect(() => {
    const indexOf = (element: Element | null) =>
      Number(element?.closest('[data-index]')?.getAttribute('data-index') ?? -1)
    const focus = (index: number) => {
      latest.current.scrollTo(index)
      requestAnimationFrame(() =>
        list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-link]`)?.focus(),
      )
    }
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (document.querySelector('[role=dialog]')) return
      const { count, mark } = latest.current
      const at = list.current?.contains(document.activeElement) ? indexOf(document.activeElement) : -1
      if (event.code === 'KeyJ') focus(Math.min(count - 1, at + 1))
      else if (event.code === 'KeyK') focus(Math.max(0, at - 1))
      else if (event.code === 'KeyX' && at >= 0 && mark) mark(at)
      else if (event.code === 'KeyA' && toolbarOf(list.current)) toolbarOf(list.current)?.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [list])
}

/** What may be done first with the marked rows of a list; null where none is marked. */
const toolbarOf = (list: HTMLElement | null): HTMLElement | null =>
  list?.parentElement?.querySelector<HTMLElement>('[role=toolbar] button') ?? null

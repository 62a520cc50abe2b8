import { useEffect } from 'react'

/**
 * The title of the document: what is shown, then whose console it is. What goes, such as a form beside a card, gives
 * back the title before.
 */
export function useTitle(...parts: readonly (string | null | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'Tollgate'].join(' · ')
  useEffect(() => {
    const before = document.title
    document.title = title
    return () => {
      if (document.title === title) document.title = before
    }
  }, [title])
}

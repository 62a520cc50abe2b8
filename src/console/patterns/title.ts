import { useEffect } from 'react'

/** The title of the document: what is shown, then whose console it is. */
export function useTitle(...parts: readonly (string | null | undefined)[]): void {
  const title = [...parts.filter((part) => part), 'Tollgate'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}

import { useEffect, useRef } from 'react'

/**
 * What was drawn last, for whoever asks later: a key, a timer or an answer. It stays the same object, so no effect
 * begins anew because of it (`biome.json` knows that).
 */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}

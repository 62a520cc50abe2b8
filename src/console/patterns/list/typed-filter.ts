import { useEffect, useRef, useState } from 'react'
import { useAddressFilters } from './address.ts'

const typingPauseMs = 250

/**
 * What stands in a field for a filter of the address. The address follows when the typing pauses, and some time after
 * that on a busy machine: what comes of one's own typing then takes no letter away. What has changed the address
 * otherwise, such as Back or a link, changes the field.
 */
export function useTypedFilter(name: string, pauseMs = typingPauseMs) {
  const [{ [name]: text = '' }, change] = useAddressFilters()
  const [typed, setTyped] = useState(text)
  const shown = useRef(text)
  /** What the address was told, and does not have yet. */
  const sent = useRef<readonly string[]>([])
  useEffect(() => {
    if (text === shown.current) return
    shown.current = text
    const at = sent.current.indexOf(text)
    if (at === -1) setTyped(text)
    sent.current = at === -1 ? [] : sent.current.slice(at + 1)
  }, [text])
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === (sent.current.at(-1) ?? shown.current)) return
    const timer = setTimeout(() => {
      sent.current = [...sent.current, wanted]
      change({ [name]: wanted || undefined }, { replaces: true })
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [typed, name, change, pauseMs])
  return [typed, setTyped] as const
}

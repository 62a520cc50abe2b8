import { useEffect, useRef, useState } from 'react'
import { useLatest } from '../latest.ts'

const typingPauseMs = 250

/**
 * What stands in a field for a filter of the address. The address follows when the typing pauses, and some time after
 * that on a busy machine: what comes of one's own typing then takes no letter away. What has changed the address
 * otherwise, such as Back or a link, changes the field.
 */
export function useTypedFilter(text: string, onPause: (typed: string) => void, pauseMs = typingPauseMs) {
  const [typed, setTyped] = useState(text)
  const shown = useRef(text)
  /** What the address was told, and does not have yet. */
  const sent = useRef<readonly string[]>([])
  const latest = useLatest(onPause)
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
      latest.current(wanted)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [typed, pauseMs])
  return [typed, setTyped] as const
}

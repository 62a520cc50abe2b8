import { useCallback, useEffect, useRef, useState } from 'react'
import { useLive } from '../../live/use-live.ts'
import { eventsOf, type LiveEvent, withEvents } from './events.ts'

/** A network that reboots tells of thousands of sessions a second; the screen is drawn some times a second. */
const drawMs = 250

/** The events as they come. While it is paused they are kept, and counted. */
export function useFeed() {
  const [shown, setShown] = useState<readonly LiveEvent[]>([])
  const [waiting, setWaiting] = useState(0)
  const [isPaused, setPaused] = useState(false)
  const all = useRef<readonly LiveEvent[]>([])
  const fresh = useRef<LiveEvent[]>([])
  const counted = useRef(0)
  const timer = useRef(0)
  const paused = useRef(false)
  const draw = useCallback(() => {
    timer.current = 0
    const known = new Set(all.current)
    all.current = withEvents(all.current, fresh.current)
    // What a snapshot repeats is nothing new.
    counted.current += all.current.filter((event) => !known.has(event)).length
    fresh.current = []
    if (paused.current) return setWaiting(counted.current)
    counted.current = 0
    setShown(all.current)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive(['sessions', 'radius', 'blocks', 'finance'], (frame) => {
    const events = eventsOf(frame)
    if (events.length === 0) return
    fresh.current.push(...events)
    timer.current ||= setTimeout(draw, drawMs)
  })
  const pause = (isOn: boolean) => {
    paused.current = isOn
    counted.current = 0
    setPaused(isOn)
    setWaiting(0)
    if (!isOn) draw()
  }
  return { shown, isPaused, waiting, pause }
}

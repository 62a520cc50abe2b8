import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Endpoint } from '../api/client.ts'
import { follow, forget } from '../api/use-endpoint.ts'
import { listUnderHand } from './hand.ts'
import type { Frame } from './socket.ts'
import { useLive, useLiveState } from './use-live.ts'

/** How often it is looked whether the hand has gone that rows would move under. */
const lookMs = 250

const changesWhatIsShown = ({ type }: Frame): boolean => type !== 'session.updated'

/**
 * What is shown of these endpoints follows the events of the topics that count, such as of a session that begins or
 * ends. Many events at once ask the endpoints once, `pauseMs` after the first of them. A connection that comes back
 * asks them as well, because nobody tells what has happened meanwhile. What the list shows that a hand is busy with
 * waits for the hand.
 */
export function useFollowing(
  topics: readonly string[],
  endpoints: readonly Extract<Endpoint, `GET ${string}`>[],
  pauseMs: number,
  counts: (frame: Frame) => boolean = changesWhatIsShown,
): void {
  const queries = useQueryClient()
  const timer = useRef(0)
  const waiting = useRef(0)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      clearTimeout(waiting.current)
    },
    [],
  )
  const ask = (due: typeof endpoints, anew: typeof follow) => {
    const held = listUnderHand()
    const [kept, free] = [due.filter((one) => one === held), due.filter((one) => one !== held)]
    clearTimeout(waiting.current)
    if (kept.length > 0) waiting.current = setTimeout(ask, lookMs, kept, anew)
    if (free.length > 0) void anew(queries, free)
  }
  const state = useLiveState()
  const wasLost = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the connection alone says that something was missed
  useEffect(() => {
    if (state === 'open' && wasLost.current && topics.length > 0) ask(endpoints, forget)
    wasLost.current = state === 'lost'
  }, [state])
  useLive(topics, (frame) => {
    if (frame.type === 'snapshot' || timer.current !== 0 || !counts(frame)) return
    timer.current = setTimeout(() => {
      timer.current = 0
      ask(endpoints, follow)
    }, pauseMs)
  })
}

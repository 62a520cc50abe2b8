import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Endpoint } from '../api/client.ts'
import { follow, forget } from '../api/use-endpoint.ts'
import { isHandOnRow } from './hand.ts'
import type { Frame } from './socket.ts'
import { useLive, useLiveState } from './use-live.ts'

/** How often, and how many times, it is looked whether the hand has gone that rows would move under. */
const hand = { ms: 250, looks: 20 } as const

const changesWhatIsShown = ({ type }: Frame): boolean => type !== 'session.updated'

/**
 * What is shown of these endpoints follows the events of the topics that count, such as of a session that begins or
 * ends. Many events at once ask the endpoints once, `pauseMs` after the first of them. A connection that comes back
 * asks them as well, because nobody tells what has happened meanwhile.
 */
export function useFollowing(
  topics: readonly string[],
  endpoints: readonly Extract<Endpoint, `GET ${string}`>[],
  pauseMs: number,
  counts: (frame: Frame) => boolean = changesWhatIsShown,
): void {
  const queries = useQueryClient()
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const state = useLiveState()
  const wasLost = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the connection alone says that something was missed
  useEffect(() => {
    if (state === 'open' && wasLost.current && topics.length > 0) void forget(queries, endpoints)
    wasLost.current = state === 'lost'
  }, [state])
  const ask = (looks: number) => {
    timer.current = looks > 0 && isHandOnRow() ? setTimeout(ask, hand.ms, looks - 1) : 0
    if (timer.current === 0) void follow(queries, endpoints)
  }
  useLive(topics, (frame) => {
    if (frame.type === 'snapshot' || timer.current !== 0 || !counts(frame)) return
    timer.current = setTimeout(ask, pauseMs, hand.looks)
  })
}

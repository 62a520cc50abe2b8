import { useEffect, useSyncExternalStore } from 'react'
import { useLatest } from '../patterns/latest.ts'
import { type Frame, LiveSocket, type LiveState } from './socket.ts'

export const liveSocket = new LiveSocket()

export const useLiveState = (): LiveState => useSyncExternalStore(liveSocket.watch, () => liveSocket.state)

/**
 * Hears the frames of topics while the component is shown: first a snapshot of each (`type: 'snapshot'`, `topic`), then
 * every event. After a lost connection the snapshots come again.
 */
export function useLive(topics: readonly string[], hearer: (frame: Frame) => void): void {
  const latest = useLatest(hearer)
  const name = topics.join(' ')
  useEffect(() => liveSocket.hear(name === '' ? [] : name.split(' '), (frame) => latest.current(frame)), [name])
}

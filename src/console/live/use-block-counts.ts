import { useEffect, useRef, useState } from 'react'
import { liveSocket, useLive } from './use-live.ts'

/** How many subscribers are blocked, in all and by the reason. */
type BlockCounts = { readonly blocked: number; readonly b_negbal: number }

/** A run of charges blocks thousands at once; the server counts them at most so often. */
const pauseMs = 3_000

/** The numbers of blocked subscribers as they are now; null while they are not known. */
export function useBlockCounts(): BlockCounts | null {
  const [counts, setCounts] = useState<BlockCounts | null>(null)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive(['blocks'], (frame) => {
    if (frame.type === 'snapshot' && frame.topic === 'blocks') setCounts(frame.counts as BlockCounts | null)
    if (frame.type !== 'block.changed' || timer.current !== 0) return
    timer.current = setTimeout(() => {
      timer.current = 0
      liveSocket.askAgain('blocks')
    }, pauseMs)
  })
  return counts
}

import { useEffect, useRef, useState } from 'react'
import { isSnapshot } from './socket.ts'
import { liveSocket, useLive } from './use-live.ts'

/** A run of charges blocks thousands at once; the server counts them at most so often. */
const pauseMs = 3_000

/** The last numbers of each topic, so that what shows them has them also where no snapshot comes. */
const known = new Map<string, unknown>()

/** The numbers that the last snapshot of a topic had; null: they have never been known. */
function useCounts<Counts>(topic: string, changed: string): Counts | null {
  const [counts, setCounts] = useState((known.get(topic) ?? null) as Counts | null)
  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive([topic], (frame) => {
    if (isSnapshot(frame, topic) && frame.counts !== null) {
      known.set(topic, frame.counts)
      setCounts(frame.counts as Counts)
    }
    if (frame.type !== changed || timer.current !== 0) return
    timer.current = setTimeout(() => {
      timer.current = 0
      liveSocket.askAgain(topic)
    }, pauseMs)
  })
  return counts
}

/** How many subscribers are blocked, in all and by the reason. */
type BlockCounts = { readonly blocked: number; readonly b_negbal: number }
export const useBlockCounts = () => useCounts<BlockCounts>('blocks', 'block.changed')

/** Tickets that are not closed: all, those of the reader, and those that the reader has not read. */
type TicketCounts = { readonly open: number; readonly mine: number; readonly unread: number }
export const useTicketCounts = () => useCounts<TicketCounts>('tickets', 'ticket.changed')

import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect } from 'react'
import { useListKeys } from './list-keys.ts'
import type { View } from './view.ts'

/** How many rows before the end the next page is asked for. */
const nearRows = 20

/** Only the rows on the screen are drawn, whatever there is. Calls `onNear` when the end comes near. */
export function useVirtualRows<Row>(view: View<Row>, rowHeight: number) {
  const { rows, scroller, onNear, canGoOn, marks, onMark } = view
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  const isNear = rows.length > 0 && last >= rows.length - nearRows
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each end of the rows, when they can go on
  useEffect(() => {
    if (isNear) onNear()
  }, [isNear, rows.length, canGoOn])
  useListKeys(scroller, {
    count: rows.length,
    scrollTo: (index) => virtual.scrollToIndex(index),
    mark: marks && ((index) => rows[index] !== undefined && onMark(rows[index])),
  })
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return { items, before, after, measure: virtual.measureElement }
}

import { type Mark, readMarks, writeMarks } from './spans.ts'
import type { MarkRow, TrafficStore } from './traffic-store.ts'

/**
 * Makes the marks of all nodes those of this program. To be called where there is only one program again, as after a
 * restore into a data folder.
 */
export async function gatherNodes(store: TrafficStore): Promise<void> {
  const rows = await store.nodeMarks()
  if (rows === null) return
  await store.replaceNodes([...Map.groupBy(rows, ({ block }) => block)].map(([block, own]) => together(block, own)))
}

/** A session that went from one to another may have marks of both; the later one has more. */
function together(block: number, rows: readonly MarkRow[]): MarkRow {
  const marks = new Map<number, Mark>()
  for (const { sessions } of rows)
    for (const mark of readMarks(sessions).values()) {
      const known = marks.get(mark.id)
      if (!known || known.input + known.output < mark.input + mark.output) marks.set(mark.id, mark)
    }
  const inOrder = [...marks.values()].sort((a, b) => a.id - b.id)
  return { block, nextId: Math.max(...rows.map(({ nextId }) => nextId)), sessions: writeMarks(inOrder) }
}

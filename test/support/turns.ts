import { setImmediate as nextTurn } from 'node:timers/promises'

/** Does `work`, and `deed` in each turn of the event loop that everything else has meanwhile, and once more after it. */
export async function inEachTurn<T>(deed: () => void, work: () => Promise<T>): Promise<T> {
  let isOver = false
  const others = (async () => {
    for (; !isOver; await nextTurn()) deed()
    deed()
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await others
  }
}

import { setTimeout as pause } from 'node:timers/promises'

/**
 * A wait takes no processor from what is waited for: each pause is twice as long as the one before, up to the first of
 * these, and where it lasts for seconds up to a twentieth of what has been waited, and to the second.
 */
const [usualMs, longestMs] = [20, 100]

/** The first answer that is as wanted; tap's own timeout ends a wait in vain. */
export async function untilAnswer<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const beganMs = performance.now()
  for (let pauseMs = 1; ; pauseMs *= 2) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    const waitedMs = performance.now() - beganMs
    pauseMs = Math.min(pauseMs, Math.max(usualMs, waitedMs / 20), longestMs)
    await pause(pauseMs)
  }
}

/** Asks again until it is so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilAnswer(condition, (isSo) => isSo)
}

import { setTimeout as pause } from 'node:timers/promises'

/** A wait takes no processor from what is waited for: each pause is twice as long as the one before, up to this one. */
const longestMs = 20

/** The first answer that is as wanted; tap's own timeout ends a wait in vain. */
export async function untilAnswer<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await pause(pauseMs)
  }
}

/** Asks again until it is so. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilAnswer(condition, (isSo) => isSo)
}

import type { Locator } from 'playwright-core'

/**
 * In how many clicks each of an operator's daily tasks has to be done by screen, typing and keys not counted.
 * docs/console.md says what they are and which test does each of them; test/docs.test.ts compares the two.
 */
export const clicksOf = {
  ...{ 'task 1': 8, 'task 2': 2, 'task 3': 2, 'task 4': 3, 'task 5': 4, 'task 6': 3, 'task 7': 3, 'task 8': 2 },
  ...{ 'task 9': 4, 'task 10': 3, 'task 11': 3, 'task 12': 6, 'task 13': 4, 'task 14': 4, 'task 15': 3, 'task 16': 3 },
  ...{ 'task 17': 5, 'task 18': 3, 'task 19': 3, 'task 20': 3, 'task 21': 3, 'task 22': 2, 'task 23': 3, 'task 24': 5 },
  ...{ 'task 25': 2, 'task 26': 5, 'task 27': 5, 'task 28': 3, 'task 29': 2, 'task 30': 3, 'task 31': 1 },
} as const

type Judge = { ok(isSo: boolean, says: string): unknown }

/** Clicks as a hand makes them. */
export class Hand {
  clicks = 0

  async click(what: Locator): Promise<void> {
    this.clicks++
    await what.click()
  }

  /** A task was done, in no more clicks than it may take; the next one begins. */
  did(t: Judge, task: keyof typeof clicksOf): void {
    t.ok(this.clicks > 0 && this.clicks <= clicksOf[task], `${task}: ${this.clicks} of ${clicksOf[task]} clicks`)
    this.clicks = 0
  }
}

import type { Test } from 'tap'

type OnError = (error: unknown, origin: string) => void

/**
 * Stands in for the class of async-hook-domain, by which tap learns in which test an error was thrown that nobody
 * caught. That package follows every promise to its end with async hooks, a quarter of the CPU time of a run. The tests
 * of a room run one after the other, so such an error is of the innermost test that runs.
 */
export class Domain {
  readonly onerror: OnError

  constructor(onerror: OnError) {
    this.onerror = onerror
  }

  destroy(): void {}
}

/** From now on an error that nobody caught fails the innermost running test of `root`, and the test ends with it. */
export function failOnUncaught(root: Test): void {
  const running = [root]
  const follow = (test: Test): void => {
    test.on('subtestStart', (subtest) => {
      running.push(subtest as Test)
      follow(subtest as Test)
    })
    test.on('subtestEnd', (subtest) => {
      const at = running.indexOf(subtest as Test)
      if (at > 0) running.splice(at)
    })
  }
  follow(root)
  process.on('uncaughtException', (error, origin) => {
    // When all tests have ended nothing is left that could fail but the process.
    process.exitCode = 1
    running.at(-1)!.hookDomain.onerror(error, origin)
  })
}

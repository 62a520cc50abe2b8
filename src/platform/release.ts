import { readFileSync } from 'node:fs'

/** Of this program. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/**
 * The oldest release whose programs may serve a database whose tables are of this release: the minor release before.
 * A migration takes away nothing that it uses (CONTRIBUTING.md, "Tables that two releases use").
 */
export const oldestBeside = '0.1.0'

/** Whether a release came before another one. */
export function isBefore(one: string, other: string): boolean {
  const [left, right] = [one, other].map((release) => release.split(/[.-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ]
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && left[at]! < right[at]!
}

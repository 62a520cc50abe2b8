import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the data of a release is to be like under every later one. */
export type Expected = {
  /** Balances by the id of the account. */
  readonly balances: Readonly<Record<string, number>>
  /** How logins without a session are answered by RADIUS. */
  readonly answers: Readonly<Record<string, string>>
  readonly contractNumberPattern: string
}

/** Archives `<version>.tar`, with `<version>.json` beside each. */
export const upgradesFolder = fileURLToPath(new URL('.', import.meta.url))

/** What seals the archives. They are of invented people, so that everybody may know it. */
export const passphraseFile = join(upgradesFolder, 'passphrase')

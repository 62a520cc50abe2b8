// Plain JavaScript, for the build by an older Node as for the program.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the operators' console. */
export const source = fileURLToPath(new URL('../src/console', import.meta.url))

/** The SHA-256 of its files, by which a build that is older than they are is known. */
export function digestOfSource() {
  const hash = createHash('sha256')
  const names = readdirSync(source, { recursive: true }).map(String).sort()
  for (const name of names.filter((one) => extname(one) !== ''))
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(source, name)))
  return hash.digest('hex')
}

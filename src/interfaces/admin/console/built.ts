import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { digestOfSource, source } from '../../../../bin/console-source.js'

/** What bin/build-console.js says of its build. */
export type BuiltConsole = {
  /** The SHA-256 of the source that it was made of. */
  readonly source: string
  /** The script that runs before the page is painted. */
  readonly boot: string
  readonly script: string
  readonly styles: readonly string[]
  /** What the script imports, so that a browser asks for all of it at once. */
  readonly preloads: readonly string[]
  readonly files: readonly string[]
}

const folder = fileURLToPath(new URL('../../../../build/console/', import.meta.url))

/** The output of bin/build-console.js; null: the console was not built. */
export function readBuilt(): BuiltConsole | null {
  const file = `${folder}built.json`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BuiltConsole) : null
}

/** A file of the build, in one of its forms. Null: this form was not made. */
export function readBuiltFile(name: string, ending: '' | '.br' | '.gz'): Buffer | null {
  const file = `${folder}assets/${name}${ending}`
  return existsSync(file) ? readFileSync(file) : null
}

/** The source is read once: a process has the server's part of one version only. */
let presentDigest: string | null = null

/** What is wrong with the build, as a sentence for the log that says what to do; null: nothing. */
export function faultOfBuild(built: BuiltConsole | null): string | null {
  if (!built)
    return "The operators' console is not built; everything else works. `npm ci && npm run console` builds it."
  // A package of the program may leave its source out.
  if (!existsSync(source)) return null
  presentDigest ??= digestOfSource()
  if (built.source === presentDigest) return null
  return "The operators' console is older than its source; `npm run console` builds it anew."
}

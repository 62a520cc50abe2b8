import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../', import.meta.url))

/** A package of npm that is part of what a user gets. */
export type Shipped = {
  readonly name: string
  readonly version: string
  /** As its description says, an SPDX expression. */
  readonly licence: string
  /** Null: it is for another platform, and not installed here. */
  readonly folder: string | null
}

type Locked = {
  readonly version?: string
  readonly dev?: boolean
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Packages that the program needs, and those that the bundle of the console is made of. In the order of their names. */
export function shippedPackages(): Shipped[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  const bundled = bundledPaths(lock.packages)
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && (dev !== true || bundled.has(path)))
    .map(([path, { version = '', license = '' }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      folder: existsSync(join(root, path)) ? join(root, path) : null,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What the sources of the console import, and what that needs in turn. */
function bundledPaths(packages: Readonly<Record<string, Locked>>): ReadonlySet<string> {
  const found = new Set<string>()
  const take = (name: string) => {
    const path = `node_modules/${name}`
    const locked = packages[path]
    if (locked === undefined || found.has(path)) return
    found.add(path)
    for (const needed of Object.keys(locked.dependencies ?? {})) take(needed)
  }
  for (const file of globSync('src/console/**/*.{ts,tsx}', { cwd: root })) {
    const source = readFileSync(join(root, file), 'utf8')
    for (const [, name] of source.matchAll(/^(?:import|\} from|import .* from)\s*.*?'((?:@[\w-]+\/)?[\w.-]+)/gm))
      take(name!)
  }
  return found
}

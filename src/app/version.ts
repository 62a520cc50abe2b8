import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Digits of a commit that are shown; git's own abbreviation has about as many. */
const shownDigits = 10

/**
 * The commit that this program is of, shortened; null where nobody knows. In a checkout it is read from `.git`, where
 * no git has to be installed; a package has it in `build/commit`, which the release writes.
 */
export function commitOf(folder = root): string | null {
  const written = join(folder, 'build', 'commit')
  const commit = headOf(join(folder, '.git')) ?? (existsSync(written) ? readFileSync(written, 'utf8').trim() : null)
  return commit === null ? null : commit.slice(0, shownDigits)
}

/** What HEAD of a repository means (gitrepository-layout(5)); null: there is no repository, or no commit in it. */
function headOf(path: string): string | null {
  try {
    const git = gitFolder(path)
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim()
    const name = /^ref: (.+)$/.exec(head)?.[1]
    if (name === undefined) return head
    // The branches of a second worktree are those of the repository.
    const common = existsSync(join(git, 'commondir'))
      ? resolve(git, readFileSync(join(git, 'commondir'), 'utf8').trim())
      : git
    if (existsSync(join(common, name))) return readFileSync(join(common, name), 'utf8').trim()
    const packed = readFileSync(join(common, 'packed-refs'), 'utf8')
    return (
      packed
        .split('\n')
        .find((line) => line.endsWith(` ${name}`))
        ?.split(' ')[0] ?? null
    )
  } catch {
    return null
  }
}

/** In a second worktree `.git` is a file that names the folder. */
function gitFolder(path: string): string {
  if (existsSync(join(path, 'HEAD'))) return path
  const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))![1]!
  return resolve(dirname(path), named)
}

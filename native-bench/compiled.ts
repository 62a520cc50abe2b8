import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { missing } from './missing.ts'

const built = join(import.meta.dirname, 'build')

/**
 * The path of a program made of C files of one folder here, compiled when anything in the folder is newer. Throws
 * Missing where there is no compiler.
 */
export function compiled(program: string, folder: string, parts: readonly string[]): string {
  const path = join(built, program)
  const sources = join(import.meta.dirname, folder)
  const newest = Math.max(...globSync(`${sources}/*`).map((file) => statSync(file).mtimeMs))
  if (existsSync(path) && statSync(path).mtimeMs > newest) return path
  mkdirSync(built, { recursive: true })
  const files = parts.map((part) => join(sources, `${part}.c`))
  try {
    execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', path, ...files], { stdio: 'pipe' })
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    const text = String(stderr ?? '')
    // Without libc6-dev there is a compiler, and no headers for it.
    if (code === 'ENOENT' || /fatal error: std\w+\.h/.test(text)) throw missing('a C compiler', 'gcc libc6-dev')
    throw new Error(`gcc refused ${program}:\n${text}`)
  }
  return path
}

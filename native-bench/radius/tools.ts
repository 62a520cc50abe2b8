import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missing } from '../missing.ts'

const sources = fileURLToPath(new URL('../radius-load', import.meta.url))
const built = fileURLToPath(new URL('../build', import.meta.url))

const parts = {
  'radius-load': ['load', 'options', 'requests', 'answers', 'report', 'histogram', 'packet', 'md5', 'ms-chap'],
  'radius-floor': ['floor', 'packet', 'md5'],
} as const

export type Tool = keyof typeof parts

/** The path of a program of radius-load/, compiled when its sources are newer. Throws Missing where there is no compiler. */
export function toolPath(tool: Tool): string {
  const path = join(built, tool)
  const newest = Math.max(...globSync(`${sources}/*`).map((file) => statSync(file).mtimeMs))
  if (existsSync(path) && statSync(path).mtimeMs > newest) return path
  mkdirSync(built, { recursive: true })
  const files = parts[tool].map((part) => join(sources, `${part}.c`))
  try {
    execFileSync('gcc', ['-O2', '-Wall', '-Wextra', '-Werror', '-o', path, ...files], { stdio: 'pipe' })
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    const text = String(stderr ?? '')
    // Without libc6-dev there is a compiler, and no headers for it.
    if (code === 'ENOENT' || /fatal error: std\w+\.h/.test(text)) throw missing('a C compiler', 'gcc libc6-dev')
    throw new Error(`gcc refused ${tool}:\n${text}`)
  }
  return path
}

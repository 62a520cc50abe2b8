#!/usr/bin/env node
// Compiles the addon for UDP in batches. Run by npm after an install, and by hand as `npm run compile`; with `arm64` or `x64` as its
// argument for that processor, by Debian's compiler for it. It is never required, so an install never fails for it. Plain
// JavaScript: the Node that npm runs on may be an older one.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sources = join(root, 'src', 'network', 'radius', 'udp')
// Overflows end the program instead of running on, and what the loader has resolved cannot be written again.
const hardening = ['-D_FORTIFY_SOURCE=3', '-fstack-protector-strong', '-Wl,-z,relro,-z,now']
/** As GCC names the processors. */
const machines = { arm64: 'aarch64', x64: 'x86_64' }
const arch = process.argv[2] ?? process.arch
const say = (sentence) => process.stdout.write(`${sentence}\n`)
const without = 'RADIUS receives without it, through node:dgram.'

compile()

function compile() {
  if (process.platform !== 'linux') return say(`The addon for UDP in batches is for Linux. ${without}`)
  const headers = headersOfNode()
  if (headers === null) return say(`The headers of Node were not found, so the addon is not compiled. ${without}`)
  const compiler = compilers().find((name) => name && runs(name))
  if (!compiler) return say(`No C compiler (${packages()}), so the addon is not compiled. ${without}`)
  const build = join(root, 'build')
  const target = join(build, `batch-udp-${process.platform}-${arch}.node`)
  // Put in place at once: a program that runs keeps the file it has opened.
  const fresh = `${target}.${process.pid}`
  mkdirSync(build, { recursive: true })
  const flags = [
    '-O2',
    '-Wall',
    '-Wextra',
    '-fPIC',
    '-shared',
    `-I${headers}`,
    `-DSOURCE_DIGEST="${digest()}"`,
    ...hardening,
  ]
  const { status, stderr, error } = spawnSync(compiler, [...flags, '-o', fresh, join(sources, 'batch-udp.c')], {
    encoding: 'utf8',
  })
  if (status === 0) {
    renameSync(fresh, target)
    return say('The addon for UDP in batches is compiled.')
  }
  rmSync(fresh, { force: true })
  say(`The addon for UDP in batches could not be compiled. ${without}\n${error?.message ?? stderr}`)
}

function headersOfNode() {
  const folders = [join(dirname(dirname(process.execPath)), 'include', 'node')]
  try {
    const ours = createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/package.json`)
    folders.unshift(join(dirname(ours), 'include', 'node'))
  } catch {
    // Not installed: an optional dependency.
  }
  return folders.find((folder) => existsSync(join(folder, 'node_api.h')) && existsSync(join(folder, 'uv.h'))) ?? null
}

function compilers() {
  return arch === process.arch ? [process.env.CC, 'cc', 'gcc', 'clang'] : [`${machines[arch]}-linux-gnu-gcc`]
}

/** Debian's, which have the compiler. */
function packages() {
  return arch === process.arch ? 'gcc and libc6-dev' : `gcc-${machines[arch]?.replace('_', '-')}-linux-gnu`
}

function runs(compiler) {
  return spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status === 0
}

function sourceNames() {
  return readdirSync(sources)
    .filter((name) => name.endsWith('.c') || name.endsWith('.h'))
    .sort()
}

/** The addon is taken only for the source it was made of (src/network/radius/udp/addon.ts). */
function digest() {
  const hash = createHash('sha256')
  for (const name of sourceNames()) hash.update(readFileSync(join(sources, name)))
  return hash.digest('hex')
}

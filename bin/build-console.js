#!/usr/bin/env node
// Builds the operators' console (src/console) into build/console. Run by npm after an install, and by hand as `npm run console`. An
// install never fails for it: where the packages of development are left out, the program says at its start how the console is made.
// Plain JavaScript: the Node that npm runs on may be an older one.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { digestOfSource, source } from './console-source.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, 'build', 'console')
const say = (sentence) => process.stdout.write(`${sentence}\n`)
const isInstall = process.env.npm_lifecycle_event === 'postinstall'

function hasPackages() {
  const { resolve } = createRequire(import.meta.url)
  try {
    for (const name of ['vite/package.json', 'react', '@mantine/core/styles.css', '@tanstack/react-router'])
      resolve(name)
    return true
  } catch {
    return false
  }
}

async function build() {
  const startedMs = performance.now()
  const fresh = `${target}.${process.pid}`
  try {
    const { build: bundle } = await import('vite')
    await bundle(options(fresh))
    await compress(join(fresh, 'assets'))
    writeFileSync(join(fresh, 'built.json'), JSON.stringify(description(fresh)))
    // Put in place at once: a program that starts meanwhile finds the old one or the new one, whole.
    rmSync(target, { recursive: true, force: true })
    mkdirSync(dirname(target), { recursive: true })
    renameSync(fresh, target)
    say(`The console is built in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const options = (outDir) => ({
  configFile: false,
  root: source,
  base: '/admin/assets/',
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir,
    assetsDir: 'assets',
    // Pictures in the bundle would be addresses with the scheme data:, which the policy of pages does not let in.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    emptyOutDir: true,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
    rolldownOptions: {
      // Mantine marks each of its files for servers that render React; there is none here.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
      input: { main: join(source, 'main.tsx'), boot: join(source, 'boot.ts') },
      // Otherwise each module that two screens share is a file of its own, and a screen makes fifty requests.
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: sharedBy, test: isSmall }] } },
    },
  },
  // The address of a file is /admin/assets/<name>, wherever it lies in the build.
  experimental: { renderBuiltUrl: (name) => `/admin/assets/${name.replace(/^assets\//, '')}` },
})

/** What so many screens use is one file, which each of them loads. */
const sharedBy = 3
/** Charts are large, and few screens have one. */
const isSmall = (id) => !/uplot|patterns\/chart/.test(id)

/** Beside each file its compressed forms, which are sent as they are. */
async function compress(folder) {
  const brotli = promisify(brotliCompress)
  const zip = promisify(gzip)
  const files = readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    files.map(async (name) => {
      const bytes = readFileSync(join(folder, name))
      const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      const [br, gz] = await Promise.all([brotli(bytes, { params }), zip(bytes, { level: 9 })])
      writeFileSync(join(folder, `${name}.br`), br)
      writeFileSync(join(folder, `${name}.gz`), gz)
    }),
  )
}

/** What the server needs to know of the build (src/interfaces/admin/console/built.ts). */
function description(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const entry = (name) => Object.values(manifest).find((one) => one.isEntry && one.name === name)
  const bare = (file) => file.replace(/^assets\//, '')
  const main = entry('main')
  const preloads = []
  const styles = [...(main.css ?? [])]
  const visit = (one) => {
    for (const name of one.imports ?? []) {
      const file = bare(manifest[name].file)
      if (preloads.includes(file)) continue
      preloads.push(file)
      styles.push(...(manifest[name].css ?? []))
      visit(manifest[name])
    }
  }
  visit(main)
  const files = readdirSync(join(folder, 'assets')).filter((name) => !['.br', '.gz'].includes(extname(name)))
  return {
    source: digestOfSource(),
    boot: bare(entry('boot').file),
    script: bare(main.file),
    styles: styles.map(bare),
    preloads,
    files,
  }
}

function fail(error) {
  say(`The console could not be built. Everything else works without it.\n${error?.stack ?? error}`)
  if (!isInstall) process.exitCode = 1
}

if (!existsSync(source)) say('There is no source of the console here, so it is not built.')
else if (!hasPackages())
  say('The console is not built: its packages are left out. `npm ci && npm run console` builds it.')
else await build().catch(fail)

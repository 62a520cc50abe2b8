import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, table } from './figures.ts'
import { Missing } from './missing.ts'
import { parts } from './parts.ts'
import { endDescendants } from './processes.ts'

/**
 * `npm run bench [-- part …] [--all] [--short]`: the parts, or those that are named, or also those that take long, beside
 * their peers in one run; prints one table and keeps it as JSON in native-bench/out. What a part needs and does not find
 * is said, and the others go on. Status 1 when a part failed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !(name in parts))
if (values.help || unknown.length > 0) {
  const rows = Object.entries(parts).map(
    ([name, { what, isAsked }]) => `  ${name.padEnd(12)} ${what}${isAsked ? ' (only when named, or with --all)' : ''}`,
  )
  say(`npm run bench [-- part …] [--all] [--short]\n${rows.join('\n')}`)
  if (unknown.length > 0) say(`Not a part: ${unknown.join(', ')}.`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

// Interrupted, a bench leaves no server behind.
process.on('exit', endDescendants)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const chosen = Object.entries(parts).filter(([name, { isAsked }]) =>
  positionals.length > 0 ? positionals.includes(name) : values.all || !isAsked,
)
const loadBefore = loadavg()[0]!
const figures: (Figure & { part: string })[] = []
const troubles: string[] = []
for (const [name, part] of chosen) {
  const startedMs = performance.now()
  try {
    const found = await part.measure({ short: values.short })
    figures.push(...found.map((figure) => ({ part: name, ...figure })))
  } catch (error) {
    const isMissing = error instanceof Missing
    troubles.push(isMissing ? `${name} is left out: ${error.message}` : `${name} failed: ${(error as Error).stack}`)
    if (!isMissing) process.exitCode = 1
  }
  process.stderr.write(`${name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`)
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const machine = {
  cpu: `${cpus().length} × ${cpus()[0]?.model}`,
  node: process.version,
  loadBefore,
  loadAfter: loadavg()[0]!,
}
say(`${machine.cpu}, Node ${machine.node}, ${commit}, load ${loadBefore.toFixed(1)} before\n\n${table(figures)}`)
for (const trouble of troubles) say(trouble)
mkdirSync('native-bench/out', { recursive: true })
const name = [commit, ...(values.all ? ['all'] : positionals)].join('-')
const takenAt = new Date().toISOString()
writeFileSync(`native-bench/out/${name}.json`, JSON.stringify({ commit, takenAt, machine, figures, troubles }, null, 2))
process.exit()

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run node-versions`: the whole suite once more on each version of Node that it should run on, from npm, which must
 * be reached; `npm run node-versions -- test/platform/http` runs some files. All but the first serve HTTP by node:http,
 * because uWebSockets.js has no binary for them. The status is 1 when anything failed.
 */
const versions = ['22.23.3', '24.21.0', '26.12.1']
const project = join(import.meta.dirname, '..')
const system = `node-${process.platform}-${process.arch}`

const results = versions.map((version) => {
  const { status } = spawnSync(installed(version), ['test/run.ts', ...process.argv.slice(2)], {
    cwd: project,
    stdio: 'inherit',
  })
  return { version, isWell: status === 0 }
})
for (const { version, isWell } of results) process.stdout.write(`Node.js ${version}: ${isWell ? 'passed' : 'FAILED'}\n`)
process.exit(results.every(({ isWell }) => isWell) ? 0 : 1)

/** The program of a version, kept for the next time. */
function installed(version: string): string {
  const folder = join(project, 'build', 'node-versions', version)
  const program = join(folder, 'node_modules', system, 'bin', 'node')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const wanted = `${system}@${version}`
  const { status } = spawnSync('npm', ['install', '--no-save', '--prefix', folder, wanted], { stdio: 'inherit' })
  if (status !== 0 || !existsSync(program)) throw new Error(`npm could not install ${wanted}.`)
  return program
}

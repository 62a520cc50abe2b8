#!/usr/bin/env node
// Plain JavaScript: an older Node must be able to read this far and hand over to the Node 22 that npm installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const wanted = 22
const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Our HTTP server is a binary for exactly this Node, and TypeScript is read as it is since 22.18.
const runsHere = Number(process.versions.node.split('.')[0]) === wanted && process.features.typescript === 'strip'

if (runsHere) await import('../src/main.ts')
else handOver()

function handOver() {
  const node = findNode()
  if (node === null) {
    process.stderr.write(
      `Tollgate needs Node.js ${wanted} (22.18 or newer), and this is ${process.version}. Run \`npm ci\` in ${root}: it installs a fitting one. Or call this command with Node.js ${wanted}.\n`,
    )
    process.exit(1)
  }
  const child = spawn(node, [join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill(name))
  child.once('error', (error) => {
    process.stderr.write(`Node.js ${wanted} at ${node} cannot be started: ${error.message}\n`)
    process.exit(1)
  })
  child.once('exit', (status, signal) => process.exit(status ?? 128 + (constants.signals[signal] ?? 0)))
}

function findNode() {
  const beside = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(beside)) return beside
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return null
  }
}

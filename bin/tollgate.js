#!/usr/bin/env node
// Plain JavaScript: an older Node must be able to read this far and hand over to the Node that npm installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const major = Number(process.versions.node.split('.')[0])
// TypeScript is read as it is since 22.18.
const runsHere = major >= 22 && process.features.typescript === 'strip'
// The binary of uWebSockets.js is for this one, so HTTP is cheaper there; the others serve it by node:http.
const isFastest = runsHere && major === 22
const node = isFastest ? null : findNode()

if (node !== null) handOver(node)
else if (runsHere) await import('../src/main.ts')
else {
  process.stderr.write(
    `Tollgate needs Node.js 22.18 or newer, and this is ${process.version}. Run \`npm ci\` in ${root}: it installs a fitting one. Or call this command with a newer Node.js.\n`,
  )
  process.exit(1)
}

function handOver(node) {
  const child = spawn(node, [join(root, 'src', 'main.ts'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => child.kill(name))
  child.once('error', (error) => {
    process.stderr.write(`Node.js at ${node} cannot be started: ${error.message}\n`)
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

import { runCommandLine } from './app/commands/command-line.ts'
import { commands } from './app/commands/list.ts'
import type { Log } from './platform/log.ts'

/** The process of a command line. */
async function main(): Promise<number> {
  const stderr = (text: string) => process.stderr.write(text)
  // The oldest that can read this far may lack what the rest needs; bin/tollgate.js and the npm scripts choose one.
  if (Number.parseInt(process.versions.node, 10) < 22) {
    stderr(`Tollgate needs Node.js 22.18 or newer, and this is ${process.version}. Use \`npx tollgate\`.\n`)
    return 1
  }
  const all = { ...commands, demo: () => import('./demo/command.ts') }
  return await runCommandLine(all, process.argv.slice(2), {
    env: process.env,
    stdout: (text) => process.stdout.write(text),
    stderr,
    onLog: (log) => process.on('uncaughtException', (error, origin) => endBroken(log, error, origin)),
  })
}

/** Nobody knows what state we are in: whoever supervises us starts a fresh process, and the tables tell it all. */
function endBroken(log: Log, error: unknown, origin: string): never {
  log.error(`The program has failed and ends (${origin}).`, { error })
  process.exit(1)
}

process.exit(await main())

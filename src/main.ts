/** The command line on one page. What a command does stands in its own file and is loaded only when it is asked for. */
import { type Command, CommandRefusal, helpOf, readArguments, table } from './app/commands/command.ts'
import { readConfig } from './app/config.ts'
import { createLog, type Log } from './platform/log.ts'
import { StartRefusal } from './platform/start-refusal.ts'
import { asUnavailable } from './platform/storage/unavailability.ts'

const commands = {
  serve: () => import('./app/commands/serve.ts'),
  demo: () => import('./demo/command.ts'),
  migrate: () => import('./app/commands/migrate.ts'),
  create_staff: () => import('./app/commands/create-staff.ts'),
  backfill_abonent_org: async () => ({ default: (await import('./app/commands/backfill.ts')).backfillAbonentOrg }),
  backfill_finops_org: async () => ({ default: (await import('./app/commands/backfill.ts')).backfillFinopsOrg }),
  import_subscribers: () => import('./app/commands/import-subscribers.ts'),
  check_schema: () => import('./app/commands/check-schema.ts'),
  secret_key: () => import('./app/commands/secret-key.ts'),
  verify_ledger: () => import('./app/commands/verify-ledger.ts'),
} as const

/** These run for a long time, so their log tells what they do; of the others it tells only trouble. */
const servants: readonly string[] = ['serve', 'demo']

async function main(args: readonly string[]): Promise<number> {
  // uWebSockets.js is a binary for this version; bin/tollgate.js and the npm scripts choose it by themselves.
  if (!process.version.startsWith('v22.'))
    throw new CommandRefusal(
      `Tollgate needs Node.js 22, and this is ${process.version}. Use \`npx tollgate\` or \`npm start\`.`,
    )
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(await overview())
    return name === undefined ? 1 : 0
  }
  if (!Object.hasOwn(commands, name))
    throw new CommandRefusal(`There is no command "${name}". \`tollgate --help\` lists them.`)
  const command: Command = (await commands[name as keyof typeof commands]()).default
  const asked = readArguments(name, command, rest)
  if (asked.kind === 'help') {
    process.stdout.write(helpOf(name, command))
    return 0
  }
  const reading = readConfig(process.env)
  if ('problems' in reading) throw new CommandRefusal(reading.problems.join('\n'))
  const { config, warnings } = reading
  const quiet = config.logLevel === 'info' && !servants.includes(name)
  const log = createLog({ level: quiet ? 'warn' : config.logLevel })
  process.on('uncaughtException', (error, origin) => endBroken(log, error, origin))
  for (const warning of warnings) log.warn(warning)
  const print = (line: string) => process.stdout.write(`${line}\n`)
  try {
    return (await command.run(asked.given, { config, log, print }, asked.operands)) ?? 0
  } catch (error) {
    if (isExpected(error)) throw error
    const away = asUnavailable(error)
    if (away) throw new CommandRefusal(`${away.message} ${config.databaseUrl === null ? '' : 'Check DATABASE_URL.'}`)
    const { code, message } = error as { code?: unknown; message?: string }
    if (config.databaseUrl !== null && refusalCodes.has(code))
      throw new CommandRefusal(`PostgreSQL refuses: ${message}. Correct DATABASE_URL.`)
    log.error(`The command ${name} has failed.`, { error })
    return 1
  }
}

/**
 * What PostgreSQL says of an address that is wrong: no such database, no such user, a wrong password, a right that is
 * missing.
 */
const refusalCodes: ReadonlySet<unknown> = new Set(['3D000', '28000', '28P01', '42501'])

/** Their message is for the operator and says everything. */
const isExpected = (error: unknown) => error instanceof CommandRefusal || error instanceof StartRefusal

/** Nobody knows what state we are in: whoever supervises us starts a fresh process, and the tables tell it all. */
function endBroken(log: Log, error: unknown, origin: string): never {
  log.error(`The program has failed and ends (${origin}).`, { error })
  process.exit(1)
}

async function overview(): Promise<string> {
  const rows = Object.entries(commands).map(async ([name, load]) => {
    const { about } = (await load()).default
    return [name, about] as const
  })
  const lines = ['Usage: tollgate <command> [options]', '', ...table(await Promise.all(rows))]
  return `${[...lines, '', '`tollgate <command> --help` tells more.'].join('\n')}\n`
}

try {
  process.exit(await main(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${isExpected(error) ? (error as Error).message : (error as Error).stack}\n`)
  process.exit(1)
}

import { createLog, type Log } from '../../platform/log.ts'
import { StartRefusal } from '../../platform/start-refusal.ts'
import { asUnavailable } from '../../platform/storage/unavailability.ts'
import { readConfig } from '../config.ts'
import { version } from '../../platform/release.ts'
import { commitOf } from '../version.ts'
import { type Command, CommandRefusal, helpOf, readArguments, table } from './command.ts'

export type Commands = Readonly<Record<string, () => Promise<{ readonly default: Command }>>>

/** What a process has and a command line is given. */
export type Surroundings = {
  readonly env: NodeJS.ProcessEnv
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Called with the log of the command before it runs. */
  readonly onLog?: (log: Log) => void
}

/** These run for a long time, so their log says what they do. That of other commands has warnings and errors only. */
const servants: readonly string[] = ['serve', 'demo']

/** Runs what the arguments ask for, and resolves with the exit status. A refusal is a sentence on standard error. */
export async function runCommandLine(
  commands: Commands,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  return await statusOf(surroundings, 1, () => run(commands, args, surroundings))
}

/** The exit status of the work, or `failed` with a sentence when it throws. */
async function statusOf({ stderr }: Surroundings, failed: number, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    stderr(`${isExpected(error) ? (error as Error).message : (error as Error).stack}\n`)
    return failed
  }
}

async function run(
  commands: Commands,
  [name, ...rest]: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { stdout } = surroundings
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    stdout(await overview(commands))
    return name === undefined ? 1 : 0
  }
  if (name === '--version') {
    const commit = commitOf()
    stdout(`Tollgate ${version}${commit === null ? '' : ` (${commit})`}\n`)
    return 0
  }
  if (!Object.hasOwn(commands, name))
    throw new CommandRefusal(`There is no command "${name}". \`tollgate --help\` lists them.`)
  const command = (await commands[name]!()).default
  return await statusOf(surroundings, failureOf(command), () => perform(name, command, rest, surroundings))
}

async function perform(
  name: string,
  command: Command,
  args: readonly string[],
  { env, stdout, stderr, onLog }: Surroundings,
): Promise<number> {
  const asked = readArguments(name, command, args)
  if (asked.kind === 'help') {
    stdout(helpOf(name, command))
    return 0
  }
  const reading = readConfig(env)
  if ('problems' in reading) throw new CommandRefusal(reading.problems.join('\n'))
  const { config, warnings } = reading
  const quiet = config.logLevel === 'info' && !servants.includes(name)
  const log = createLog({ level: quiet ? 'warn' : config.logLevel, write: stderr })
  onLog?.(log)
  for (const warning of warnings) log.warn(warning)
  const print = (line: string) => stdout(`${line}\n`)
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
    return failureOf(command)
  }
}

const failureOf = ({ failureStatus = 1 }: Command): number => failureStatus

/**
 * What PostgreSQL says of an address that is wrong: no such database, no such user, a wrong password, a right that is
 * missing.
 */
const refusalCodes: ReadonlySet<unknown> = new Set(['3D000', '28000', '28P01', '42501'])

/** Whether the message of an error is for the operator and says everything. */
const isExpected = (error: unknown) => error instanceof CommandRefusal || error instanceof StartRefusal

async function overview(commands: Commands): Promise<string> {
  const rows = Object.entries(commands).map(async ([name, load]) => {
    const { about } = (await load()).default
    return [name, about] as const
  })
  const lines = ['Usage: tollgate <command> [options]', '', ...table(await Promise.all(rows))]
  return `${[...lines, '', '`tollgate <command> --help` tells more, `tollgate --version` what this is.'].join('\n')}\n`
}

import { parseArgs } from 'node:util'
import type { Log } from '../../platform/log.ts'
import type { Config } from '../config.ts'

/** What the operator asked for cannot be done. The message is shown as it is, and the exit status is 1. */
export class CommandRefusal extends Error {}

export type CommandContext = {
  readonly config: Config
  readonly log: Log
  /** A line on standard output: the result of a command. Progress and trouble go to the log. */
  readonly print: (line: string) => void
}

type Option = {
  readonly type: 'string' | 'boolean'
  /** May be given several times. */
  readonly multiple?: boolean
  readonly required?: boolean
  /** How the value is called in the help, such as `<id>`. */
  readonly value?: string
  readonly about: string
}
type Options = Readonly<Record<string, Option>>

type OneValue<O extends Option> = O['type'] extends 'boolean' ? boolean : string
type Value<O extends Option> = O extends { multiple: true }
  ? OneValue<O>[]
  : O extends { required: true } | { type: 'boolean' }
    ? OneValue<O>
    : OneValue<O> | undefined
export type Given<O extends Options> = { readonly [name in keyof O]: Value<O[name]> }

/** One command of the program. It resolves with the exit status; left out, 0. */
export type Command<O extends Options = Options> = {
  /** One sentence. */
  readonly about: string
  /** What the help says beyond that, as it is to be printed. */
  readonly details?: string
  /** Names of the arguments that are not options, all of them required, such as `<file.csv>`. */
  readonly operands?: readonly string[]
  readonly options: O
  /** The exit status when it could not do its work; otherwise 1. */
  readonly failureStatus?: number
  run(given: Given<O>, context: CommandContext, operands: readonly string[]): Promise<number | undefined>
}

/** Keeps the types of the options, so that `run` gets them exactly. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command

/**
 * Either what was given, or the help was asked for. Throws CommandRefusal with a sentence when it cannot be understood.
 */
export function readArguments(
  name: string,
  command: Command,
  args: readonly string[],
): { kind: 'help' } | { kind: 'run'; given: Given<Options>; operands: string[] } {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' }
  const { values, positionals } = parse(name, command, args)
  const given: Record<string, unknown> = {}
  for (const [option, { type, multiple, required }] of Object.entries(command.options)) {
    const value = values[option]
    if (required && value === undefined) throw new CommandRefusal(sentence(`--${option} is missing`, name))
    given[option] = value ?? (multiple ? [] : type === 'boolean' ? false : undefined)
  }
  const operands = command.operands ?? []
  if (positionals.length < operands.length)
    throw new CommandRefusal(sentence(`${operands[positionals.length]} is missing`, name))
  if (positionals.length > operands.length)
    throw new CommandRefusal(sentence(`"${positionals[operands.length]}" is one argument too many`, name))
  // The table of options that the type is made of has filled it.
  return { kind: 'run', given: given as Given<Options>, operands: positionals }
}

function parse(name: string, command: Command, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type, multiple }]) => [
      option,
      { type, multiple: multiple ?? false },
    ]),
  )
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
  } catch (error) {
    // Node's sentences name the option; only its advice about `--` is left out.
    throw new CommandRefusal(sentence((error as Error).message.split('. ')[0]!.replace(/\.$/, ''), name))
  }
}

const sentence = (trouble: string, name: string) => `${trouble}. \`tollgate ${name} --help\` shows how it is used.`

export function helpOf(name: string, command: Command): string {
  const rows = Object.entries(command.options).map(
    ([option, { value = '<text>', type, about, required, multiple }]) => {
      const notes = [required && 'required', multiple && 'may be repeated'].filter(Boolean).join(', ')
      return [`--${option}${type === 'string' ? ` ${value}` : ''}`, notes ? `${about} (${notes})` : about] as const
    },
  )
  const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join('')
  const usage = `Usage: tollgate ${name}${operands}${rows.length > 0 ? ' [options]' : ''}`
  const about = command.details === undefined ? [command.about] : [command.about, '', command.details]
  return `${[usage, '', ...about, '', ...table([...rows, ['--help', 'Show this text']])].join('\n')}\n`
}

export function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

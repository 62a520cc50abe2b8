import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandRefusal } from './command.ts'

type Terminal = NodeJS.ReadStream & { readonly isTTY?: boolean }

/**
 * Reads the password of a new user from standard input, or asks for it twice on a terminal. It must not stand among the
 * arguments of a program, because everybody on the machine can read those.
 */
export async function readNewPassword(fromStandardInput: boolean, input: Terminal = process.stdin): Promise<string> {
  if (fromStandardInput) return (await text(input)).replace(/\r?\n$/, '')
  if (!input.isTTY)
    throw new CommandRefusal(
      'The password is missing: write it to standard input with --password-stdin, or use a terminal, which asks for it.',
    )
  return await askTwice(input)
}

/** Asks for the password without showing what is typed. */
async function askTwice(input: Terminal): Promise<string> {
  const nowhere = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input, output: nowhere, terminal: true })
  // What is typed ahead waits here for the next question.
  const lines = terminal[Symbol.asyncIterator]()
  const ask = async (question: string) => {
    process.stderr.write(question)
    const { value, done } = await lines.next()
    process.stderr.write('\n')
    if (done) throw new CommandRefusal('No password was given.')
    return String(value)
  }
  try {
    const password = await ask('Password: ')
    if ((await ask('Again: ')) !== password) throw new CommandRefusal('The two passwords are not the same.')
    return password
  } finally {
    terminal.close()
  }
}

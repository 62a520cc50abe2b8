import { readFileSync } from 'node:fs'
import { CommandRefusal } from './command.ts'

/** Somebody who has an archive can try passphrases for as long as they like, so a short one protects nothing. */
const lengthMin = 12

export const passphraseOption = {
  type: 'string',
  value: '<file>',
  about: 'A file whose first line is the passphrase that seals the keys of the secrets',
} as const

/** The first line of the file; null: no file was named. */
export function readPassphrase(file: string | undefined): string | null {
  if (file === undefined) return null
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandRefusal(`The passphrase cannot be read: ${(error as Error).message}.`)
  }
  const [passphrase = ''] = text.split(/\r?\n/, 1)
  if (passphrase.length < lengthMin)
    throw new CommandRefusal(
      `The first line of ${file} must be a passphrase of ${lengthMin} signs or more; \`openssl rand -base64 24\` makes a good one.`,
    )
  return passphrase
}

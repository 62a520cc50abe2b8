import { columnNames } from '../../billing/importing/columns.ts'
import { openFile } from '../../billing/importing/file.ts'
import { importSubscribers, removedMeanwhile } from '../../billing/importing/importer.ts'
import { count, Progress } from '../../billing/importing/progress.ts'
import { remarks, type Tally, tally } from '../../billing/importing/staging.ts'
import { CommandRefusal, defineCommand } from './command.ts'
import { withSecrets } from './database.ts'

const details = `The file is CSV in UTF-8, separated by , or ; and its first line names the columns, in any order:
  ${columnNames.join(', ')}
contract_number and name are needed, the others may be left out; an empty field says nothing.

  login     needs a password; ip (IPv4) and mac belong to it
  password  in clear text, or a hash: {NT}…, {CRYPT}$6$…, {SSHA}… (docs/operating.md tells what each can do)
  tarif     name of a tariff, else its id
  folder    name of a folder or the way to it (Moscow/North), else its id; it gives the organization
  balance   rubles, 12.50 or 12,50, below zero for a debt; becomes the opening operation of the account
  limit     rubles; a subscriber whose balance is below it begins blocked

Without --apply every line is checked and nothing is written. With it, good lines are imported and bad ones are listed by
their line in the file (the header is line 1); the exit status is 1 when there was a bad one.

A contract number that exists is left as it is, whatever its line says, so the same file can be imported again: after it
was corrected, and after an import was cut off. How many such lines say something else, and what, is reported; their
balance and password are not compared. Money never moves on an account that exists.`

/**
 * The list of differences is meant to be read, so it is limited; a report of the web admin has all values to compare.
 */
const shownDifferencesMax = 100

export default defineCommand({
  about: 'Imports subscribers with accounts, logins and balances from a CSV file; checks it first without --apply.',
  details,
  operands: ['<file.csv>'],
  options: { apply: { type: 'boolean', about: 'Import the good lines; otherwise the file is only checked' } },
  async run({ apply }, context, [path = '']) {
    const file = await openFile(path)
    if ('refusal' in file) throw new CommandRefusal(file.refusal)
    const { stderr } = process
    const progress = new Progress({ write: (text) => stderr.write(text), isTerminal: stderr.isTTY === true })
    try {
      return await withSecrets(context, async (client, secrets, url) => {
        await importSubscribers({ client, url, file, secrets, apply, progress, now: new Date() }).catch(explain)
        for await (const { line, text } of remarks(client, 'fault')) context.print(`line ${line}: ${text}`)
        const result = await tally(client)
        let shown = 0
        for await (const { line, contractNumber, text } of remarks(client, 'note')) {
          if (shown++ === shownDifferencesMax) break
          context.print(
            `line ${line}: contract_number "${contractNumber}" is known and stays as it is; ${text} would differ`,
          )
        }
        const more = result.differing - shownDifferencesMax
        if (more > 0) context.print(`and ${count(more)} more that differ`)
        context.print(summary(result, apply))
        return result.bad > 0 ? 1 : 0
      })
    } finally {
      await file.close()
    }
  },
})

function explain(error: unknown): never {
  const sentence = removedMeanwhile(error)
  if (sentence === null) throw error
  throw new CommandRefusal(sentence)
}

function summary({ lines, fresh, known, bad }: Tally, apply: boolean): string {
  const done = apply ? 'imported' : 'to be imported'
  const sums = `${count(lines)} lines: ${count(fresh)} ${done}, ${count(known)} known, ${count(bad)} bad.`
  return apply ? sums : `${sums} Nothing was written; --apply imports.`
}

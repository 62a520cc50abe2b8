import type { Client } from 'pg'
import type { Author } from '../../domain/author.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { withConnection } from '../../platform/storage/connection.ts'
import { RunRefusal, type RunSteps, type RunWork } from '../runs/runs.ts'
import { openSent } from './file.ts'
import { dropFile, ImportRest, keepFile, type SentSubscribers, takeFile } from './kept-import.ts'
import { importSubscribers, removedMeanwhile } from './importer.ts'
import type { Shown } from './progress.ts'
import { remarks, tally } from './staging.ts'

export type ImportParts = { readonly url: string; readonly secrets: Secrets; readonly clock: Clock }

type Order = { readonly sent: SentSubscribers; readonly apply: boolean; readonly author: Author }
type Work = Pick<Order, 'apply' | 'author'> & { readonly steps: RunSteps; readonly client: Client }

const sampleLines = 5
/** Differences are meant to be read, so there are few; the command shows as many. */
const differencesMax = 100

/**
 * The work of the command import_subscribers as a run: the result of each line stays with the run. The file of one that
 * imports is kept until it has ended well, so that another run can do the rest when this one is cut off.
 */
export const importRun =
  (parts: ImportParts, { sent, apply, author }: Order): RunWork =>
  async (steps) =>
    withConnection(parts.url, async (client) => {
      if (apply) await keepFile(client, parts.secrets, steps.id, sent)
      return await importSent(parts, sent, { apply, author, steps, client })
    })

/**
 * The rest of an import that was cut off: the lines that it has not imported, and the result of each line of its file.
 */
export const importRestRun =
  (parts: ImportParts, restOf: number, author: Author): RunWork =>
  async (steps) =>
    withConnection(parts.url, async (client) => {
      const sent = await takeFile(client, parts.secrets, steps.id, restOf)
      if (!sent) throw new RunRefusal('The file is not kept any more. Import it again.')
      return await importSent(parts, sent, { apply: true, author, steps, client })
    })

async function importSent(
  { url, secrets, clock }: ImportParts,
  { content, reading }: SentSubscribers,
  { apply, author, steps, client }: Work,
) {
  const { signal, id } = steps
  const file = await openSent(content, reading)
  if ('refusal' in file) throw new RunRefusal(file.refusal)
  const rest = apply ? new ImportRest(client, id) : null
  const how = { client, url, secrets, apply, author, signal, progress: shownBy(steps), now: clock.now() }
  await importSubscribers({ ...how, file, ...(rest && { rest }) }).catch((error: unknown) => {
    const sentence = removedMeanwhile(error)
    throw sentence === null ? error : new RunRefusal(sentence)
  })
  await keepFaults(client, id)
  const result = { ...(await tally(client)), sample: await sampleOf(client), differences: await differencesOf(client) }
  if (apply) await dropFile(client, id)
  return result
}

/** Lines that have been read are not done yet, and until the file is at its end nobody knows how many it has. */
function shownBy(steps: RunSteps): Shown {
  let last: number | null = null
  return {
    begin(what, total) {
      if (what === 'reading') return
      last = total
      steps.total(total)
    },
    at(lines) {
      if (last !== null) steps.done(lines)
    },
    end() {
      if (last !== null) steps.done(last)
    },
  }
}

async function keepFaults(client: Client, id: number): Promise<void> {
  await client.query(
    `INSERT INTO staff_run_faults (run_id, record, name, reason)
      SELECT $1, line, contract_number, fault FROM import_lines WHERE fault IS NOT NULL`,
    [id],
  )
}

/** The first new subscribers, as they were or will be made. */
async function sampleOf(client: Client): Promise<readonly unknown[]> {
  const { rows } = await client.query(
    `SELECT line.line, line.contract_number, line.name, line.login, host(line.ip) AS ip, tarifs.name AS tarif,
        folder.name AS folder, (line.balance::numeric / 10000000000)::numeric(20, 2)::text AS balance
      FROM import_lines AS line LEFT JOIN tarifs ON tarifs.id = line.tarif_id
      LEFT JOIN abonent_folders AS folder ON folder.id = line.folder_id
      WHERE line.fault IS NULL AND NOT line.known ORDER BY line.line LIMIT ${sampleLines}`,
  )
  return rows
}

async function differencesOf(client: Client): Promise<readonly unknown[]> {
  const differences: unknown[] = []
  for await (const { line, contractNumber, text } of remarks(client, 'note')) {
    if (differences.push({ line, contract_number: contractNumber, columns: text }) === differencesMax) break
  }
  return differences
}

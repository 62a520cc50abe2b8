import type { Client } from 'pg'
import { forgetLostKey, type RotationOutcome, rotateKey } from '../../platform/storage/key-rotation.ts'
import { type KeySource, readKeySource } from '../../platform/storage/key-source.ts'
import { sealedColumns, sealedPages } from '../../platform/storage/sealed-values.ts'
import { fitOf, outgoingKeys } from '../../platform/storage/secret-keys.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import { type CommandContext, CommandRefusal, defineCommand } from './command.ts'
import { keyConfigOf, withMigrated } from './database.ts'

const details = `Passwords of logins, secrets of NAS and the like are sealed with one key: TOLLGATE_SECRET_KEY, or the file secret.key of
the data folder. Every sealed value names its key by an id of 8 digits, which says nothing about the key. Without options
the key is named, the values are counted, and each is opened; exit status 1 when one does not open.

--rotate makes a new key and seals every value with it, while Tollgate is stopped; it refuses while Tollgate runs. It may be
cut off at any point: Tollgate starts with both keys meanwhile, and the next --rotate completes it. The old key is kept
beside the new one as secret.key.<id>, for backups that were made before. Where the key comes from the environment, set
TOLLGATE_SECRET_KEY to a new text and TOLLGATE_SECRET_KEY_OLD to the one until now, run it, and remove the old one
afterwards. Phones fetch a new token by themselves afterwards; cash desks sign in again.

--lost is for a key that is gone for good, also from every backup: Tollgate goes on with the key there is, or a new one.
Whatever the lost key sealed has to be entered anew: passwords of logins, secrets of NAS, keys of gateways.`

export default defineCommand({
  about: 'Tells which key seals the stored secrets and whether all of them open; changes the key with --rotate.',
  details,
  options: {
    rotate: { type: 'boolean', about: 'Make a new key and seal everything with it; Tollgate must be stopped' },
    lost: { type: 'boolean', about: 'Go on without a key that is lost for good' },
  },
  async run({ rotate, lost }, context) {
    if (rotate && lost) throw new CommandRefusal('--rotate needs the key that --lost gives up; choose one of them.')
    const config = keyConfigOf(context)
    return await withMigrated(context, async (client, url) => {
      if (rotate) return reportRotation(await rotateKey(url, config), context)
      if (lost) {
        const outcome = await forgetLostKey(url, config)
        if (outcome.kind === 'refused') throw new CommandRefusal(outcome.sentence)
        context.print(`From now on key ${outcome.keyId} seals; what does not open has to be entered anew.`)
      }
      const source = readKeySource(config)
      const fit = await fitOf(client, source)
      if (fit.kind === 'refused') throw new CommandRefusal(fit.sentence)
      if (fit.secrets === null) throw new CommandRefusal('There is no key yet; the first start makes one.')
      return await reportKeys(client, { source, secrets: fit.secrets, needed: fit.needed }, context)
    })
  },
})

function reportRotation(outcome: RotationOutcome, { print }: CommandContext): number {
  if (outcome.kind === 'refused') throw new CommandRefusal(outcome.sentence)
  const { keyId, oldKeyIds, resealed, unreadable, keptFiles } = outcome
  print(`${counted(resealed)} sealed anew. Key ${keyId} has taken the place of key ${oldKeyIds.join(', ')}.`)
  for (const file of keptFiles) print(`The old key opens backups made until now; it is kept in ${file}.`)
  if (keptFiles.length === 0)
    print('TOLLGATE_SECRET_KEY_OLD, or the file secret.key, that gave the old key is needed for older backups only.')
  if (unreadable > 0) print(`${counted(unreadable)} opened with no known key and stayed as before.`)
  return unreadable === 0 ? 0 : 1
}

type Keys = { readonly source: KeySource; readonly secrets: Secrets; readonly needed: readonly string[] }

async function reportKeys(client: Client, { source, secrets, needed }: Keys, { print }: CommandContext) {
  print(`Key ${secrets.keyId}, from ${source.kind === 'file' ? source.file : 'TOLLGATE_SECRET_KEY'}.`)
  const old = outgoingKeys(source, secrets, needed)
  if (old.length > 0)
    print(`The change from key ${old.join(', ')} is not complete: \`tollgate secret_key --rotate\` completes it.`)
  const sum = { all: 0, anew: 0, unreadable: 0 }
  for (const column of sealedColumns) {
    let unreadable = 0
    for await (const page of sealedPages(client, column)) {
      sum.all += page.length
      sum.anew += page.filter(({ value }) => secrets.isSealedAnew(value)).length
      unreadable += page.filter(({ value }) => secrets.openerOf(value) === null).length
    }
    if (unreadable > 0) print(`${column.table}.${column.column}: ${counted(unreadable)} opened with no known key.`)
    sum.unreadable += unreadable
  }
  const { all, anew } = sum
  const opening = sum.unreadable === 0 ? 'All of them open.' : `${counted(sum.unreadable)} did not open.`
  const others = all === anew ? '' : ` and ${all - anew} that name another or none`
  print(`${counted(all)} sealed: ${anew} that name this key${others}. ${opening}`)
  return sum.unreadable === 0 ? 0 : 1
}

const counted = (count: number): string => (count === 1 ? '1 value' : `${count} values`)

import { accountOfSubscriber, lockAccounts } from '../../../billing/accounts/account-locks.ts'
import { openAccount, outcomeRefusal } from '../../../billing/accounts/account-writes.ts'
import type { AccountCommand, AccountOutcome } from '../../../billing/accounts/messages.ts'
import { organizationOfFolder } from '../../../billing/clients/organizations.ts'
import { accountId, defaultOrganization, subscriberId } from '../../../domain/ids.ts'
import { noContent } from '../../../platform/http/reply.ts'
import { RecordWriter, type Saved, type Step } from '../../../platform/records/record-writer.ts'
import { isRefusal, notFound } from '../../../platform/records/refusals.ts'
import type { Column } from '../../../platform/records/rows.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { reading } from '../../../platform/storage/transactions.ts'
import { type Attributes, findAttributes, storeAttributes } from '../attributes.ts'
import { abonents } from '../models/abonents.ts'
import type { RestParts } from '../parts.ts'
import { refusalReply } from '../replies.ts'
import { addressSql } from '../../../platform/storage/addresses.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Abonents. The row is written by SQL; access and account are changed by messages to the account. */
export function abonentWrites(parts: RestParts): Writes {
  const writer = new RecordWriter(parts, abonents, {
    lock: (client, id, values) =>
      lockAccounts(client, 'SELECT account_id FROM abonents WHERE id = $1::int8 UNION SELECT $2::int8', [
        id,
        values.get('account')?.value ?? null,
      ]),
    derive: async (step) => {
      const attributes = await sentAttributes(step)
      if (isRefusal(attributes)) return attributes
      const columns = [...(await organizationColumn(step)), ...(await addressColumn(step))]
      return step.before ? columns : [...columns, ...tariffColumn(step), await accountColumn(step)]
    },
    also: async (step, id) => {
      const attributes = await sentAttributes(step)
      if (!isRefusal(attributes)) await storeAttributes(step.client, id, attributes)
    },
    committed: async (saved) => outcomeRefusal(await askAccount(parts, saved)),
    organizationOf: async (_, record) => Number(record.organization ?? defaultOrganization),
  })
  return {
    ...writesThrough(parts, abonents, writer),
    /** Marks the subscriber deleted; the row is never removed. Repeating the DELETE changes nothing. */
    remove: async (call, id) => {
      const account = await reading(parts, (client) => accountOfSubscriber(client, id))
      if (account === null) return refusalReply(notFound)
      const command = { kind: 'setDeleted', subscriberId: subscriberId(id), deleted: true } as const
      const refused = outcomeRefusal(await parts.accounts.ask(account, command, authorOf(call)))
      if (refused) return refusalReply(refused)
      await parts.changed({ table: 'abonents', ids: [Number(id)] })
      return noContent()
    },
  }
}

async function askAccount(parts: RestParts, saved: Saved): Promise<AccountOutcome> {
  const { id, values, before, after, call } = saved
  const author = authorOf(call)
  const subscriber = subscriberId(id)
  const account = accountId(Number(after.account))
  parts.accounts.invalidate(account)
  const target = values.get('account')?.value
  if (before && target !== undefined && target !== after.account) {
    const moved = await parts.accounts.moveSubscriber(subscriber, accountId(Number(target)), author)
    if (moved.kind === 'refused') return moved
  }
  const current = accountId(before && target !== undefined ? Number(target) : account)
  const outcome = await parts.accounts.ask(current, accessCommand(saved), author)
  const tariff = values.get('tarif')
  if (outcome.kind === 'refused' || !before || !tariff) return outcome
  const tariffId = tariff.value === null ? null : Number(tariff.value)
  const changed = await parts.accounts.ask(
    current,
    { kind: 'changeTariff', subscriberId: subscriber, tariffId },
    author,
  )
  await parts.changed({ table: abonents.table, ids: [subscriber] })
  return changed
}

/**
 * The command that sets the access of a subscriber; for a new one a sweep, so that it gets the blocks of its account.
 */
function accessCommand({ id, values, before }: Saved): AccountCommand {
  const enabled = values.get('enabled')?.value
  if (enabled === undefined || (!before && enabled)) return { kind: 'sweep' }
  return { kind: 'setBlock', subscriberId: subscriberId(id), reason: 'operator', on: !enabled }
}

const sentAttributes = ({ client, values }: Step): ReturnType<typeof findAttributes> =>
  findAttributes(client, (values.get('attributes')?.value ?? {}) as Attributes)

/**
 * The organization of the folder, or the default one when the record has no folder and is new, was just removed from
 * its folder, or had no organization yet.
 */
async function organizationColumn({ client, values, before }: Step): Promise<Column[]> {
  const folder = values.has('parent') ? values.get('parent')!.value : (before?.parent ?? null)
  if (folder === null) {
    return before && before.organization !== null && !values.has('parent')
      ? []
      : [{ column: 'organization_id', value: defaultOrganization }]
  }
  return [{ column: 'organization_id', value: await organizationOfFolder(client, Number(folder), defaultOrganization) }]
}

async function addressColumn({ client, values, before }: Step): Promise<Column[]> {
  if (!values.has('home') && !values.has('flat')) return []
  const home = values.has('home') ? values.get('home')!.value : before?.home
  const flat = values.has('flat') ? values.get('flat')!.value : before?.flat
  const { rows } = await client.query<{ address: string | null }>(
    `SELECT ${addressSql('$1::int8', '$2::text')} AS address`,
    [home ?? null, flat ?? null],
  )
  return [{ column: 'address', value: rows[0]!.address }]
}

/** The first tariff is written like any other column; later changes go through the account, which settles them. */
const tariffColumn = ({ values }: Step): Column[] => {
  const tariff = values.get('tarif')
  return tariff ? [{ column: 'tarif_id', value: tariff.value }] : []
}

/** The account of a new subscriber. A POST that names none creates one in the same transaction. */
async function accountColumn({ client, values, call }: Step): Promise<Column> {
  const sent = values.get('account')?.value
  if (sent !== undefined) return { column: 'account_id', value: sent }
  return { column: 'account_id', value: await openAccount(client, authorOf(call)) }
}

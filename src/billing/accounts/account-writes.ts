import type { AccountTerms } from '../../domain/account.ts'
import type { Author } from '../../domain/author.ts'
import { type AccountId, accountId } from '../../domain/ids.ts'
import type { Money } from '../../domain/money.ts'
import type { Call } from '../../platform/http/call.ts'
import { diffOf } from '../../platform/records/diff.ts'
import { findRecord } from '../../platform/records/reads.ts'
import { guarded, type RecordParts, RecordWriter, type Saved, type Step } from '../../platform/records/record-writer.ts'
import { conflict, notFound, type Refusal, wrongRequest } from '../../platform/records/refusals.ts'
import { columnOf } from '../../platform/records/rows.ts'
import type { Entry, Values } from '../../platform/records/values.ts'
import { authorOf } from '../../platform/staff/author.ts'
import { accountOrganization } from '../../platform/staff/visible-organizations.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import type { AdminAccount } from '../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { toIdOrNull } from '../../platform/storage/int8.ts'
import { momentOf } from '../../platform/storage/moment-of.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, writing } from '../../platform/storage/transactions.ts'
import { adminAccounts } from './account-record.ts'
import { type AccountOutcome, type Accounts, accountRefusalText } from './messages.ts'

/** What writes of accounts need. */
export type AccountParts = RecordParts & { readonly accounts: Accounts }

/** Terms that decide about access are sent to the account's actor; all other fields are written as columns. */
export const accountWriter = (parts: AccountParts): RecordWriter =>
  new RecordWriter(parts, adminAccounts, {
    // A new account has no actor yet, so its terms are columns like any other.
    derive: async (step) => (step.before ? [] : termEntries(step).map((entry) => columnOf(entry, parts.secrets))),
    committed: async (saved) => {
      const account = accountId(saved.id)
      parts.accounts.invalidate(account)
      const terms = saved.before ? await termsOf(parts, saved) : {}
      const command =
        Object.keys(terms).length > 0 ? ({ kind: 'setTerms', terms } as const) : ({ kind: 'sweep' } as const)
      return outcomeRefusal(await parts.accounts.ask(account, command, authorOf(saved.call)))
    },
    organizationOf: (client, record) => organizationOf(client, record.id),
  })

/** A key that was used for something else is a conflict; every other refusal of the account is a bad request. */
export function outcomeRefusal(outcome: AccountOutcome | null): Refusal | null {
  if (outcome?.kind !== 'refused') return null
  const text = accountRefusalText[outcome.reason]
  return outcome.reason === 'keyTakenWithOtherAmount' ? conflict(text) : wrongRequest(text)
}

/** The organization of the main client; null for an account without clients. */
async function organizationOf(client: Client, id: unknown): Promise<number | null> {
  const text = `SELECT ${accountOrganization('$1::int8')} AS organization_id`
  const { rows } = await client.query<{ organization_id: string | null }>(text, [id])
  return toIdOrNull(rows[0]!.organization_id)
}

/** Deletes an account that nothing refers to. Null: it is deleted. */
export async function removeAccount(parts: AccountParts, call: Call, id: string): Promise<Refusal | null> {
  const refusal = await guarded(adminAccounts, undefined, () =>
    writing(parts, async (client): Promise<Refusal | null> => {
      // The lock keeps anybody from linking to the account between the count and the deletion.
      const { rowCount } = await client.query('SELECT 1 FROM admin_accounts WHERE id = $1::int8 FOR UPDATE', [id])
      if (rowCount === 0) return notFound
      const reasons = reasonsToKeep(await countReferences(client, id))
      if (reasons.length > 0) return wrongRequest(...reasons)
      const before = await findRecord(client, adminAccounts, id, null)
      await client.query('DELETE FROM admin_accounts WHERE id = $1::int8', [id])
      // The audit records the balance at deletion as well (specification 4.11 rule 5).
      const diff = diffOf(adminAccounts, before, null)
      const audit = { author: authorOf(call), table: adminAccounts.audit, id, action: 'delete', diff } as const
      await writeAudit(client, { ...audit, organizationId: null })
      return null
    }),
  )
  if (refusal) return refusal
  parts.accounts.invalidate(accountId(id))
  await parts.changed({ table: 'admin_accounts', ids: [Number(id)] })
  return null
}

type NewAccount = {
  /** The account whose currency the new one gets; left out: it gets the default currency. */
  readonly sameCurrencyAs?: number
  /** The organization of its first subscriber, for the audit. */
  readonly organizationId?: number
  /** The id that `AccountStore.newAccountId` has returned; left out: the next one. */
  readonly id?: AccountId
  /** When its first turn takes place, for the audit. */
  readonly at?: Date
}

/** Opens an account and returns its id. */
export async function openAccount(
  client: Client,
  author: Author,
  { sameCurrencyAs, organizationId, id: given, at }: NewAccount = {},
): Promise<string> {
  const { rows } = await client.query<RowOf<typeof AdminAccount, 'id'>>(
    `INSERT INTO admin_accounts (id, currency_id)
      SELECT coalesce($2::int8, nextval('admin_accounts_id_seq')),
        coalesce((SELECT currency_id FROM admin_accounts WHERE id = $1::int8), (SELECT id FROM currencies WHERE is_default), 1)
      RETURNING id`,
    [sameCurrencyAs ?? null, given ?? null],
  )
  const { id } = rows[0]!
  const audit = { author, table: adminAccounts.audit, id, action: 'create', diff: {} } as const
  await writeAudit(client, { ...audit, organizationId: organizationId ?? null, ...(at && { at }) })
  return id
}

/** How many rows refer to an account. */
export type References = { readonly subscribers: number; readonly operations: number; readonly videoObjects: number }

export async function countReferences(client: Client, id: string): Promise<References> {
  const of = (table: string) => `(SELECT count(*)::int4 FROM ${table} WHERE account_id = $1::int8)`
  const { rows } = await client.query<References>(
    `SELECT ${of('abonents')} AS subscribers, ${of('finance_operations')} AS operations, ${of('video_objects')} AS "videoObjects"`,
    [id],
  )
  return rows[0]!
}

/** Specification 2.3 rule 4: an account may be deleted only when nothing refers to it. */
const reasonsToKeep = ({ subscribers, operations, videoObjects }: References): string[] => [
  ...(subscribers > 0 ? [`The account is linked to subscribers (${subscribers}); unlink them first.`] : []),
  ...(operations > 0 ? [`The account has finance operations (${operations}).`] : []),
  ...(videoObjects > 0 ? [`The account has video objects (${videoObjects}).`] : []),
]

const termEntries = ({ values }: Step): Entry[] => [...values.values()].filter(({ field }) => field.apart)

function termsOf(parts: AccountParts, { values }: Saved): Promise<AccountTerms> {
  return reading(parts, async (client) => {
    const unlimitedUntil = await moment(client, values, 'unlimited_date')
    const sleepUntil = await moment(client, values, 'sleep_date')
    const limit = values.get('limit')?.value as Money | undefined
    const unlimited = values.get('unlimited')?.value as boolean | undefined
    const warnBelow = values.get('warn')?.value as Money | null | undefined
    return {
      ...(limit !== undefined && { limit }),
      ...(unlimited !== undefined && { unlimited }),
      ...(unlimitedUntil !== undefined && { unlimitedUntil }),
      ...(warnBelow !== undefined && { warnBelow }),
      ...(sleepUntil !== undefined && { sleepUntil }),
    }
  })
}

const moment = async (client: Client, values: Values, name: string): Promise<Date | null | undefined> => {
  const value = values.get(name)?.value as string | null | undefined
  return value === null || value === undefined ? value : momentOf(client, value)
}

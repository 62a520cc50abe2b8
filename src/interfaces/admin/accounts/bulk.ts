import Type from 'typebox'
import { type AccountParts, removeAccount } from '../../../billing/accounts/account-writes.ts'
import { accountRefusalText } from '../../../billing/accounts/messages.ts'
import type { AccountTerms } from '../../../domain/account.ts'
import { accountId, readId } from '../../../domain/ids.ts'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { choice, field, flag, moment, orNull, rubles } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { refusalSentence } from '../../../platform/records/refusals.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { accountOrganization } from '../../../platform/staff/visible-organizations.ts'
import { findAllVisible, bulkForbiddenReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import type { AdminAccount, Currency } from '../../../platform/storage/entities/accounts.ts'
import type { RowOf } from '../../../platform/storage/entity.ts'
import { toIdOrNull } from '../../../platform/storage/int8.ts'
import { momentOf } from '../../../platform/storage/moment-of.ts'
import { reading, writing } from '../../../platform/storage/transactions.ts'
import { Unavailable } from '../../../platform/unavailable.ts'
import { type Fields, type Refused, readBody, readSent, wrongField } from '../body.ts'
import { answers } from '../doors.ts'

/** The answer waits for all of them, so their number is limited. */
const idsMax = 1000
/** How many accounts are changed at the same time, so that they share commits. */
const atOnce = 50

type Reason = { readonly code: string; readonly reason: string }
type Skipped = Reason & { readonly id: number }
type Result = { readonly changed: number; readonly skipped: readonly Skipped[] }
type BulkAction = (parts: AccountParts, call: Call, ids: readonly number[], fields: Fields) => Promise<Result | Refused>
/** Changes one account. Null: it is changed; otherwise why not. */
type Action = (id: number) => Promise<Reason | null>

/** POST accounts_bulk: one action for many accounts. Accounts that stay unchanged are returned with the reason. */
export async function changeMany(parts: AccountParts, call: Call): Promise<Reply> {
  const body = readBody(call)
  if ('refused' in body) return body.refused
  const read = readSent(bulkDoc.body.properties, body.fields, { names: ['ids', 'action'] })
  if ('refused' in read) return read.refused
  const ids = await findAllVisible(parts.database.pool, 'account', read.values.ids, visibleTo(call))
  if (ids === null) return bulkForbiddenReply()
  ids.sort((a, b) => a - b)
  const result = await actions[read.values.action](parts, call, ids, body.fields)
  return 'refused' in result ? result.refused : json({ ok: true, ...result })
}

/** A list, or ids separated by commas as a form sends them. */
function readIds(sent: unknown): unknown[] | null {
  const ids = typeof sent === 'string' ? sent.split(',').filter((id) => id.trim() !== '') : sent
  return Array.isArray(ids) && ids.length > 0 && ids.length <= idsMax ? ids : null
}

const sameCurrency: Reason = { code: 'same_currency', reason: 'It has this currency already.' }

const setCurrency: BulkAction = async (parts, call, ids, fields) => {
  const currency = readId(fields.currency_id)
  const done = await writing(parts, async (client) => {
    const found = await client.query<RowOf<typeof Currency, 'code'>>(
      'SELECT code FROM currencies WHERE id = $1::int8',
      [currency],
    )
    if (currency === null || !found.rows[0]) return null
    // In id order, as the ledger locks them.
    const { rows } = await client.query<
      RowOf<typeof AdminAccount, 'id' | 'currency_id'> & { organization_id: string | null }
    >(
      `SELECT id, currency_id, ${accountOrganization('admin_accounts.id')} AS organization_id
        FROM admin_accounts WHERE id = ANY($1::int8[]) ORDER BY id FOR UPDATE`,
      [ids],
    )
    const others = rows.filter((row) => Number(row.currency_id) !== currency)
    await client.query('UPDATE admin_accounts SET currency_id = $2::int8 WHERE id = ANY($1::int8[])', [
      others.map(({ id }) => id),
      currency,
    ])
    for (const { id, currency_id, organization_id } of others) {
      const diff = { currency: [Number(currency_id), currency] as const }
      const audit = { author: authorOf(call), table: 'ADMIN_ACCOUNTS', id, action: 'change', diff } as const
      await writeAudit(client, { ...audit, organizationId: toIdOrNull(organization_id) })
    }
    return others.map(({ id }) => Number(id))
  })
  if (done === null) return { refused: wrongField('currency_id', 'be a currency that exists') }
  for (const id of done) parts.accounts.invalidate(accountId(id))
  const left = ids.filter((id) => !done.includes(id))
  return { changed: done.length, skipped: left.map((id) => ({ id, ...sameCurrency })) }
}

const setLimits: BulkAction = async (parts, call, ids, fields) => {
  const terms = await readTerms(parts, fields)
  if ('refused' in terms) return terms
  if (Object.keys(terms).length === 0)
    return { refused: wrongField('limit', 'be named, or unlimited, unlimited_date or warn') }
  const isSame = await sameTerms(parts, ids, terms)
  return forEach(ids, async (id) => {
    if (isSame.has(id)) return { code: 'same_limits', reason: 'It has these limits already.' }
    const outcome = await parts.accounts.ask(accountId(id), { kind: 'setTerms', terms }, authorOf(call))
    return outcome.kind === 'refused' ? { code: outcome.reason, reason: accountRefusalText[outcome.reason] } : null
  })
}

async function readTerms(parts: AccountParts, fields: Fields): Promise<AccountTerms | Refused> {
  const read = readSent(bulkDoc.body.properties, fields, {
    names: ['limit', 'warn', 'unlimited_date', 'unlimited'],
    // Null takes a term away.
    isLeftOut: (sent) => sent === undefined || sent === '',
  })
  if ('refused' in read) return read
  const { limit, warn, unlimited_date: until, unlimited } = read.values
  const unlimitedUntil = until ? await reading(parts, (client) => momentOf(client, until)) : null
  return {
    ...(limit !== undefined && { limit }),
    ...(unlimited !== undefined && { unlimited }),
    ...(until !== undefined && { unlimitedUntil }),
    ...(warn !== undefined && { warnBelow: warn }),
  }
}

/** Accounts that need no change. */
async function sameTerms(
  { database }: AccountParts,
  ids: readonly number[],
  terms: AccountTerms,
): Promise<ReadonlySet<number>> {
  const has = (name: keyof AccountTerms) => Object.hasOwn(terms, name)
  const { rows } = await database.pool.query<RowOf<typeof AdminAccount, 'id'>>(
    `SELECT id FROM admin_accounts WHERE id = ANY($1::int8[])
      AND (NOT $2::bool OR "limit" = $3::int8) AND (NOT $4::bool OR unlimited = $5::bool)
      AND (NOT $6::bool OR unlimited_date IS NOT DISTINCT FROM $7::timestamptz)
      AND (NOT $8::bool OR warn IS NOT DISTINCT FROM $9::int8)`,
    [
      ids,
      has('limit'),
      terms.limit?.toString() ?? null,
      has('unlimited'),
      terms.unlimited ?? null,
      has('unlimitedUntil'),
      terms.unlimitedUntil ?? null,
      has('warnBelow'),
      terms.warnBelow?.toString() ?? null,
    ],
  )
  return new Set(rows.map(({ id }) => Number(id)))
}

/**
 * Each account is deleted by the rules of a single deletion: one that a video object or an operation refers to stays
 * (specification 2.3 rules 4 and 5).
 */
const deleteOrphans: BulkAction = (parts, call, ids) =>
  forEach(
    ids,
    async (id) => {
      const refusal = await removeAccount(parts, call, String(id))
      return refusal
        ? { code: refusal.status === 404 ? 'accountMissing' : 'in_use', reason: refusalSentence(refusal) }
        : null
    },
    // Each deletion takes a connection for some statements.
    2,
  )

async function forEach(ids: readonly number[], change: Action, width = atOnce): Promise<Result> {
  const skipped: Skipped[] = []
  const waiting = [...ids]
  const worker = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const why = await change(id).catch(asReason)
      if (why !== null) skipped.push({ id, ...why })
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return { changed: ids.length - skipped.length, skipped: skipped.sort((a, b) => a.id - b.id) }
}

/**
 * Other accounts may have been changed already, so the answer reports on each account instead of failing as a whole.
 */
function asReason(error: unknown): Reason {
  if (error instanceof Unavailable) return { code: 'busy', reason: 'It could not be changed now; ask again shortly.' }
  throw error
}

const actions = {
  set_currency: setCurrency,
  set_limits: setLimits,
  delete_orphans: deleteOrphans,
} as const satisfies Record<string, BulkAction>

const { integer, text } = schemas

export const bulkDoc = {
  tag: 'Personal accounts',
  summary: 'Change or delete many accounts',
  description:
    'set_currency takes currency_id; set_limits takes what is to change of limit, unlimited, unlimited_date and warn; delete_orphans deletes accounts that nothing refers to.',
  body: Type.Object({
    ids: field(Type.Array(integer, { minItems: 1, maxItems: idsMax }), `be a list of 1 to ${idsMax} ids`, readIds),
    action: choice(Object.keys(actions) as (keyof typeof actions)[]),
    currency_id: Type.Optional(integer),
    limit: Type.Optional(rubles),
    unlimited: Type.Optional(flag),
    unlimited_date: Type.Optional(orNull(moment)),
    warn: Type.Optional(orNull(rubles)),
  }),
  answers: answers(
    'How many were changed, and why the others were not',
    { changed: integer, skipped: Type.Array(Type.Object({ id: integer, reason: text, code: text })) },
    { 400: 'A wrong field', 403: 'One of the accounts is missing or of another organization: nothing is changed' },
  ),
} satisfies RouteDoc

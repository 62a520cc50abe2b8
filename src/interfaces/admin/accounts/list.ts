import type { PoolClient } from 'pg'
import Type from 'typebox'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { seesSeveralOrganizations, visibleTo } from '../../../platform/staff/visible-records.ts'
import type { Client } from '../../../platform/storage/sql.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { answers } from '../doors.ts'
import { asksNoTotals, pageParameters, readPage } from '../paging.ts'
import { accountSchema, readAccounts } from './account-shape.ts'
import { walkToPage } from './common-words.ts'
import { type AccountFilter, filterParameters, readFilter, type Sort } from './filter.ts'
import { readKeys } from './keys.ts'
import { isFoundDearly, type Kpis, kpiSchema } from './kpi.ts'
import { type Page, patientMs } from './statements.ts'

/** GET accounts_json: a page of the list and the counters over all of it. */
export async function listAccounts(scope: TransactionScope, kpis: Kpis, call: Call): Promise<Reply> {
  const asked = readFilter(call.query, visibleTo(call))
  if ('refused' in asked) return asked.refused
  const paging = readPage(call.query)
  if ('refused' in paging) return paging.refused
  const { perPage, offset } = paging
  const { filter, sort } = asked
  // One row more than the page shows whether there is another page.
  const page = { limit: perPage + 1, offset }
  const patiently = <T>(read: (client: PoolClient) => Promise<T>) => reading(scope, read, patientMs)
  const soon = asksNoTotals(call.query) ? await patiently((client) => keysFoundSoon(client, filter, sort, page)) : null
  const { kpi, keys: counted } = soon ? { kpi: null, keys: soon } : await kpis.of({ filter, sort, page }, patiently)
  return patiently(async (client) => {
    const keys = counted ?? (await readKeys(client, filter, sort, page))
    const items = await readAccounts(client, keys.slice(0, perPage))
    const has_more = keys.length > perPage
    const show_org = await seesSeveralOrganizations(client, filter.visible)
    return json({ ok: true, items, ...(kpi && { kpi, total: kpi.total }), has_more, show_org })
  })
}

/** The keys of a page that is found without finding all that fit, as the counters must; null: it is not. */
async function keysFoundSoon(client: Client, filter: AccountFilter, sort: Sort, page: Page): Promise<string[] | null> {
  if (filter.q !== '') return walkToPage(client, filter, sort, page)
  return isFoundDearly(filter, sort) ? null : readKeys(client, filter, sort, page)
}

const totalsParameter = {
  doc: '0: a page that is found sooner than the counters comes without `kpi` and `total`',
  schema: Type.Enum(['0']),
}

export const listDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'A page of the accounts, and counters over all that fit',
  query: { ...filterParameters, ...pageParameters, totals: totalsParameter },
  answers: answers(
    'One page. Counters that take long to compute are remembered for ten seconds.',
    {
      items: Type.Array(accountSchema),
      kpi: Type.Optional(kpiSchema),
      total: Type.Optional(schemas.integer),
      has_more: schemas.boolean,
      show_org: Type.Boolean({ description: 'Accounts of several organizations may be among them' }),
    },
    { 400: 'A parameter cannot be read' },
  ),
}

import Type from 'typebox'
import type { Call, Reply } from '../../../platform/http/call.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { seesSeveralOrganizations, visibleTo } from '../../../platform/staff/visible-records.ts'
import { reading, type TransactionScope } from '../../../platform/storage/transactions.ts'
import { countedAnswers } from '../countings.ts'
import { pageParameters, readPage } from '../paging.ts'
import { accountSchema, readAccounts } from './account-shape.ts'
import { filterParameters, readFilter } from './filter.ts'
import { readKeys } from './keys.ts'
import { type Kpis, kpiSchema } from './kpi.ts'
import { patientMs } from './statements.ts'

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
  const { kpi, keys: counted } = await kpis.of({ filter, sort, page }, (read) => reading(scope, read, patientMs))
  return reading(
    scope,
    async (client) => {
      const keys = counted ?? (await readKeys(client, filter, sort, page))
      const items = await readAccounts(client, keys.slice(0, perPage))
      const has_more = keys.length > perPage
      return json({
        ok: true,
        items,
        kpi,
        total: kpi.total,
        has_more,
        show_org: await seesSeveralOrganizations(client, filter.visible),
      })
    },
    patientMs,
  )
}

export const listDoc: RouteDoc = {
  tag: 'Personal accounts',
  summary: 'A page of the accounts, and counters over all that fit',
  query: { ...filterParameters, ...pageParameters },
  answers: countedAnswers(
    'One page. Counters that take long to compute are remembered for ten seconds.',
    {
      items: Type.Array(accountSchema),
      kpi: kpiSchema,
      total: schemas.integer,
      has_more: schemas.boolean,
      show_org: Type.Boolean({ description: 'Accounts of several organizations may be among them' }),
    },
    { 400: 'A parameter cannot be read' },
  ),
}

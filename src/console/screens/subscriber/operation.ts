import type { Item } from '../../api/client.ts'

/** An operation as the statement shows it. */
export type Operation = Item<'GET /admin/Abonents/finops_json/'>

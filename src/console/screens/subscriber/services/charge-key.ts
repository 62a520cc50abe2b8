import type { Answer } from '../../../api/client.ts'

export type Charge = Answer<'GET /admin/Abonents/services/{id}/'>['charges'][number]

/**
 * What tells a charge from the others of its bill. What is overdue is taken in the coming night, so on the last day of
 * a month that of this month and that of the next one have the same day, and differ in the days that they are for.
 */
export const chargeKey = ({ kind, link_id, name, day, from }: Charge): string =>
  `${kind} ${link_id} ${day} ${from} ${name}`

import { isPromiseService, promiseServices, promiseSystemType } from '../../domain/promise.ts'
import * as field from '../../platform/records/fields.ts'
import type { FieldSpec } from '../../platform/records/model.ts'
import type { Steps } from '../../platform/records/record-writer.ts'
import { refusedWrite } from '../../platform/records/refusals.ts'

/** Amounts of a service as an endpoint writes them. */
type Amounts = {
  /** The price for a month; for a promise payment the fee for a day. */
  readonly price: FieldSpec
  /** An amount that takes precedence over the price; for a promise payment the amount that is lent. */
  readonly summa: FieldSpec
}

/** The fields of a service besides its id, at every door. */
export const serviceFields = ({ price, summa }: Amounts): FieldSpec[] => [
  field.text('name', 'Name.', field.required),
  price,
  summa,
  field.integer('system_type', 'Type of a built-in service.'),
  field.integer('end_count_days', 'Term, days.', { min: 0 }),
  field.boolean('enabled', 'In use.'),
  field.boolean('is_public', 'Offered to clients.'),
  field.longText('description', 'Description.'),
]

/** SQL: whether a row of `uslugas` is a promise payment, which subscribers do not get in the way of other services. */
export const isPromiseServiceSql = (service: string): string =>
  `(${service}.id IN (${Object.values(promiseServices).join()})
    OR ${service}.system_type IS NOT DISTINCT FROM ${promiseSystemType})`

/** The services of promise payments cannot be deleted, because a new one would get another number. */
export const serviceSteps = {
  mayRemove: async (_, id) =>
    isPromiseService(Number(id))
      ? refusedWrite('The number of this service is fixed: it can be disabled, not deleted.', 400, 'fixed_service')
      : null,
} as const satisfies Steps

/** The tables whose rows keep any other service from being deleted. */
export const serviceUsedBy = [
  { table: 'users_uslugas', column: 'usluga_id', noun: 'services of subscribers' },
  { table: 'finance_operations', column: 'usluga_id', noun: 'finance operations' },
] as const

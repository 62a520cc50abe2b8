import { chargeKeys } from '../../domain/money-keys.ts'
import { operationTypes } from '../../domain/operation.ts'

const { monthlyService, tariffCharge, recalculation, promise } = operationTypes

/**
 * SQL: the later operation that has given back what the operation `row` did, as a whole or in part; null: there is
 * none. `row` is an alias of finance_operations and `zone` an expression of the provider's time zone.
 *
 * A charge is given back in part by a recalculation of the same tariff or service: at a change of tariff, when a
 * service is taken away, when a subscriber is deleted, or entered by hand. It belongs to the charges of its month, or
 * of its day where the charge was that of a day. The limit of a promise payment is given back by an operation that
 * names nobody when the promise no longer knew which operation had credited it. What was refunded for the days after a
 * deletion is charged again, from the day of a return on, when the subscriber returns in the same month.
 */
export const givenBackSql = (row: string, zone: string): string => `(SELECT back.op_id FROM finance_operations AS back
  WHERE back.abonent_id = ${row}.abonent_id AND (
    (back.op_type_id = ${recalculation} AND back.op_summa > 0 AND NOT back.storno AND ${row}.op_summa < 0
      AND CASE ${row}.op_type_id WHEN ${tariffCharge} THEN back.usluga_id IS NULL
        WHEN ${monthlyService} THEN back.usluga_id = ${row}.usluga_id ELSE false END
      AND ${isLater('back', row)} AND ${isOfCharge('back', row, zone)})
    OR (back.op_type_id = ${promise} AND ${row}.op_type_id = ${promise} AND ${row}.op_summa > 0
      AND back.op_summa = -${row}.op_summa AND back.storno AND back.related_operation_id IS NULL
      AND back.account_id = ${row}.account_id AND ${isLater('back', row)})
    OR (${row}.op_type_id = ${recalculation} AND ${row}.op_summa > 0 AND back.op_summa < 0 AND NOT back.storno
      AND back.op_type_id = CASE WHEN ${row}.usluga_id IS NULL THEN ${tariffCharge} ELSE ${monthlyService} END
      AND back.usluga_id IS NOT DISTINCT FROM ${row}.usluga_id AND ${isLater('back', row)}
      AND date_trunc('month', ${namedBy('back', zone, keysOf.charge)})
        = date_trunc('month', ${namedBy(row, zone, keysOf.refund)})))
  ORDER BY back.system_date, back.op_id LIMIT 1)`

/** SQL: on one account the chain knows the order; a subscriber who has moved was given back on another account. */
const isLater = (one: string, other: string) => `CASE WHEN ${one}.account_id = ${other}.account_id
        THEN ${one}.chain_seq > ${other}.chain_seq ELSE ${one}.system_date >= ${other}.system_date END`

const localSql = (moment: string, zone: string) => `(${moment} AT TIME ZONE ${zone})`

/**
 * SQL: the recalculation `back` is one of the charge. What the billing worker refunds says by its key for which month,
 * however late it was recorded. Any other is of the period of its date, or,
 * where nothing was charged in that month, of the last such charge before it.
 */
const isOfCharge = (back: string, charge: string, zone: string) => {
  const refunded = namedBy(back, zone, keysOf.refund)
  const dated = localSql(`${back}.op_date`, zone)
  const part = `CASE WHEN ${isOfDay(charge, zone)} THEN 'day' ELSE 'month' END`
  return `(date_trunc(${part}, coalesce(${refunded}, ${dated})) = date_trunc(${part}, ${periodOf(charge, zone)})
    OR (${refunded} IS NULL AND NOT EXISTS (SELECT FROM finance_operations AS another
      WHERE another.abonent_id = ${charge}.abonent_id AND another.op_type_id = ${charge}.op_type_id
        AND another.usluga_id IS NOT DISTINCT FROM ${charge}.usluga_id AND another.op_summa < 0 AND NOT another.storno
        AND ((${isLater('another', charge)} AND ${isLater(back, 'another')})
          OR (another.op_id <> ${charge}.op_id
            AND date_trunc('month', ${localSql('another.system_date', zone)}) = date_trunc('month', ${dated}))))))`
}

/** SQL: the beginning of the day or month of a charge; when it was recorded, where its key does not say. */
const periodOf = (charge: string, zone: string) =>
  `coalesce(${namedBy(charge, zone, keysOf.charge)}, ${localSql(`${charge}.system_date`, zone)})`

/**
 * SQL: the tariff is charged by the day. Who returns in a month that was charged as a whole is charged under the key of
 * a day as well, for all of the rest.
 */
const isOfDay = (charge: string, zone: string) => {
  const keyOf = (form: string) =>
    chargeKeys.tariff.sql(`${charge}.abonent_id`, `to_char(${periodOf(charge, zone)}, '${form}')`)
  return `(EXISTS (SELECT FROM money_keys AS taken WHERE taken.op_id = ${charge}.op_id AND taken.key = ${keyOf('YYYY-MM-DD')})
    AND NOT EXISTS (SELECT FROM money_keys AS taken WHERE taken.key = ${keyOf('YYYY-MM')}))`
}

/** The keys of a tariff and of a service. */
const keysOf = {
  charge: [chargeKeys.tariff, chargeKeys.service],
  refund: [chargeKeys.tariffRefund, chargeKeys.serviceRefund],
} as const

/**
 * SQL: the beginning of the day or month that is named by the key of the operation `of`; null: it has none. The billing
 * worker makes up for the month before the one in which it runs.
 */
function namedBy(of: string, zone: string, [tariff, service]: (typeof keysOf)[keyof typeof keysOf]): string {
  const month = `date_trunc('month', ${localSql(`${of}.system_date`, zone)})`
  const span = (last: string) => `${month} - interval '1 month', ${last}`
  return `(SELECT period.begins FROM (
      SELECT day AS begins, to_char(day, 'YYYY-MM-DD') AS name
        FROM generate_series(${span(`${month} + interval '1 month - 1 day'`)}, '1 day') AS day
      UNION ALL SELECT whole, to_char(whole, 'YYYY-MM') FROM generate_series(${span(month)}, '1 month') AS whole) AS period
      LEFT JOIN users_uslugas AS link ON link.abonent_id = ${of}.abonent_id AND link.usluga_id = ${of}.usluga_id
      JOIN money_keys AS taken ON taken.key = CASE WHEN ${of}.usluga_id IS NULL
        THEN ${tariff.sql(`${of}.abonent_id`, 'period.name')} ELSE ${service.sql(`${of}.abonent_id`, 'link.id', 'period.name')} END
      WHERE taken.op_id = ${of}.op_id LIMIT 1)`
}

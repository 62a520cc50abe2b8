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
      AND ${isLater('back', row)} AND ${periodOf('back', row, zone)} = ${periodOf(row, row, zone)})
    OR (back.op_type_id = ${promise} AND ${row}.op_type_id = ${promise} AND ${row}.op_summa > 0
      AND back.op_summa = -${row}.op_summa AND back.storno AND back.related_operation_id IS NULL
      AND back.account_id = ${row}.account_id AND ${isLater('back', row)})
    OR (${row}.op_type_id = ${recalculation} AND ${row}.op_summa > 0 AND back.op_summa < 0 AND NOT back.storno
      AND back.op_type_id = CASE WHEN ${row}.usluga_id IS NULL THEN ${tariffCharge} ELSE ${monthlyService} END
      AND back.usluga_id IS NOT DISTINCT FROM ${row}.usluga_id AND ${isLater('back', row)}
      AND ${hasKeyOfDay(row, zone, chargeKeys.tariffRefund, chargeKeys.serviceRefund)}
      AND ${hasKeyOfDay('back', zone, chargeKeys.tariff, chargeKeys.service)}
      AND date_trunc('month', ${localSql('back', zone)}) = date_trunc('month', ${localSql(row, zone)})))
  ORDER BY back.system_date, back.op_id LIMIT 1)`

/** SQL: on one account the chain knows the order; a subscriber who has moved was given back on another account. */
const isLater = (one: string, other: string) => `CASE WHEN ${one}.account_id = ${other}.account_id
        THEN ${one}.chain_seq > ${other}.chain_seq ELSE ${one}.system_date >= ${other}.system_date END`

const localSql = (row: string, zone: string) => `(${row}.system_date AT TIME ZONE ${zone})`

/** SQL: the day in which `of` was recorded where `charge` is the tariff's charge of a day, otherwise the month. */
const periodOf = (of: string, charge: string, zone: string) =>
  `date_trunc(CASE WHEN ${isOfDay(charge, zone)} THEN 'day' ELSE 'month' END, ${localSql(of, zone)})`

/**
 * SQL: whether the tariff is charged by the day. A subscriber who returns in a month that was charged as a whole is
 * charged for the rest of it under the key of a day, too, so the key of the month must not be taken.
 */
const isOfDay = (charge: string, zone: string) => {
  const keyOf = (form: string) =>
    chargeKeys.tariff.sql(`${charge}.abonent_id`, `to_char(${localSql(charge, zone)}, '${form}')`)
  return `(EXISTS (SELECT FROM money_keys AS taken WHERE taken.op_id = ${charge}.op_id AND taken.key = ${keyOf('YYYY-MM-DD')})
    AND NOT EXISTS (SELECT FROM money_keys AS taken WHERE taken.key = ${keyOf('YYYY-MM')}))`
}

/** SQL: whether the operation, of a tariff or of a service, has taken such a key for some day of its month. */
function hasKeyOfDay(
  of: string,
  zone: string,
  tariff: Pick<typeof chargeKeys.tariff, 'sql'>,
  service: Pick<typeof chargeKeys.service, 'sql'>,
): string {
  const day = `to_char(day, 'YYYY-MM-DD')`
  const month = `date_trunc('month', ${localSql(of, zone)})`
  return `EXISTS (SELECT FROM generate_series(${month}, ${month} + interval '1 month - 1 day', '1 day') AS day
      LEFT JOIN users_uslugas AS link ON link.abonent_id = ${of}.abonent_id AND link.usluga_id = ${of}.usluga_id
      JOIN money_keys AS taken ON taken.key = CASE WHEN ${of}.usluga_id IS NULL
        THEN ${tariff.sql(`${of}.abonent_id`, day)} ELSE ${service.sql(`${of}.abonent_id`, 'link.id', day)} END
      WHERE taken.op_id = ${of}.op_id)`
}

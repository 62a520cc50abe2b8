import { readDate, readMoment } from '../../../../domain/iso-dates.ts'
import { boolean, datetime, integer } from '../../../../platform/records/fields.ts'
import type { FieldSpec } from '../../../../platform/records/model.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { UsersUsluga } from '../../../../platform/storage/entities/services.ts'
import { dictionaryModel, empty, note, price } from '../../provider/dictionaries/fields.ts'

/** The largest id of 15 digits, which a double represents exactly. */
const idMax = 999_999_999_999_999

const id = (name: string, doc: string, min: number): FieldSpec =>
  integer(name, doc, { min, max: idMax, fits: (value) => value !== 0, must: 'be an id', required: true })

export const mustBeEnd = 'be a day such as 2026-12-31 or an ISO 8601 time'

/** A date without a time means the end of that day. */
export function readEnd(sent: unknown): { value: string } | { wrong: string } {
  const text = typeof sent === 'string' ? sent.trim() : ''
  const end = readDate(text) ? `${text}T23:59:59.999` : readMoment(text)
  return end === null ? { wrong: mustBeEnd } : { value: end }
}

/** A service of a subscriber as it is written. */
export const subscriberService = dictionaryModel({
  name: 'users_usluga',
  doc: 'A service of a subscriber',
  entity: UsersUsluga,
  audit: 'USERS_USLUGA',
  fields: [
    id('abonent_id', 'The subscriber', 1),
    // Services of promise payments have ids below zero.
    id('usluga_id', 'The service', -idMax),
    price('summ', 'Own price of a month; null: that of the service; 0.00: free', empty),
    integer('countt', 'How many', { min: 1, max: 1000 }),
    datetime('end_time', 'A day, which is included, or a moment; null: no end', {
      ...empty,
      read: readEnd,
      must: mustBeEnd,
    }),
    boolean('enabled', 'Given to the subscriber'),
    note('comment', 'Comment', 1000),
  ],
  visible: (table, parameter) =>
    visibleSql(`(SELECT organization_id FROM abonents WHERE abonents.id = ${table}.abonent_id)`, parameter),
})

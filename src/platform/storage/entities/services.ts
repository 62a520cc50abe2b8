import {
  boolean,
  createdNow,
  day,
  decimal,
  id,
  integer,
  moment,
  money,
  moneyFromZero,
  oneOf,
  radiusReply,
  reference,
  text,
} from '../columns.ts'
import { entity } from '../entity.ts'

export const Tarif = entity('tarifs', {
  columns: {
    id: id(),
    name: text(),
    /** A month. */
    price: money(),
    speed_mbit: decimal(10, 3).nullable(),
    upload_mbit: decimal(10, 3).nullable(),
    enabled: boolean().default(true),
    /** Offered to clients. */
    is_public: boolean().default(false),
    description: text().nullable(),
    vlan: integer().nullable(),
    radius_reply: radiusReply(),
    /** Debtors get an address list instead of a Reject. */
    walled_garden: boolean().default(false),
    /** When a free tariff got a price: nothing is charged for the time before. */
    priced_from: moment().nullable(),
  },
  checks: { tarifs_vlan: 'vlan BETWEEN 1 AND 4094' },
})

/** A service. 30353, -3 and -4 are promise payments. */
export const Usluga = entity('uslugas', {
  columns: {
    id: id(),
    name: text(),
    price: moneyFromZero(),
    summa: money().nullable(),
    system_type: integer().nullable(),
    end_count_days: integer().nullable(),
    enabled: boolean().default(true),
    is_public: boolean().default(false),
    description: text().nullable(),
    /** When a free service got a price: nothing is charged for the time before. */
    priced_from: moment().nullable(),
  },
})

/** A service of a subscriber; an active promise payment is one too (specification 2.6a). */
export const UsersUsluga = entity('users_uslugas', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    usluga_id: reference('uslugas'),
    system_type: integer().nullable(),
    end_time: moment().nullable(),
    /** The amount of a promise payment. */
    limit: money().nullable(),
    countt: integer().default(1),
    /** The subscriber's own price; null falls through to the service. */
    summ: money().nullable(),
    enabled: boolean().default(true),
    comment: text().nullable(),
    /** The operation that credited a promise payment. */
    op_id: reference('finance_operations').onDelete('set null').nullable(),
    create_date: createdNow(),
    /** When it was switched on again or began to cost something: nothing is charged for the time before. */
    charged_from: moment().nullable(),
    /** When it was switched off; null: it is on, or was never on. */
    off_at: moment().nullable(),
    /** Since when it was on before, with no whole day between off and on again; null: it was not. */
    on_since: moment().nullable(),
  },
  indexes: {
    users_uslugas_off: '(off_at) WHERE off_at IS NOT NULL',
    users_uslugas_again: '(charged_from) WHERE on_since IS NOT NULL',
    users_uslugas_abonent: '(abonent_id)',
    users_uslugas_usluga: '(usluga_id)',
    users_uslugas_op: '(op_id) WHERE op_id IS NOT NULL',
  },
})

/** How a month is charged, remembered at its first run, and the last day up to which all charges were made. */
export const ChargeMonth = entity('charge_months', {
  columns: {
    /** `2026-11`, of the time zone of the provider. */
    month: text().primary(),
    mode: oneOf('monthly', 'daily'),
    begun_at: createdNow(),
    charged_through: day().nullable(),
  },
})

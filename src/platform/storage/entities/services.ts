import {
  boolean,
  createdNow,
  day,
  decimal,
  id,
  integer,
  looseId,
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
  },
  indexes: {
    users_uslugas_abonent: '(abonent_id)',
    users_uslugas_usluga: '(usluga_id)',
    users_uslugas_op: '(op_id) WHERE op_id IS NOT NULL',
  },
})

/**
 * A time in which a tariff or a service was in use and that has ended: by a voluntary block, a freeze, a deletion or
 * another tariff, or because the service was switched off. A row stays until its days have been charged.
 */
export const EndedUse = entity('ended_uses', {
  columns: {
    id: id(),
    abonent_id: reference('abonents').onDelete('cascade'),
    /** Of a service: the row of users_uslugas. Null: it was the subscriber who used what they had. */
    link_id: reference('users_uslugas').onDelete('cascade').nullable(),
    /** The tariff of the subscriber. */
    tarif_id: looseId(),
    begins_at: moment(),
    ends_at: moment(),
  },
  checks: { ended_uses_order: 'begins_at < ends_at' },
  indexes: {
    ended_uses_abonent: '(abonent_id)',
    ended_uses_link: '(link_id) WHERE link_id IS NOT NULL',
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

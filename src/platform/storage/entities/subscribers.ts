import { phoneDigitsSql } from '../../../domain/contacts.ts'
import { defaultOrganization } from '../../../domain/ids.ts'
import { wordSql } from '../../../domain/search-words.ts'
import { currentTicketStates, ticketStates } from '../../../domain/ticket.ts'
import {
  among,
  boolean,
  createdNow,
  day,
  id,
  int8,
  integer,
  looseId,
  moment,
  money,
  oneOf,
  reference,
  text,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** A word of the name behind what decides who may see it, so that nobody reads past the subscribers of others. */
const nameWords = (...places: readonly number[]): string =>
  `(coalesce(organization_id, ${defaultOrganization}), deleted, ${places.map((place) => wordSql('name', place)).join(', ')})`

/** A subscriber (specification 2.2). */
export const Abonent = entity('abonents', {
  columns: {
    id: id(),
    name: text(),
    contract_number: text(),
    email: text().nullable(),
    /** Phone for messages. */
    sms: text().nullable(),
    enabled: boolean().default(true),
    tarif_id: reference('tarifs').nullable(),
    next_tarif_id: reference('tarifs').nullable(),
    next_tarif_date: moment().nullable(),
    account_id: reference('admin_accounts'),
    /** The first by id of its account (specification 2.3 rule 3); triggers write it. */
    is_main: boolean().default(true),
    promise_pay: money().nullable(),
    promise_date_end: moment().nullable(),
    /** When the last promise payment was activated. */
    promise_last_date: moment().nullable(),
    /** Charged from this moment of its month on; null: from the first. */
    charged_from: moment().nullable(),
    create_date: createdNow(),
    /** A legal entity. */
    company: boolean().default(false),
    passport_series_number: text().nullable(),
    birth_date: day().nullable(),
    parent_id: reference('abonent_folders').nullable(),
    /** Null in rows brought over from elsewhere: the default one, until a backfill. */
    organization_id: reference('organizations').nullable(),
    home_id: reference('homes').nullable(),
    flat: text().nullable(),
    address: text().nullable(),
    comment: text().nullable(),
    deleted: boolean().default(false),
    deleted_date: moment().nullable(),
  },
  indexes: {
    abonents_contract_number: 'UNIQUE (contract_number) WHERE NOT deleted',
    abonents_account: '(account_id)',
    abonents_tarif: '(tarif_id) WHERE tarif_id IS NOT NULL',
    abonents_next_tarif: '(next_tarif_id) WHERE next_tarif_id IS NOT NULL',
    abonents_next_tarif_date: '(next_tarif_date) WHERE next_tarif_date IS NOT NULL',
    abonents_promise_date_end: '(promise_date_end) WHERE promise_date_end IS NOT NULL',
    abonents_parent: '(parent_id, id)',
    abonents_organization: '(organization_id, id) INCLUDE (account_id, is_main)',
    abonents_home_uses: '(home_id, organization_id, deleted) WHERE home_id IS NOT NULL',
    abonents_sms: '(sms) WHERE sms IS NOT NULL',
    abonents_email: '(lower(email) text_pattern_ops) WHERE email IS NOT NULL',
    abonents_live: '(id) WHERE NOT deleted',
    abonents_name: '(name, id) INCLUDE (account_id, deleted, is_main, organization_id)',
    abonents_further: '(account_id) WHERE NOT is_main',
    abonents_live_tarif: '(tarif_id, id) WHERE NOT deleted',
    abonents_live_uses: '(tarif_id, organization_id) WHERE NOT deleted',
    abonents_live_create_date: '(create_date, id) INCLUDE (organization_id) WHERE NOT deleted',
    abonents_deleted: '(id) INCLUDE (create_date, deleted_date, organization_id) WHERE deleted',
    abonents_name_lower: '(lower(name) text_pattern_ops) INCLUDE (name, id, deleted)',
    // Contract numbers match without leading zeros too (portal and mobile sign-in).
    abonents_contract_bare: `(ltrim(contract_number, '0')) WHERE NOT deleted`,
    abonents_phone: `(${phoneDigitsSql('sms')}) WHERE sms IS NOT NULL AND NOT deleted`,
    abonents_phone_end: `(reverse(${phoneDigitsSql('sms')})) WHERE sms IS NOT NULL AND NOT deleted`,
    // Any two of the first three words, one after the other in a circle (interfaces/admin/search/names.ts).
    abonents_words_1_2: nameWords(1, 2),
    abonents_words_2_3: nameWords(2, 3),
    abonents_words_3_1: nameWords(3, 1),
    abonents_word_4: `${nameWords(4)} WHERE ${wordSql('name', 4)} <> ''`,
    abonents_word_5: `${nameWords(5)} WHERE ${wordSql('name', 5)} <> ''`,
  },
})

/** Why a subscriber is cut off (specification 2.6); no row when nothing stands. */
export const AbonentsBlock = entity('abonents_block', {
  columns: {
    abonent_id: reference('abonents').primary(),
    /** Under LIMIT. */
    b_negbal: boolean().default(false),
    /** By an operator. */
    b_admin: boolean().default(false),
    /** By the client. */
    b_own: boolean().default(false),
    b_sys: boolean().default(false),
    create_date: createdNow(),
    change_date: createdNow(),
  },
})

/** The tree operators sort subscribers into; it gives a new subscriber its organization. */
export const AbonentFolder = entity('abonent_folders', {
  columns: {
    id: id(),
    parent_id: reference('abonent_folders').nullable(),
    organization_id: reference('organizations'),
    name: text(),
  },
  indexes: {
    abonent_folders_parent: '(parent_id)',
    abonent_folders_organization: '(organization_id)',
  },
})

/** The address tree: cities, streets in them, houses in those. */
export const Home = entity('homes', {
  columns: {
    id: id(),
    parent_id: reference('homes').nullable(),
    kind: oneOf('city', 'street', 'house'),
    name: text(),
  },
  indexes: {
    homes_parent: '(parent_id, name)',
    homes_word_1: `(${wordSql('name', 1)}) WHERE kind <> 'house'`,
    homes_word_2: `(${wordSql('name', 2)}) WHERE kind <> 'house'`,
    homes_word_3: `(${wordSql('name', 3)}) WHERE kind <> 'house'`,
    homes_word_4: `(${wordSql('name', 4)}) WHERE kind <> 'house'`,
  },
})

/**
 * A field an operator added to subscribers (specification 2.7). A bad or repeated code is stored and reported, so it is
 * not unique.
 */
export const UserAttribute = entity('user_attributes', {
  columns: {
    id: id(),
    name: text(),
    /** 1 string, 2 integer, 3 date, 4 boolean. */
    type_id: integer().default(1),
    is_sorm: boolean().default(false),
    sorm_field_code: text().nullable(),
    /** Comma-separated: ABONENT, ABONENT_LEGAL, ABONENT_IDENT. */
    sorm_report_types: text().nullable(),
    sorm_required: boolean().default(false),
    sorm_alt_names: text().nullable(),
  },
  checks: { user_attributes_type: 'type_id BETWEEN 1 AND 4' },
})

export const UserAttributeValue = entity('user_attribute_values', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    attribute_id: reference('user_attributes'),
    value: text(),
  },
  uniques: { user_attribute_values_one: ['abonent_id', 'attribute_id'] },
  indexes: { user_attribute_values_attribute: '(attribute_id)' },
})

/** A help-desk ticket. */
export const Hdsk = entity('hdsks', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    subject: text(),
    body: text().default(''),
    status: oneOf(...ticketStates).default('open'),
    create_date: createdNow(),
    /** Whose of the staff it is; null: nobody's yet. */
    assignee_id: reference('staff').nullable(),
    /** The newest message, as the trigger of hdsk_messages writes it; null while there is none. */
    last_message_id: looseId(),
    last_author: oneOf('client', 'staff').nullable(),
    last_at: createdNow(),
  },
  indexes: {
    hdsks_abonent: '(abonent_id, id DESC)',
    hdsks_status: '(status, id)',
    hdsks_last: '(last_at, id)',
    hdsks_opened: '(create_date, id)',
    hdsks_current: `(last_at, id) WHERE ${among('status', currentTicketStates)}`,
    hdsks_assignee: '(assignee_id, last_at, id) WHERE assignee_id IS NOT NULL',
  },
})

export const HdskMessage = entity('hdsk_messages', {
  columns: {
    id: id(),
    hdsk_id: reference('hdsks').onDelete('cascade'),
    author: oneOf('client', 'staff'),
    staff_id: reference('staff').nullable(),
    body: text(),
    create_date: createdNow(),
    /** When the client saw a message of the staff. What the staff has read stands in hdsk_reads. */
    read_date: moment().nullable(),
  },
  indexes: {
    hdsk_messages_hdsk: '(hdsk_id, id)',
    hdsk_messages_unread: `(hdsk_id) WHERE author = 'staff' AND read_date IS NULL`,
    hdsk_messages_staff: '(staff_id) WHERE staff_id IS NOT NULL',
  },
})

/** What the staff tells itself of a ticket. A table of its own, so that no door to messages shows it to a client. */
export const HdskNote = entity('hdsk_notes', {
  columns: {
    id: id(),
    hdsk_id: reference('hdsks').onDelete('cascade'),
    staff_id: reference('staff'),
    body: text(),
    create_date: createdNow(),
  },
  indexes: {
    hdsk_notes_hdsk: '(hdsk_id, id)',
    hdsk_notes_staff: '(staff_id)',
  },
})

/** Up to which message one of the staff has read a ticket. */
export const HdskRead = entity('hdsk_reads', {
  columns: {
    hdsk_id: reference('hdsks').onDelete('cascade').primary(),
    staff_id: reference('staff').onDelete('cascade').primary(),
    message_id: int8(),
  },
  indexes: {
    hdsk_reads_staff: '(staff_id)',
  },
})

/** An answer that is often given, in one language or both. */
export const HdskTemplate = entity('hdsk_templates', {
  columns: {
    id: id(),
    name: text().unique('hdsk_templates_name'),
    text_ru: text().nullable(),
    text_en: text().nullable(),
  },
})

import {
  browserSession,
  createdNow,
  id,
  int8,
  integer,
  json,
  looseId,
  moment,
  money,
  nodeOfConnection,
  oneOf,
  reference,
  text,
  uuid,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** A client signed in at the portal; the table has the SHA-256 of the key only. */
export const ClientSession = entity('client_sessions', {
  columns: {
    key_hash: text().primary(),
    login_id: reference('users').onDelete('cascade'),
    ...browserSession(),
  },
  indexes: {
    client_sessions_login: '(login_id)',
    client_sessions_expires_at: '(expires_at)',
  },
})

/** What a client's request with an Idempotency-Key was answered; the same request gets it again, for ever. */
export const ClientAnswer = entity('client_answers', {
  columns: {
    subscriber_id: reference('abonents').onDelete('cascade').primary(),
    key: text().primary(),
    request_hash: text(),
    /** Null while the first request is at work, or has died at it. */
    status: integer().nullable(),
    body: text().nullable(),
    /** Who is at work. */
    node: nodeOfConnection().nullable(),
    created_at: createdNow(),
  },
})

/** A phone that is signed in: one family of refresh tokens, of which the last one counts. */
export const PhoneSession = entity('phone_sessions', {
  columns: {
    id: uuid().primary(),
    login_id: reference('users').onDelete('cascade'),
    refresh_hash: text(),
    created_at: createdNow(),
    refreshed_at: createdNow(),
    expires_at: moment(),
    ended_at: moment().nullable(),
    end_reason: oneOf('signed_out', 'reused', 'password', 'expired').nullable(),
    address: text().nullable(),
    user_agent: text().nullable(),
  },
  indexes: {
    phone_sessions_login: '(login_id)',
    phone_sessions_expires_at: '(expires_at)',
  },
})

/** A telephone or browser that takes pushes for a subscriber. */
export const PushDevice = entity('push_devices', {
  columns: {
    id: id(),
    subscriber_id: reference('abonents').onDelete('cascade'),
    /** Given by FCM; it goes with the device to whoever signs in there. */
    token: text(),
    platform: oneOf('android', 'ios', 'web'),
    created_at: createdNow(),
    seen_at: createdNow(),
  },
  uniques: { push_devices_token: ['token'] },
  indexes: { push_devices_subscriber: '(subscriber_id)' },
})

/**
 * A promise payment offered by SMS that waits for its ДА (specification 6); kept so that a restart forgets no question.
 */
export const SmsQuestion = entity('sms_questions', {
  columns: {
    subscriber_id: reference('abonents').onDelete('cascade').primary(),
    /** What was offered: the limit, and the end. */
    amount: money(),
    until: moment(),
    asked_at: createdNow(),
  },
})

/** A message that was or will be sent to a client: one row for each message and address. */
export const Notification = entity('notifications', {
  columns: {
    id: id(),
    account_id: reference('admin_accounts').onDelete('cascade').nullable(),
    subscriber_id: reference('abonents').onDelete('cascade').nullable(),
    /** The template of the text: payment_credited, low_balance … */
    kind: text(),
    /** The key of a message that is sent only once: `outbox:<id>`, `promise_expiring:<subscriber>:<end>`. */
    key: text().nullable(),
    /** Of a copy for a further device: the row it was copied from. */
    original_id: looseId(),
    /** The mailing that it belongs to. */
    mailing_id: looseId(),
    /** Null while no provider fits. */
    channel: oneOf('push', 'sms', 'email').nullable(),
    /** push_devices.id of a push. */
    device_id: looseId(),
    /** Phone or e-mail address; of a push the platform. */
    address: text().nullable(),
    title: text().default(''),
    text: text(),
    state: oneOf('waiting', 'sent', 'failed').default('waiting'),
    /** Counted before the provider is asked, so that a crash in between does not send for ever. */
    attempts: integer().default(0),
    /** What the last attempt came to, or why there was none; null when all is well. */
    error: text().nullable(),
    next_try_at: moment().nullable().defaultSql('now()'),
    /** After this time the message is of no use. */
    expires_at: moment().defaultSql(`now() + interval '3 days'`),
    created_at: createdNow(),
    sent_at: moment().nullable(),
  },
  checks: {
    notifications_next_try: `(state = 'waiting') = (next_try_at IS NOT NULL)`,
  },
  indexes: {
    notifications_account: '(account_id, id DESC) WHERE account_id IS NOT NULL',
    notifications_subscriber: '(subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    notifications_key: 'UNIQUE (key) WHERE key IS NOT NULL',
    notifications_due: `(channel, next_try_at) WHERE state = 'waiting'`,
    notifications_original: '(original_id) WHERE original_id IS NOT NULL',
    notifications_created: '(created_at)',
    notifications_mailing: '(mailing_id, id DESC) WHERE mailing_id IS NOT NULL',
    notifications_mailing_state: '(mailing_id, state, id DESC) WHERE mailing_id IS NOT NULL',
    notifications_failed: `(id DESC) WHERE state = 'failed'`,
  },
})

/** A message to many subscribers, whose audience is fixed when it begins. */
export const Mailing = entity('mailings', {
  columns: {
    id: id(),
    staff_id: looseId(),
    user_name: text(),
    /** Of a request with an Idempotency-Key, and what the request was. */
    key: text().nullable(),
    request: text().nullable(),
    /** Whom it was meant for, as it is shown. */
    asked: json<Record<string, unknown>>(),
    /** auto: the best one that each recipient has. */
    channel: oneOf('auto', 'push', 'sms', 'email'),
    title: text(),
    /** With fields in braces. */
    text: text(),
    /** cut_off: the program ended before the audience was known, and nothing was sent. */
    state: oneOf('gathering', 'sending', 'done', 'stopped', 'cut_off').default('gathering'),
    /** How many recipients there are; null while that is not known. */
    total: integer().nullable(),
    /** How many of them have a message or a reason why not. */
    done: integer().default(0),
    messages: integer().default(0),
    opted_out: integer().default(0),
    no_address: integer().default(0),
    no_provider: integer().default(0),
    deleted: integer().default(0),
    /** The last recipient that is done; they follow by id. */
    reached_id: int8().defaultSql('0'),
    starts_at: moment(),
    created_at: createdNow(),
    ended_at: moment().nullable(),
  },
  uniques: { mailings_key: ['key'] },
  indexes: {
    mailings_staff: '(staff_id, id DESC)',
    mailings_open: `(id) WHERE state IN ('gathering', 'sending')`,
  },
})

/** A recipient of a mailing: with a message, with a reason why there is none, or not yet done. */
export const MailingRecipient = entity('mailing_recipients', {
  columns: {
    mailing_id: reference('mailings').onDelete('cascade').primary(),
    /** Deliberately without a foreign key. */
    subscriber_id: int8().primary(),
    skipped: oneOf('opted_out', 'no_address', 'no_provider', 'deleted').nullable(),
    message_id: looseId(),
  },
  indexes: { mailing_recipients_left_out: '(mailing_id, subscriber_id) WHERE skipped IS NOT NULL' },
})

/** Subscribers who want no mailings. Notices about their own account are sent to them all the same. */
export const MailingOptOut = entity('mailing_opt_outs', {
  columns: {
    subscriber_id: reference('abonents').onDelete('cascade').primary(),
    /** Who recorded it. */
    user_name: text(),
    created_at: createdNow(),
  },
})

/** What an operator has a notice say in place of what it says as shipped. */
export const MessageTemplate = entity('message_templates', {
  columns: {
    /** The kind of notice: payment_credited, low_balance … */
    name: text().primary(),
    language: oneOf('ru', 'en').primary(),
    title: text(),
    /** With fields in braces. */
    text: text(),
  },
})

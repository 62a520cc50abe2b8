import {
  browserSession,
  createdNow,
  id,
  integer,
  looseId,
  moment,
  money,
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
  },
})

import { quietHoursForm } from '../../domain/quiet-hours.ts'
import type { Kind } from './kinds.ts'
import * as kind from './kinds.ts'

export type Setting<T> = {
  readonly kind: Kind<T>
  readonly default: T
  readonly description: string
  /** Encrypted in the table and masked on the screen. */
  readonly secret: boolean
  /** Of the address of a service: the secret of that service, which is entered again with another address. */
  readonly secretOfAddress?: 'LK_GWA_SECRET_KEY' | 'LK_GWB_SECRET_KEY'
}

/** A default is written as a person would write it, and read the same way. */
function setting<T>(of: Kind<T>, fallback: string, description: string): Setting<T> {
  const value = of.read(fallback)
  if (value === null) throw new Error(`The default ${fallback} is wrong: ${description} must ${of.must}.`)
  return { kind: of, default: value, description, secret: false }
}

const secret = (of: Kind<string>, description: string) => ({ ...setting(of, '', description), secret: true })

const gatewayAddress = (secretOfAddress: NonNullable<Setting<string>['secretOfAddress']>, description: string) => ({
  ...setting(kind.gatewayUrl, '', description),
  secretOfAddress,
})

const { boolean, choice, integer, rubles, share, text } = kind

const color = kind.matching(/^#[0-9a-fA-F]{6}$/, 'colour', 'be a colour such as #1a5fb4')

const version = kind.matching(/^\d{1,6}(\.\d{1,6}){1,3}$/, 'version', 'be a version such as 1.4.0')

const promise = <T>(of: Kind<T>, fallback: string, description: string) =>
  setting(of, fallback, `Promise payment: ${description}`)

const [days, hours] = [integer(0, 36_500), integer(0, 8_760)]

const periodOf = (job: string, fallback: string) =>
  setting(integer(1, 1_440, 'minutes'), fallback, `Minutes between two runs of ${job}`)

const timeOf = (job: string, fallback: string) =>
  setting(kind.timeOfDay, fallback, `When ${job} runs each day, by the clock of TIME_ZONE`)

/**
 * Every business setting (specification 3.1 and 4.4, contract). A migration brings the same defaults; a test compares.
 */
export const catalog = {
  READ_ONLY_MODE: setting(boolean, '0', 'Refuse every change that comes over HTTP; RADIUS keeps answering'),
  TIME_ZONE: setting(kind.timeZone, 'Europe/Moscow', 'Time zone in which days and months begin and times are shown'),
  TARIFF_CHARGE_MODE: setting(
    choice('monthly', 'daily'),
    'monthly',
    'Charge the tariff on the first of the month, or a part each day; a change counts from the next month',
  ),
  TARIFF_CHANGE: setting(choice('immediate', 'next_period'), 'immediate', 'When a tariff a client has chosen begins'),
  CONTRACT_NUMBER_PATTERN: setting(
    kind.matching(
      /^([^#\r\n]{0,50}#{1,12}[^#\r\n]{0,50})?$/,
      'contract_number',
      'have one run of #, where the number goes',
    ),
    '',
    'Number of a new contract, such as A-{year}/####; if empty, numbers continue from the newest contract',
  ),

  CASH_LIMIT_CASHIER: setting(rubles, '0', 'Most cash in rubles that one cashier may take in a day; 0 sets no limit'),
  CASH_LIMIT_DAY: setting(rubles, '0', 'Most cash in rubles that all cashiers may take in a day; 0 sets no limit'),

  LK_PROMISE_PAY_MIN_DEBT: promise(rubles, '0', 'smallest debt in rubles; 0 sets no minimum'),
  LK_PROMISE_PAY_MIN_AGE_DAYS: promise(days, '30', 'minimum age of the contract in days; 0 sets no minimum'),
  LK_PROMISE_PAY_COOLDOWN_DAYS: promise(days, '30', 'days between two promise payments; 0 sets no minimum'),
  LK_PROMISE_PAY_MAX_LIMIT_OVERRIDE: promise(rubles, '0', 'the limit in rubles; 0 calculates it'),
  LK_PROMISE_PAY_MAX_DURATION_DAYS: promise(integer(0, 3_650), '0', 'days it lasts; 0 takes them from the service'),
  LK_PROMISE_PAY_DAILY_CHARGE: promise(boolean, '1', 'charge the price of the service each day'),
  LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT: promise(boolean, '1', 'end it when a payment covers it'),
  LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS: promise(
    hours,
    '24',
    'hours before its end in which a client without the mobile application is told by SMS or e-mail; the job is daily, so fewer than 24 count as 24; 0 tells nobody',
  ),
  PROMISE_PAY_OPERATOR_FEE: promise(rubles, '90', 'fee in rubles when an operator activates it; 0 is free'),
  MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS: setting(
    hours,
    '24',
    'Hours before the end of a promise payment in which a push is sent; the job is daily, so fewer than 24 count as 24; 0 sends none',
  ),

  MOBILE_BRAND_NAME: setting(kind.someText, 'Tollgate', 'Application and portal: name of the provider'),
  MOBILE_BRAND_LOGO_URL: setting(kind.pageUrl, '', 'Application: address of the logo; if empty, the name is shown'),
  MOBILE_BRAND_COLOR_PRIMARY: setting(color, '#1a5fb4', 'Application: main colour'),
  MOBILE_BRAND_COLOR_ACCENT: setting(color, '#e66100', 'Application: accent colour'),
  MOBILE_SUPPORT_PHONE: setting(text, '', 'Application and portal: support phone number; if empty, none is shown'),
  MOBILE_SUPPORT_EMAIL: setting(
    kind.email,
    '',
    'Application and portal: support e-mail address; if empty, none is shown',
  ),
  MOBILE_ANDROID_VERSION_MIN: setting(version, '1.0.0', 'Application: oldest supported version on Android'),
  MOBILE_ANDROID_VERSION_LATEST: setting(version, '1.0.0', 'Application: newest version on Android'),
  MOBILE_ANDROID_STORE_URL: setting(kind.pageUrl, '', 'Application: address of the store page for Android'),
  MOBILE_IOS_VERSION_MIN: setting(version, '1.0.0', 'Application: oldest supported version on iOS'),
  MOBILE_IOS_VERSION_LATEST: setting(version, '1.0.0', 'Application: newest version on iOS'),
  MOBILE_IOS_STORE_URL: setting(kind.pageUrl, '', 'Application: address of the store page for iOS'),

  MESSAGE_LANGUAGE: setting(choice('ru', 'en'), 'ru', 'Language of SMS, pushes and e-mails to clients'),
  MESSAGE_LIFETIME_HOURS: setting(
    integer(1, 8_760),
    '72',
    'Hours for which a message that cannot be sent is tried again; later it would be of no use',
  ),
  MAILING_QUIET_HOURS: setting(
    kind.matching(quietHoursForm, 'hours', 'be hours such as 21:00-09:00, or empty'),
    '21:00-09:00',
    'Hours by the clock of TIME_ZONE in which mailings send nothing and wait; empty: they may send at any time',
  ),

  JOB_PERIOD_PROCESS_BLOCKS: periodOf('process_blocks', '5'),
  JOB_PERIOD_CHECK_EXPIRED_PROMISES: periodOf('check_expired_promises', '15'),
  JOB_TIME_BILLING_WORKER: timeOf('billing_worker', '00:05'),
  JOB_TIME_PUSH_PROMISE_PAY_EXPIRING: timeOf('push.promise_pay_expiring', '10:00'),
  JOB_TIME_PUSH_PROMISE_PAY_EXPIRED: timeOf('push.promise_pay_expired', '10:00'),
  JOB_TIME_VERIFY_LEDGER: timeOf('verify_ledger', '03:30'),
  JOB_TIME_VERIFY_REPORTS: timeOf('verify_reports', '04:00'),
  JOB_TIME_RETENTION: timeOf('retention', '04:30'),
  JOB_TIME_BACKUP: timeOf('backup', '02:30'),
  BACKUP_FOLDER: setting(
    kind.matching(
      /^(\/[^\p{Cc}]{0,500})?$/u,
      'folder',
      'be the path of a folder of the server such as /var/backups/tollgate, or empty',
    ),
    '',
    'Folder of the server that the job backup writes archives into; empty makes none',
  ),
  BACKUP_KEEP: setting(
    integer(1, 10_000),
    '14',
    'How many archives of the job backup stay in the folder; the newest are kept',
  ),
  BACKUP_PASSPHRASE: secret(
    kind.password,
    'Passphrase that seals the keys of the secrets into archives of the job backup; empty leaves them out',
  ),

  RADIUS_INTERIM_INTERVAL: setting(
    integer(5, 86_400, 'seconds'),
    '300',
    'Seconds between two accounting updates of a session',
  ),
  RADIUS_SIMULTANEOUS: setting(
    choice('reject', 'replace'),
    'reject',
    'One session too many: refuse it, or let it in and disconnect the oldest',
  ),
  RADIUS_REALMS: setting(
    kind.realms,
    '',
    'Realms without which a login name is looked up when it is not known as sent, such as isp.ru, *.isp.ru; * for all; =realm is kept, !realm is refused',
  ),
  RADIUS_LOGIN_CASE: setting(
    choice('exact', 'ignore'),
    'exact',
    'Whether Ivan signs in as ivan; of two logins that differ only in case the one spelled as sent counts, else neither',
  ),
  RADIUS_LOG_DAYS: setting(integer(1, 3_650), '30', 'Days for which the log of sign-ins is kept'),
  RADIUS_LOG_ACCEPTS: setting(boolean, '0', 'Keep accepted sign-ins in the log too, not the refused ones alone'),
  LK_WALLED_GARDEN_LIST: setting(
    kind.matching(/^[\w.:-]{1,128}$/, 'list_name', 'be a name of letters, digits, _ . : -'),
    'debtors',
    'Address list (Filter-Id) for debtors of a tariff with a walled garden',
  ),

  STAFF_SECOND_FACTOR: setting(
    kind.matching(
      /^(off|offered|required)(\s*,\s*(superuser|admin|operator|cashier|viewer|integration|role_[0-9a-f]{8})=(off|offered|required))*$/,
      'second_factor',
      'be off, offered or required, and may be followed by exceptions such as admin=required with commas between',
    ),
    'offered',
    'Second factor of staff at the sign-in: off; offered to who wants it; or required. By role: offered, admin=required',
  ),

  SYSTEM_API_ALLOW: setting(kind.networks, '127.0.0.1/32,::1/128', 'Networks that may call the System API'),
  SYSTEM_API_PASSWORD: secret(kind.password, 'Password of the System API; empty closes it'),
  SOAP_HASH_SALT: secret(text, 'Salt of the hash that SOAP programs sign in with'),

  LK_PAYMENT_SYSTEM: setting(choice('gwa', 'gwb'), 'gwa', 'Payment gateway in use'),
  LK_PAYMENT_COMMISSION: setting(share, '0.045', 'Commission added to what a client pays, as a share'),
  LK_MOBILE_SCHEMES: setting(
    kind.matching(
      /^([a-z][a-z0-9+.-]*(,\s*|$))*$/,
      'schemes',
      'be a list of schemes such as myisp, with commas between',
    ),
    '',
    'Schemes a return address of the mobile application may have, beside https',
  ),
  LK_GWA_API_URL: gatewayAddress('LK_GWA_SECRET_KEY', 'Gateway A: address of its REST interface'),
  LK_GWA_FORM_URL: gatewayAddress('LK_GWA_SECRET_KEY', 'Gateway A: address of its payment form'),
  LK_GWA_SHOP_ID: setting(text, '', 'Gateway A: shop id'),
  LK_GWA_SECRET_KEY: secret(text, 'Gateway A: REST secret key, or shopPassword of the HTTP protocol'),
  LK_GWA_SCID: setting(text, '', 'Gateway A: scid of the HTTP protocol'),
  LK_GWA_SUCCESS_URL: setting(kind.pageUrl, '', 'Gateway A: page after success'),
  LK_GWA_FAIL_URL: setting(kind.pageUrl, '', 'Gateway A: page after failure'),
  LK_GWA_VERIFY_BY_API: setting(boolean, '1', 'Gateway A: read a payment back before it is credited'),
  LK_GWA_RECEIPT_ENABLED: setting(boolean, '1', 'Gateway A: send a receipt with a payment'),
  LK_GWA_VAT_CODE: setting(integer(1, 12), '1', 'Gateway A: VAT code of the receipt; 1 is no VAT'),
  LK_GWA_PAYMENT_SUBJECT: setting(kind.someText, 'service', 'Gateway A: payment subject of the receipt'),
  LK_GWA_PAYMENT_MODE: setting(kind.someText, 'full_prepayment', 'Gateway A: payment mode of the receipt'),
  LK_GWA_RECEIPT_FALLBACK_EMAIL: setting(
    kind.email,
    '',
    'Gateway A: receives receipts of clients without e-mail and phone',
  ),
  LK_GWB_FORM_URL: gatewayAddress('LK_GWB_SECRET_KEY', 'Gateway B: address of its payment form'),
  LK_GWB_MERCHANT_ID: setting(text, '', 'Gateway B: merchant id'),
  LK_GWB_SECRET_KEY: secret(text, 'Gateway B: secret key of signatures'),
  LK_GWB_CURRENCY: setting(
    kind.matching(/^\d{3}$/, 'currency', 'be a number of ISO 4217 with three digits'),
    '643',
    'Gateway B: currency, by number',
  ),
  LK_GWB_SUCCESS_URL: setting(kind.pageUrl, '', 'Gateway B: page after success'),
  LK_GWB_FAIL_URL: setting(kind.pageUrl, '', 'Gateway B: page after failure'),
} as const satisfies Record<string, Setting<never> | Setting<unknown>>

export type SettingName = keyof typeof catalog
export type SettingValue<N extends SettingName> = (typeof catalog)[N]['default']
export type SettingValues = { [N in SettingName]: SettingValue<N> }

export const settingNames = Object.keys(catalog) as SettingName[]

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(catalog, name)

/** The entry without the type of its value, for code that treats all settings alike. */
export const entryOf = (name: SettingName): Setting<unknown> => catalog[name] as unknown as Setting<unknown>

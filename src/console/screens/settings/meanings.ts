import type { SettingName } from './endpoints.ts'

/**
 * The settings by chapter, each with its meaning in Russian. The English meaning comes with the endpoint, from the
 * catalogue of the server; a setting that is missing here breaks the types.
 */
const general = {
  READ_ONLY_MODE: 'Отказывать в любых изменениях по HTTP; RADIUS продолжает отвечать',
  TIME_ZONE: 'Часовой пояс: по нему начинаются дни и месяцы и показывается время',
  CONTRACT_NUMBER_PATTERN:
    'Номер нового договора, например A-{year}/####; пусто — следующий после самого нового договора',
  CASH_LIMIT_CASHIER: 'Сколько наличных за день может принять один кассир, ₽; 0 — сколько угодно',
  CASH_LIMIT_DAY: 'Сколько наличных за день могут принять все кассиры, ₽; 0 — сколько угодно',
} as const

const charging = {
  TARIFF_CHARGE_MODE:
    'Начислять тариф первого числа за месяц или частями каждый день; изменение действует со следующего месяца',
  TARIFF_CHANGE: 'Когда начинается тариф, который выбрал клиент',
} as const

const promises = {
  LK_PROMISE_PAY_MIN_DEBT: 'Наименьший долг, ₽; 0 — любой',
  LK_PROMISE_PAY_MIN_AGE_DAYS: 'Сколько дней должно быть договору; 0 — сколько угодно',
  LK_PROMISE_PAY_COOLDOWN_DAYS: 'Дней между двумя обещанными платежами; 0 — сколько угодно',
  LK_PROMISE_PAY_MAX_LIMIT_OVERRIDE: 'Наибольшая сумма, ₽; 0 — рассчитывается',
  LK_PROMISE_PAY_MAX_DURATION_DAYS: 'Сколько дней действует; 0 — сколько сказано в услуге',
  LK_PROMISE_PAY_DAILY_CHARGE: 'Списывать цену услуги каждый день',
  LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT: 'Завершать, когда платёж его покрывает',
  LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS:
    'За сколько часов до конца сообщать по SMS или почте клиенту без приложения; меньше 24 считается за 24, 0 — не сообщать',
  PROMISE_PAY_OPERATOR_FEE: 'Плата, если обещанный платёж даёт оператор, ₽; 0 — бесплатно',
  MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS:
    'За сколько часов до конца присылать push; меньше 24 считается за 24, 0 — не присылать',
} as const

const messages = {
  MESSAGE_LANGUAGE: 'Язык SMS, push и писем клиентам',
  MESSAGE_LIFETIME_HOURS: 'Сколько часов повторять сообщение, которое не удаётся отправить',
  MAILING_QUIET_HOURS: 'Тихие часы: рассылки ждут их конца; пусто — шлют в любое время',
} as const

const application = {
  MOBILE_BRAND_NAME: 'Название провайдера',
  MOBILE_BRAND_LOGO_URL: 'Адрес логотипа; пусто — показывается название',
  MOBILE_BRAND_COLOR_PRIMARY: 'Основной цвет',
  MOBILE_BRAND_COLOR_ACCENT: 'Цвет важного',
  MOBILE_SUPPORT_PHONE: 'Телефон поддержки; пусто — не показывается',
  MOBILE_SUPPORT_EMAIL: 'Почта поддержки; пусто — не показывается',
  MOBILE_ANDROID_VERSION_MIN: 'Самая старая версия для Android, которая ещё работает',
  MOBILE_ANDROID_VERSION_LATEST: 'Самая новая версия для Android',
  MOBILE_ANDROID_STORE_URL: 'Где взять приложение для Android',
  MOBILE_IOS_VERSION_MIN: 'Самая старая версия для iOS, которая ещё работает',
  MOBILE_IOS_VERSION_LATEST: 'Самая новая версия для iOS',
  MOBILE_IOS_STORE_URL: 'Где взять приложение для iOS',
} as const

const network = {
  RADIUS_INTERIM_INTERVAL: 'Секунд между двумя отчётами о сессии',
  RADIUS_SIMULTANEOUS: 'Лишняя одновременная сессия: отказать ей или впустить её и отключить самую старую',
  RADIUS_REALMS:
    'Realm, без которых ищется логин, не известный целиком, например isp.ru, *.isp.ru; * — любые; =realm остаётся, !realm отклоняется',
  RADIUS_LOGIN_CASE:
    'Войдёт ли Ivan как ivan; из двух логинов, отличных лишь регистром, годится написанный точно, иначе ни один',
  RADIUS_LOG_DAYS: 'Сколько дней хранится журнал авторизаций',
  RADIUS_LOG_ACCEPTS: 'Записывать в журнал и успешные авторизации',
  LK_WALLED_GARDEN_LIST: 'Список адресов (Filter-Id) для должников с тарифом, у которого есть гостевая зона',
} as const

const jobs = {
  JOB_PERIOD_PROCESS_BLOCKS: 'Минут между запусками: блокировка и разблокировка по балансу',
  JOB_PERIOD_CHECK_EXPIRED_PROMISES: 'Минут между запусками: окончание обещанных платежей',
  JOB_TIME_BILLING_WORKER: 'Когда начисляется абонентская плата',
  JOB_TIME_PUSH_PROMISE_PAY_EXPIRING: 'Когда уведомлять, что обещанный платёж скоро закончится',
  JOB_TIME_PUSH_PROMISE_PAY_EXPIRED: 'Когда уведомлять, что обещанный платёж закончился',
  JOB_TIME_VERIFY_LEDGER: 'Когда сверяется финансовый журнал',
  JOB_TIME_VERIFY_REPORTS: 'Когда отчёты сверяются с операциями',
  JOB_TIME_RETENTION: 'Когда удаляются старые служебные записи',
  JOB_TIME_BACKUP: 'Когда делается резервная копия',
  BACKUP_FOLDER: 'Папка сервера, куда задание кладёт резервные копии; пусто — не делает их',
  BACKUP_KEEP: 'Сколько последних резервных копий остаётся в папке',
  BACKUP_PASSPHRASE: 'Парольная фраза, которой в копии запечатаны ключи секретов; пусто — ключи в копию не входят',
} as const

const access = {
  STAFF_SECOND_FACTOR:
    'Второй фактор сотрудников: off — нет, offered — кто хочет, required — обязателен. По ролям: offered, admin=required',
  SYSTEM_API_ALLOW: 'Сети, из которых доступен System API',
  SYSTEM_API_PASSWORD: 'Пароль System API; пусто — он закрыт',
  SOAP_HASH_SALT: 'Соль хеша, с которым входят программы по SOAP',
} as const

const payments = {
  LK_PAYMENT_SYSTEM: 'Платёжная система',
  LK_PAYMENT_COMMISSION: 'Комиссия сверх суммы, доля',
  LK_MOBILE_SCHEMES: 'Схемы адресов возврата в приложение, кроме https',
} as const

const gatewayA = {
  LK_GWA_API_URL: 'Адрес интерфейса REST',
  LK_GWA_FORM_URL: 'Адрес платёжной формы',
  LK_GWA_SHOP_ID: 'Номер магазина (shopId)',
  LK_GWA_SECRET_KEY: 'Секретный ключ REST или shopPassword протокола HTTP',
  LK_GWA_SCID: 'Номер витрины (scid) протокола HTTP',
  LK_GWA_SUCCESS_URL: 'Страница после успешной оплаты',
  LK_GWA_FAIL_URL: 'Страница после неудачной оплаты',
  LK_GWA_VERIFY_BY_API: 'Сверять платёж со шлюзом перед зачислением',
  LK_GWA_RECEIPT_ENABLED: 'Отправлять чек',
  LK_GWA_VAT_CODE: 'Код НДС в чеке; 1 — без НДС',
  LK_GWA_PAYMENT_SUBJECT: 'Предмет расчёта в чеке',
  LK_GWA_PAYMENT_MODE: 'Способ расчёта в чеке',
  LK_GWA_RECEIPT_FALLBACK_EMAIL: 'Куда отправлять чеки клиентов без почты и телефона',
} as const

const gatewayB = {
  LK_GWB_FORM_URL: 'Адрес платёжной формы',
  LK_GWB_MERCHANT_ID: 'Номер магазина',
  LK_GWB_SECRET_KEY: 'Секретный ключ подписи',
  LK_GWB_CURRENCY: 'Валюта, числом',
  LK_GWB_SUCCESS_URL: 'Страница после успешной оплаты',
  LK_GWB_FAIL_URL: 'Страница после неудачной оплаты',
} as const

const chapters = {
  general,
  charging,
  promises,
  messages,
  application,
  network,
  jobs,
  access,
  payments,
  gatewayA,
  gatewayB,
} as const

export type ChapterName = keyof typeof chapters

export const meaningsInRussian: Readonly<Record<SettingName, string>> = {
  ...general,
  ...charging,
  ...promises,
  ...messages,
  ...application,
  ...network,
  ...jobs,
  ...access,
  ...payments,
  ...gatewayA,
  ...gatewayB,
}

/** The chapters in the order in which they are shown, each with the names of its settings. */
export const settingChapters = Object.entries(chapters).map(([name, settings]) => ({
  name: name as ChapterName,
  settings: Object.keys(settings) as readonly string[],
}))

/** Those that stand together on the screen of gateways: an address and its secret are changed in one go. */
export const gatewayChapters: readonly ChapterName[] = ['payments', 'gatewayA', 'gatewayB']

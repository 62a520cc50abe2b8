import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import type { Language } from '../../domain/language.ts'

type Words = Readonly<Record<Language, string>>

/** Every refusal of the application's doors: the code is for programs and stays, the text is for people. `{name}` is filled in. */
export const refusals = {
  bad_request: { ru: 'Запрос неверен: {detail}', en: 'The request is wrong: {detail}' },
  bad_amount: {
    ru: 'Сумма должна быть больше 0 и не больше 1000000.00, не более двух знаков после точки.',
    en: 'The amount must be more than 0 and at most 1000000.00, with at most two decimal places.',
  },
  unsupported_media_type: { ru: 'Тело запроса должно быть в формате JSON.', en: 'The body must be JSON.' },
  wrong_credentials: { ru: 'Неверный договор, логин или пароль.', en: 'Wrong contract, login or password.' },
  bad_token: { ru: 'Сеанс завершён. Войдите снова.', en: 'The session is over. Please sign in again.' },
  too_many_requests: {
    ru: 'Слишком много запросов. Повторите через {seconds} с.',
    en: 'Too many requests. Try again in {seconds} s.',
  },
  not_found: { ru: 'Не найдено.', en: 'Not found.' },
  conflict: {
    ru: 'Этот Idempotency-Key уже использован с другим запросом.',
    en: 'This Idempotency-Key was used before with another request.',
  },
  wrong_password: { ru: 'Текущий пароль неверен.', en: 'The current password is wrong.' },
  password_mismatch: {
    ru: 'Новый пароль и его повтор не совпадают.',
    en: 'The new password and its repetition differ.',
  },
  password_short: {
    ru: 'Новый пароль должен быть не короче {least} символов.',
    en: 'The new password must have at least {least} characters.',
  },
  password_long: {
    ru: 'Новый пароль должен быть не длиннее {most} символов.',
    en: 'The new password must have at most {most} characters.',
  },
  password_forbidden: {
    ru: 'Пароль не может содержать управляющие символы.',
    en: 'A password cannot contain control characters.',
  },
  tariff_current: { ru: 'Этот тариф уже подключён.', en: 'This is your tariff already.' },
  tariff_not_offered: { ru: 'Такого тарифа нет среди доступных.', en: 'There is no such tariff on offer.' },
  service_not_offered: { ru: 'Такой услуги нет среди доступных.', en: 'There is no such service on offer.' },
  service_fixed: { ru: 'Этой услугой управляет оператор.', en: 'This service is managed by the operator.' },
  already_blocked: { ru: 'Доступ уже закрыт: {reason}.', en: 'Access is closed already: {reason}.' },
  already_active: { ru: 'Обещанный платёж уже действует.', en: 'A promise payment is active already.' },
  min_debt: { ru: 'Долг слишком мал для обещанного платежа.', en: 'The debt is too small for a promise payment.' },
  min_age: {
    ru: 'Договор слишком новый для обещанного платежа.',
    en: 'The contract is too young for a promise payment.',
  },
  cooldown: {
    ru: 'После прошлого обещанного платежа прошло слишком мало времени.',
    en: 'It is too soon after the last promise payment.',
  },
  disabled: { ru: 'Обещанный платёж для вас недоступен.', en: 'Promise payments are not available to you.' },
  no_promise: { ru: 'Обещанного платежа нет.', en: 'There is no promise payment.' },
  refused: {
    ru: 'Сейчас это сделать нельзя. Обратитесь в абонентский отдел.',
    en: 'This cannot be done now. Please contact the support.',
  },
  payment_unavailable: {
    ru: 'Платёжная система временно недоступна, попробуйте позже.',
    en: 'The payment system is temporarily unavailable; try again later.',
  },
} as const satisfies Record<string, Words>

export type RefusalCode = keyof typeof refusals

export function refusalWords(
  code: RefusalCode,
  language: Language,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return refusals[code][language].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** What is wrong with a field of a body or a query: the details of `bad_request`. */
export const details = {
  json: { ru: 'это не JSON-объект', en: 'this is no JSON object' },
  text: {
    ru: '{field}: нужен текст длиной от 1 до {most} символов',
    en: '{field}: text of 1 to {most} characters is needed',
  },
  id: { ru: '{field}: нужно целое число', en: '{field}: a whole number is needed' },
  switch: { ru: '{field}: нужно true или false', en: '{field}: true or false is needed' },
  choice: { ru: '{field}: одно из {choices}', en: '{field}: one of {choices}' },
  day: { ru: '{field}: нужна дата вида 2026-12-31', en: '{field}: a date such as 2026-12-31 is needed' },
  span: { ru: 'from позже, чем to', en: 'from is later than to' },
  page: { ru: '{field}: нужно целое число от 1 до {most}', en: '{field}: a whole number from 1 to {most} is needed' },
  key: { ru: 'Idempotency-Key длиннее {most} символов', en: 'the Idempotency-Key is longer than {most} characters' },
} as const satisfies Record<string, Words>

export type Detail = keyof typeof details

export function detailWords(
  detail: Detail,
  language: Language,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return details[detail][language].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}

/** What the account refuses, as a code of ours (contract section 5). */
export const codeOfAccount = (reason: AccountRefusal): RefusalCode => accountCodes[reason] ?? 'refused'

const accountCodes: Partial<Record<AccountRefusal, RefusalCode>> = {
  promiseActive: 'already_active',
  promiseMinDebt: 'min_debt',
  promiseMinAge: 'min_age',
  promiseCooldown: 'cooldown',
  promiseDisabled: 'disabled',
  noPromise: 'no_promise',
  tariffMissing: 'tariff_not_offered',
  subscriberMissing: 'not_found',
  keyTakenWithOtherAmount: 'conflict',
}

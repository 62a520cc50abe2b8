import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import { catalogue } from '../../domain/language.ts'

/**
 * The refusals of the mobile API. The codes are for programs and stable, the texts are for people; `{name}` is filled
 * in.
 */
export const refusals = catalogue({
  ru: {
    bad_request: 'Запрос неверен: {detail}',
    bad_amount: 'Сумма должна быть больше 0 и не больше 1000000.00, не более двух знаков после точки.',
    unsupported_media_type: 'Тело запроса должно быть в формате JSON.',
    wrong_credentials: 'Неверный договор, логин или пароль.',
    bad_token: 'Сеанс завершён. Войдите снова.',
    too_many_requests: 'Слишком много запросов. Повторите через {seconds} с.',
    not_found: 'Не найдено.',
    conflict: 'Этот Idempotency-Key уже использован с другим запросом.',
    wrong_password: 'Текущий пароль неверен.',
    password_mismatch: 'Новый пароль и его повтор не совпадают.',
    password_short: 'Новый пароль должен быть не короче {least} символов.',
    password_long: 'Новый пароль должен быть не длиннее {most} символов.',
    password_forbidden: 'Пароль не может содержать управляющие символы.',
    tariff_current: 'Этот тариф уже подключён.',
    tariff_not_offered: 'Такого тарифа нет среди доступных.',
    service_not_offered: 'Такой услуги нет среди доступных.',
    service_fixed: 'Этой услугой управляет оператор.',
    already_blocked: 'Доступ уже закрыт: {reason}.',
    already_active: 'Обещанный платёж уже действует.',
    min_debt: 'Долг слишком мал для обещанного платежа.',
    min_age: 'Договор слишком новый для обещанного платежа.',
    cooldown: 'После прошлого обещанного платежа прошло слишком мало времени.',
    disabled: 'Обещанный платёж для вас недоступен.',
    no_promise: 'Обещанного платежа нет.',
    refused: 'Сейчас это сделать нельзя. Обратитесь в абонентский отдел.',
    payment_unavailable: 'Платёжная система временно недоступна, попробуйте позже.',
  },
  en: {
    bad_request: 'The request is wrong: {detail}',
    bad_amount: 'The amount must be more than 0 and at most 1000000.00, with at most two decimal places.',
    unsupported_media_type: 'The body must be JSON.',
    wrong_credentials: 'Wrong contract, login or password.',
    bad_token: 'The session is over. Please sign in again.',
    too_many_requests: 'Too many requests. Try again in {seconds} s.',
    not_found: 'Not found.',
    conflict: 'This Idempotency-Key was used before with another request.',
    wrong_password: 'The current password is wrong.',
    password_mismatch: 'The new password and its repetition differ.',
    password_short: 'The new password must have at least {least} characters.',
    password_long: 'The new password must have at most {most} characters.',
    password_forbidden: 'A password cannot contain control characters.',
    tariff_current: 'This is your tariff already.',
    tariff_not_offered: 'There is no such tariff on offer.',
    service_not_offered: 'There is no such service on offer.',
    service_fixed: 'This service is managed by the operator.',
    already_blocked: 'Access is closed already: {reason}.',
    already_active: 'A promise payment is active already.',
    min_debt: 'The debt is too small for a promise payment.',
    min_age: 'The contract is too young for a promise payment.',
    cooldown: 'It is too soon after the last promise payment.',
    disabled: 'Promise payments are not available to you.',
    no_promise: 'There is no promise payment.',
    refused: 'This cannot be done now. Please contact the support.',
    payment_unavailable: 'The payment system is temporarily unavailable; try again later.',
  },
})

export type RefusalCode = keyof (typeof refusals)['ru']

/** The details of `bad_request`, which say what is wrong with a field of the body or the query. */
export const details = catalogue({
  ru: {
    json: 'это не JSON-объект',
    text: '{field}: нужен текст длиной от 1 до {most} символов',
    id: '{field}: нужно целое число',
    switch: '{field}: нужно true или false',
    choice: '{field}: одно из {choices}',
    day: '{field}: нужна дата вида 2026-12-31',
    span: 'from позже, чем to',
    page: '{field}: нужно целое число от 1 до {most}',
    key: 'Idempotency-Key длиннее {most} символов',
  },
  en: {
    json: 'this is no JSON object',
    text: '{field}: text of 1 to {most} characters is needed',
    id: '{field}: a whole number is needed',
    switch: '{field}: true or false is needed',
    choice: '{field}: one of {choices}',
    day: '{field}: a date such as 2026-12-31 is needed',
    span: 'from is later than to',
    page: '{field}: a whole number from 1 to {most} is needed',
    key: 'the Idempotency-Key is longer than {most} characters',
  },
})

export type Detail = keyof (typeof details)['ru']

/** The code for a refusal by the account (contract section 5). */
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

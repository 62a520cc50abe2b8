import { Refused } from '../api/client.ts'
import { useLanguage } from './language.tsx'
import { chapter, useTexts } from './texts.ts'

/** Refusals of the server by their stable codes. A code that is not here is said by the sentence of the server. */
const codes = chapter({
  no_answer: ['Сервер не отвечает. Проверьте связь.', 'The server is not answering. Check the connection.'],
  no_answer_to_write: [
    'Сервер не ответил. Проверьте связь и, прежде чем повторить, посмотрите, не сделано ли это уже.',
    'The server did not answer. Check the connection, and before you try again see whether it has been done.',
  ],
  no_answer_to_key: [
    'Сервер не ответил. Проверьте связь и нажмите ещё раз: дважды это не проведётся.',
    'The server did not answer. Check the connection and press again: it is not done twice.',
  ],
  wrong_field: ['Проверьте поля', 'Check the fields'],
  shift_open: ['У вас уже есть открытая смена', 'You already have an open shift'],
  no_shift: ['У вас нет открытой смены', 'You have no open shift'],
  cash_limit_cashier: [
    'Больше наличных за день один кассир принять не может',
    'The daily cash limit of a cashier is reached',
  ],
  cash_limit_day: [
    'Больше наличных за день кассы принять не могут',
    'The daily cash limit of all cash desks is reached',
  ],
  date_in_future: ['Дата операции в будущем', 'The date is in the future'],
  date_before_account: ['Дата операции раньше открытия счёта', 'The date is before the account was opened'],
  date_not_allowed: [
    'Дату в будущем или раньше открытия счёта может поставить только тот, у кого есть на это право',
    'A date in the future or before the account was opened needs a right of its own',
  ],
  alreadyReversed: ['Операция уже отменена', 'The operation has already been reversed'],
  givenBack: [
    'Эту операцию уже вернула более поздняя, целиком или частично. Сначала сторнируйте ту.',
    'A later operation has given this one back, as a whole or in part. Reverse that one first.',
  ],
  notLastOperation: [
    'Отменить можно только последнюю операцию счёта',
    'Only the last operation of an account can be reversed',
  ],
  operationMissing: ['Такой операции на счёте нет', 'There is no such operation on the account'],
  amountOutOfRange: ['Сумма больше, чем может храниться на счёте', 'The amount is more than an account can hold'],
  keyTakenWithOtherAmount: [
    'Этот номер транзакции уже использован с другой суммой',
    'This transaction id was already used with another amount',
  ],
  subscriberNotOnAccount: ['Этот клиент не на этом счёте', 'The subscriber does not have this account'],
  already_linked: ['Клиент уже на этом счёте', 'The subscriber has this account already'],
  linked_elsewhere: ['Клиент на другом счёте', 'The subscriber has another account'],
  not_yours: [
    'Счёт без клиента принадлежит основной организации, она вам не доступна',
    'An account without a subscriber belongs to the default organization, which you cannot see',
  ],
  same_limits: ['Пороги уже такие', 'The limits are already set so'],
  same_currency: ['Валюта уже такая', 'The currency is already set so'],
  in_use: ['Есть клиент, операции или видео', 'It has a subscriber, operations or video'],
  reports_not_ready: [
    'Итоги отчётов сводятся, повторите через минуту',
    'The report sums are being prepared; try again in a minute',
  ],
  report_too_large: [
    'Таблица слишком велика, сократите период или уберите столбцы',
    'The table would be too large; choose a shorter period or fewer columns',
  ],
  busy: ['Сейчас не удалось, повторите чуть позже', 'It could not be changed now; try again shortly'],
  accountMissing: ['Такого счёта нет', 'There is no such account'],
  already_active: ['Обещанный платёж уже действует', 'A promise payment is active already'],
  min_debt: ['Долг меньше наименьшего для обещанного платежа', 'The debt is too small for a promise payment'],
  min_age: ['Договор слишком новый для обещанного платежа', 'The contract is too new for a promise payment'],
  cooldown: ['После прошлого обещанного платежа прошло мало времени', 'It is too soon after the last promise payment'],
  disabled: ['Обещанные платежи отключены', 'Promise payments are switched off'],
  tariff_off: ['Тариф выключен и никому не назначается', 'The tariff is switched off'],
  tariffSame: ['Этот тариф уже назначен', 'The subscriber has this tariff already'],
  tariffMissing: ['Такого тарифа нет', 'There is no such tariff'],
  service_off: ['Услуга выключена и никому не подключается', 'The service is switched off'],
  deleted: ['Абонент удалён', 'The subscriber is deleted'],
  key_taken: ['Этот запрос уже отправлен с другими данными', 'This request was already sent with other values'],
  nas_unreachable: [
    'NAS этой сессии выключен, удалён или без адреса для CoA',
    'The NAS of the session is disabled, deleted or has no address for CoA',
  ],
  coa_nothing: [
    'Этому NAS по CoA сообщить нечего: отключите сессию, и она войдёт заново',
    'There is nothing to tell this NAS by CoA; disconnect the session, so that it signs in again',
  ],
  run_busy: ['Идёт другой импорт, дождитесь его конца', 'Another import is under way; wait until it ends'],
  record_in_use: ['Этим ещё пользуются, поэтому удалить нельзя', 'It is still in use, so it cannot be deleted'],
  taken: ['Такая запись уже есть', 'Such a record already exists'],
  read_only: ['Сейчас включён режим только для чтения', 'Read-only mode is on'],
  all_organizations: [
    'Это касается всех организаций и доступно тем, кто видит их все',
    'This concerns every organization, so only staff who see all of them may do it',
  ],
  foreign_subscribers: ['Здесь живут абоненты других организаций', 'Subscribers of other organizations live there'],
  beyond_own_rights: ['Нельзя дать право, которого нет у вас', 'You cannot grant a right that you do not have'],
  own_role: ['Вы отняли бы у себя право управлять сотрудниками', 'You would lose your own right to manage staff'],
  superuser_only: [
    'Суперпользователя меняет и удаляет только суперпользователь',
    'Only a superuser may create, change or delete a superuser',
  ],
  last_superuser: [
    'Это последний суперпользователь, который может войти',
    'This is the last superuser who can sign in',
  ],
  own_user: ['Себя удалить нельзя', 'You cannot delete yourself'],
  own_second_factor: [
    'Свой второй фактор убирают на странице «Моя учётная запись»',
    'Remove your own second factor under “My account”',
  ],
  soap_password: [
    'Чтобы дать доступ к SOAP, задайте и новый пароль: хранится только его хеш',
    'For SOAP access set a new password as well, because only its hash is stored',
  ],
  by_token: ['Токену API этого нельзя: войдите с паролем', 'An API token may not do this; sign in with a password'],
  default_organization: ['Основную организацию удалить нельзя', 'The default organization cannot be deleted'],
  fixed_sign: ['Знак встроенного вида операций не меняется', 'The sign of a built-in type cannot be changed'],
  used_sign: [
    'Такие операции уже есть, поэтому знак не меняется',
    'There are operations of this type, so its sign cannot be changed',
  ],
  fixed_type: [
    'Встроенный вид операций удалить нельзя, его можно отключить',
    'A built-in type cannot be deleted, but it can be switched off',
  ],
  fixed_service: [
    'Услугу обещанных платежей удалить нельзя, её можно отключить',
    'A service of promise payments cannot be deleted, but it can be switched off',
  ],
  default_currency: ['Сначала сделайте основной другую валюту', 'Make another currency the default one first'],
  folder_in_itself: ['Папку нельзя вложить в саму себя', 'A folder cannot be inside itself'],
  used_type: [
    'Тип поля не меняется, пока у абонентов есть его значения',
    'The type cannot change while subscribers have values of the field',
  ],
  weak_password: [
    'Пароль слишком простой: нужно не меньше 10 знаков, и не из распространённых',
    'The password is too weak: use 10 characters or more, and not a common password',
  ],
  too_many_tries: ['Слишком много неверных попыток, повторите позже', 'Too many failed attempts; try again later'],
  wrong_code: ['Код или ключ доступа не принят', 'The code or the passkey was not accepted'],
  not_proposed: ['Ключ ждал кода слишком долго, начните заново', 'The key waited too long for its code; start again'],
  unproven: [
    'Это последний второй фактор: введите его код или код восстановления',
    'This is your last second factor: enter its code, or a recovery code',
  ],
  refused_passkey: [
    'Ключ доступа не принят. У одного сотрудника их не больше двадцати.',
    'The passkey was not accepted. A user can have twenty at most.',
  ],
  wrong_password: ['Ваш пароль неверен', 'Wrong password'],
  credited_before: ['Этот платёж уже зачислен', 'This payment has already been credited'],
  refunded_before: ['Возврат этого платежа уже заказан', 'A refund of this payment has already been requested'],
  refund_unavailable: [
    'Этот шлюз не принимает возвраты от программ: верните деньги в его кабинете',
    'This gateway takes no refunds from programs: refund the money at the gateway itself',
  ],
  refund_not_failed: ['С возвратом уже что-то сделали', 'The refund has already been dealt with'],
  settled_before: ['Этот платёж уже разобран иначе', 'This payment has already been settled in another way'],
  not_proven: ['Шлюз не подтверждает этот платёж', 'The gateway does not confirm this payment'],
  sorm_rename_blocked: ['Поле входит в выгрузку СОРМ', 'The field is part of the SORM export'],
  nothing_left: ['Остатка уже нет', 'Nothing remains'],
  unknown_field: ['В тексте есть поле, которого нет', 'The text has an unknown field'],
  not_address: ['Это не телефон и не почта', 'It is neither a phone nor an e-mail address'],
  no_provider: ['Отправка этим способом не настроена', 'No provider is set up for this channel'],
  mailing_over: ['Рассылка уже закончилась', 'The mailing is already over'],
  endpoint_off: ['Адрес выключен: сначала включите его', 'The endpoint is off; switch it on first'],
  delivery_over: ['Это событие больше не ждёт', 'The event is no longer waiting'],
  too_many_endpoints: ['Адресов больше не добавить', 'No more endpoints can be added'],
  private_address: [
    'Это адрес внутренней сети, туда отправлять нельзя',
    'This address is in a private network, where nothing may be sent',
  ],
  taken_before: ['Это движение денег уже принято', 'This movement of money has already been accepted'],
})

const statuses = chapter({
  forbidden: ['На это нет права', 'You do not have the right to do this'],
  missing: ['Запись не найдена', 'Record not found'],
  busy: ['Сервер занят, повторите через несколько секунд', 'The server is busy; try again in a few seconds'],
  internal: ['Ошибка на сервере', 'Server error'],
  odd: ['Не получилось', 'Something went wrong'],
})

/** Says in the language of the user why something did not work. */
export function useSayRefusal(): (error: unknown) => string {
  const said = useTexts(codes) as Readonly<Record<string, string>>
  const t = useTexts(statuses)
  const { language } = useLanguage()
  return (error) => {
    if (!(error instanceof Refused)) return t.odd
    const byCode = error.code === null ? undefined : said[error.code]
    if (byCode !== undefined) return byCode
    if (error.status === 404) return t.missing
    if (error.status === 503 || error.status === 429) return t.busy
    if (error.status >= 500) return t.internal
    if (error.status === 403 && (error.message === '' || language === 'ru')) return t.forbidden
    return error.message || t.odd
  }
}

/** What is wrong with a field, by the codes that endpoints give it. */
const fieldCodes = chapter({
  unknown_field: ['Есть поле, которого нет', ''],
  required: ['Нужно заполнить', 'This field is required'],
  missing: ['Такой записи нет', 'There is no such record'],
  taken: ['Уже занято', 'Already taken'],
  off: ['Выключено', 'It is switched off'],
  full: ['В пуле нет свободных адресов', 'The pool has no free address'],
  in_use: ['Адрес сейчас в чужой сессии', 'A live session is using this address'],
  reserved: [
    'Это адрес сети, шлюза или широковещательный',
    'It is the network, the broadcast or the gateway of a pool',
  ],
  past: ['Этот день уже прошёл', 'The day is in the past'],
  // The English sentence of the server says more.
  wrong: ['Неверное значение', ''],
  fixed: ['Это не меняется', 'It cannot be changed'],
  not_address: ['Это не IP-адрес', 'Not an IP address'],
  private_address: ['Это адрес внутренней сети', 'An address in a private network'],
  not_network: ['Это не сеть, например 10.0.0.0/24', 'Not a network, such as 10.0.0.0/24'],
  not_mac: ['Это не MAC-адрес', 'Not a MAC address'],
  not_number: ['Это не число', 'Not a number'],
  out_of_range: ['Число вне допустимых пределов', ''],
  too_long: ['Слишком длинно', 'It is too long'],
  weak_password: ['Слишком простой', 'It is too weak'],
  exhausted: ['Свободного номера рядом нет, укажите сами', 'There is no free number near the last one; enter one'],
})

/** Says what is wrong with each field. */
export function useSayFields(): (error: unknown) => Readonly<Record<string, string>> {
  const said = useTexts(fieldCodes) as Readonly<Record<string, string>>
  return (error) => {
    if (!(error instanceof Refused)) return {}
    return Object.fromEntries(
      Object.entries(error.fields).map(([name, text]) => [name, said[error.codes[name] ?? ''] || text]),
    )
  }
}

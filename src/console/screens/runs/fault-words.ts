import type { Language } from '../../texts/texts.ts'

/** What the import and bulk actions say of a record, and the same in Russian. `$1` is what stands in brackets. */
const sentences: readonly (readonly [said: RegExp, russian: string])[] = [
  [/^contract_number is empty$/, 'нет номера договора'],
  [/^name is empty$/, 'нет имени'],
  [/^contract_number "(.*)" is longer than (\d+) characters$/, 'номер договора «$1» длиннее $2 знаков'],
  [/^name "(.*)" is longer than (\d+) characters$/, 'имя «$1» длиннее $2 знаков'],
  [/^phone "(.*)" is longer than (\d+) characters$/, 'телефон «$1» длиннее $2 знаков'],
  [/^login "(.*)" is not a login \(.*\)$/, 'логин «$1» не годится: нужен без пробелов и не длиннее 253 байт'],
  [/^password is longer than (\d+) characters$/, 'пароль длиннее $1 знаков'],
  [/^password must .*$/, 'такой пароль не годится'],
  [/^a login needs a password$/, 'у логина нет пароля'],
  [/^ip "(.*)" is not an IPv4 address$/, '«$1» — не адрес IPv4'],
  [/^mac "(.*)" is not a MAC address$/, '«$1» — не MAC-адрес'],
  [/^ip and mac belong to a login, and there is none$/, 'IP и MAC указаны без логина'],
  [/^tarif "(.*)" is unknown$/, 'тарифа «$1» нет'],
  [/^folder "(.*)" is unknown$/, 'папки «$1» нет'],
  [/^(?:tarif|folder) "(.*)" is the name of several; give the id$/, '«$1» называется несколько записей, укажите id'],
  [/^email "(.*)" is not an e-mail address$/, '«$1» — не адрес почты'],
  [/^balance "(.*)" is not rubles.*$/, 'баланс «$1» — не сумма в рублях'],
  [/^limit "(.*)" is not rubles.*$/, 'лимит «$1» — не сумма в рублях'],
  [/^contract_number "(.*)" stands in line (\d+) already$/, 'договор «$1» уже есть в строке $2'],
  [/^login "(.*)" stands in line (\d+) already$/, 'логин «$1» уже есть в строке $2'],
  [/^contract_number "(.*)" belongs to a deleted subscriber$/, 'договор «$1» — у удалённого абонента'],
  [/^login "(.*)" belongs to contract_number "(.*)"$/, 'логин «$1» занят договором «$2»'],
  [
    /^the balance of contract_number "(.*)" was imported before \(operation (\d+)\)$/,
    'баланс договора «$1» уже загружен операцией $2',
  ],
  [/^a quoted field is not closed$/, 'не закрыта кавычка'],
  [/^text follows the closing quote of a field$/, 'после закрывающей кавычки есть текст'],
  [/^the line is longer than .*$/, 'строка слишком длинная, или не закрыта кавычка'],
  [/^the line has (\d+) fields, the header (\d+)$/, 'в строке $1 полей, а в заголовке $2'],
  [/^the line is not UTF-8$/, 'строка не в UTF-8: выберите другую кодировку'],
  [/^a field has a control character or a line break$/, 'в поле есть управляющий знак или перевод строки'],
  [/^There is no such subscriber\.$/, 'Такого абонента больше нет'],
  [/^The subscriber is deleted\.$/, 'Абонент удалён'],
  [/^There is no such tariff\.$/, 'Такого тарифа больше нет'],
  [/^The amount would take the account beyond .*$/, 'Сумма больше, чем может храниться на счёте'],
  [/^A promise payment is active already\.$/, 'Обещанный платёж уже действует'],
  [/^The debt is too small for a promise payment\.$/, 'Долг меньше наименьшего для обещанного платежа'],
  [/^The contract is too young for a promise payment\.$/, 'Договор слишком новый для обещанного платежа'],
  [/^It is too soon after the last promise payment\.$/, 'После прошлого обещанного платежа прошло мало времени'],
  [/^Promise payments are not available for this subscriber\.$/, 'Обещанный платёж этому абоненту не даётся'],
  [/^The limit of a promise payment must be .*$/, 'Сумма обещанного платежа вне допустимых пределов'],
  [/^It could not be changed now; ask again shortly\.$/, 'Сейчас не получилось, повторите позже'],
  [/^It failed; the log says why\.$/, 'Произошла ошибка, её причина — в журнале программы'],
  [
    /^A tariff or folder of the file was removed while it was imported\..*$/,
    'Во время загрузки удалили тариф или папку из файла. Загрузите файл ещё раз',
  ],
]

/**
 * The reason why a record was left, or why a run failed. What has no Russian sentence is told as the server says it.
 * Faults of a line stand behind one another without full stops.
 */
export function faultWords(reason: string, language: Language): string {
  if (language !== 'ru') return reason
  const parts = reason.endsWith('.') ? [reason] : reason.split(/; (?!give the id)/)
  return parts
    .map((part) => {
      const found = sentences.find(([said]) => said.test(part))
      return found ? part.replace(found[0], found[1]) : part
    })
    .join('; ')
}

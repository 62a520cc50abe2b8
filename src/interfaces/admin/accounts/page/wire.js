// Calls to the doors of accounts, with their refusals in Russian.

import { server } from '/admin/house.js'

const base = '/admin/Abonents/'

/** Texts by the `code` of a refusal. For any other code the sentence of the server is shown. */
const refusals = {
  alreadyReversed: 'Эта операция уже сторнирована.',
  notLastOperation: 'Сторнировать можно только последнюю операцию, а за это время появилась новая.',
  nothingToReverse: 'На счёте нет операций.',
  operationMissing: 'Такой операции на счёте нет.',
  subscriberNotOnAccount: 'Этот клиент не привязан к счёту.',
  amountOutOfRange: 'Сумма больше, чем может храниться на счёте.',
  keyTakenWithOtherAmount: 'Этот номер транзакции уже использован с другой суммой.',
  key_taken: 'Этот запрос уже отправлялся с другими данными.',
  already_linked: 'Клиент уже на этом счёте.',
  linked_elsewhere: 'Клиент привязан к другому счёту.',
  already_active: 'Обещанный платёж уже действует.',
  min_debt: 'Долг слишком мал для обещанного платежа.',
  min_age: 'Договор слишком молод для обещанного платежа.',
  cooldown: 'После прошлого обещанного платежа прошло слишком мало времени.',
  disabled: 'Обещанный платёж этому клиенту недоступен.',
  not_yours: 'Счёт без клиента принадлежит основной организации, она вам не доступна.',
}

/** Why one of many accounts was not changed. */
export const reasonOf = ({ code, reason }) => refusals[code] ?? reason

const byStatus = { 0: 'Нет связи с сервером.', 404: 'Счёт не найден.', 503: 'Система занята, повторите чуть позже.' }

const doors = server((status, body) => refusals[body?.code] ?? body?.error ?? byStatus[status] ?? `Ошибка ${status}.`)

const address = (path) => (path.startsWith('/') ? path : base + path)
export const get = (path, signal) => doors.get(address(path), signal)
export const post = (path, fields, key) => doors.post(address(path), fields, key)

/** Works without HTTPS too, where randomUUID is missing. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

export const signOf = (text) => (text.startsWith('-') ? 'bad' : /[1-9]/.test(text) ? 'good' : '')

// Calls to the server, and the creation of elements. Everything from outside is set as text, never as HTML.

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

/** What went wrong, in words for the operator; `code` and the other fields of the refusal are kept. */
export class Refused extends Error {
  constructor(status, body) {
    super(refusals[body?.code] ?? body?.error ?? wordsOf(status))
    this.status = status
    this.body = body ?? {}
  }
}

const wordsOf = (status) =>
  status === 404
    ? 'Счёт не найден.'
    : status === 503
      ? 'Система занята, повторите чуть позже.'
      : status === 0
        ? 'Нет связи с сервером.'
        : `Ошибка ${status}.`

export const get = (path, signal) => call(path, { signal })

/** With a `key` a repeat of the same request does not move money a second time. */
export const post = (path, fields, key) =>
  call(path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-CSRFToken': csrfToken(),
      ...(key && { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(fields),
  })

async function call(path, init) {
  let response
  try {
    response = await fetch(path.startsWith('/') ? path : base + path, init)
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Refused(0)
  }
  if (response.status === 401) location.reload()
  const body = await response.json().catch(() => null)
  if (!response.ok) throw new Refused(response.status, body)
  return body
}

const csrfToken = () => /(?:^|;\s*)csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? ''

/** Works without HTTPS too, where randomUUID is missing. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

export const may = (right) => document.body.dataset.rights.split(' ').includes(right)

export const byId = (id) => document.getElementById(id)

/** An element with attributes, properties that are functions, and children; null children are left out. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element[name] = value
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return element
}

/** Decimal rubles with spaces between thousands, from the text as sent: no floating point. */
export function rubles(text) {
  if (text === null || text === undefined) return '–'
  const [whole, fraction] = text.replace('-', '').split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u00a0')
  return `${text.startsWith('-') ? '−' : ''}${grouped},${fraction ?? '00'}`
}

export const number = (value) => Number(value).toLocaleString('ru')
/** The server writes moments in TIME_ZONE, so the text itself is the local time of the provider. */
export const moment = (text) =>
  text ? `${text.slice(8, 10)}.${text.slice(5, 7)}.${text.slice(0, 4)} ${text.slice(11, 16)}` : '–'
export const signOf = (text) => (text.startsWith('-') ? 'bad' : /[1-9]/.test(text) ? 'good' : '')

import { h, moment, row, rubles } from '/admin/house.js'
import { get, signOf } from './wire.js'

// The tabs of a card.

const sources = {
  gwa: 'шлюз A',
  gwb: 'шлюз B',
  bank: 'банк',
  legacy: 'из прежней системы',
  promise: 'обещанный платёж',
  manual: 'вручную',
  monthly: 'абонентская плата',
  tariff_change: 'смена тарифа',
  other: 'прочее',
}

const reasons = {
  deleted: 'клиент удалён',
  frozen: 'счёт заморожен',
  own_block: 'добровольная блокировка',
  disabled: 'выключена',
  ended: 'закончилась',
  promise: 'обещанный платёж',
}

const empty = (text) => h('p', { class: 'quiet' }, text)

/** Titles that begin with > are those of columns with numbers. Without rows it is the text `none`. */
function table(titles, rows, none) {
  if (rows.length === 0) return empty(none)
  const heads = titles.map((title) => h('th', { class: title.startsWith('>') && 'number' }, title.replace('>', '')))
  return h('div', { class: 'scroll' }, h('table', h('thead', h('tr', ...heads)), h('tbody', ...rows)))
}

const ofOperation = ({ storno }, cells) => row({ class: storno && 'storno' }, cells)
const amountOf = ({ op_summa }) => [`number ${signOf(op_summa)}`, rubles(op_summa)]

export const operationsTab = (operations) =>
  table(
    ['№', 'Дата', '>Сумма, ₽', 'Вид', 'Источник', 'Описание'],
    operations.map((operation) =>
      ofOperation(operation, [
        operation.op_id,
        moment(operation.op_date),
        amountOf(operation),
        operation.op_type_name ?? operation.op_type_id,
        sources[operation.source] ?? operation.source,
        ['text', [operation.descr, operation.owner_name && `(${operation.owner_name})`].filter(Boolean).join(' ')],
      ]),
    ),
    'Операций нет.',
  )

export async function servicesTab(id) {
  const { tariffs, services, monthly_charge: sum } = await get(`accounts_services/${id}/`)
  const line = (name, count, { abonent_name, price, amount, not_charged: why }) =>
    row({}, [
      ['text', name],
      abonent_name,
      ['number', count],
      ['number', rubles(price)],
      ['number', rubles(amount)],
      why ? reasons[why] : '',
    ])
  const rows = [
    ...tariffs.filter(({ tarif }) => tarif).map((one) => line(`Тариф ${one.tarif.name}`, 1, one)),
    ...services.map((one) => line(one.name, one.countt, one)),
  ]
  return h(
    'div',
    h('p', 'Ожидаемое начисление за полный месяц: ', h('strong', `${rubles(sum)} ₽`)),
    table(['Услуга', 'Клиент', '>Число', '>Цена, ₽', '>За месяц, ₽', ''], rows, 'Услуг нет.'),
  )
}

export async function receiptsTab(id) {
  const { groups, total, count, days } = await get(`accounts_payments_summary/${id}/`)
  const mark = (value) => (value ? 'да' : 'нет')
  const rows = groups.map((group) =>
    row({}, [
      sources[group.channel] ?? group.channel,
      ['number', group.count],
      ['number', rubles(group.sum)],
      mark(group.sync1c),
      mark(group.kkm_printed),
      moment(group.last),
    ]),
  )
  return h(
    'div',
    h('p', `За ${days} дней: ${count}, всего `, h('strong', `${rubles(total)} ₽`)),
    table(['Канал', '>Платежей', '>Сумма, ₽', 'В 1С', 'Чек', 'Последний'], rows, 'Поступлений не было.'),
  )
}

export async function bankTab(id) {
  const { items, has_more: more } = await get(`accounts_bank_ops/${id}/`)
  const rows = items.map((item) =>
    ofOperation(item, [
      item.bank_op ?? '–',
      moment(item.op_date),
      amountOf(item),
      item.number ?? '',
      ['text', item.descr ?? ''],
    ]),
  )
  const titles = ['Строка', 'Дата', '>Сумма, ₽', 'Документ', 'Описание']
  return h('div', table(titles, rows, 'Строк банковской выписки нет.'), more && empty('Показаны последние.'))
}

const channels = { sms: 'SMS', push: 'push', email: 'почта' }
const states = { waiting: 'ждёт отправки', sent: 'отправлено', failed: 'не отправлено' }

export function noticesTab(notifications) {
  if (notifications.length === 0) return empty('Уведомлений не было.')
  const lines = notifications.map((notice) =>
    h(
      'li',
      h('time', { datetime: notice.created_at }, moment(notice.created_at)),
      ` ${channels[notice.channel] ?? ''} `,
      h('span', { class: notice.state === 'failed' ? 'bad' : 'quiet' }, states[notice.state] ?? notice.state),
      h('div', [notice.title, notice.text].filter(Boolean).join(': ')),
    ),
  )
  return h('ol', { class: 'notices' }, ...lines)
}

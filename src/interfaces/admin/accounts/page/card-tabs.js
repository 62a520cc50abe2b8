import { get, h, moment, rubles, signOf } from './wire.js'

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

/** Titles that begin with > are those of columns with numbers. */
const table = (titles, rows) =>
  h(
    'div',
    { class: 'scroll' },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          ...titles.map((title) => h('th', { class: title.startsWith('>') && 'number' }, title.replace('>', ''))),
        ),
      ),
      h('tbody', null, ...rows),
    ),
  )

export const operationsTab = (operations) =>
  operations.length === 0
    ? empty('Операций нет.')
    : table(['№', 'Дата', '>Сумма, ₽', 'Вид', 'Источник', 'Описание'], operations.map(operationRow))

const operationRow = (operation) =>
  h(
    'tr',
    { class: operation.storno && 'storno' },
    h('td', null, String(operation.op_id)),
    h('td', null, moment(operation.op_date)),
    h('td', { class: `number ${signOf(operation.op_summa)}` }, rubles(operation.op_summa)),
    h('td', null, operation.op_type_name ?? String(operation.op_type_id)),
    h('td', null, sources[operation.source] ?? operation.source),
    h(
      'td',
      { class: 'text' },
      [operation.descr, operation.owner_name && `(${operation.owner_name})`].filter(Boolean).join(' '),
    ),
  )

export async function servicesTab(id) {
  const { tariffs, services, monthly_charge: sum } = await get(`accounts_services/${id}/`)
  const line = (name, client, count, price, { amount, not_charged: why }) =>
    h(
      'tr',
      null,
      h('td', { class: 'text' }, name),
      h('td', null, client),
      h('td', { class: 'number' }, String(count)),
      h('td', { class: 'number' }, rubles(price)),
      h('td', { class: 'number' }, rubles(amount)),
      h('td', null, why ? reasons[why] : ''),
    )
  const rows = [
    ...tariffs
      .filter(({ tarif }) => tarif)
      .map((one) => line(`Тариф ${one.tarif.name}`, one.abonent_name, 1, one.price, one)),
    ...services.map((one) => line(one.name, one.abonent_name, one.countt, one.price, one)),
  ]
  return h(
    'div',
    null,
    h('p', null, 'Ожидаемое начисление за полный месяц: ', h('strong', null, `${rubles(sum)} ₽`)),
    rows.length === 0
      ? empty('Услуг нет.')
      : table(['Услуга', 'Клиент', '>Число', '>Цена, ₽', '>За месяц, ₽', ''], rows),
  )
}

export async function receiptsTab(id) {
  const { groups, total, count, days } = await get(`accounts_payments_summary/${id}/`)
  const mark = (value) => (value ? 'да' : 'нет')
  return h(
    'div',
    null,
    h('p', null, `За ${days} дней: ${count}, всего `, h('strong', null, `${rubles(total)} ₽`)),
    groups.length === 0
      ? empty('Поступлений не было.')
      : table(
          ['Канал', '>Платежей', '>Сумма, ₽', 'В 1С', 'Чек', 'Последний'],
          groups.map((group) =>
            h(
              'tr',
              null,
              h('td', null, sources[group.channel] ?? group.channel),
              h('td', { class: 'number' }, String(group.count)),
              h('td', { class: 'number' }, rubles(group.sum)),
              h('td', null, mark(group.sync1c)),
              h('td', null, mark(group.kkm_printed)),
              h('td', null, moment(group.last)),
            ),
          ),
        ),
  )
}

export async function bankTab(id) {
  const { items, has_more: more } = await get(`accounts_bank_ops/${id}/`)
  if (items.length === 0) return empty('Строк банковской выписки нет.')
  const rows = items.map((item) =>
    h(
      'tr',
      { class: item.storno && 'storno' },
      h('td', null, item.bank_op ?? '–'),
      h('td', null, moment(item.op_date)),
      h('td', { class: `number ${signOf(item.op_summa)}` }, rubles(item.op_summa)),
      h('td', null, item.number ?? ''),
      h('td', { class: 'text' }, item.descr ?? ''),
    ),
  )
  return h(
    'div',
    null,
    table(['Строка', 'Дата', '>Сумма, ₽', 'Документ', 'Описание'], rows),
    more ? empty('Показаны последние.') : '',
  )
}

const channels = { sms: 'SMS', push: 'push', email: 'почта' }
const states = { waiting: 'ждёт отправки', sent: 'отправлено', failed: 'не отправлено' }

export const noticesTab = (notifications) =>
  notifications.length === 0
    ? empty('Уведомлений не было.')
    : h(
        'ol',
        { class: 'notices' },
        ...notifications.map((notice) =>
          h(
            'li',
            null,
            h('time', { datetime: notice.created_at }, moment(notice.created_at)),
            ` ${channels[notice.channel] ?? ''} `,
            h('span', { class: notice.state === 'failed' ? 'bad' : 'quiet' }, states[notice.state] ?? notice.state),
            h('div', null, [notice.title, notice.text].filter(Boolean).join(': ')),
          ),
        ),
      )

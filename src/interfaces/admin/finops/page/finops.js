// The list of finance operations. Everything shown is set as text, never as HTML: names and texts come from clients and gateways.

import { byId, h, isNear, row, rubles, server, moment as toMinutes, whenNear } from '/admin/house.js'

const { list, files } = document.body.dataset
const { get } = server((_, body) => body?.error ?? 'нет связи с сервером')
const moment = (text) => toMinutes(text, true)
const filters = byId('filters')
const filterNames = ['q', 'date_from', 'date_to', 'op_type', 'source', 'abonent_id', 'account_id']

const sourceNames = Object.fromEntries([...filters.elements.source.options].map(({ value, text }) => [value, text]))

// ---- The list: batches by cursor, one request at a time

/** The list that is being shown. When a newer one replaces it, its answers are ignored. */
let showing = null

function show() {
  showing?.stop.abort()
  showing = { stop: new AbortController(), cursor: null, isLoading: false, hasMore: true }
  const query = chosen()
  history.replaceState(null, '', query.size > 0 ? `?${query}` : location.pathname)
  for (const link of document.querySelectorAll('[data-format]')) {
    link.href = `${files}?${new URLSearchParams([...query, ['format', link.dataset.format]])}`
  }
  byId('operations').replaceChildren()
  for (const place of document.querySelectorAll('[data-total]')) place.textContent = '…'
  loadMore()
}

/** The query of the form, without empty fields. */
const chosen = () =>
  new URLSearchParams(
    filterNames.map((name) => [name, filters.elements[name].value.trim()]).filter(([, value]) => value),
  )

async function loadMore() {
  const current = showing
  if (current.isLoading || !current.hasMore) return
  current.isLoading = true
  say('more', 'загрузка…')
  try {
    const query = chosen()
    for (const [name, value] of Object.entries(current.cursor ?? {})) query.set(name, value)
    const answer = await get(`${list}${list.includes('?') ? '&' : '?'}${query}`, current.stop.signal)
    if (current !== showing) return
    take(answer)
    current.cursor = answer.next_cursor
    current.hasMore = answer.has_more
    say('more', answer.has_more ? '' : byId('operations').rows.length > 0 ? 'это всё' : 'операций нет')
  } catch (error) {
    if (current !== showing) return
    current.hasMore = false
    fail('more', error)
  } finally {
    current.isLoading = false
  }
  // A tall screen may have room for more than one batch.
  if (current === showing && current.hasMore && isNear('more')) loadMore()
}

function take({ items, kpi, show_org }) {
  document.querySelector('table').classList.toggle('several', show_org)
  if (kpi) {
    for (const place of document.querySelectorAll('[data-total]')) {
      const name = place.dataset.total
      place.textContent = name === 'total' ? kpi.total.toLocaleString('ru') : rubles(kpi[name])
    }
  }
  byId('operations').append(...items.map(rowOf))
}

const rowOf = (item) =>
  row({ class: `${directionOf(item.amount)} ${item.storno ? 'storno' : ''}`, tabindex: 0, 'data-id': item.op_id }, [
    moment(item.op_date),
    ['number', item.op_id],
    item.op_type_name,
    ['number amount', rubles(item.amount)],
    item.contract_number,
    item.abonent_name,
    sourceNames[item.source],
    ['descr', item.descr],
    item.owner_name,
    ['organization', item.organization_name],
  ])

const directionOf = (amount) => (Number(amount) > 0 ? 'income' : Number(amount) < 0 ? 'expense' : 'neutral')

function say(id, text) {
  byId(id).textContent = text
  byId(id).classList.remove('bad')
}

function fail(id, error) {
  if (error.name === 'AbortError') return
  byId(id).textContent = `не получилось: ${error.message}`
  byId(id).classList.add('bad')
}

// ---- The detail of one operation

async function open(id) {
  try {
    const detail = await get(`/admin/Abonents/finops_detail/${id}/`)
    byId('detail-title').textContent = `Операция ${id}`
    byId('detail-body').replaceChildren(...sectionsOf(detail))
    if (!byId('detail').open) byId('detail').showModal()
    byId('detail').scrollTop = 0
    say('state', '')
  } catch (error) {
    fail('state', error)
  }
}

function sectionsOf({ operation, snapshot, account, abonent, payment, fiscal, ...around }) {
  const print = abonent && Number(operation.amount) !== 0 && `/admin/getpdf/${abonent.id}/${operation.op_id}/`
  return [
    facts('', [
      ['Сумма', rubles(operation.amount)],
      ['Тип', `${operation.op_type_name} (${operation.op_type_id})`],
      ['Источник', sourceNames[operation.source]],
      ['Дата', moment(operation.op_date)],
      ['Записана', moment(operation.system_date)],
      ['Описание', operation.descr],
      ['Документ', operation.number],
      ['Комментарий', operation.admin_comment],
      ['Услуга', around.usluga?.name],
      ['Оплачено через', around.credit_type?.op_name],
      ['Оператор связи', around.operator?.name],
      ['Провёл', around.owner?.username ?? 'автоматически'],
      ['Организация', around.organization?.name],
      ['Сторно', operation.storno && 'да'],
      ['В отчётах', operation.isbuhdoc ? 'да' : 'нет'],
      ['Бланк', print && h('a', { href: print }, 'PDF')],
    ]),
    facts('Абонент и счёт', [
      ['Абонент', abonent && `${abonent.name}, договор ${abonent.contract_number}`],
      ['Адрес', abonent?.address],
      ['Лицевой счёт', account ? `${account.id}, баланс ${rubles(account.ostatok)}` : operation.account_id],
    ]),
    facts('Счёт до и после операции', [
      ['Баланс до', rubles(snapshot.aa_ostatok)],
      ['Баланс после', rubles(snapshot.balance_after)],
      ['Приход до', rubles(snapshot.aa_debit)],
      ['Расход до', rubles(snapshot.aa_credit)],
      ['Порог отключения', snapshot.aa_unlimited ? 'без отключения' : rubles(snapshot.aa_limit)],
    ]),
    facts('Платёж', [
      ['Оператор', payment.operator_name],
      ['Номер у оператора', payment.operator_pay_id_str],
      ['Транзакция', payment.txn],
      ['Код 1С', payment.code1c],
      ['Наличные', payment.is_cash && 'да'],
      ['Чек', fiscal.kkm_printed && (fiscal.kkm_check_id ?? 'пробит')],
    ]),
    related('Исходная операция', around.original && [around.original]),
    related('Сторнирована операцией', around.reversal && [around.reversal]),
    related('Родительская операция', around.parent && [around.parent]),
    related(`Дочерние операции: ${around.children_total}`, around.children),
    auditOf(around.audit),
  ].filter(Boolean)
}

/** Pairs without a value are left out, and so is a section without pairs. */
function facts(title, pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
  if (known.length === 0) return null
  const terms = known.flatMap(([name, value]) => [h('dt', name), h('dd', value)])
  return section(title, h('dl', ...terms))
}

function related(title, operations) {
  if (!operations || operations.length === 0) return null
  const lines = operations.map(({ op_id: id, op_date: at, amount, descr, op_type_name: type }) => {
    const onclick = (event) => {
      event.preventDefault()
      open(id)
    }
    const text = ` ${moment(at)}, ${rubles(amount)}, ${descr || type}`
    return h('li', h('a', { href: `#${id}`, onclick }, `№ ${id}`), text)
  })
  return section(title, h('ul', ...lines))
}

function auditOf(records) {
  if (records.length === 0) return null
  const lines = records.map(({ at, user, action, diff }) =>
    h('li', h('time', moment(at)), ` ${user ?? ''} ${action} `, changes(diff)),
  )
  return section('Кто что менял', h('ul', ...lines))
}

const changes = (diff) =>
  Object.entries(diff ?? {})
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.map((one) => one ?? '–').join(' → ') : value}`)
    .join('; ')

const section = (title, content) => h('section', title !== '' && h('h3', title), content)

// ---- Start

async function offerTypes(wanted) {
  try {
    const { items } = await get('/admin/dictionary/FinTypes/?per_page=1000')
    const options = items.map(({ type_id, op_name }) => new Option(`${op_name} (${type_id})`, type_id))
    filters.elements.op_type.append(...options)
    if (wanted) filters.elements.op_type.value = wanted
  } catch (error) {
    fail('state', error)
  }
}

const asked = new URLSearchParams(location.search)
for (const name of filterNames) if (asked.has(name)) filters.elements[name].value = asked.get(name)
// An address with filters has its period there too; without one the list has no period.
if (asked.size > 0 && !asked.has('edit'))
  for (const name of ['date_from', 'date_to']) filters.elements[name].value = asked.get(name) ?? ''

filters.addEventListener('submit', (event) => {
  event.preventDefault()
  show()
})
byId('operations').addEventListener('click', ({ target }) => {
  const row = target.closest('tr')
  if (row) open(row.dataset.id)
})
byId('operations').addEventListener('keydown', ({ key, target }) => {
  if (key === 'Enter' && target.dataset.id) open(target.dataset.id)
})
byId('detail').addEventListener('click', ({ target, currentTarget }) => {
  if (target === currentTarget) currentTarget.close()
})
whenNear('more', () => showing && loadMore())
await offerTypes(asked.get('op_type'))
show()
if (asked.has('edit')) open(encodeURIComponent(asked.get('edit')))

import { openCard } from './card.js'
import { byId, h, isNear, may, number, rubles, whenNear } from '/admin/house.js'
import { get, post, reasonOf, signOf } from './wire.js'

const searchPauseMs = 250

// ---- The list: one batch after another while somebody scrolls

const asked = new URLSearchParams(location.search)
const filter = { q: asked.get('q') ?? '', chip: asked.get('chip') ?? '', sort: asked.get('sort') ?? 'id' }
/** The main client of each picked account; null: it has none. */
const picked = new Map()
let page = 0
let hasMore = true
let loading = null
let searchLater = 0

const query = (more = {}) =>
  new URLSearchParams(Object.entries({ ...filter, ...more }).filter(([, value]) => value !== ''))

async function loadNext() {
  if (loading || !hasMore) return
  const here = new AbortController()
  loading = here
  byId('list-state').textContent = 'Загрузка…'
  try {
    const batch = await get(`accounts_json/?${query({ page: page + 1 })}`, here.signal)
    page++
    hasMore = batch.has_more
    showKpi(batch.kpi)
    document.querySelector('th.org').hidden = !batch.show_org
    byId('accounts').append(...batch.items.map((account) => row(account, batch.show_org)))
    byId('list-state').textContent =
      batch.total === 0 ? 'Ничего не найдено' : hasMore ? '' : `Показаны все: ${number(byId('accounts').rows.length)}`
  } catch (error) {
    if (error.name === 'AbortError') return
    hasMore = false
    byId('list-state').textContent = error.message
  } finally {
    if (loading === here) loading = null
  }
  // When a batch does not fill the screen, the end of the list stays visible and the observer does not fire again.
  if (hasMore && isNear('more')) loadNext()
}

export function reload() {
  loading?.abort()
  loading = null
  page = 0
  hasMore = true
  picked.clear()
  showPicked()
  byId('accounts').replaceChildren()
  byId('csv').href = `/admin/Abonents/accounts_csv/?${query()}`
  remember()
  loadNext()
}

/** The address shows the filter and the open account, so that it can be sent to a colleague. */
function remember(edit = '') {
  const text = query({ edit, ...(filter.sort === 'id' && { sort: '' }) }).toString()
  history.replaceState(null, '', text ? `?${text}` : location.pathname)
}

function showKpi(kpi) {
  byId('kpi-total').textContent = number(kpi.total)
  byId('kpi-debtors').textContent = number(kpi.debtors)
  byId('kpi-without-client').textContent = number(kpi.without_client)
  byId('kpi-debt').textContent = rubles(kpi.debt_sum)
  byId('kpi-plus').textContent = rubles(kpi.plus_sum)
}

function row(account, showsOrganization) {
  const { id, client, clients_count: count } = account
  const box = h('input', { type: 'checkbox', 'aria-label': `Выбрать счёт ${id}` })
  box.addEventListener('change', () => {
    if (box.checked) picked.set(id, client?.id ?? null)
    else picked.delete(id)
    showPicked()
  })
  const more = count > 1 ? h('small', ` и ещё ${count - 1}`) : null
  const line = h(
    'tr',
    { 'data-id': id },
    may('change') && h('td', { class: 'pick' }, box),
    h('td', { class: 'number', 'data-title': 'Счёт' }, h('a', { href: `?edit=${id}` }, String(id))),
    h(
      'td',
      { 'data-title': 'Клиент' },
      h(
        'span',
        client ? [client.name, h('small', ` ${client.contract_number}`), more] : h('small', account.comment || 'нет'),
      ),
    ),
    h('td', { class: `number ${signOf(account.balance)}`, 'data-title': 'Баланс' }, rubles(account.balance)),
    h('td', { class: 'number', 'data-title': 'Порог' }, account.unlimited ? '–' : rubles(account.limit)),
    h('td', { 'data-title': 'Состояние' }, ...states(account).map((text) => h('span', { class: 'badge' }, text))),
    showsOrganization && h('td', { 'data-title': 'Организация' }, account.organization_name ?? ''),
  )
  line.addEventListener('click', (event) => {
    if (event.target === box || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    show(id)
  })
  return line
}

/** What an operator should see at a glance. */
export function states(account) {
  const isAhead = (text) => text !== null && new Date(text) > new Date()
  return [
    account.client?.deleted && 'клиент удалён',
    account.client && !account.client.deleted && !account.client.enabled && 'доступ закрыт',
    account.unlimited && (account.unlimited_date === null || isAhead(account.unlimited_date)) && 'без отключения',
    isAhead(account.sleep_date) && 'заморожен',
    !account.client && (account.video_objects_count > 0 ? 'видео' : 'без клиента'),
  ].filter(Boolean)
}

function show(id) {
  remember(String(id))
  openCard(id, { changed: refreshRow, gone: reload, closed: () => remember() })
}

/** Shows the account as the card has changed it. The counters follow with the next batch. */
function refreshRow(account) {
  const line = byId('accounts').querySelector(`tr[data-id="${account.id}"]`)
  line?.replaceWith(row(account, !document.querySelector('th.org').hidden))
  if (picked.delete(account.id)) showPicked()
}

// ---- Many accounts at once

const bulk = byId('bulk')

function showPicked() {
  bulk.hidden = picked.size === 0
  byId('bulk-count').textContent = number(picked.size)
}

async function showBulkFields() {
  for (const label of bulk.querySelectorAll('[data-for]')) label.hidden = label.dataset.for !== bulk.action_name()
  const currencies = bulk.elements.currency_id
  if (bulk.action_name() !== 'set_currency' || currencies.options.length > 0) return
  const { items } = await get('/admin/dictionary/currencies_crud/?per_page=1000')
  currencies.append(...items.map(({ id, code, name }) => h('option', { value: id }, `${code} · ${name}`)))
}

// `form.action` is its address, so the field of that name is reached by elements.
bulk.action_name = () => bulk.elements.namedItem('action').value

bulk.addEventListener('change', showBulkFields)
bulk.addEventListener('submit', (event) => {
  event.preventDefault()
  const action = bulk.action_name()
  if (action === 'delete_orphans' && !confirm(`Удалить счета без клиента: ${picked.size}?`)) return
  if (action === 'promise') return promiseMany()
  const fields = { ids: [...picked.keys()], action }
  for (const name of ['limit', 'warn', 'currency_id']) {
    const field = bulk.elements[name]
    if (!field.closest('label').hidden && field.value !== '') fields[name] = field.value.replace(',', '.')
  }
  changeMany('accounts_bulk/', fields, 'Готово', ({ id, reason }) => `№ ${id}: ${reason}`)
})

/** The accounts that were left as they are follow the number of those that were changed. */
async function changeMany(path, fields, done, textOf) {
  const bad = (text) => h('span', { class: 'bad' }, text)
  try {
    const { changed, skipped } = await post(path, fields)
    reload()
    byId('bulk-result').replaceChildren(`${done}: ${number(changed)}.`, ...skipped.map((one) => bad(` ${textOf(one)}`)))
  } catch (error) {
    byId('bulk-result').replaceChildren(bad(error.message))
  }
}

/** Activates a promise payment for the main client of each account. Other clients have a button on the card. */
function promiseMany() {
  const accounts = new Map([...picked].filter(([, client]) => client !== null).map(([id, client]) => [client, id]))
  if (accounts.size === 0 || !confirm(`Дать обещанный платёж клиентам: ${accounts.size}?`)) return
  const textOf = (one) => `№ ${accounts.get(one.id)}: ${reasonOf(one)}`
  changeMany('promise_pay_bulk/', { ids: [...accounts.keys()] }, 'Обещанных платежей', textOf)
}

// ---- The filter

function setChip(chip) {
  filter.chip = chip
  for (const button of document.querySelectorAll('[data-chip]'))
    button.setAttribute('aria-pressed', String(button.dataset.chip === chip))
}

for (const button of document.querySelectorAll('[data-chip]')) {
  button.addEventListener('click', () => {
    setChip(button.dataset.chip)
    reload()
  })
}

byId('q').addEventListener('input', () => {
  clearTimeout(searchLater)
  searchLater = setTimeout(() => {
    filter.q = byId('q').value.trim()
    reload()
  }, searchPauseMs)
})
byId('filter').addEventListener('submit', (event) => event.preventDefault())
byId('sort').addEventListener('change', () => {
  filter.sort = byId('sort').value
  reload()
})
byId('open-account').addEventListener('click', async () => {
  try {
    const { account } = await post('accounts_crud/', {})
    reload()
    show(account.id)
  } catch (error) {
    byId('list-state').textContent = error.message
  }
})

for (const element of document.querySelectorAll('[data-right]')) element.hidden = !may(element.dataset.right)
whenNear('more', loadNext)

byId('q').value = filter.q
if (byId('sort').querySelector(`[value="${CSS.escape(filter.sort)}"]`)) byId('sort').value = filter.sort
else filter.sort = 'id'
setChip(filter.chip)
const edit = asked.get('edit')
reload()
if (edit) show(edit)

import { bankTab, noticesTab, operationsTab, receiptsTab, servicesTab } from './card-tabs.js'
import { byId, h, may, moment, rubles } from '/admin/house.js'
import { get, newKey, post, signOf } from './wire.js'

// The card of one account: a drawer over the list. Each action calls the server and then shows the account as it is now.

const dialog = byId('card')
/** The open card: its account, and the callbacks of the list. */
let open = null
let types = null

dialog.addEventListener('close', () => {
  const { closed } = open ?? {}
  open = null
  closed?.()
})
// A click beside the drawer lands on the dialog itself.
dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())

/** `callbacks`: changed(account), gone(), closed(). */
export async function openCard(id, callbacks) {
  open = { id, ...callbacks }
  dialog.replaceChildren(title(`Счёт № ${id}`), h('p', { role: 'status' }, 'Загрузка…'))
  if (!dialog.open) dialog.showModal()
  await refresh()
}

async function refresh(message = '') {
  const { id } = open
  try {
    const card = await get(`accounts_get/${encodeURIComponent(id)}/`)
    if (open?.id !== id) return
    open.changed?.(card.account)
    dialog.replaceChildren(...body(card, message))
  } catch (error) {
    if (open?.id === id)
      dialog.replaceChildren(title(`Счёт № ${id}`), h('p', { class: 'bad', role: 'alert' }, error.message))
  }
}

const title = (text) =>
  h(
    'header',
    h('h2', { id: 'card-title' }, text),
    h('button', { type: 'button', 'aria-label': 'Закрыть', class: 'close', onclick: () => dialog.close() }, '×'),
  )

function body(card, message) {
  const { account, clients, operations, organization } = card
  const terms = [
    ['Поступило', `${rubles(account.debit)} ₽`],
    ['Списано', `${rubles(account.credit)} ₽`],
    [
      'Порог отключения',
      account.unlimited
        ? `без отключения${account.unlimited_date ? ` до ${moment(account.unlimited_date)}` : ''}`
        : `${rubles(account.limit)} ₽`,
    ],
    ['Порог предупреждения', account.warn === null ? '–' : `${rubles(account.warn)} ₽`],
    ['Предупреждён', moment(account.last_notification_date)],
    ['Заморожен до', moment(account.sleep_date)],
    ['Бонусы', rubles(account.bonus_score)],
    ['Организация', organization?.name ?? '–'],
    ['Комментарий', account.comment ?? '–'],
  ]
  return [
    title(`Счёт № ${account.id}`),
    h(
      'p',
      { class: `balance ${signOf(account.balance)}` },
      `${rubles(account.balance)} ${account.currency_code === 'RUB' ? '₽' : account.currency_code}`,
    ),
    h('p', { id: 'card-message', role: 'status', class: 'good' }, message),
    h('section', h('h3', 'Клиенты'), clientList(clients), may('change') && linkForm()),
    may('money') &&
      h(
        'section',
        { class: 'actions' },
        paymentForm('topup', card),
        paymentForm('adjustment', card),
        stornoForm(operations[0], account),
      ),
    tabs([
      ['Операции', () => operationsTab(operations)],
      ['Услуги', () => servicesTab(account.id)],
      ['Поступления', () => receiptsTab(account.id)],
      ['Банк', () => bankTab(account.id)],
      ['Уведомления', () => noticesTab(card.notifications)],
    ]),
    h('section', h('h3', 'Условия'), h('dl', ...terms.flatMap(([name, value]) => [h('dt', name), h('dd', value)]))),
    may('change') && termsForm(account),
    may('change') && deleteForm(account),
  ].filter(Boolean)
}

// ---- Clients

const clientList = (clients) =>
  clients.length === 0 ? h('p', 'Счёт без клиента.') : h('ul', { class: 'clients' }, ...clients.map(clientLine))

const badge = (text) => h('span', { class: 'badge' }, text)

const clientLine = (client) =>
  h(
    'li',
    h('strong', client.name),
    ` договор ${client.contract_number}, № ${client.id}`,
    client.is_main && badge('основной'),
    client.deleted ? badge('удалён') : !client.enabled && badge('доступ закрыт'),
    client.promise_date_end ? badge(promiseText(client)) : !client.deleted && may('money') && promiseButton(client),
    may('change') && unlinkButton(client),
  )

const promiseText = ({ promise_pay: limit, promise_date_end: end }) =>
  `обещанный платёж ${rubles(limit)} ₽ до ${moment(end)}`

/** The key keeps a second press of the same button from making a second promise. */
function promiseButton(client) {
  const key = newKey()
  return button(
    { caption: 'Обещанный платёж', class: 'small', question: `Дать клиенту ${client.name} обещанный платёж?` },
    () => post(`promise_pay/${client.id}/`, {}, key),
    ({ promise, fee }) =>
      `Обещанный платёж ${rubles(promise.limit)} ₽ подключён, плата за подключение ${rubles(fee)} ₽.`,
  )
}

function unlinkButton(client) {
  const question = `Отвязать клиента ${client.name}? Для него откроется новый счёт с нулевым балансом.`
  return button(
    { caption: 'Отвязать', class: 'small', question },
    () => post(`accounts_unlink/${open.id}/${client.id}/`, {}),
    ({ new_account_id: id }) => `Клиент отвязан, его новый счёт: № ${id}.`,
  )
}

function linkForm() {
  return form(
    'Привязать клиента',
    [input('№ клиента', 'abonent_id', { inputmode: 'numeric', required: true, pattern: '[0-9]+' })],
    'Привязать',
    async (fields) => {
      try {
        return await post(`accounts_link/${open.id}/`, fields)
      } catch (error) {
        const from = error.body?.linked_account_id
        const words = from ? `Клиент привязан к счёту № ${from}.` : error.message
        if (error.body?.code !== 'linked_elsewhere' || !confirm(`${words} Перенести его сюда?`)) throw error
        return post(`accounts_link/${open.id}/`, { ...fields, force: 1 })
      }
    },
    () => 'Клиент привязан.',
  )
}

// ---- Money

function paymentForm(kind, { clients }) {
  const isTopUp = kind === 'topup'
  const list = h('select', { name: 'op_type_id', required: true })
  const made = form(
    isTopUp ? 'Пополнить' : 'Корректировка',
    [
      input('Сумма, ₽', 'amount', { inputmode: 'decimal', required: true, autocomplete: 'off' }),
      h('label', 'Вид ', list),
      clients.length > 1 &&
        h(
          'label',
          'Клиент ',
          h('select', { name: 'abonent_id' }, ...clients.map(({ id, name }) => h('option', { value: id }, name))),
        ),
      input('№ транзакции', 'txn', { maxlength: 100, autocomplete: 'off' }),
      input('Дата', 'op_date', { type: 'datetime-local' }),
      input('Описание', 'descr', { maxlength: 1000 }, 'wide'),
    ],
    isTopUp ? 'Зачислить' : 'Провести',
    (fields, key) => post(`accounts_payment/${open.id}/`, { ...fields, amount: amountIn(fields.amount), kind }, key),
    ({ duplicate, operation }) =>
      `${duplicate ? 'Эта транзакция уже проведена' : 'Проведено'}: ${rubles(operation.op_summa)} ₽, операция № ${operation.op_id}.`,
  )
  made.addEventListener('toggle', () => made.open && list.options.length === 0 && fillTypes(list, isTopUp))
  return made
}

async function fillTypes(list, isTopUp) {
  types ??= get('/admin/dictionary/FinTypes/?per_page=1000').then(({ items }) => items.filter(({ enabled }) => enabled))
  try {
    const signs = { 1: '+', 0: '·', '-1': '−' }
    for (const { id, op_name: name, op_sign: sign } of await types) {
      if (!isTopUp || sign > 0) list.append(h('option', { value: id }, `${signs[sign]} ${name}`))
    }
    if (isTopUp && list.querySelector('[value="7"]')) list.value = '7'
  } catch (error) {
    types = null
    list.after(h('span', { class: 'bad' }, error.message))
  }
}

/** Only for the last operation, named by its id, so that one posted in the meantime is not reversed by mistake. */
function stornoForm(last, account) {
  if (!last || last.storno || last.op_id !== account.last_operation_id) return null
  const key = newKey()
  const question = `Сторнировать операцию № ${last.op_id} на ${rubles(last.op_summa)} ₽ (${last.op_type_name})?`
  return button(
    { caption: 'Сторно последней', question },
    () => post(`accounts_storno/${open.id}/`, { op_id: last.op_id }, key),
    ({ operation }) => `Сторно проведено, операция № ${operation.op_id}.`,
  )
}

// ---- Terms

/** The server writes moments in TIME_ZONE and reads those without an offset in the same zone, wherever the browser is. */
const local = (text) => (text ? text.slice(0, 16) : '')

function termsForm(account) {
  const amount = (name) => ({ inputmode: 'decimal', value: account[name] })
  const until = (name) => ({ type: 'datetime-local', value: local(account[name]) })
  return form(
    'Изменить условия',
    [
      input('Порог отключения, ₽', 'limit', { ...amount('limit'), required: true }),
      input('Порог предупреждения, ₽', 'warn', amount('warn')),
      h('label', h('input', { type: 'checkbox', name: 'unlimited', checked: account.unlimited }), ' Без отключения'),
      input('до', 'unlimited_date', until('unlimited_date')),
      input('Заморозить до', 'sleep_date', until('sleep_date')),
      input('Бонусы', 'bonus_score', amount('bonus_score')),
      input('Комментарий', 'comment', { value: account.comment }, 'wide'),
      h('label', h('input', { type: 'checkbox', name: 'reset_notification' }), ' Забыть, что предупреждён'),
    ],
    'Сохранить',
    (fields) => {
      // The field has no seconds, so a value that was not changed is sent back as it was.
      const dateOf = (name) => (fields[name] === local(account[name]) ? account[name] : fields[name] || null)
      return post(`accounts_crud/${open.id}/`, {
        ...fields,
        limit: amountIn(fields.limit),
        warn: fields.warn === '' ? null : amountIn(fields.warn),
        bonus_score: amountIn(fields.bonus_score || '0'),
        unlimited: fields.unlimited === 'on',
        unlimited_date: dateOf('unlimited_date'),
        sleep_date: dateOf('sleep_date'),
        reset_notification: fields.reset_notification === 'on',
      })
    },
    () => 'Условия сохранены.',
    false,
  )
}

function deleteForm({ id }) {
  const remove = async () => {
    await post(`accounts_crud/${id}/`, { _delete: 1 })
    const { gone } = open
    dialog.close()
    gone()
  }
  return h('section', button({ caption: 'Удалить счёт', class: 'danger', question: `Удалить счёт № ${id}?` }, remove))
}

// ---- Parts

const input = (caption, name, attributes, className = false) =>
  h('label', { class: className }, `${caption} `, h('input', { name, ...attributes }))

/** An amount as somebody types it. */
const amountIn = (text) => text.replace(',', '.').replace(/\s/g, '')

/** A form that unfolds. Its key changes only when its fields do, so that pressing twice moves money once. */
function form(caption, fields, submitText, send, resultText, skipsEmpty = true) {
  let key = newKey()
  const error = h('span', { class: 'bad', role: 'alert' })
  const submit = h('button', submitText)
  const element = h('form', ...fields.filter(Boolean), h('div', { class: 'row' }, submit, error))
  element.addEventListener('input', () => {
    key = newKey()
  })
  element.addEventListener('submit', async (event) => {
    event.preventDefault()
    const sent = [...new FormData(element)].filter(([, value]) => !skipsEmpty || value !== '')
    submit.disabled = true
    error.textContent = ''
    try {
      await refresh(resultText(await send(Object.fromEntries(sent), key)))
    } catch (refused) {
      error.textContent = refused.message
    } finally {
      submit.disabled = false
    }
  })
  return h('details', h('summary', caption), element)
}

/** What still refers to an account that was to be deleted. */
const referencesText = ({ clients, operations, video_objects: videos }) =>
  `Счёт не удалён: ${[
    clients > 0 && `клиентов ${clients} (сначала отвяжите их)`,
    operations > 0 && `операций ${operations}`,
    videos > 0 && `видеообъектов ${videos}`,
  ]
    .filter(Boolean)
    .join(', ')}.`

/** A button that asks before it acts. The card is then shown as it is now, with `resultText` of the answer, if any. */
function button({ caption, question, class: className = false }, send, resultText) {
  const press = async () => {
    if (!confirm(question)) return
    try {
      const answer = await send()
      if (resultText) await refresh(resultText(answer))
    } catch (error) {
      const message = byId('card-message')
      message.className = 'bad'
      message.textContent = error.body?.code === 'in_use' ? referencesText(error.body) : error.message
      message.scrollIntoView({ block: 'nearest' })
    }
  }
  return h('button', { type: 'button', class: className, onclick: press }, caption)
}

function tabs(all) {
  const panel = h('div', { role: 'tabpanel' })
  const buttons = all.map(([caption, make]) =>
    h('button', { type: 'button', role: 'tab', onclick: (event) => choose(event.currentTarget, make) }, caption),
  )
  async function choose(button, make) {
    for (const one of buttons) one.setAttribute('aria-selected', String(one === button))
    try {
      panel.replaceChildren(await make())
    } catch (error) {
      panel.replaceChildren(h('p', { class: 'bad' }, error.message))
    }
  }
  choose(buttons[0], all[0][1])
  return h('section', h('div', { role: 'tablist' }, ...buttons), panel)
}

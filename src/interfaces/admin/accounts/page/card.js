import { bankTab, noticesTab, operationsTab, receiptsTab, servicesTab } from './card-tabs.js'
import { byId, get, h, may, moment, newKey, post, rubles, signOf } from './wire.js'

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
    null,
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
    h('section', null, h('h3', null, 'Клиенты'), clientList(clients), may('change') && linkForm()),
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
    h(
      'section',
      null,
      h('h3', null, 'Условия'),
      h('dl', null, ...terms.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
    ),
    may('change') && termsForm(account),
    may('change') && deleteForm(account),
  ].filter(Boolean)
}

// ---- Clients

const clientList = (clients) =>
  clients.length === 0
    ? h('p', null, 'Счёт без клиента.')
    : h(
        'ul',
        { class: 'clients' },
        ...clients.map((client) =>
          h(
            'li',
            null,
            h('strong', null, client.name),
            ` договор ${client.contract_number}, № ${client.id}`,
            client.is_main && h('span', { class: 'badge' }, 'основной'),
            client.deleted
              ? h('span', { class: 'badge' }, 'удалён')
              : !client.enabled && h('span', { class: 'badge' }, 'доступ закрыт'),
            client.promise_date_end
              ? h('span', { class: 'badge' }, promiseText(client))
              : !client.deleted && may('money') && promiseButton(client),
            may('change') && h('button', { type: 'button', class: 'small', onclick: () => unlink(client) }, 'Отвязать'),
          ),
        ),
      )

const promiseText = ({ promise_pay: limit, promise_date_end: end }) =>
  `обещанный платёж ${rubles(limit)} ₽ до ${moment(end)}`

/** The key keeps a second press of the same button from making a second promise. */
function promiseButton(client) {
  const key = newKey()
  const press = () =>
    confirm(`Дать клиенту ${client.name} обещанный платёж?`) &&
    perform(
      () => post(`promise_pay/${client.id}/`, {}, key),
      ({ promise, fee }) =>
        `Обещанный платёж ${rubles(promise.limit)} ₽ подключён, плата за подключение ${rubles(fee)} ₽.`,
    )
  return h('button', { type: 'button', class: 'small', onclick: press }, 'Обещанный платёж')
}

function unlink(client) {
  if (!confirm(`Отвязать клиента ${client.name}? Для него откроется новый счёт с нулевым балансом.`)) return
  return perform(
    () => post(`accounts_unlink/${open.id}/${client.id}/`, {}),
    ({ new_account_id: id }) => `Клиент отвязан, его новый счёт: № ${id}.`,
  )
}

function linkForm() {
  return form(
    'Привязать клиента',
    [
      h(
        'label',
        null,
        '№ клиента ',
        h('input', { name: 'abonent_id', inputmode: 'numeric', required: true, pattern: '[0-9]+' }),
      ),
    ],
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
      h(
        'label',
        null,
        'Сумма, ₽ ',
        h('input', { name: 'amount', inputmode: 'decimal', required: true, autocomplete: 'off' }),
      ),
      h('label', null, 'Вид ', list),
      clients.length > 1 &&
        h(
          'label',
          null,
          'Клиент ',
          h('select', { name: 'abonent_id' }, ...clients.map(({ id, name }) => h('option', { value: id }, name))),
        ),
      h('label', null, '№ транзакции ', h('input', { name: 'txn', maxlength: 100, autocomplete: 'off' })),
      h('label', null, 'Дата ', h('input', { name: 'op_date', type: 'datetime-local' })),
      h('label', { class: 'wide' }, 'Описание ', h('input', { name: 'descr', maxlength: 1000 })),
    ],
    isTopUp ? 'Зачислить' : 'Провести',
    (fields, key) =>
      post(
        `accounts_payment/${open.id}/`,
        { ...fields, amount: fields.amount.replace(',', '.').replace(/\s/g, ''), kind },
        key,
      ),
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
  const press = () =>
    confirm(`Сторнировать операцию № ${last.op_id} на ${rubles(last.op_summa)} ₽ (${last.op_type_name})?`) &&
    perform(
      () => post(`accounts_storno/${open.id}/`, { op_id: last.op_id }, key),
      ({ operation }) => `Сторно проведено, операция № ${operation.op_id}.`,
    )
  return h('button', { type: 'button', onclick: press }, 'Сторно последней')
}

// ---- Terms

/** The server writes moments in TIME_ZONE and reads those without an offset in the same zone, wherever the browser is. */
const local = (text) => (text ? text.slice(0, 16) : '')

function termsForm(account) {
  const input = (name, value, more) => h('input', { name, value: value ?? '', ...more })
  const initial = { unlimited: account.unlimited }
  return form(
    'Изменить условия',
    [
      h('label', null, 'Порог отключения, ₽ ', input('limit', account.limit, { inputmode: 'decimal', required: true })),
      h('label', null, 'Порог предупреждения, ₽ ', input('warn', account.warn, { inputmode: 'decimal' })),
      h(
        'label',
        null,
        h('input', { type: 'checkbox', name: 'unlimited', checked: initial.unlimited }),
        ' Без отключения',
      ),
      h('label', null, 'до ', input('unlimited_date', local(account.unlimited_date), { type: 'datetime-local' })),
      h('label', null, 'Заморозить до ', input('sleep_date', local(account.sleep_date), { type: 'datetime-local' })),
      h('label', null, 'Бонусы ', input('bonus_score', account.bonus_score, { inputmode: 'decimal' })),
      h('label', { class: 'wide' }, 'Комментарий ', input('comment', account.comment)),
      h('label', null, h('input', { type: 'checkbox', name: 'reset_notification' }), ' Забыть, что предупреждён'),
    ],
    'Сохранить',
    (fields) => {
      // The field has no seconds, so a value that was not changed is sent back as it was.
      const dateOf = (name) => (fields[name] === local(account[name]) ? account[name] : fields[name] || null)
      const amount = (text) => text.replace(',', '.').replace(/\s/g, '')
      return post(`accounts_crud/${open.id}/`, {
        ...fields,
        limit: amount(fields.limit),
        warn: fields.warn === '' ? null : amount(fields.warn),
        bonus_score: amount(fields.bonus_score || '0'),
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

function deleteForm(account) {
  const press = () =>
    confirm(`Удалить счёт № ${account.id}?`) &&
    perform(
      () => post(`accounts_crud/${account.id}/`, { _delete: 1 }),
      () => '',
      () => {
        const { gone } = open
        dialog.close()
        gone()
      },
    )
  return h('section', null, h('button', { type: 'button', class: 'danger', onclick: press }, 'Удалить счёт'))
}

// ---- Parts

/** A form that unfolds. Its key changes only when its fields do, so that pressing twice moves money once. */
function form(caption, fields, button, send, resultText, skipsEmpty = true) {
  let key = newKey()
  const error = h('span', { class: 'bad', role: 'alert' })
  const submit = h('button', null, button)
  const element = h('form', null, ...fields.filter(Boolean), h('div', { class: 'row' }, submit, error))
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
  return h('details', null, h('summary', null, caption), element)
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

async function perform(send, resultText, done) {
  try {
    const answer = await send()
    if (done) done(answer)
    else await refresh(resultText(answer))
  } catch (error) {
    const message = byId('card-message')
    message.className = 'bad'
    message.textContent = error.body?.code === 'in_use' ? referencesText(error.body) : error.message
    message.scrollIntoView({ block: 'nearest' })
  }
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
  return h('section', null, h('div', { role: 'tablist' }, ...buttons), panel)
}

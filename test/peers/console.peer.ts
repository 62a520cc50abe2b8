// needs chromium from chromium
import type { Locator } from 'playwright-core'
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import {
  desk,
  follow,
  movingDesk,
  openScreen,
  overflow,
  seriousFaults,
  telephone,
  untilSo,
} from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { isFocused, tabTo } from '../support/keyboard.ts'
import { SteadyClock } from '../support/steady-clock.ts'
import { until } from '../support/until.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')

const made = async (fields: object): Promise<Json> => (await root.post('/rest_api/v2/Abonents/', fields)).body
const ivanov = await made({
  name: 'Иванов Иван',
  contract_number: '100001',
  sms: '+7 900 1234567',
})
const { body: tarif } = await root.post('/rest_api/v2/Tarif/', { name: 'Домашний', price: 6_000_000_000_000 })
const sidorov = await made({ name: 'Сидоров Сидор', contract_number: '100003', tarif: tarif.id })
const petrov = await made({ name: '<img src=x onerror=alert(1)>', contract_number: '100002' })
await office.rows(`UPDATE abonents SET address = 'Тверь, Мира 5' WHERE id = $1`, [ivanov.id])
await root.post('/rest_api/v2/Users/', { abonent: ivanov.id, login: 'ivanov', password: 'x' })
for (const [{ account }, amount] of [
  [petrov, '250'],
  [sidorov, '400'],
])
  await root.post(`/admin/Abonents/accounts_payment/${account}/`, { amount, kind: 'adjustment', op_type_id: 9 })
await root.post('/rest_api/v2/Users/', { abonent: sidorov.id, login: 'sidorov', password: 'x' })
await office.rows(`UPDATE abonents SET create_date = '2020-01-01' WHERE id = $1`, [sidorov.id])
await office.rows(
  `INSERT INTO admin_accounts (id, comment) OVERRIDING SYSTEM VALUE SELECT 1000 + n, 'made' FROM generate_series(1, 300) AS n`,
)
await office.rows(
  `INSERT INTO abonents (name, contract_number, account_id, organization_id)
    SELECT 'Я' || lpad(n::text, 3, '0'), 'M' || n, 1000 + n, 1 FROM generate_series(1, 300) AS n`,
)

t.test('the list is searched, sorted and walked by keys, and Back returns to it as it was', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/', { ...desk, isPainted: true })
  await page.getByRole('link', { name: 'Иванов Иван' }).waitFor()
  t.equal(await page.title(), 'Абоненты · Tollgate')
  t.ok((await page.locator('tbody tr').count()) < 60, 'only what is on the screen is drawn')
  await page.locator('section').getByText('303', { exact: true }).waitFor()

  const middleOf = async (what: Locator) => {
    const { y, height } = (await what.boundingBox())!
    return Math.round(y + height / 2)
  }
  const chip = page.getByRole('button', { name: 'Должники' })
  const exported = page.getByRole('button', { name: 'Выгрузить CSV' })
  t.equal(await middleOf(chip), await middleOf(exported), 'quick filters, search and export stand in one line')
  await chip.click()
  await page.getByRole('link', { name: '<img' }).waitFor()
  await page.getByRole('link', { name: 'Иванов' }).waitFor({ state: 'detached' })
  t.match(page.url(), /\?show=debtors$/)
  await page.goBack()
  await page.getByRole('link', { name: 'Иванов' }).waitFor()

  await page.getByLabel('Найти').fill('иван мира')
  await page.getByRole('link', { name: '<img' }).waitFor({ state: 'detached' })
  t.match(new URL(page.url()).searchParams.get('q'), 'иван мира')
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await page.locator('[data-row-link]:focus').waitFor()
  const outline = `getComputedStyle(document.activeElement.closest('tr')).outlineStyle`
  t.equal(await page.evaluate(outline), 'solid', 'the row that has the focus is seen, marked or not')
  await page.keyboard.press('x')
  await page.keyboard.press('a')
  await page.getByRole('toolbar').locator('button:focus').waitFor()
  await page.keyboard.press('j')
  await page.locator('[data-row-link]:focus').waitFor()
  await page.keyboard.press('x')
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Иванов Иван' }).waitFor()
  await page.locator('main:focus').waitFor()
  await page.goBack()
  const isAsItWas = 'document.querySelector("input")?.value === "иван мира"'
  await untilSo(page, isAsItWas)
  await page.goForward()
  await page.getByRole('heading', { name: 'Иванов Иван' }).waitFor()
  await page.getByRole('link', { name: 'Деньги', exact: true }).last().click()
  await page.waitForURL(/\/money\/$/)
  await page.reload()
  await page.getByRole('link', { name: 'К абонентам' }).click()
  await untilSo(page, isAsItWas)

  await follow(page, '/subscribers/?sort=-id')
  await page.getByRole('link', { name: 'Я300' }).waitFor()
  t.equal(await page.getByRole('columnheader', { name: 'Имя' }).getAttribute('aria-sort'), 'none')
  await page.getByRole('button', { name: 'Имя' }).click()
  await page.getByRole('link', { name: '<img' }).waitFor()
  await page.getByRole('table').hover()
  await until(async () => {
    await page.mouse.wheel(0, 2_000)
    return page.getByRole('link', { name: 'Я300' }).isVisible()
  })

  await page.getByLabel('Отметить: Я300').click()
  const last = page.getByRole('row').filter({ hasText: 'Я300' })
  await last.scrollIntoViewIfNeeded()
  const [row, bar] = [(await last.boundingBox())!, (await page.getByRole('toolbar').boundingBox())!]
  t.ok(row.y + row.height <= bar.y, 'the last row is not under what may be done with it')

  await page.emulateMedia({ forcedColors: 'active' })
  const pairs = JSON.stringify([
    ['nav a[aria-current]', 'nav a:not([aria-current])'],
    ['[aria-pressed="true"]', '[aria-pressed="false"]'],
  ])
  const grounds = `pair.map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)`
  t.same(await page.evaluate(`${pairs}.map((pair) => new Set(${grounds}).size)`), [2, 2], 'what is chosen is seen')

  await page.setViewportSize({ width: 844, height: 390 })
  await page.getByRole('button', { name: 'Открыть разделы' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Я' }).first().waitFor()
  t.equal(await overflow(page), 0)
  const height = await page.evaluate<number>(`document.querySelector('main section ul').parentElement.clientHeight`)
  t.ok(height >= 240, `a telephone held sideways shows rows too: ${height}`)
  t.same(complaints, [])
})

t.test('a payment is taken beside the card, and what was typed outlives a refusal', async (t) => {
  const isRefusal = (complaint: string) => /status of (400|403)/.test(complaint)
  const { page, complaints } = await openScreen(t, root, `/subscribers/${petrov.id}/`, movingDesk, isRefusal)
  await page.getByText('Доступ закрыт: долг').waitFor()
  await page.getByRole('button', { name: 'Платёж', exact: true }).click()
  await page.waitForURL(/\/money\/payment\/$/)
  const form = page.getByRole('dialog')
  const amount = form.getByLabel('Сумма, ₽')
  t.equal(await amount.inputValue(), '250,00', 'the debt is there before anybody types')
  await page.locator('input[name=amount]:focus').waitFor()
  await page.keyboard.type('сто')
  t.equal(await amount.inputValue(), 'сто', 'what is typed takes the place of what was proposed')
  await form.getByRole('button', { name: 'Принять' }).click()
  await form.getByText('Сумма в рублях, например').waitFor()
  await amount.fill('300,50')
  await form.getByLabel('Комментарий').fill('наличные')
  await office.rows(`UPDATE fin_types SET enabled = false WHERE type_id = 40`)
  await form.getByRole('button', { name: 'Принять' }).click()
  await form.getByRole('alert').waitFor()
  t.equal(await amount.inputValue(), '300,50')
  await office.rows(`UPDATE fin_types SET enabled = true WHERE type_id = 40`)
  await form.getByRole('button', { name: 'Принять' }).dblclick()
  await page.getByText('Принято 300,50').waitFor()
  t.equal(
    await page.title(),
    '<img src=x onerror=alert(1)> · Tollgate',
    'the form has given back the title of the card',
  )
  const receipt = await page.getByRole('link', { name: 'Напечатать квитанцию' }).getAttribute('href')
  const paper = await page.request.get(office.base + receipt)
  t.equal(paper.headers()['content-type'], 'application/pdf', 'a receipt is offered as at the cash desk')
  await page.getByText('Доступ открыт').waitFor()
  const money = await office.rows(
    'SELECT op_summa, descr FROM finance_operations WHERE account_id = $1 ORDER BY op_id',
    [petrov.account],
  )
  t.match(money, [{}, { op_summa: '3005000000000', descr: 'наличные' }], 'once, although the button was pressed twice')

  await page.keyboard.press('Escape')
  t.same(complaints, [])
})

t.test(
  'a wrong payment is reversed from its row with two clicks, with a reason, whatever has followed it',
  async (t) => {
    const [payment] = await office.rows(
      'SELECT op_id FROM finance_operations WHERE account_id = $1 AND op_summa > 0 AND NOT storno ORDER BY op_id DESC LIMIT 1',
      [petrov.account],
    )
    await root.post(`/admin/Abonents/accounts_payment/${petrov.account}/`, { amount: 10, descr: 'вторая' })
    const { page, complaints } = await openScreen(t, root, `/subscribers/${petrov.id}/money/`)
    await page.getByText('вторая').waitFor()
    const hand = new Hand()
    await hand.click(page.getByRole('link', { name: `Сторнировать операцию № ${payment.op_id}` }))
    const form = page.getByRole('dialog', { name: `Сторно операции № ${payment.op_id}` })
    await form.getByText('наличные').waitFor()
    await form.getByText('доступ закроется сразу').waitFor()
    t.same(await seriousFaults(page), [])
    await untilSo(page, `document.activeElement?.getAttribute('name') === 'reason'`)
    await page.keyboard.type('перепутали договор')
    await hand.click(form.getByRole('button', { name: 'Сторнировать' }))
    await page.getByText('Операция сторнирована').waitFor()
    hand.did(t, 'task 7')
    await page.waitForURL(/\/money\/$/)
    await page.getByText('Доступ закрыт: долг').waitFor()
    const reversal = page.getByRole('row').filter({ hasText: `Сторно операции ${payment.op_id} · перепутали договор` })
    await reversal.getByText('Сторно', { exact: true }).waitFor()
    const reversed = page.getByRole('row').filter({ hasText: 'наличные' })
    await reversed.getByText('Сторнирована', { exact: true }).hover()
    type Styles = { getComputedStyle(one: unknown): { readonly backgroundColor: string } }
    const groundOf = (place: Locator) =>
      place.evaluate((one) => (globalThis as unknown as Styles).getComputedStyle(one).backgroundColor)
    t.not(
      await groundOf(reversed.getByText('Сторнирована', { exact: true })),
      await groundOf(reversed.getByRole('cell').first()),
      'its ground is seen in the row under the pointer',
    )
    for (const row of [reversal, reversed])
      t.equal(await row.locator('s').count(), 3, 'when, what and how much are struck through')
    t.match(await reversal.locator('s').last().innerText(), /^\d/, 'the line leaves out the sign, which it would hide')
    t.equal(await page.getByRole('link', { name: `Сторнировать операцию № ${payment.op_id}` }).count(), 0)
    await follow(page, `/subscribers/${petrov.id}/money/reversal/${payment.op_id}/`)
    await page.getByText('Эта операция уже отменена').waitFor()
    t.ok(await page.getByRole('dialog').getByRole('button', { name: 'Сторнировать' }).isDisabled())
    t.same(complaints, [])
  },
)

t.test('a block asks first, keeps the focus, and the card follows what others do', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${ivanov.id}/overview/`, movingDesk)
  const block = page.locator('main').getByRole('button', { name: 'Заблокировать' })
  await block.click()
  await page.getByRole('dialog').getByText('Сессии прервутся сразу').waitFor()
  await page.keyboard.press('Escape')
  await untilSo(page, `document.activeElement?.textContent === 'Заблокировать'`)
  const places = () =>
    page.evaluate(`[...document.querySelectorAll('main header button, nav a[aria-current]')].map((one) => {
      const { left, top } = one.getBoundingClientRect()
      return [left, top]
    })`)
  const before = await places()
  await block.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Заблокировать' }).click()
  await page.getByText('Доступ закрыт оператором').waitFor()
  await page.getByRole('button', { name: 'Разблокировать' }).waitFor()
  t.same(await places(), before, 'no other button stands where one was')
  await root.post(`/admin/abonents/unblock/${ivanov.id}/`)
  await page.getByText('Доступ открыт').waitFor()
  t.same(complaints, [])
})

t.test('somebody is found, paid for, blocked and answered, and why he is offline is seen, by keys alone', async (t) => {
  const { body: ticket } = await root.post('/rest_api/v2/Hdsk/', { abonent: sidorov.id, subject: 'Нет интернета' })
  const { page } = await openScreen(t, root, '/')
  const main = page.locator('main')
  const dialog = page.getByRole('dialog')
  const returnsTo = (what: Locator) => until(() => isFocused(what))

  await page.keyboard.press('Control+k')
  await page.keyboard.type('сидор')
  await page.getByRole('option', { name: /Сидоров/ }).waitFor()
  await page.keyboard.press('Enter')
  await main.getByRole('heading', { name: 'Сидоров Сидор' }).waitFor()
  await returnsTo(main)

  await main.getByText('Доступ закрыт: отрицательный баланс.').waitFor()
  await tabTo(page, main.getByRole('link', { name: /^Подробнее: Баланс/ }))
  await page.keyboard.press('Enter')
  await main.getByText('Баланс после').waitFor()
  await page.goBack()
  await main.getByText('Доступ закрыт: отрицательный баланс.').waitFor()

  const payment = main.getByRole('button', { name: 'Платёж', exact: true })
  await tabTo(page, payment)
  await page.keyboard.press('Enter')
  await returnsTo(dialog.getByLabel('Сумма, ₽'))
  await page.keyboard.press('Escape')
  await returnsTo(payment)
  await page.keyboard.press('Enter')
  await returnsTo(dialog.getByLabel('Сумма, ₽'))
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('1000')
  await page.keyboard.press('Enter')
  await page.getByText('Принято 1 000,00').waitFor()
  await returnsTo(payment)

  const block = main.getByRole('button', { name: 'Заблокировать' })
  await tabTo(page, block)
  await page.keyboard.press('Enter')
  await returnsTo(dialog.getByRole('button', { name: 'Заблокировать' }))
  await page.keyboard.press('Enter')
  await main.getByText('Доступ закрыт оператором').waitFor()
  // The answer to the block may come after the frame that tells of it, and until then the button does nothing.
  await returnsTo(main.getByRole('button', { name: 'Разблокировать', disabled: false }))
  await page.keyboard.press('Enter')
  await main.getByText('Доступ открыт').waitFor()
  await returnsTo(block)

  await tabTo(page, main.getByRole('link', { name: 'Обращения', exact: true }))
  await page.keyboard.press('Enter')
  await tabTo(page, main.getByRole('link', { name: 'Нет интернета' }))
  await page.keyboard.press('Enter')
  await returnsTo(main.getByRole('textbox', { name: 'Ответ', exact: true }))
  await page.keyboard.type('Мастер будет завтра')
  await tabTo(page, main.getByRole('button', { name: 'Ответить', exact: true }))
  await page.keyboard.press('Enter')
  await main.getByRole('listitem').filter({ hasText: 'Мастер будет завтра' }).waitFor()
  await returnsTo(main.getByRole('textbox', { name: 'Ответ', exact: true }))
  t.equal((await root.get(`/admin/Abonents/ticket/${ticket.id}/`)).body.ticket.status, 'in_progress')
})

t.test('a promise payment is given in three clicks, with its sum, end and fee seen before', async (t) => {
  await root.post('/admin/settings/system/', { PROMISE_PAY_OPERATOR_FEE: '10' })
  const { page } = await openScreen(t, root, `/subscribers/${sidorov.id}/`)
  const hand = new Hand()
  await hand.click(page.locator('main').getByRole('button', { name: 'Обещанный платёж' }))
  const form = page.getByRole('dialog', { name: 'Обещанный платёж' })
  await form.getByText('За обещанный платёж спишется 10,00 ₽').waitFor()
  t.match(await form.getByLabel('Действует по').inputValue(), /^\d\d\.\d\d\.\d{4}$/)
  await form.getByText(/^Закончится \d\d\.\d\d\.\d{4}, \d\d:\d\d$/).waitFor()
  t.match(await form.getByLabel('Сумма, ₽').inputValue(), /^\d+,\d\d$/)
  t.same(await seriousFaults(page), [])
  await hand.click(form.getByRole('button', { name: 'Дать' }))
  await page.getByText(/^Обещано /).waitFor()
  await page.getByText(/вместе с обещанными/).waitFor()
  hand.did(t, 'task 6')
  await page.locator('main').getByRole('button', { name: 'Обещанный платёж' }).click()
  await form.getByText('Обещанный платёж уже действует').waitFor()
  t.match(await form.innerText(), /Сумма\s*[\d\s]+,\d\d\s₽\s*Действует до\s*\d\d\.\d\d\.\d{4}/)
  t.equal(await form.getByRole('textbox').count(), 0, 'nothing is asked for that would be refused')
  t.same(await seriousFaults(page), [])
  await form.getByRole('link', { name: 'Завершить сейчас' }).click()
  await page.getByText('Обещанный платёж закончится.').waitFor()
})

t.test('a lost connection is said within five seconds, and heals', async (t) => {
  let isCut = false
  const isCutOff = (complaint: string) => /ERR_CONNECTION_REFUSED|^Refused/.test(complaint)
  const { context, page } = await openScreen(t, root, '/', { ...desk, isOwn: true }, isCutOff)
  await page.route('**/admin/Abonents/subscribers/**', (route) =>
    isCut ? route.abort('connectionrefused') : route.continue(),
  )
  let connections = 0
  await context.routeWebSocket(/\/admin\/live\//, (socket) => {
    connections++
    const server = socket.connectToServer()
    server.onMessage((message) => isCut || socket.send(message))
    socket.onMessage((message) => isCut || server.send(message))
  })
  await page.reload()
  await page.locator('[data-state=open]').waitFor()
  isCut = true
  connections = 0
  const clock = new SteadyClock()
  const cutAtMs = clock.elapsedMs()
  await page.locator('[data-state=lost]').waitFor()
  t.equal(connections, 0, 'the one that is silent is kept for a while, since a slow line is silent too')
  // Beside other tests a timer of the page may come late; a machine of its own is not promised here.
  t.ok(clock.elapsedMs() - cutAtMs < 15_000)
  await follow(page, '/subscribers/')
  await page.locator('main').getByRole('alert').getByText('Сервер не отвечает').waitFor()
  isCut = false
  await page.locator('[data-state=open]').waitFor()
  await page.getByRole('link', { name: 'Иванов Иван' }).waitFor()
})

t.test(
  'a screen whose script does not come without a connection comes by itself with it, and the page is not loaded anew',
  async (t) => {
    const isCutOff = (complaint: string) => /ERR_INTERNET_DISCONNECTED|^Refused/.test(complaint)
    const { page } = await openScreen(t, root, '/', { ...desk, isOwn: true }, isCutOff)
    let isCut = true
    // The live connection is there before it is said that the script has not come, as at the start on a slow line.
    await page.route(/\/assets\/|\/healthz/, (route) => {
      if (!isCut) return route.continue()
      isCut = !route.request().url().endsWith('/healthz')
      return route.abort('internetdisconnected')
    })
    await page.evaluate('globalThis.isSame = true')
    await follow(page, '/system/sorm/')
    await page.getByRole('heading', { name: 'СОРМ' }).waitFor()
    t.notOk(isCut)
    t.ok(await page.evaluate('globalThis.isSame'))
  },
)

t.test(
  'what is pressed without a connection is told at once, is not done later, and nothing typed is lost',
  async (t) => {
    const isCutOff = (complaint: string) => /ERR_INTERNET_DISCONNECTED/.test(complaint)
    const { context, page } = await openScreen(
      t,
      root,
      `/subscribers/${sidorov.id}/money/payment/`,
      { ...desk, isOwn: true },
      isCutOff,
    )
    const form = page.getByRole('dialog')
    await form.getByLabel('Сумма, ₽').fill('17')
    const places = async () => [
      await page.locator('main').boundingBox(),
      await page.locator('header').first().boundingBox(),
    ]
    const before = await places()
    await context.setOffline(true)
    const lost = page
      .locator('header')
      .first()
      .getByRole('button', { name: 'Связь потеряна. Показанное могло устареть.', includeHidden: true })
    await lost.waitFor()
    t.same(await places(), before, 'what comes by itself moves nothing')
    await form.getByRole('button', { name: 'Принять' }).click()
    await form.getByRole('alert').getByText('нажмите ещё раз: дважды это не проведётся').waitFor()
    t.equal(await form.getByLabel('Сумма, ₽').inputValue(), '17')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Заблокировать' }).click()
    await form.getByRole('button', { name: 'Заблокировать' }).click()
    await page.getByRole('alert').getByText('посмотрите, не сделано ли это уже').waitFor()
    const writes: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && writes.push(request.url())))
    await context.setOffline(false)
    await page.locator('[data-state=open]').waitFor()
    await page.getByText('Связь потеряна').waitFor({ state: 'detached' })
    t.same(writes, [])
  },
)

t.test('the scripts of another version are fetched by loading the page anew, once', async (t) => {
  const isGone = (complaint: string) => /status of 404|dynamically imported/.test(complaint)
  const { page } = await openScreen(t, root, '/', { ...desk, isOwn: true }, isGone)
  let loads = 0
  page.on('load', () => loads++)
  await page.route(/\/assets\/sorm/, (route) => route.fulfill({ status: 404 }))
  await follow(page, '/system/sorm/')
  await until(() => loads > 0)
  await page.locator('main').getByRole('alert').waitFor()
  t.equal(loads, 1)
})

t.test('a telephone says whose money it is about, and what is told leaves the search free', async (t) => {
  const { page } = await openScreen(t, root, `/subscribers/${ivanov.id}/money/payment/`, telephone)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Иванов Иван, 100001').waitFor()
  await dialog.getByLabel('Сумма, ₽').fill('10')
  await dialog.getByRole('button', { name: 'Принять' }).click()
  const told = page.locator('.mantine-Notification-root')
  await told.getByText(/^Принято 10,00.* · Иванов Иван/).waitFor()
  await dialog.waitFor({ state: 'detached' })
  const signs = await page.evaluate(`(() => {
    const all = [...document.querySelectorAll('header button > :first-child')].slice(0, 2)
    return all.map((sign) => {
      const { x, y, width, height } = sign.getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2).closest('header button') !== null
    })
  })()`)
  t.same(signs, [true, true], 'the menu and the search are pressed at their signs')
  const main = page.locator('main')
  t.equal(await main.getByRole('button', { name: 'Заблокировать' }).count(), 0, 'what is rarer is in a menu')
  const more = main.getByRole('button', { name: 'Ещё действия' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Заблокировать' }).click()
  await page.getByRole('dialog').getByText('Сессии прервутся сразу').waitFor()
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  await until(() => isFocused(more))

  await more.click()
  await page.getByRole('menuitem', { name: 'Заблокировать' }).click()
  await dialog.getByRole('button', { name: 'Заблокировать' }).click()
  await told.getByText('Заблокирован').waitFor()
  t.equal(await told.count(), 1, 'what is told covers what was told before')
  await told.getByRole('button', { name: 'Закрыть' }).click()
  await told.getByRole('link', { name: 'Напечатать квитанцию' }).waitFor()
})

t.test('another screen begins at its top, and Back finds the one before as it was scrolled', async (t) => {
  const { page } = await openScreen(t, root, '/system/settings/', telephone)
  const main = page.locator('main')
  await main
    .getByRole('button', { name: /^Изменить/ })
    .first()
    .waitFor()
  await page.evaluate(`new Promise((done) => {
    const main = document.querySelector('main')
    main.addEventListener('scroll', done, { once: true })
    main.scrollTop = 150
  })`)
  const scrolledBy = () => page.evaluate<number>(`document.querySelector('main').scrollTop`)
  await follow(page, `/subscribers/${ivanov.id}/overview/`)
  await main.getByText('Диагностика').first().waitFor()
  t.equal(await scrolledBy(), 0)
  await page.goBack()
  await until(async () => (await scrolledBy()) === 150)
})

t.test('nothing moves for whoever asked the system for less motion', async (t) => {
  const { page } = await openScreen(t, root, '/', { ...desk, reducedMotion: 'reduce' })
  const late = Promise.withResolvers<void>()
  await page.route('**/admin/Abonents/subscribers/**', async (route) => {
    await late.promise
    await route.continue()
  })
  await follow(page, '/subscribers/')
  await page.locator('.mantine-Skeleton-root').first().waitFor()
  const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
  await page.evaluate(twoFrames)
  t.equal(await page.evaluate('document.getAnimations().length'), 0)
  late.resolve()
  await page.getByRole('link', { name: 'Иванов Иван' }).waitFor()
})

t.test('language and theme are chosen and kept, keys lead and help', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  await page.getByRole('button', { name: 'Свернуть панель' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Деньги' }).hover()
  await page.getByRole('tooltip', { name: 'Деньги' }).waitFor()
  await page.getByRole('button', { name: 'Развернуть панель' }).click()
  await page.getByRole('button', { name: 'Меню: root' }).click()
  await page.getByText('English').click()
  await page.getByText('Dark', { exact: true }).click()
  await page.reload()
  await page.getByRole('heading', { name: 'Summary' }).waitFor()
  t.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark')
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.getByRole('heading', { name: 'Subscribers' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Next row').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.getByRole('dialog').waitFor()
  t.same(complaints, [])
})

t.test('who is signed in is asked first of all, before the script of the screen has come', async (t) => {
  const { page } = await openScreen(t, root, '/')
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto(`${root.base}/admin/system/sorm/`)
  await page.getByRole('heading', { name: 'СОРМ' }).waitFor()
  const [me, script] = [/^\/admin\/me\/$/, /\/assets\/sorm/].map((what) => asked.findIndex((path) => what.test(path)))
  t.ok(me! >= 0 && me! < script!, `${me} before ${script}`)
})

t.test('whoever is not signed in comes back to the screen that was asked for', async (t) => {
  const { page } = await openScreen(t, root, '/')
  // Otherwise what the screen still asks for is refused.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto(`${root.base}/admin/subscribers/?show=debtors`)
  await page.fill('input[name=username]', 'root')
  await page.fill('input[name=password]', 'root-password')
  await page.click('button')
  await page.getByRole('button', { name: 'Должники', pressed: true }).waitFor()
})

t.test('what is not allowed is not shown', async (t) => {
  const viewer = await office.staff('viewer', 'viewer', [1])
  const { page, complaints } = await openScreen(t, viewer, `/subscribers/${ivanov.id}/`)
  await page.getByRole('heading', { name: 'Иванов Иван' }).waitFor()
  t.equal(await page.getByRole('button', { name: /Платёж|Заблокировать/ }).count(), 0)
  await follow(page, '/system/nothing/')
  await page.getByText('Такой страницы нет').waitFor()
  t.same(complaints, [])
})

/** Of each screen what only it says. */
const screens = [
  ['/', 'Сводка'],
  ['/subscribers/', 'Иванов Иван'],
  [`/subscribers/${ivanov.id}/`, 'Диагностика'],
  [`/subscribers/${ivanov.id}/connection/`, 'Прошлые сессии'],
  [`/subscribers/${petrov.id}/money/`, 'Сторно'],
  [`/subscribers/${petrov.id}/money/payment/`, 'Сумма'],
] as const

t.test('every screen is fit for everybody, in both themes, and for a telephone', async (t) => {
  const cases = [
    ['light on a desk', desk],
    ['dark on a telephone', { ...telephone, colorScheme: 'dark' }],
  ] as const
  for (const [name, options] of cases) {
    const { page, complaints } = await openScreen(t, root, '/subscribers/new/', options)
    for (const [path, word] of screens) {
      await follow(page, path)
      await page.locator('main, [role=dialog]').getByText(word).first().waitFor()
      await untilSo(page, `!document.querySelector('[aria-busy=true]')`)
      t.same(await seriousFaults(page), [], `${path} ${name}`)
      t.equal(await overflow(page), 0, `${path} ${name} is no wider than the window`)
    }
    t.same(complaints, [], name)
  }
})

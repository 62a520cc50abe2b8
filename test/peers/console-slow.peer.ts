// needs chromium from chromium
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { openAccountsOffice } from '../interfaces/accounts/fixture.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, follow, isRefusal, openScreen, untilSo } from '../support/console.ts'
import { isFocused } from '../support/keyboard.ts'

/**
 * Screens on a slow line: an answer comes after its user has gone on, and takes nothing away, leads nobody elsewhere and
 * is not taken for the answer to something else.
 */
const { office, root, client, move, made } = await openAccountsOffice(t, { httpPort: await pagePort() })
const anna = await client('Анна Ли')
const boris = await client('Борис Ли')
await move(boris.account, -70)
await office.rows(`INSERT INTO admin_accounts (comment) SELECT 'n' || n FROM generate_series(1, 250) AS n`)

/** Holds back what a door is asked from now on; `come` lets it go on, and `asked` is there when it was asked. */
async function late(page: Page, isMeant: (request: Request) => boolean) {
  const slow = Promise.withResolvers<void>()
  const asked = page.waitForRequest(isMeant)
  await page.route('**/admin/**', async (route) => {
    if (isMeant(route.request())) await slow.promise
    await route.fallback()
  })
  const come = async () => {
    const answered = page.waitForResponse((response) => isMeant(response.request()))
    slow.resolve()
    await answered
  }
  return { asked, come }
}

const isSent =
  (door: string) =>
  (request: Request): boolean =>
    request.method() === 'POST' && request.url().includes(door)
const isRead =
  (door: string) =>
  (request: Request): boolean =>
    request.method() === 'GET' && request.url().includes(door)

const dialog = (page: Page) => page.getByRole('dialog')

t.test('whoever has left a form before the answer stays where they are, and hears of it', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${anna.id}/money/`, desk, isRefusal)
  await page.getByRole('button', { name: 'Платёж', exact: true }).first().click()
  await dialog(page).getByLabel('Сумма, ₽').fill('10')
  const payment = await late(page, isSent('accounts_payment'))
  await page.keyboard.press('Enter')
  await payment.asked
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Журнал', exact: true }).click()
  await page.waitForURL(/\/log\/$/)
  await payment.come()
  await page.getByText('Принято 10,00').waitFor()
  t.match(page.url(), /\/log\/$/)

  await page.getByRole('link', { name: 'Деньги', exact: true }).last().click()
  await page.getByRole('link', { name: 'Лицевой счёт' }).click()
  await page.getByRole('button', { name: 'Провести деньги' }).click()
  await dialog(page).getByLabel('Сумма, ₽').fill('11')
  await dialog(page).getByLabel('Дата').fill('2099-01-01T10:00')
  const refused = await late(page, isSent('accounts_payment'))
  await dialog(page).getByRole('button', { name: 'Провести' }).click()
  await refused.asked
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await refused.come()
  await page.getByText('Дата операции в будущем').waitFor()
  t.equal(await dialog(page).count(), 0, 'nothing is asked over another screen')
  t.same(complaints, [])
})

t.test('nobody else is said to have paid while money is on its way', async (t) => {
  const cashier = await office.staff('kassa', 'cashier', [1])
  await cashier.post('/admin/cash/open/', { opening_cash: '0' })
  const { page } = await openScreen(t, cashier, '/money/cash/')
  const payer = page.getByRole('combobox', { name: 'Кто платит' })
  await payer.fill('борис')
  await page.getByRole('option', { name: /Борис Ли/, disabled: false }).click()
  const payment = await late(page, isSent('accounts_payment'))
  await page.getByRole('button', { name: 'Принять', exact: true }).click()
  await payment.asked
  t.ok(await payer.isDisabled())
  await payment.come()
  await page.getByRole('heading', { name: 'Принято 70,00' }).waitFor()
  await page.getByRole('button', { name: /^Следующий/ }).click()
  t.notOk(await payer.isDisabled())
})

t.test('rows go on after another filter was chosen while they came', async (t) => {
  const { page } = await openScreen(t, root, '/')
  const isNext = (request: Request, filter: string) => {
    const { pathname, searchParams } = new URL(request.url())
    const isMeant = pathname.endsWith('/accounts_json/') && searchParams.get('page') === '2'
    return isMeant && (searchParams.get('chip') ?? '') === filter
  }
  const next = await late(page, (request) => isNext(request, ''))
  await follow(page, '/money/accounts/?sort=-id')
  await page.getByRole('link', { name: '№' }).first().waitFor()
  await page.evaluate(`document.querySelector('main table').parentElement.scrollTop = 1e5`)
  await next.asked
  const others = page.waitForRequest((request) => isNext(request, 'without_client'))
  await page.getByRole('button', { name: 'Без клиента' }).click()
  await others
})

t.test('a saved setting closes its own form, and takes nothing that was typed', async (t) => {
  const { page } = await openScreen(t, root, '/system/settings/')
  const edit = (name: string) => page.getByRole('button', { name: new RegExp(`^Изменить ${name}:`) }).click()
  const value = page.locator('main input:not([type=search])')
  await edit('RADIUS_INTERIM_INTERVAL')
  await value.fill('60')
  const saved = await late(page, isSent('/settings/'))
  await page.keyboard.press('Enter')
  await saved.asked
  const sending = page.getByRole('button', { name: 'Отправляется…' })
  await sending.waitFor()
  t.equal(await sending.getAttribute('aria-busy'), 'true')
  await edit('RADIUS_LOG_DAYS')
  await value.fill('77')
  await saved.come()
  await page.getByText('Сохранено: RADIUS_INTERIM_INTERVAL → 60').waitFor()
  t.equal(await page.getByText(/^Сколько дней хранится журнал авторизаций/).count(), 1, 'what it means is said once')
  const covered = await page.evaluate(`(() => {
    const told = document.querySelector('.mantine-Notification-root')
    const { left, right, top, bottom } = told.getBoundingClientRect()
    return [...document.querySelectorAll('main, header:has(+ main) button')].filter((one) => {
      const box = one.getBoundingClientRect()
      return box.left < right && box.right > left && box.top < bottom && box.bottom > top
    }).map((one) => one.outerHTML)
  })()`)
  t.same(covered, [], 'what is told covers nothing that can be pressed')
  t.equal(await value.inputValue(), '77')

  await page.goto(`${root.base}/admin/system/payments/`)
  await page.getByLabel('Номер магазина (shopId)').fill('7')
  const stored = await late(page, isSent('/settings/payment/'))
  await page.keyboard.press('Enter')
  await stored.asked
  await sending.waitFor()
  await page.getByLabel('Номер витрины (scid)').fill('55')
  await stored.come()
  await page.getByText('Сохранено', { exact: true }).waitFor()
  t.equal(await page.getByLabel('Номер витрины (scid)').inputValue(), '55')
})

t.test('what was chosen or typed meanwhile in a new subscriber is what is meant', async (t) => {
  const city = await made('/admin/dictionary/homes_crud/', { kind: 'city', name: 'Тверь' })
  await made('/admin/dictionary/homes_crud/', { kind: 'street', name: 'Мира', parent: city.id })
  await made('/rest_api/v2/IpPull/', { name: 'Центр', network: '10.1.0.0/24', gateway: '10.1.0.1' })
  const { page } = await openScreen(t, root, '/subscribers/new/')
  const option = (name: string) => page.getByRole('option', { name, exact: true, disabled: false })
  const street = page.getByRole('combobox', { name: 'Улица' })
  await street.fill('Лесная')
  const added = await late(page, isSent('homes_crud'))
  await option('Добавить «Лесная»').click()
  await added.asked
  await page.getByRole('button', { name: 'Завести абонента' }).click()
  await page.getByText('Адрес ещё добавляется').waitFor()
  await street.fill('Мира')
  await option('Мира').click()
  await added.come()
  await street.fill('Лес')
  await option('Лесная').waitFor()
  await page.getByLabel('ФИО или название').click()
  await untilSo(
    page,
    `document.querySelector('[name=street]').previousElementSibling.querySelector('input').value !== 'Лес'`,
  )
  t.equal(await street.inputValue(), 'Мира')

  const free = await late(page, isRead('/free/'))
  await page.getByRole('button', { name: 'Взять свободный' }).click()
  await free.asked
  const address = page.getByLabel('Свой IP-адрес')
  await address.fill('10.1.0.77')
  await free.come()
  await page.getByLabel('Комментарий').fill('x')
  t.equal(await address.inputValue(), '10.1.0.77')
})

t.test('the answer of a ticket leaves the focus where it is, and a line that was chosen stays chosen', async (t) => {
  await client('Журналов')
  const { ticket } = await made(`/admin/Abonents/tickets/${anna.id}/`, { subject: 'Нет сети', body: 'Совсем' })
  const { page } = await openScreen(t, root, `/tickets/${ticket.id}/`)
  await page.getByRole('textbox', { name: 'Ответ', exact: true }).fill('Скоро')
  const answer = await late(page, isSent(`/ticket/${ticket.id}/`))
  await page.keyboard.press('Control+Enter')
  await answer.asked
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Поиск' })
  await answer.come()
  await page.getByText('Ответ записан').waitFor()
  t.ok(await isFocused(box))

  const found = await late(page, isRead('/admin/search/'))
  const chosen = dialog(page).locator('[aria-selected=true]')
  await box.fill('журнал')
  await page.getByRole('option').nth(1).waitFor()
  await page.keyboard.press('ArrowDown')
  const before = await chosen.innerText()
  await found.asked
  await found.come()
  await page.getByRole('option', { name: /Журналов/ }).waitFor()
  t.equal(await chosen.innerText(), before)
})

t.test('letters that come faster than the address follows stay', async (t) => {
  const { page } = await openScreen(t, root, '/system/settings/')
  const find = page.getByLabel('Найти настройку')
  await find.focus()
  await page.evaluate(`for (const letter of 'об') document.execCommand('insertText', false, letter)`)
  t.equal(await find.inputValue(), 'об')
  await page.waitForURL(/\?q=%D0%BE%D0%B1$/)
})

t.test('nobody reads that there is nothing before it is known', async (t) => {
  const { page } = await openScreen(t, root, `/subscribers/${anna.id}/`)
  const sessions = await late(page, isRead('/radius/sessions/'))
  await page.getByRole('link', { name: 'Подключение' }).click()
  await sessions.asked
  await page.getByRole('heading', { name: 'Сессии сейчас' }).waitFor()
  t.equal(await page.getByText('Живых сессий нет').count(), 0)
  await sessions.come()
  await page.getByText('Живых сессий нет').waitFor()
})

t.test('a day that is being typed stays when the report comes', async (t) => {
  const { page } = await openScreen(t, root, '/money/reports/')
  const report = await late(page, isRead('/reports/subscribers/'))
  await page.getByLabel('Отчёт').getByText('Абоненты').click()
  await report.asked
  const first = page.getByLabel('С какого дня')
  await first.fill('01.0')
  await report.come()
  await page.getByRole('row', { name: /^Итого/ }).waitFor()
  t.equal(await first.inputValue(), '01.0')
  t.match(await page.getByLabel('По какой день').inputValue(), /^\d\d\.\d\d\.\d{4}$/)
})

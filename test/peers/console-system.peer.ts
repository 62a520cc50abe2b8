// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { SimulatedGatewayA } from '../../src/demo/gateways/gateway-a.ts'
import { isSigned, Receiver } from '../billing/webhooks/receiver.ts'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone, desk, isRefusal, untilSo } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { enterInDialog } from '../support/keyboard.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
await office.staff('olga', 'cashier', [1])
const anna = (await root.post('/rest_api/v2/Abonents/', { name: 'Анна Ли', contract_number: '000001' })).body

const rail = (page: Page) => page.getByRole('navigation')
const place = (page: Page, name: string) => rail(page).getByRole('link', { name, exact: true })

t.test('a job is run in three clicks and its runs are seen in two', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  const hand = new Hand()
  await hand.click(place(page, 'Система'))
  const row = page.getByRole('row').filter({ hasText: 'Закрытие замолчавших сессий' })
  await row.getByText('Ещё не было').waitFor()
  await row.getByText('каждую минуту').waitFor()
  await hand.click(row.getByRole('button', { name: 'Запустить' }))
  await page.getByText('Готово: Закрытие замолчавших сессий').waitFor()
  await row.getByText('Выполнено').waitFor()
  hand.did(t, 'task 21')
  t.same(await seriousFaults(page), [])
  await hand.click(place(page, 'Система'))
  await hand.click(row.getByRole('link'))
  await page.getByRole('heading', { name: 'Закрытие замолчавших сессий' }).waitFor()
  const runs = page.locator('tbody tr[data-index]')
  await runs.getByText('Выполнено').waitFor()
  await runs.getByText('root', { exact: true }).waitFor()
  t.equal(await runs.count(), 1)
  hand.did(t, 'task 22')
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('how far a job is shows while it runs, and then how it ended', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/system/jobs/')
  const row = page.getByRole('row').filter({ hasText: 'Блокировка и разблокировка по балансу' })
  await row.waitFor()
  // The job waits for a lock that a stranger holds on what it reads.
  const stranger = await office.database.ledger.connect()
  await stranger.query('BEGIN; LOCK TABLE abonents_block IN ACCESS EXCLUSIVE MODE')
  const run = root.post('/admin/jobs/process_blocks/run/')
  await row.getByText('Выполняется').waitFor()
  await row.getByRole('button', { name: 'Запустить', disabled: true }).waitFor()
  await stranger.query('COMMIT')
  stranger.release()
  await row.getByText('Выполнено').waitFor()
  t.equal((await run).status, 200)
  t.same(complaints, [])
})

t.test('a setting is changed in three clicks, and a wrong value says what it must be', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(place(page, 'Система'))
  await hand.click(place(page, 'Настройки'))
  await page.getByLabel('Найти настройку').fill('отчётами сессии')
  await page.getByText(/^1 из \d+$/).waitFor()
  await hand.click(page.getByRole('button', { name: 'Изменить RADIUS_INTERIM_INTERVAL: 300' }))
  const field = page.getByLabel('Секунд между двумя отчётами о сессии')
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'RADIUS_INTERIM_INTERVAL'`)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('3')
  await page.keyboard.press('Enter')
  await page.locator('[name=RADIUS_INTERIM_INTERVAL][aria-invalid=true]').waitFor()
  t.equal(await page.getByText('Нужно: целое число от 5 до 86').count(), 1, 'what it must be is said once')
  t.equal(await field.inputValue(), '3', 'what was typed outlives a refusal')
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('60')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Изменить RADIUS_INTERIM_INTERVAL: 60' }).waitFor()
  await page.locator('button:focus', { hasText: 'RADIUS_INTERIM_INTERVAL' }).waitFor()
  hand.did(t, 'task 23')
  t.equal(office.settings.get('RADIUS_INTERIM_INTERVAL'), 60)
  await page.getByText('по умолчанию 300').waitFor()
  await page.getByText(/^root, /).waitFor()
  await page.getByRole('button', { name: 'Изменить RADIUS_INTERIM_INTERVAL: 60' }).click()
  await page.getByLabel('История').getByText('300 → 60').waitFor()
  await page.getByRole('button', { name: 'Вернуть по умолчанию' }).click()
  await page.getByRole('button', { name: 'Изменить RADIUS_INTERIM_INTERVAL: 300' }).waitFor()
  t.equal(office.settings.get('RADIUS_INTERIM_INTERVAL'), 300)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('a gateway is set up and checked, and its secret is never shown', async (t) => {
  const gateway = new SimulatedGatewayA({ shopId: '7', secretKey: 'test_key', shopPassword: '', webhook: '' })
  await gateway.start()
  t.teardown(() => gateway.stop())
  const { page, complaints } = await openScreen(t, root, '/system/payments/', desk, isRefusal)
  const fields = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Шлюз A' }) })
  await fields.getByLabel('Адрес интерфейса REST').fill(gateway.apiUrl)
  await fields.getByLabel('Номер магазина (shopId)').fill('7')
  await fields.getByLabel('Секретный ключ REST').fill('test_key')
  await page.getByRole('button', { name: 'Сохранить и проверить связь: Шлюз A' }).click()
  await page.getByText('Шлюз отвечает и знает магазин.').waitFor()
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'test_key')
  t.equal(await fields.getByLabel('Секретный ключ REST').inputValue(), '')
  t.notMatch(await page.content(), 'test_key')
  await fields.getByLabel('Адрес интерфейса REST').fill('http://gateway.example')
  await page.getByRole('button', { name: 'Сохранить всё' }).click()
  // It stands above the button, out of sight, and takes the focus. What it must be stands below it in any case.
  await page.locator('input[name=LK_GWA_API_URL][aria-invalid=true]:focus').waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('the proof of the ledger is run in two clicks and names the first broken record', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk, (complaint) => /status of 500/.test(complaint))
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: /^Сверка журнала/ }).last())
  await hand.click(page.getByRole('button', { name: 'Сверить сейчас' }))
  await page.getByText('Сошлось').first().waitFor()
  hand.did(t, 'task 29')
  await page.getByText('Проверено счетов').first().waitFor()
  await office.rows('UPDATE admin_accounts SET ostatok = 10000000000, debit = 10000000000 WHERE id = $1', [
    anna.account,
  ])
  await page.getByRole('button', { name: 'Сверить сейчас' }).click()
  const fault = page.getByRole('row').filter({ hasText: 'Баланс' })
  await fault.waitFor()
  t.match(await fault.textContent(), /1\.00.*0\.00/)
  t.same(await seriousFaults(page), [])
  await office.rows('UPDATE admin_accounts SET ostatok = 0, debit = 0 WHERE id = $1', [anna.account])
  await fault.getByRole('link', { name: String(anna.account), exact: true }).click()
  await page
    .getByRole('heading', { level: 1 })
    .filter({ hasText: String(anna.account) })
    .waitFor()
  t.same(complaints, [])
})

t.test('a staff user with a role is added in five clicks', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(place(page, 'Система'))
  await hand.click(place(page, 'Сотрудники'))
  await hand.click(page.getByRole('link', { name: 'Новый сотрудник' }))
  const form = page.getByRole('dialog')
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'username'`)
  await page.keyboard.type('petr')
  await page.keyboard.press('Tab')
  await page.keyboard.type('qwerty')
  await page.keyboard.press('Enter')
  await form.getByText('Выберите роль').waitFor()
  t.equal(await form.getByRole('radio', { checked: true }).count(), 0, 'nobody is presumed to be anything')
  await hand.click(form.getByRole('radio', { name: 'Кассир' }))
  await form.getByText('Принимать и отменять платежи').waitFor()
  await hand.click(form.getByRole('button', { name: 'Добавить' }))
  await form.getByRole('alert').getByText('Пароль слишком простой', { exact: false }).waitFor()
  t.equal(await form.getByLabel('Имя для входа').inputValue(), 'petr')
  await form.getByRole('button', { name: 'Придумать' }).click()
  const password = await form.getByLabel('Пароль', { exact: true }).inputValue()
  await form.getByLabel('Имя для входа').press('Enter')
  await page.getByText('Сотрудник petr добавлен').waitFor()
  const given = page.getByRole('dialog', { name: 'Пароль задан' })
  await given.getByRole('button', { name: `Скопировать: ${password}` }).waitFor()
  await given.getByText('petr', { exact: true }).waitFor()
  hand.did(t, 'task 17')
  t.same(await seriousFaults(page), [])
  await given.getByRole('button', { name: 'Готово' }).click()
  await given.waitFor({ state: 'detached' })
  t.notMatch(await page.content(), password, 'it is gone with its window')
  const row = page.locator('tbody tr[data-index]').filter({ hasText: 'petr' })
  t.match(await row.textContent(), /Кассир.*Работает/)
  t.same(await seriousFaults(page), [])
  t.match(await office.rows(`SELECT role, enabled FROM staff WHERE username = 'petr'`), [
    { role: 'cashier', enabled: true },
  ])
  t.same(complaints, [])
})

t.test('a role is changed in the matrix, and a session is ended', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/system/staff/roles/')
  const row = page.getByRole('row').filter({ hasText: 'Кассир' })
  await row.getByRole('link', { name: 'Кассир' }).click()
  const form = page.getByRole('dialog', { name: 'Роль «Кассир»' })
  await form.getByLabel('Изменять').check()
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await row.getByText('изменена').waitFor()
  t.match((await root.get('/admin/staff/roles/')).body.items.find(({ name }: Json) => name === 'cashier').rights, [
    'view',
    'change',
    'money',
  ])
  await row.getByRole('link', { name: 'Кассир' }).click()
  await form.getByRole('button', { name: 'Вернуть права программы' }).click()
  await row.getByText('изменена').waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Новая роль' }).click()
  const added = page.getByRole('dialog', { name: 'Новая роль' })
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'title'`)
  await page.keyboard.press('Enter')
  await added.getByText('Укажите название').waitFor()
  await added.getByLabel('Название').fill('Монтажник')
  await added.getByLabel('Изменять').check()
  await page.keyboard.press('Enter')
  await page.getByText('Роль «Монтажник» создана').waitFor()
  const own = page.getByRole('row').filter({ hasText: 'Монтажник' })
  t.match(await own.textContent(), /своя/)
  t.same(await seriousFaults(page), [])
  await follow(page, '/system/staff/new/')
  await page.getByRole('dialog').getByRole('radio', { name: 'Монтажник' }).waitFor()
  await follow(page, '/system/staff/roles/')
  await own.getByRole('link', { name: 'Монтажник' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Удалить' }).click()
  await page.getByRole('dialog', { name: 'Удалить «Монтажник»?' }).getByRole('button', { name: 'Удалить' }).click()
  await own.waitFor({ state: 'detached' })
  await follow(page, '/system/staff/sessions/')
  const session = page.getByRole('row').filter({ hasText: 'olga' })
  await session.getByRole('button', { name: /^Завершить/ }).click()
  await page.getByRole('dialog').getByText('Завершить сессию olga?').waitFor()
  await enterInDialog(page)
  await session.waitFor({ state: 'detached' })
  t.equal(
    (await office.rows(`SELECT FROM staff_sessions JOIN staff ON staff.id = staff_id WHERE username = 'olga'`)).length,
    0,
  )
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('the API is read by words and fields, and what an operation takes is made when it is opened', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/system/api/')
  await page.getByText(/^\d+ из \d+ операц/).waitFor()
  const operations = page.locator('details[class*=operation]')
  const all = await operations.count()
  const { paths } = (await root.get('/admin/api/openapi.json')).body
  t.equal(
    all,
    Object.values<object>(paths).flatMap((item) => Object.keys(item).filter((name) => name !== 'parameters')).length,
    'every one',
  )
  t.equal(await page.locator('pre').count(), 0, 'closed ones are lines')
  await page.getByLabel('Найти адрес, метод, слово или поле').fill('post accounts_payment op_type_id')
  const payment = operations.filter({ hasText: '/admin/Abonents/accounts_payment/{id}/' })
  // Found by a field of its body it is the only one, once the page has had time to follow what is typed.
  await operations.nth(1).waitFor({ state: 'detached' })
  await payment.getByText('POST').click()
  await payment.getByRole('cell', { name: 'amount', exact: false }).first().waitFor()
  await payment.getByText('curl -X POST').waitFor()
  await payment.getByText('Пример', { exact: true }).click()
  await payment.getByText('"duplicate": true').waitFor()
  t.same(await seriousFaults(page), [])
  await payment.getByRole('link', { name: 'Ссылка на эту операцию' }).click()
  await page.waitForURL(/op=POST/)
  await page.reload()
  await page.getByText('curl -X POST').waitFor()
  t.equal(await page.getByRole('link', { name: 'OpenAPI (JSON)' }).getAttribute('href'), '/admin/api/openapi.json')
  t.same(complaints, [])
})

t.test('a webhook is made with its secret shown once, tested, given up and sent again', async (t) => {
  const receiver = await Receiver.start(t)
  await office.webhooks.start()
  t.teardown(() => office.webhooks.stop())
  const { page, complaints } = await openScreen(t, root, '/system/webhooks/')
  await page.getByText('Адресов нет').waitFor()
  await page.getByRole('link', { name: 'Новый адрес' }).first().click()
  const form = page.getByRole('dialog', { name: 'Новый адрес' })
  await form.getByLabel('Адрес').fill('crm')
  await page.keyboard.press('Enter')
  await form.getByText('Укажите адрес', { exact: false }).waitFor()
  await form.getByLabel('Адрес').fill(`${receiver.url}/crm`)
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('Enter')
  const given = page.getByRole('dialog', { name: 'Адрес создан' })
  const secret = /whsec_\S+/.exec(await given.innerText())![0]
  await given.locator('button:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: `${receiver.url}/crm` }).waitFor()
  t.notMatch(await page.locator('main').innerText(), 'whsec_')

  await page.getByRole('button', { name: 'Проверить' }).click()
  const delivery = page.getByRole('dialog', { name: /^Доставка №/ })
  await delivery.getByText('Доставлено').waitFor()
  await delivery.getByText('answer 200').waitFor()
  t.ok(isSigned(secret, receiver.at('/crm')[0]!))
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  receiver.answers.set('/crm', 500)
  await page.getByRole('button', { name: 'Проверить' }).click()
  await delivery.getByText('answer 500').waitFor()
  await delivery.getByRole('button', { name: 'Не отправлять' }).click()
  await page
    .getByRole('dialog', { name: /^Больше не/ })
    .getByRole('button', { name: 'Не отправлять' })
    .click()
  await delivery.getByText('Не доставлено').waitFor()
  receiver.answers.set('/crm', 200)
  await delivery.getByRole('button', { name: 'Отправить снова' }).click()
  await delivery.getByText('Доставлено').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Сменить секрет' }).click()
  await page.getByRole('dialog', { name: 'Сменить секрет?' }).getByRole('button', { name: 'Сменить секрет' }).click()
  const rotated = page.getByRole('dialog', { name: 'Новый секрет' })
  t.not(/whsec_\S+/.exec(await rotated.innerText())![0], secret)
  await rotated.locator('button:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Прежний секрет подписывает до').waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('a token is made, shown once and revoked', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/system/tokens/')
  await page.getByRole('link', { name: 'Новый токен' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Название').fill('биллинг')
  await form.getByLabel('деньги').check()
  await form.getByLabel('Ваш пароль').fill('root-password')
  await form.getByRole('button', { name: 'Показать или скрыть' }).waitFor()
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('Enter')
  const given = page.getByRole('dialog', { name: 'Токен создан' })
  await given.getByText(/^tg_/).waitFor()
  await page.keyboard.press('Enter')
  // Enter once more has copied it, and not put it away.
  t.ok(await given.isVisible())
  await given.getByRole('button', { name: 'Готово' }).click()
  const row = page.getByRole('row').filter({ hasText: 'биллинг' })
  t.match(await row.textContent(), /root.*читать, деньги.*ни разу.*без срока/)
  t.notMatch(await page.locator('main').textContent(), 'tg_')
  await row.getByRole('button', { name: 'Отозвать: биллинг' }).click()
  await page.getByRole('dialog').getByText('Отозвать токен «биллинг»?').waitFor()
  await enterInDialog(page)
  await page.getByText('Токен отозван').waitFor()
  await row.waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test('a payment that was not credited is credited to a subscriber', async (t) => {
  await office.rows(
    `INSERT INTO payment_problems (gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, gateway_id)
      VALUES ('gwa', 'rest', 'unknownOrder', 'There is no order 17.', 1, '{"order": 17}', 'a', 1045000000000, 'p-1')`,
  )
  const { page, complaints } = await openScreen(t, root, '/')
  await page.getByRole('link', { name: /^Платежи не зачислены/ }).click()
  await page.getByRole('link', { name: 'Нет такого заказа' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Зачислить абоненту' }).click()
  await panel.getByText('Выберите абонента').waitFor()
  await panel.getByLabel('Кому').fill('анна')
  await page.getByRole('option', { name: 'Анна Ли, 000001' }).click()
  t.equal(await panel.getByLabel('Сумма к зачислению').inputValue(), '100,00')
  t.same(await seriousFaults(page), [])
  await panel.getByRole('button', { name: 'Зачислить абоненту' }).click()
  await page.getByText('Платёж зачислен').waitFor()
  await page.getByRole('link', { name: 'Нет такого заказа' }).waitFor({ state: 'detached' })
  t.match(await office.rows('SELECT ostatok FROM admin_accounts WHERE id = $1', [anna.account]), [
    { ostatok: '1000000000000' },
  ])
  t.same(complaints, [])
})

t.test(
  'money that was not credited goes back by the gateway, or in its office where that has no call for it',
  async (t) => {
    await office.rows(
      `INSERT INTO payment_problems (gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, gateway_id, subscriber_id)
      VALUES ('gwa', 'rest', 'orphaned', 'x', 1, 'x', 'b', 1045000000000, 'p-2', NULL),
        ('gwb', 'form', 'doubled', 'x', 1, 'x', 'c', 500000000000, 'p-3', $1)`,
      [anna.id],
    )
    const { page, complaints } = await openScreen(t, root, '/money/not-credited/?resolved=0')
    const panel = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Анна Ли' }).waitFor()
    await page.getByRole('link', { name: 'Заказ оплачен дважды' }).click()
    await panel.getByRole('link', { name: 'Анна Ли' }).waitFor()
    await panel.getByText('Отметить возврат в кабинете шлюза').first().click()
    await panel.getByText('Этот шлюз не принимает возвраты от программ').waitFor()
    t.equal(await panel.getByText('Вернуть через шлюз').count(), 0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Оплата без заказа' }).click()
    await panel.getByText('Вернуть через шлюз').first().click()
    await panel.getByText(/^Шлюз вернёт плательщику 104,50/).waitFor()
    await panel.getByLabel('Что сделано').fill('не наш абонент')
    t.same(await seriousFaults(page), [])
    await panel.getByRole('button', { name: 'Вернуть через шлюз' }).click()
    await page.getByText('Возврат отправлен в шлюз').waitFor()
    const [{ id }] = await office.rows(`SELECT id FROM payment_problems WHERE gateway_id = 'p-2'`)
    await office.rows(
      `UPDATE payment_refunds SET state = 'failed', error = 'The gateway answered 400.' WHERE problem_id = $1`,
      [id],
    )
    await follow(page, `/money/not-credited/${id}/`)
    await panel.getByText('Шлюз отказал').first().waitFor()
    t.same(await seriousFaults(page), [])
    await panel.getByRole('button', { name: 'Я вернул деньги в кабинете' }).click()
    await panel.getByText('Возвращено в кабинете шлюза').first().waitFor()
    t.same(complaints, [])
  },
)

t.test('the nodes of the database, what is to be looked at, and one is drained', async (t) => {
  const told = {
    lag_ms: 3,
    clock_offset_ms: 11_000,
    sessions: 1_204,
    rates: { accept: 41, reject: 2, accounting: 310, dropped: 0 },
  }
  const addNode = (name: string, silentSeconds: number, state: object) =>
    office.rows(
      `INSERT INTO nodes (name, version, heartbeat_at, state) VALUES ($1, '1.4.0', now() - make_interval(secs => $2), $3)`,
      [name, silentSeconds, state],
    )
  // Their heartbeats are of the future, so that they stay alive while the test lasts.
  await addNode('mars', -3_600, { ...told, http: 'http://10.20.0.11:8080', radius: '0.0.0.0:1812,1813' })
  await addNode('venus', -3_600, { ...told, clock_offset_ms: -2 })
  await addNode('pluto', 20, told)
  await addNode('eris', 9_000, {})
  const { page, complaints } = await openScreen(t, root, '/system/jobs/')
  await page.getByRole('link', { name: 'Узлы' }).click()
  const node = (name: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) })
  await node('mars').getByText('Часы этой машины расходятся').waitFor()
  await node('mars').getByText('спешат на 11 000 мс').waitFor()
  await node('venus').getByText('отстают на 2 мс').waitFor()
  await node('venus').getByText('принято 41, отказано 2, учёт 310').waitFor()
  await node('pluto').getByText('Отрезан').waitFor()
  await node('eris').getByText('Остановлен').waitFor()
  t.equal(await node('eris').getByRole('button').count(), 0)
  t.same(await seriousFaults(page), [])
  await node('mars').getByRole('button', { name: 'Вывести mars' }).click()
  await page.getByText('Вывести узел mars из работы?').waitFor()
  t.notOk(await page.getByText('Других работающих узлов нет').isVisible())
  await page.getByRole('dialog').getByRole('button', { name: 'Вывести' }).click()
  await node('mars').getByText('Выводится').waitFor()
  t.match(await office.rows(`SELECT is_draining FROM nodes WHERE name = 'mars'`), [{ is_draining: true }])
  t.match(await office.rows(`SELECT object_id FROM audit_operations WHERE table_name = 'NODES' ORDER BY id`), [
    { object_id: 'mars' },
  ])
  t.same(complaints, [])
})

t.test('what the doctor finds is shown with what to do, the worst first, in either language', async (t) => {
  await office.rows(
    `INSERT INTO nas (name, ip, secret, clock_ahead_seconds) VALUES ('late-bras', '192.0.2.9', 'x', -90)`,
  )
  const { page, complaints } = await openScreen(t, root, '/system/health/')
  await page.getByRole('heading', { name: /^Стоит исправить: \d+$/ }).waitFor()
  await page.getByText('неверно идут часы late-bras (−90 с)', { exact: false }).waitFor()
  const titles = await page.getByRole('heading', { level: 2 }).allInnerTexts()
  t.match(titles.at(-1), /^В порядке: \d+$/)
  t.notOk(
    (await page.locator('dt').allInnerTexts()).some((name) => /^[a-z][a-z ]+$/.test(name)),
    'every name is said',
  )
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('every screen of the system fits a telephone, in English too', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/system/jobs/', { ...telephone, locale: 'en-US' })
  const screens = [
    ['/system/jobs/', 'Jobs'],
    ['/system/jobs/verify_ledger/', 'Ledger proof'],
    ['/system/nodes/', 'Nodes'],
    ['/system/health/', 'Health'],
    ['/system/settings/', 'Settings'],
    ['/system/payments/', 'Online payments'],
    ['/system/staff/', 'Staff'],
    ['/system/staff/new/', 'Staff'],
    ['/system/staff/roles/', 'Roles'],
    ['/system/staff/roles/new/', 'Roles'],
    ['/system/staff/sessions/', 'Staff sessions'],
    ['/system/tokens/', 'API tokens'],
    ['/system/audit/', 'Audit'],
    ['/system/webhooks/', 'Webhooks'],
    ['/system/webhooks/new/', 'Webhooks'],
    ['/system/webhooks/1/', 'http://127.0.0.1'],
    ['/system/api/?q=templates_preview&op=POST+%2Fadmin%2Fradius%2Ftemplates_preview%2F', 'API'],
    ['/system/sorm/', 'SORM'],
    ['/money/receipts/', 'Fiscal receipts'],
    ['/money/ledger/', 'Ledger proof'],
    ['/money/not-credited/', 'Payments not credited'],
  ] as const
  await page.getByRole('button', { name: /^Run/ }).first().waitFor()
  const run = await page.getByRole('button', { name: /^Run/ }).first().boundingBox()
  t.ok(run && run.x >= 0 && run.x + run.width <= telephone.viewport.width, 'a job is run without scrolling sideways')
  for (const [path, title] of screens) {
    await follow(page, path)
    await page.locator('main h1').filter({ hasText: title }).waitFor()
    // A form beside a list has the list's own title.
    if (path.endsWith('/new/')) await page.getByRole('dialog').waitFor()
    await untilSo(page, `!document.querySelector('[aria-busy=true]')`)
    t.equal(await overflow(page), 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  await follow(page, '/system/staff/roles/new/')
  const meaning = page.locator('[role=dialog] [class*="-description"]').first()
  const label = page.locator('[role=dialog] label:has(+ [class*="-description"])').first()
  await meaning.waitFor()
  const [whole, below] = [(await label.boundingBox())!, (await meaning.boundingBox())!]
  t.ok(whole.height >= 44, 'the label of a box is as large as a finger')
  t.ok(below.y > whole.y && below.y + below.height <= whole.y + whole.height + 1, 'and what explains it stands within')
  t.same(complaints, [])
})

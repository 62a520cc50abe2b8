// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { Caller } from '../interfaces/admin-office.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, follow, isRefusal, openScreen, overflow, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { FakeNas } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { until } from '../support/until.ts'

const program = await openProgram(t, { TOLLGATE_HTTP_PORT: String(await pagePort()) })
const { http, authPort, acctPort } = program.address
const root = new Caller(http, { 'X-Session-Hash': program.session })
const tarif = await program.create('Tarif', { name: 'usual', price: 0, speed_mbit: 100, upload_mbit: 50 })
await program.create('IpPull', { name: 'Центр', network: '10.1.0.0/24', gateway: '10.1.0.1' })
const ivan = await program.createLogin('ivan', tarif, { simultaneous_use: 9 })
await program.createLogin('petr', tarif, { ip: '10.1.0.9', mac: '02:00:00:00:00:09' })

const fake = await FakeNas.start({ id: 2, ip: '127.0.0.2' })
t.teardown(() => fake.close())
fake.entry.secret = secret
await program.create('Nas', {
  name: 'Центр',
  ip: '127.0.0.2',
  secret,
  nas_type: 'mikrotik',
  coa_port: fake.entry.coaPort,
})
const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, '127.0.0.2')
t.teardown(() => client.close())
/** What RADIUS answers to a sign-in with a password from a device. */
const codeOf = async (login: string, password: string, mac = 'AA-BB-CC-00-00-01') =>
  (await client.pap(login, password, [['Calling-Station-Id', mac]])).code
t.equal(await codeOf('ivan', 'wrong'), 'Access-Reject')
t.equal(await codeOf('AA-BB-CC-00-00-03', 'x', 'AA-BB-CC-00-00-03'), 'Access-Reject')
await client.exchange(
  client.accounting([
    ['User-Name', 'ivan'],
    ['Acct-Session-Id', 'of-ivan'],
    ['Acct-Status-Type', 'Start'],
    ['Framed-IP-Address', '10.1.0.7'],
    ['Calling-Station-Id', 'AA-BB-CC-00-00-02'],
  ]),
  'acct',
)

const card = `/subscribers/${ivan.id}/`
const toConnection = (page: Page) => page.getByRole('link', { name: 'Подключение' })
const form = (page: Page) => page.getByRole('dialog')
const macOf = async (login = 'ivan') =>
  (await program.parts.database.pool.query('SELECT mac::text FROM users WHERE login = $1', [login])).rows[0].mac

t.test('a password is made or set in three clicks, shown once, and works at once', async (t) => {
  const { page, complaints } = await openScreen(t, root, card)
  const hand = new Hand()
  await hand.click(toConnection(page))
  await hand.click(page.getByRole('button', { name: 'Пароль', exact: true }))
  await hand.click(form(page).getByRole('button', { name: 'Придумать' }))
  hand.did(t, 'task 10')
  const copy = form(page).getByRole('button', { name: /^Скопировать: [a-z2-9]{10}$/ })
  const made = (await copy.getAttribute('aria-label'))!.split(': ')[1]!
  const { width, height } = (await copy.boundingBox())!
  t.ok(Math.min(width, height) >= 24, `a small button is ${width} by ${height}`)
  t.same(await seriousFaults(page), [])
  t.equal(await codeOf('ivan', made), 'Access-Accept')
  t.equal(await codeOf('ivan', 'word'), 'Access-Reject', 'the old one is none')
  await form(page).getByRole('button', { name: 'Готово' }).click()
  await form(page).waitFor({ state: 'detached' })
  t.notMatch(await page.content(), made, 'it is gone with its window')

  await page.getByRole('button', { name: 'Пароль', exact: true }).click()
  await form(page).getByLabel('Новый пароль').fill('свой пароль')
  await page.keyboard.press('Enter')
  await form(page).getByRole('button', { name: 'Скопировать: свой пароль' }).waitFor()
  t.equal(await codeOf('ivan', 'свой пароль'), 'Access-Accept')
  t.same(complaints, [])
})

t.test('a MAC is added by hand, from a session and from a reject, in three clicks each', async (t) => {
  const { page, complaints } = await openScreen(t, root, card, desk, isRefusal)
  const opened = page.getByRole('button', { name: 'MAC', exact: true })
  const save = form(page).getByRole('button', { name: 'Сохранить' })
  const hand = new Hand()
  const slow = Promise.withResolvers<void>()
  await page.route(/sessions\/\?state=live&.*limit=50/, async (route) => {
    await slow.promise
    await route.continue()
  })
  await hand.click(toConnection(page))
  const strangers = page.waitForResponse(/reason=unknown_login/)
  await hand.click(opened)
  await form(page).getByLabel('MAC', { exact: true }).fill('aa:bb:cc')
  await strangers
  await page.keyboard.press('Enter')
  await form(page).getByText('Это не MAC').waitFor()
  t.equal(await form(page).getByText('неизвестное устройство').count(), 0, 'nothing is offered that would still move')
  slow.resolve()
  await form(page).getByText('неизвестное устройство').waitFor()
  await form(page).getByLabel('MAC', { exact: true }).fill('0200.0000.0009')
  await page.keyboard.press('Enter')
  await form(page).getByText('Уже занято').waitFor()
  t.equal(await macOf(), null, 'nothing was written')
  await form(page).getByLabel('MAC', { exact: true }).fill('02-00-00-00-00-05')
  await hand.click(save)
  await page.getByText('MAC 02:00:00:00:00:05 записан').waitFor()
  hand.did(t, 'task 11')

  // The tab is open already, which is the first of three clicks.
  hand.clicks = 1
  await hand.click(opened)
  await form(page).getByText('Запросы от прежнего MAC').waitFor({ state: 'detached' })
  await form(page).getByText('aa:bb:cc:00:00:03').waitFor()
  await form(page).getByText('неизвестное устройство').waitFor()
  t.same(await seriousFaults(page), [])
  await hand.click(form(page).getByRole('button', { name: /aa:bb:cc:00:00:02.*сессия сейчас/ }))
  await page.getByText('MAC aa:bb:cc:00:00:02 записан').waitFor()
  hand.did(t, 'task 11')

  hand.clicks = 1
  await hand.click(page.getByRole('button', { name: 'Взять MAC aa:bb:cc:00:00:01' }).first())
  await form(page)
    .getByText('Запросы от прежнего MAC aa:bb:cc:00:00:02 будут отклонены: неизвестный логин. Его сессия прервётся.')
    .waitFor()
  await hand.click(save)
  await page.getByText('MAC aa:bb:cc:00:00:01 записан').waitFor()
  hand.did(t, 'task 11')
  t.equal(await macOf(), 'aa:bb:cc:00:00:01')
  t.equal(await codeOf('AA-BB-CC-00-00-01', ''), 'Access-Accept', 'and the device gets in')
  t.same(complaints, [])
})

t.test('of an unknown login a login is made, and its MAC goes to a login that is there', async (t) => {
  t.equal(await codeOf('novy', 'x', 'AA-BB-CC-00-00-21'), 'Access-Reject')
  t.equal(await codeOf('AA-BB-CC-00-00-22', '', 'AA-BB-CC-00-00-22'), 'Access-Reject')
  const logged = `SELECT FROM radius_auth_log WHERE login IN ('novy', 'AA-BB-CC-00-00-22')`
  await until(async () => (await program.parts.database.pool.query(logged)).rowCount === 2)
  const { page, complaints } = await openScreen(t, root, '/network/log/')
  await page.getByRole('link', { name: 'Завести логин: novy' }).waitFor()
  t.same(await seriousFaults(page), [])
  await page.getByRole('link', { name: 'Неизвестные логины' }).click()
  await page.getByRole('heading', { name: 'Неизвестные логины' }).waitFor()
  await page.getByRole('link', { name: 'Завести логин: novy' }).click()
  await form(page).getByRole('button', { name: 'Дальше' }).click()
  await form(page).getByText('Выберите абонента').waitFor()
  const whom = form(page).getByRole('combobox', { name: 'Абонент' })
  await whom.fill('ivan')
  await page.getByRole('option', { name: /^ivan/ }).click()
  await form(page).getByRole('radio', { name: 'Завести новый логин' }).and(page.locator(':checked')).waitFor()
  t.same(await seriousFaults(page), [])
  await form(page).getByRole('button', { name: 'Дальше' }).click()
  const made = page.getByRole('dialog', { name: 'Новый логин' })
  await made.getByRole('button', { name: 'Завести' }).waitFor()
  t.equal(await made.getByLabel('Логин', { exact: true }).inputValue(), 'novy')
  t.equal(await made.getByLabel('MAC', { exact: true }).inputValue(), 'aa:bb:cc:00:00:21')
  await made.getByLabel('Пароль').fill('пароль-novy')
  await made.getByRole('button', { name: 'Завести' }).click()
  await page.getByText('Логин novy заведён').waitFor()
  t.equal(await codeOf('novy', 'пароль-novy', 'AA-BB-CC-00-00-21'), 'Access-Accept')

  await follow(page, '/network/log/unknown/')
  await page.getByRole('link', { name: /AA-BB-CC-00-00-22/ }).click()
  await whom.fill('petr')
  await page.getByRole('option', { name: /^petr/ }).click()
  await form(page).getByText('Вместо 02:00:00:00:00:09').waitFor()
  await form(page).getByRole('button', { name: 'Дальше' }).click()
  await form(page).getByText('Запросы от прежнего MAC 02:00:00:00:00:09').waitFor()
  t.equal(await form(page).getByLabel('MAC', { exact: true }).inputValue(), 'aa:bb:cc:00:00:22')
  await form(page).getByRole('button', { name: 'Сохранить' }).click()
  await page.getByText('MAC aa:bb:cc:00:00:22 записан').waitFor()
  t.equal(await codeOf('AA-BB-CC-00-00-22', '', 'AA-BB-CC-00-00-22'), 'Access-Accept')
  await page.goto(`${root.base}/admin/network/log/unknown/`)
  await page.getByRole('link', { name: /AA-BB-CC-00-00-03/ }).waitFor()
  t.equal(await page.getByText('novy').count(), 0, 'who has a login is not unknown')
  t.same(complaints, [])
})

t.test('a login is added with a free address, changed and deleted; a taken address is refused', async (t) => {
  const { page, complaints } = await openScreen(t, root, `${card}connection/`, desk, isRefusal)
  await page.getByRole('button', { name: 'Новый логин' }).click()
  await form(page).getByLabel('Логин', { exact: true }).fill('ivan-2')
  await form(page).getByLabel('Свой IP-адрес').fill('10.1.0.9')
  await page.keyboard.press('Enter')
  await form(page).getByText('Уже занято').waitFor()
  t.equal(await form(page).getByLabel('Логин', { exact: true }).inputValue(), 'ivan-2', 'what was typed is still there')
  t.same(await seriousFaults(page), [])
  await form(page).getByRole('button', { name: 'Взять свободный' }).click()
  await form(page).getByText('Уже занято').waitFor({ state: 'detached' })
  await form(page).getByRole('button', { name: 'Завести' }).click()
  await form(page).getByRole('button', { name: 'Скопировать: ivan-2' }).waitFor()
  await form(page).getByRole('button', { name: 'Готово' }).click()
  const login = page.getByRole('article', { name: 'ivan-2' })
  await login.getByText('10.1.0.2').waitFor()
  await login.getByText('↓ 100 ↑ 50 Мбит/с по тарифу').waitFor()

  await login.getByRole('button', { name: 'Изменить' }).click()
  await form(page).getByLabel('VLAN').fill('5000')
  await page.keyboard.press('Enter')
  await form(page).getByText('VLAN от 1 до 4094').waitFor()
  await form(page).getByLabel('VLAN').fill('500')
  await form(page).getByRole('switch').click()
  await form(page).getByRole('button', { name: 'Сохранить' }).click()
  await login.getByText('Выключен вручную').waitFor()
  await login.getByText('500', { exact: true }).waitFor()

  await login.getByRole('button', { name: 'Изменить' }).click()
  await form(page).getByRole('button', { name: 'Удалить логин' }).click()
  // The login is off the card, and the form with it, before the rest of what has changed is read.
  await page.route(/\/admin\/radius\/pools\/$/, async (route) => {
    await login.waitFor({ state: 'detached' })
    await route.continue()
  })
  await page.getByRole('dialog', { name: 'Удалить логин ivan-2?' }).getByRole('button', { name: 'Удалить' }).click()
  await page.getByText('Логин удалён').waitFor()
  await login.waitFor({ state: 'detached' })
  await form(page).waitFor({ state: 'detached' })
  t.match(page.url(), /\/connection\/$/)
  t.same(complaints, [])
})

t.test('a form that was opened before sends back nothing that others have changed since', async (t) => {
  const pool = await program.create('IpPull', { name: 'Старый', network: '10.2.0.0/24', enabled: false })
  const { id } = await program.create('Users', { abonent: ivan.id, login: 'ivan-3', password: 'word', pool: pool.id })
  const { page, complaints } = await openScreen(t, root, `${card}connection/login/${id}/`)
  await page.locator('[role=status][data-state=open]').waitFor()
  await form(page).getByLabel('VLAN').fill('700')
  // A pool that is switched off is shown all the same.
  await until(async () => (await form(page).getByLabel('Пул').inputValue()).startsWith('Старый'))
  const others = { enabled: false, mac: '02:00:00:00:00:33' }
  t.equal((await root.post(`/admin/Abonents/logins_crud/${id}/`, others)).status, 200)
  // The card reads the login anew after a payment, and the form beside it stays as it was opened.
  const pay = () => program.create('FinanceOperations', { account: ivan.account, op_type: 7, op_summa: 1 })
  await pay()
  await page.getByText('02:00:00:00:00:33').waitFor()
  await form(page).getByRole('button', { name: 'Сохранить' }).click()
  await form(page).waitFor({ state: 'detached' })
  const { rows } = await program.parts.database.pool.query(
    'SELECT mac::text, vlan, disabled_by_hand, pool_id IS NOT NULL AS pooled FROM users WHERE id = $1',
    [id],
  )
  t.same(rows, [{ mac: '02:00:00:00:00:33', vlan: 700, disabled_by_hand: true, pooled: true }])

  await page.goto(`${root.base}/admin${card}connection/login/${id}/`)
  await page.locator('[role=status][data-state=open]').waitFor()
  await form(page).getByLabel('VLAN').waitFor()
  await root.delete(`/admin/Abonents/logins_crud/${id}/`)
  await pay()
  await form(page).waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test(
  'a CoA is sent by a press and its answer told; the portal is seen as the client sees it, and only seen',
  async (t) => {
    const { page, complaints } = await openScreen(t, root, `${card}connection/`)
    await page.getByRole('button', { name: 'Послать CoA для ivan' }).click()
    await page.getByText('CoA для ivan. Ответ NAS: выполнено').waitFor()
    t.equal(fake.seen.at(-1)?.code, 43)
    await page.getByRole('row', { name: /CoA/ }).getByText('Выполнено').first().waitFor()
    fake.answer = () => ({ nak: 501 })
    await page.getByRole('button', { name: 'Послать CoA для ivan' }).click()
    await page.getByText('Ответ NAS: отказ: NAS это запрещает (501)').waitFor()
    fake.answer = () => 'ack'
    t.same(await seriousFaults(page), [])

    const opening = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Кабинет глазами абонента' }).click()
    const view = await opening
    await view.getByText('Здесь можно только смотреть').waitFor()
    t.equal(await view.evaluate('window.opener'), null)
    t.same(await seriousFaults(view), [])
    await view.getByRole('link', { name: 'Пополнить' }).first().click()
    await view.locator('form.card[inert]').waitFor()
    t.equal(await view.locator(':is(button, input):not([inert] *)').count(), 0, 'nothing can be pressed')
    t.same(await seriousFaults(view), [])
    const cookies = await page.context().cookies()
    t.same(
      cookies.filter(({ name }) => name.includes('lk')),
      [],
    )
    await view.close()
    t.same(complaints, [])
  },
)

t.test('a client is blocked in two clicks and opened in one; the session is cut from the tab', async (t) => {
  const { page, complaints } = await openScreen(t, root, `${card}connection/`)
  const hand = new Hand()
  await hand.click(page.getByRole('button', { name: 'Отключить ivan' }))
  await hand.click(form(page).getByRole('button', { name: 'Отключить' }))
  await page.getByText('Живых сессий нет').waitFor()
  await page.getByText('Выполнено').first().waitFor()
  hand.did(t, 'task 30')
  t.same(await seriousFaults(page), [])

  await hand.click(page.getByRole('button', { name: 'Заблокировать' }))
  await hand.click(form(page).getByRole('button', { name: 'Заблокировать' }))
  await page.getByRole('article', { name: 'ivan', exact: true }).getByText('Доступ закрыт оператором').waitFor()
  hand.did(t, 'task 8')
  t.equal(await codeOf('ivan', 'свой пароль'), 'Access-Reject')

  await hand.click(page.getByRole('button', { name: 'Разблокировать' }))
  await page.getByText('Доступ открыт').waitFor()
  await page.getByRole('article', { name: 'ivan', exact: true }).getByText('Включён').waitFor()
  hand.did(t, 'task 8')
  t.equal(await codeOf('ivan', 'свой пароль'), 'Access-Accept')
  t.same(complaints, [])
})

/** The buttons whose text does not fit into them. */
const cutButtons = (page: Page): Promise<string[]> =>
  page.locator('button').evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      type Box = {
        scrollWidth: number
        clientWidth: number
        textContent: string
        querySelector(of: string): Box | null
      }
      const box = button as unknown as Box
      const inside = box.querySelector('.mantine-Button-label') ?? box
      return inside.scrollWidth > inside.clientWidth + 1 ? [box.textContent] : []
    }),
  )

t.test('on a telephone no text of a button is cut and nothing is wider than the screen', async (t) => {
  const options = { ...telephone, colorScheme: 'dark', locale: 'en-GB' } as const
  const { page, complaints } = await openScreen(t, root, `${card}connection/`, options)
  await page.getByRole('button', { name: 'Promise payment' }).waitFor()
  await page.getByRole('heading', { name: 'Authentication log' }).waitFor()
  t.same(await cutButtons(page), [])
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'MAC', exact: true }).first().click()
  await form(page).getByRole('button', { name: 'Save' }).waitFor()
  t.same(await cutButtons(page), [])
  t.equal(await overflow(page), 0)
  await follow(page, '/network/log/unknown/')
  await page.getByRole('link', { name: /Add this MAC: AA-BB-CC-00-00-03/ }).click()
  await form(page).getByRole('button', { name: 'Continue' }).waitFor()
  t.same(await cutButtons(page), [])
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

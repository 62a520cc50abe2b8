// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import {
  desk,
  follow,
  isRefusal,
  openScreen,
  overflow,
  seriousFaults,
  telephone,
  untilFilled,
  untilSo,
} from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { isFocused, tabTo } from '../support/keyboard.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
/** Without the right `rest`, as the staff of an office are. */
const operator = await office.staff('operator', 'operator')

const made = async (model: string, fields: object): Promise<Json> => {
  const { status, body } = await root.post(`/rest_api/v2/${model}/`, fields)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}
const ruble = 10_000_000_000
await made('Tarif', { name: 'Домашний', price: 600 * ruble, speed_mbit: 100 })
await made('Homes', { kind: 'city', name: 'Тверь' })
await made('Switch', { name: 'Мира, 7', ip: '10.9.0.1', ports_count: 8 })
await made('Abonents', { name: 'Первый', contract_number: '000001' })
const [pool] = await Promise.all([made('IpPull', { name: 'Центр', network: '10.1.0.0/24', gateway: '10.1.0.1' })])

/** One that is found for what is typed now, and not for what was typed before. */
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name, disabled: false })

t.test(
  'a new subscriber with address, tariff, login and first payment is made on one form, in eight clicks',
  async (t) => {
    const { page, complaints } = await openScreen(t, operator, '/subscribers/', desk, isRefusal)
    let sent = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/admin/Abonents/create/')) sent++
    })
    const hand = new Hand()
    await hand.click(page.getByRole('link', { name: 'Новый абонент' }))
    await page.getByRole('heading', { name: 'Новый абонент' }).waitFor()
    await page.getByLabel('ФИО или название').fill('Петров Пётр')
    await page.getByLabel('Договор').fill('000001')

    // A street and a house that the dictionary does not have are added on the spot. Here the line is slow.
    const slow = Promise.withResolvers<void>()
    await page.route('**/admin/dictionary/homes_crud/', async (route) => {
      await slow.promise
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Улица' }).fill('Мира')
    await hand.click(option(page, 'Добавить «Мира»'))
    await page.getByLabel('Квартира').fill('12')
    await hand.click(page.getByRole('button', { name: 'Завести абонента' }))
    await page.getByText('Выберите или добавьте дом').waitFor()
    t.equal(sent, 0, 'a flat is in a house, and one that was typed and not chosen is missed')
    const house = page.getByRole('combobox', { name: 'Дом', exact: true })
    t.ok(await isFocused(house))
    slow.resolve()
    await house.fill('7')
    await option(page, 'Добавить «7»').waitFor()
    t.ok(
      await page.getByText('Выберите или добавьте дом').isVisible(),
      'that the street has come does not put it right',
    )
    await page.keyboard.press('Enter')
    await page.getByText('Выберите или добавьте дом').waitFor({ state: 'detached' })
    t.equal(await house.inputValue(), '7', 'Enter adds what is nowhere to be found')
    await page.getByRole('combobox', { name: 'Тариф', exact: true }).fill('Дом')
    await hand.click(option(page, /^Домашний, 600/))
    await hand.click(page.getByRole('button', { name: 'Взять свободный' }))
    await page.getByRole('combobox', { name: 'Коммутатор' }).fill('мира')
    await option(page, 'Мира, 7').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByLabel('Порт').fill('3')
    await page.getByLabel('Сумма, ₽').fill('750,50')
    await page.keyboard.press('Enter')

    await page.getByText('Уже занято').waitFor()
    t.equal(sent, 1, 'Enter in an open list of choices has sent nothing')
    t.equal(await page.getByLabel('ФИО или название').inputValue(), 'Петров Пётр', 'what was typed is still there')
    t.equal(await page.getByLabel('Свой IP-адрес').inputValue(), '10.1.0.2')
    await page.locator('[name=contract_number]:focus').waitFor()
    await page.getByLabel('Договор').fill('')
    await hand.click(page.getByRole('button', { name: 'Завести абонента' }))
    const given = page.getByRole('dialog', { name: 'Пароль задан' })
    await given.getByText('000002', { exact: true }).waitFor()
    const copy = given.getByRole('button', { name: /^Скопировать: [a-z2-9]{10}$/ })
    const password = (await copy.getAttribute('aria-label'))!.split(': ')[1]!
    await hand.click(given.getByRole('button', { name: 'Готово' }))
    await page.waitForURL(/\/subscribers\/\d+/)
    await page.getByRole('heading', { name: 'Петров Пётр' }).waitFor()
    t.notMatch(await page.content(), password, 'it is gone with its window')
    await page.getByText('Доступ открыт').waitFor()
    await page.getByText('Тверь, Мира, 7, кв. 12').first().waitFor()
    hand.did(t, 'task 1')
    const [row] = await office.rows(
      `SELECT contract_number, host(ip) AS ip, switch_port AS port, ostatok FROM abonents JOIN users ON abonent_id = abonents.id
      JOIN admin_accounts AS account ON account.id = account_id WHERE name = 'Петров Пётр'`,
    )
    t.match(row, { contract_number: '000002', ip: '10.1.0.2', port: 3, ostatok: String(750.5 * ruble) })
    t.same(complaints, [])

    await hand.click(page.getByRole('link', { name: 'Журнал', exact: true }))
    await page.getByText('Абонент заведён').waitFor()
    await page.getByText('Логин заведён: 000002').waitFor()
    await page.getByText('Операция проведена').waitFor()
    await page.getByText('Тариф: Домашний').waitFor()
    await page.getByText('Пароль: новый').waitFor()
    hand.did(t, 'task 18')
    t.same(await seriousFaults(page), [])
  },
)

t.test('a new subscriber is made by keys alone', async (t) => {
  const { page } = await openScreen(t, operator, '/subscribers/new/')
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const choose = async (name: string, typed: string, found: string | RegExp) => {
    const field = page.getByRole('combobox', { name, exact: true })
    if (!(await isFocused(field))) await tabTo(page, field)
    await page.keyboard.type(typed)
    await option(page, found).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  }
  const chosen = (found: string | RegExp) => option(page, found).waitFor({ state: 'detached' })
  await page.locator('input[name="name"]:focus').waitFor()
  await page.keyboard.type('Клавин Клим')
  await choose('Тариф', 'Дом', /^Домашний, 600/)
  await chosen(/^Домашний, 600/)
  await tabTo(page, field('Сумма, ₽'))
  await page.keyboard.type('600')
  await tabTo(page, page.getByRole('combobox', { name: 'Улица' }))
  await page.keyboard.type('Лесная')
  await option(page, 'Добавить «Лесная»').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  const house = page.getByRole('combobox', { name: 'Дом', exact: true })
  t.ok(await isFocused(house), 'it is there before the street has been added')
  await choose('Дом', '3', 'Добавить «3»')
  await untilSo(page, `document.querySelector('[name=home]').value !== ''`)
  await tabTo(page, page.getByRole('button', { name: 'Взять свободный' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('button', { name: 'Завести абонента' }))
  await page.keyboard.press('Enter')
  const given = page.getByRole('dialog', { name: 'Пароль задан' })
  await given.locator('button:focus').waitFor()
  await tabTo(page, given.getByRole('button', { name: 'Готово' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Клавин Клим' }).waitFor()
  await page.getByText('Доступ открыт').waitFor()
  await page.getByText('Тверь, Лесная, 3').first().waitFor()
})

t.test('what was typed is there again after the session has ended and its user has signed in', async (t) => {
  const { page, context } = await openScreen(t, operator, '/subscribers/new/', desk, (text) =>
    /status of 401/.test(text),
  )
  await page.getByLabel('ФИО или название').fill('Терпелива Тина')
  await page.getByLabel('Пароль').fill('not to be kept')
  await page.getByRole('combobox', { name: 'Улица' }).fill('Мир')
  await option(page, 'Мира').click()
  const cookies = await context.cookies()
  await context.clearCookies()
  // A question that the page asks by itself may be refused first, and take the form away before it is sent.
  const signIn = page.waitForURL(/next=/)
  await Promise.race([signIn, page.getByRole('button', { name: 'Завести абонента' }).click()])
  await signIn
  await context.addCookies(cookies)
  await page.goto(`${operator.base}/admin/subscribers/new/`)
  await page.getByRole('heading', { name: 'Новый абонент' }).waitFor()
  t.equal(await page.getByLabel('ФИО или название').inputValue(), 'Терпелива Тина')
  await untilFilled(page.getByRole('combobox', { name: 'Улица' }), 'Мира')
  t.equal(await page.getByLabel('Пароль').inputValue(), '')
})

t.test('a pool is added beside the list, in three clicks, and shows its addresses', async (t) => {
  const { page, complaints } = await openScreen(t, operator, '/network/pools/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Новый пул' }))
  const form = page.getByRole('dialog')
  await form.getByLabel('Название').fill('Север')
  await form.getByLabel('Сеть').fill('не сеть')
  await page.keyboard.press('Enter')
  await form.getByText('Это не сеть').waitFor()
  await form.getByLabel('Сеть').fill('10.2.0.0/30')
  await hand.click(form.getByRole('button', { name: 'Добавить' }))
  await page.getByRole('heading', { name: 'Север' }).waitFor()
  await page.getByText('10.2.0.1').waitFor()
  hand.did(t, 'task 14')
  t.same(complaints, [])
  t.same(await seriousFaults(page), [])
  await follow(page, `/network/pools/${pool.id}/`)
  await page.getByRole('link', { name: /000002/ }).waitFor()
  t.same(await seriousFaults(page), [])
})

t.test('a pool is changed and deleted, and what holds its addresses is told before', async (t) => {
  await office.rows('UPDATE users SET pool_id = $1', [pool.id])
  const { page, complaints } = await openScreen(t, root, `/network/pools/${pool.id}/`, desk, isRefusal)
  await page.getByRole('link', { name: 'Изменить' }).click()
  const form = page.getByRole('dialog')
  const network = await form.getByLabel('Сеть').inputValue()
  await form.getByLabel('Сеть').fill('10.9.0.0/33')
  await form.getByText(/логинов с этим пулом: [1-9]/).waitFor()
  await page.keyboard.press('Enter')
  await form.getByText('Это не сеть').waitFor()
  t.same(await seriousFaults(page), [])
  await form.getByLabel('Сеть').fill(network)
  await form.getByLabel('Название').fill('Центральный')
  await form.getByRole('switch', { name: 'Выдавать адреса' }).click()
  await form.getByText(/новым входам без своего адреса/).waitFor()
  await form.getByRole('switch', { name: 'Выдавать адреса' }).click()
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await page.getByRole('heading', { name: 'Центральный', exact: true }).waitFor()

  const [{ id }] = await office.rows(
    `INSERT INTO ip_pulls (name, network) VALUES ('Лишний', '10.7.0.0/30') RETURNING id`,
  )
  const remove = async (of: number) => {
    await page.goto(`${root.base}/admin/network/pools/${of}/edit/`)
    await form.getByRole('button', { name: 'Удалить' }).click()
    return page.getByRole('dialog', { name: /^Удалить «/ })
  }
  const named = await remove(pool.id)
  await named.getByText(/дайте им другой или выключите его/).waitFor()
  t.same(await seriousFaults(page), [])
  await named.getByRole('button', { name: 'Удалить' }).click()
  await page.getByText('Этим ещё пользуются').waitFor()
  const free = await remove(Number(id))
  await free.getByText(/логинов с этим пулом: 0/).waitFor()
  await free.getByRole('button', { name: 'Удалить' }).click()
  await page.getByText('Удалено').waitFor()
  await page.getByRole('link', { name: /Центральный/ }).waitFor()
  await page.getByText('Лишний').waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test('the screens are in both languages, light and dark, and fit a telephone', async (t) => {
  const [{ id }] = await office.rows(`SELECT id FROM abonents WHERE name = 'Петров Пётр'`)
  const { page, complaints } = await openScreen(t, root, '/subscribers/new/', {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  for (const [path, word] of [
    ['/subscribers/new/', 'Create the subscriber'],
    [`/subscribers/${id}/log/`, 'Subscriber created'],
    ['/network/pools/', 'New pool'],
    [`/network/pools/${pool.id}/`, 'Who holds the addresses'],
  ] as const) {
    await follow(page, path)
    await page.getByText(word).first().waitFor()
    t.ok((await overflow(page)) <= 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  t.same(complaints, [])
})

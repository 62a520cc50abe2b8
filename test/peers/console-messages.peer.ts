// needs chromium from chromium
import t from 'tap'
import { WebProvider } from '../billing/messages/servers.ts'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, follow, openScreen, overflow, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { enterInDialog, isFocused } from '../support/keyboard.ts'

const gateway = await WebProvider.start(t)
const office = await openOffice(t, {
  httpPort: await pagePort(),
  env: { TOLLGATE_SMS_URL: `${gateway.url}/?to={phone}&text={text}`, TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
})
const root = await office.staff('root')
const viewer = await office.staff('viewer', 'viewer', [1])
await root.post('/admin/settings/system/', { MAILING_QUIET_HOURS: '' })
await office.messages.start()

const debtor = async (name: string, number: string, days: number, sms?: string): Promise<Json> => {
  const { body } = await root.post('/rest_api/v2/Abonents/', { name, contract_number: number, ...(sms && { sms }) })
  const { account } = body
  await root.post('/rest_api/v2/FinanceOperations/', { account, op_type: 9, op_summa: 300 * 10_000_000_000 })
  const lasts = `UPDATE admin_accounts SET debt_since = debt_since - $2 * interval '1 day' WHERE id = $1`
  await office.rows(lasts, [account, days])
  return body
}
const ivan = await debtor('Иванов Иван', '1001', 45, '89000001001')
await debtor('Петров Пётр', '1002', 40, '89000001002')
await debtor('Свежий Долг', '1003', 2, '89000001003')
const unreachable = await debtor('Безадресный', '1004', 90)
const noAddress = 'The subscriber has no device, phone or e-mail address.'
await office.rows(
  `INSERT INTO notifications (subscriber_id, kind, text, state, next_try_at, expires_at, error)
    VALUES ($1, 'low_balance', 'Пополните счёт', 'waiting', '2199-01-01 12:00+03', '2199-01-03 12:00+03', $2)`,
  [unreachable.id, noAddress],
)
await office.rows(
  `INSERT INTO notifications (subscriber_id, kind, text, channel, address, state, next_try_at, error, attempts)
    VALUES ($1, 'low_balance', 'Пополните счёт', 'sms', '79000001001', 'failed', NULL, 'The SMS gateway answered 422: out of reach', 1)`,
  [ivan.id],
)

t.test('why a message was not sent is seen in three clicks, from the summary too, and it is sent again', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Сообщения', exact: true }))
  await hand.click(page.getByRole('button', { name: 'Не отправлено' }))
  await page.getByText('SMS-шлюз отказал: 422: out of reach').waitFor()
  hand.did(t, 'task 20')
  t.same(await seriousFaults(page), [])
  const orders = [await page.getByRole('group', { name: 'Быстрый отбор' }).innerText()]
  const target = await page.getByRole('button', { name: 'Отправить снова' }).boundingBox()
  t.ok(target && target.height >= 24, `a target of ${target?.height} px`)
  await page.getByRole('button', { name: 'Ждёт' }).click()
  await page.getByText(/^Ждёт адреса до 03\.01\.2199, 12:00: у абонента нет телефона, почты и приложения$/).waitFor()
  await page.getByRole('heading', { name: 'Журнал сообщений' }).waitFor()
  await follow(page, `/subscribers/${unreachable.id}/messages/`)
  await page.getByText(/Ждёт адреса до 03\.01\.2199, 12:00/).waitFor()
  orders.push(await page.getByRole('group', { name: 'Состояние' }).innerText())
  t.equal(orders[0], orders[1], 'quick filters stand in one order')
  await follow(page, '/messages/sent/?state=failed')
  await page.getByLabel('Почему не ушло').selectOption('no_address')
  await page.getByText('SMS-шлюз отказал').waitFor({ state: 'detached' })
  await follow(page, '/')
  await page.getByRole('link', { name: /Сообщения не ушли/ }).click()
  await page.waitForURL(/messages\/sent\/\?state=failed/)
  await page.getByRole('button', { name: 'Отправить снова' }).click()
  await page.getByText('SMS-шлюз отказал').waitFor({ state: 'detached' })
  await gateway.askedTimes(1)
  t.same(complaints, [])
})

t.test('debtors of an age are written to in five clicks, by mouse, with number and preview before', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await hand.click(page.getByRole('button', { name: 'Должники' }))
  await hand.click(page.getByRole('button', { name: 'от 30 дн.' }))
  await page.getByRole('status').filter({ hasText: /^3$/ }).waitFor()
  await hand.click(page.getByLabel('Отметить все найденные'))
  await hand.click(page.getByRole('button', { name: 'Сообщение', exact: true }))
  await page.getByText('Получат: 2').waitFor()
  await page.getByText('Не получат: 1 (нет адреса 1)').waitFor()
  const text = page.getByRole('textbox', { name: 'Текст', exact: true })
  await page.locator('textarea[name=text]:focus').waitFor()
  await page.getByRole('button', { name: 'Отправить: 2' }).click()
  await page.getByText('Напишите текст').waitFor()
  t.ok(await isFocused(text), 'the field that is missing has the focus, however far above the button it is')
  await page.keyboard.type('{name}, ваш долг {dbt}')
  await page.getByText('Нет такого поля: {dbt}').waitFor()
  t.ok(await page.getByRole('button', { name: 'Отправить: 2' }).isDisabled())
  await text.fill('{name}, ваш долг {debt}')
  await page.getByText('Иванов Иван, ваш долг 300 руб.').waitFor()
  t.same(await seriousFaults(page), [])
  const before = gateway.asked.length
  await page.getByLabel('Ваш телефон или почта').fill('+7 900 555 55 55')
  await page.getByRole('button', { name: 'Отправить себе' }).click()
  await page.getByText('Проверочное сообщение отправлено').waitFor()
  await gateway.askedTimes(before + 1)
  await hand.click(page.getByRole('button', { name: 'Отправить: 2' }))
  await page.getByRole('heading', { name: /Рассылка № \d+/, level: 1 }).waitFor()
  await page.getByText('Готово').waitFor()
  hand.did(t, 'task 26')
  const phones = gateway.asked.slice(before + 1).map(({ path }) => new URL(path, gateway.url).searchParams.get('to'))
  t.same(phones.sort(), ['79000001001', '79000001002'])
  await page
    .getByRole('row', { name: /Безадресный/ })
    .getByText('Нет адреса')
    .waitFor()
  await page
    .getByRole('row', { name: /Петров/ })
    .getByText('Отправлено')
    .waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('by keys alone a mailing of later is begun and stopped', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/messages/mailings/')
  await page.getByRole('link', { name: 'Новая рассылка' }).press('Enter')
  await page.getByText('Сначала выберите, кому').waitFor()
  await page.getByLabel('Кому', { exact: true }).selectOption('debtors')
  await page.getByText('Получат: 3').waitFor()
  await page.getByRole('textbox', { name: 'Текст', exact: true }).focus()
  await page.keyboard.type('Работы ')
  await page.getByRole('button', { name: 'Договор' }).press('Enter')
  await page.keyboard.type(' ночью')
  await page.getByText('Работы 1001 ночью').waitFor()
  await page.getByLabel('Не раньше').fill('2199-01-01T10:00')
  await page.getByRole('button', { name: 'Отправить: 3' }).press('Enter')
  await page.getByText('Ждёт времени').waitFor()
  await page.getByRole('button', { name: 'Остановить' }).press('Enter')
  await enterInDialog(page)
  await page.getByText('Остановлена', { exact: true }).waitFor()
  await page.getByText('Не дошла очередь').waitFor()
  t.same(complaints, [])
})

t.test('a notice is worded anew with a preview, and put back', async (t) => {
  const isRefused = (complaint: string) => /status of 400/.test(complaint)
  const { page, complaints } = await openScreen(t, root, '/messages/templates/', desk, isRefused)
  await page.getByRole('link', { name: 'Изменить: Баланс заканчивается' }).click()
  const form = page.getByRole('dialog')
  const russian = form.getByRole('group', { name: 'По-русски' })
  const text = russian.getByLabel('Текст')
  await text.fill('Осталось {balance}, {unknown}')
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await russian.getByText('Нет такого поля: {unknown}').waitFor()
  await text.fill('Осталось {balance}')
  await russian.getByText('Осталось -120.50 руб.').waitFor()
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await page.getByText('Шаблон сохранён').first().waitFor()
  await page
    .getByRole('row', { name: /Осталось \{balance\}/ })
    .getByText('Изменён')
    .waitFor()
  t.same(await office.rows('SELECT name, language, text FROM message_templates'), [
    { name: 'low_balance', language: 'ru', text: 'Осталось {balance}' },
  ])
  await page.getByRole('link', { name: 'Изменить: Баланс заканчивается' }).click()
  await russian.getByRole('button', { name: 'Вернуть исходный текст' }).click()
  await form.getByRole('button', { name: 'Сохранить' }).click()
  await page.getByText('Изменён').waitFor({ state: 'detached' })
  t.same(await office.rows('SELECT FROM message_templates'), [])
  t.same(complaints, [])
})

t.test('a subscriber who wants no mailings is left out', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${ivan.id}/messages/`)
  await page.getByLabel('Получает рассылки').click()
  await page.getByText(/Отказ записан .+, root/).waitFor()
  t.same(await seriousFaults(page), [])
  await follow(page, '/messages/mailings/new/?show=debtors&debt_days=30')
  await page.getByText('Не получат: 2 (отказались от рассылок 1, нет адреса 1)').waitFor()
  t.same(complaints, [])
})

t.test('the screens are in English, dark, fit a telephone, and offer a viewer nothing that is refused', async (t) => {
  const { page, complaints } = await openScreen(t, viewer, '/messages/sent/', {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  const fits = async (name: string) => {
    t.ok((await overflow(page)) <= 0, name)
    t.same(await seriousFaults(page), [], name)
  }
  await page.getByText('Петров Пётр').first().waitFor()
  t.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0)
  await fits('sent')
  await follow(page, '/messages/mailings/')
  await page.getByRole('heading', { name: 'Mailings' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'New mailing' }).count(), 0)
  await fits('mailings')
  await follow(page, '/messages/templates/promise_activated/')
  await page.getByRole('dialog').getByText('As the client sees it').first().waitFor()
  await fits('a template')

  const other = await openScreen(t, root, '/messages/mailings/', { ...telephone, colorScheme: 'dark', locale: 'en-GB' })
  await other.page.getByRole('link', { name: /Работы/ }).click()
  await other.page.getByText('Stopped').waitFor()
  t.ok((await overflow(other.page)) <= 0)
  t.same(await seriousFaults(other.page), [])
  await follow(other.page, '/messages/mailings/new/?show=debtors')
  await other.page.getByText('Will receive it').waitFor()
  t.ok((await overflow(other.page)) <= 0)
  t.same(await seriousFaults(other.page), [])
  t.same([...complaints, ...other.complaints], [])
})

// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, openScreen, overflow, questionsTo, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { isFocused } from '../support/keyboard.ts'
import { until } from '../support/until.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
const made = async (model: string, fields: object): Promise<Json> =>
  (await root.post(`/rest_api/v2/${model}/`, fields)).body

const petrov = await made('Abonents', { name: 'Петров Семён Ильич', contract_number: '200001', sms: '+7 916 1234567' })
await made('Abonents', { name: 'Петрова Вера', contract_number: '200002', flat: '5' })
await made('Abonents', { name: '<img src=x> Зотов', contract_number: '200003' })
await made('Users', {
  abonent: petrov.id,
  login: 'petrov',
  password: 'x',
  mac: 'aa:bb:cc:00:11:22',
  ip: '198.51.100.9',
})

const { body: payment } = await root.post(`/admin/Abonents/accounts_payment/${petrov.account}/`, { amount: '150' })

const box = (page: Page) => page.getByRole('combobox', { name: 'Поиск' })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
/** What is chosen: the option that the field points to. */
const chosen = (page: Page): Promise<string> =>
  page.evaluate(`document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent`)

t.test('anybody is found in two clicks', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk)
  const hand = new Hand()
  await hand.click(page.getByRole('button', { name: /^Поиск/ }))
  await box(page).fill('семен петр')
  await hand.click(option(page, /Петров Семён/))
  await page.getByRole('heading', { name: 'Петров Семён Ильич' }).waitFor()
  hand.did(t, 'task 2')
  t.same(complaints, [])
})

t.test('where more are found than the box shows, the list has all of them', async (t) => {
  for (let n = 1; n <= 6; n++) await made('Abonents', { name: `Однофамилец ${n}`, contract_number: `30000${n}` })
  const { page } = await openScreen(t, root, '/', desk)
  await page.keyboard.press('/')
  await box(page).fill('однофам')
  await option(page, 'Все в списке: «однофам»').waitFor()
  await page.getByRole('status').getByText('Найдено: 5', { exact: true }).waitFor()
  await option(page, 'Все в списке: «однофам»').click()
  await page.getByRole('link', { name: 'Однофамилец 6' }).waitFor()
  await page.keyboard.press('/')
  await box(page).fill('петров')
  await option(page, /Петрова Вера/).waitFor()
  t.equal(await option(page, /^Все в списке/).count(), 0)
})

t.test('by keys: opened by Ctrl+K and /, walked by arrows, and Enter waits for the answer', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk)
  await page.keyboard.press('/')
  await box(page).waitFor()
  // Enter comes before the answer can.
  await page.keyboard.type('AABB.CC00.1122')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/admin/subscribers/${petrov.id}/connection/$`))
  await box(page).waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await box(page).fill('петров')
  await option(page, /Петрова Вера/).waitFor()
  t.match(await chosen(page), /^Петров Семён Ильич/, 'a whole word before the beginning of one')
  await page.keyboard.press('ArrowDown')
  t.match(await chosen(page), /^Петрова Вера/)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  const last = page.getByRole('option').last()
  t.equal(await last.getAttribute('aria-selected'), 'true', 'from the first to the last')
  for (let turn = 0; turn < 3; turn++) await page.keyboard.press('Tab')
  t.ok(
    await page.evaluate(`document.querySelector('[role=dialog]').contains(document.activeElement)`),
    'the focus stays',
  )
  await box(page).focus()
  await page.keyboard.press('Escape')
  await box(page).waitFor({ state: 'detached' })

  await page.keyboard.press('/')
  await page.getByRole('group', { name: 'Недавние' }).getByRole('option').waitFor()
  t.match(await page.getByRole('group', { name: 'Недавние' }).textContent(), 'petrov')
  await box(page).fill('зотов')
  await option(page, /Зотов/).waitFor()
  t.match(await option(page, /Зотов/).textContent(), /^<img src=x/, 'a name is no markup')
  await box(page).fill(`№ ${payment.operation.op_id}`)
  await option(page, new RegExp(`^${payment.operation.op_id} ·`)).waitFor()
  await box(page).fill('должн')
  await option(page, /Должники/).click()
  await page.waitForURL(/\/admin\/subscribers\/\?show=debtors$/)
  t.same(complaints, [])

  await page.keyboard.press('/')
  await box(page).fill(`${payment.operation.op_id}`)
  await page.getByRole('group', { name: 'Операции' }).getByRole('option').click()
  await page.waitForURL(new RegExp(`/money/operations/${payment.operation.op_id}/`))
})

t.test('actions of the screen are offered', async (t) => {
  const { page } = await openScreen(t, root, `/subscribers/${petrov.id}/overview/`, desk)
  await page.getByRole('button', { name: 'Платёж', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('group', { name: 'На этой странице' }).waitFor()
  await box(page).fill('плат')
  await page
    .getByRole('group', { name: 'На этой странице' })
    .getByRole('option', { name: 'Платёж', exact: true })
    .click()
  await page.waitForURL(/\/money\/payment\/$/)
  await page.getByRole('dialog', { name: 'Платёж' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/money\/$/)

  await made('Hdsk', { abonent: petrov.id, subject: 'Не зачислен платёж' })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('платеж')
  await option(page, /Не зачислен/).waitFor()
  t.equal(await chosen(page), 'Платёж', 'the action that is typed, before what has such a word')
  await page.keyboard.press('Escape')

  const payment = page.getByRole('button', { name: 'Платёж', exact: true })
  await payment.focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Заблок')
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: /^Заблокировать/ })
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  // The focus is where it was before the search.
  await until(() => isFocused(payment))
})

t.test('settings are found by their meaning in the language of the screen, for who may see them', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/', desk)
  await page.keyboard.press('/')
  await box(page).fill('фраза копи')
  const settings = page.getByRole('group', { name: 'Настройки' })
  await settings.getByRole('option').click()
  await page.waitForURL(/\/system\/settings\/\?q=BACKUP_PASSPHRASE$/)
  await page.locator('main').getByText('BACKUP_PASSPHRASE', { exact: true }).waitFor()
  await page.getByText('1 из ').waitFor()
  await page.keyboard.press('Control+k')
  await box(page).fill('reports')
  await option(page, /JOB_TIME_VERIFY_REPORTS$/).waitFor()
  await box(page).fill('mobile_')
  await settings.getByRole('option', { name: 'Все в списке: «mobile_»' }).waitFor()
  t.equal(await settings.getByRole('option').count(), 6)
  t.same(complaints, [])

  const { page: other } = await openScreen(t, await office.staff('cashier', 'cashier', [1]), '/', desk)
  const asked = questionsTo(other, '/settings/system/')
  await other.keyboard.press('/')
  await box(other).fill('фраза копи')
  await other.getByText('ничего не найдено').waitFor()
  t.equal(asked.size, 0)
})

t.test('an answer to what is no longer typed is not shown', async (t) => {
  const { page } = await openScreen(t, root, '/', desk)
  const late = Promise.withResolvers<void>()
  // One whose answer takes long is asked again.
  const asked = new Set<string>()
  const aborted: string[] = []
  const q = (url: string) => new URL(url).searchParams.get('q') ?? ''
  page.on('requestfailed', (request) => aborted.push(q(request.url())))
  await page.route(/\/admin\/search\//, async (route) => {
    asked.add(q(route.request().url()))
    if (q(route.request().url()) === 'петрова') await late.promise
    await route.continue().catch(() => {})
  })
  await page.keyboard.press('/')
  await box(page).waitFor()
  await box(page).fill('петрова')
  await until(() => asked.size === 1)
  await box(page).fill('зотов')
  await option(page, /Зотов/).waitFor()
  late.resolve()
  t.same([...asked], ['петрова', 'зотов'])
  t.same(aborted, ['петрова'])
  t.equal(await option(page, /Петрова/).count(), 0)
  await box(page).fill('щщщ')
  await page.getByText('ничего не найдено').waitFor()
})

t.test('it is accessible and fits a telephone, light and dark, in both languages', async (t) => {
  for (const [colorScheme, locale, name, flat] of [
    ['light', 'ru-RU', 'Поиск', 'кв. 5'],
    ['dark', 'en-GB', 'Search', 'apt 5'],
  ] as const) {
    const { page } = await openScreen(t, root, '/', { ...telephone, colorScheme, locale })
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click()
    await page.getByRole('combobox', { name }).fill('петров')
    await page
      .getByRole('option', { name: /Петрова/ })
      .getByText(flat)
      .waitFor()
    t.same(await seriousFaults(page), [], colorScheme)
    t.equal(await overflow(page), 0)
    const { height } = (await page.getByRole('option').first().boundingBox())!
    t.ok(height >= 44, `${height} px for a finger`)
  }
})

// needs chromium from chromium
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { billingWorker } from '../../src/billing/jobs/billing/worker.ts'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { openScreen, overflow, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { tabTo } from '../support/keyboard.ts'
import { zoneOfNoon } from '../support/noon.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
const root = await office.staff('root')

const made = async (path: string, fields: object): Promise<Json> => {
  const { status, body } = await root.post(path, fields)
  if (status !== 200 && status !== 201) throw new Error(JSON.stringify(body))
  return body
}
const ruble = 10_000_000_000
const home = await made('/rest_api/v2/Tarif/', { name: 'Домашний', price: 600 * ruble })
await made('/rest_api/v2/Tarif/', { name: 'Быстрый', price: 900 * ruble })
await made('/rest_api/v2/Usluga/', { name: 'Телевидение', price: 300 * ruble })
const { id, account } = await made('/rest_api/v2/Abonents/', {
  name: 'Петров Пётр',
  contract_number: '000001',
  tarif: home.id,
  create_date: '2020-01-01T00:00:00Z',
})
await made('/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: 5000 * ruble })
const policy = { timeZone, mode: 'monthly', chargesPromises: false } as const
const charge = () =>
  billingWorker(office.database.pool, office.accounts, () => policy).run(new Date(), new AbortController().signal)
await charge()
const services = `/subscribers/${id}/services/`

const option = (page: Page, name: RegExp) => page.getByRole('option', { name })
const row = async () =>
  (await office.rows('SELECT tarif_id::int AS tarif, next_tarif_id::int AS next FROM abonents'))[0]
/** Without the kind of its spaces. */
const wordsOf = async (what: Locator) => (await what.innerText()).replaceAll(/\s+/g, ' ')

t.test('a tariff is changed from the next month and taken back, and at once, with the bill seen before', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${id}/`)
  const fast = (await root.get('/rest_api/v2/Tarif/')).body.results.find(({ name }: Json) => name === 'Быстрый')
  const seen = (await root.get(`/admin/Abonents/tariff/${id}/?tarif=${fast.id}`)).body
  const facts = page.locator('section', { has: page.getByRole('heading', { name: 'Данные' }) })
  await facts.getByText(/^01\.\d\d\.\d{4}, /).waitFor()
  const form = page.getByRole('dialog')
  const choose = async (hand: Hand) => {
    await hand.click(page.getByRole('button', { name: 'Сменить тариф' }).first())
    await form.getByRole('combobox', { name: 'Новый тариф' }).fill('быс')
    await hand.click(option(page, /^Быстрый, 900/))
    await form.getByRole('radio', { name: 'Сейчас' }).waitFor()
  }
  const hand = new Hand()
  await choose(hand)
  const bill = await wordsOf(form.getByRole('group', { name: 'Когда сменить' }))
  t.match(bill, /Спишется [\d,]+ ₽ Перерасчёт Быстрый за/)
  t.ok(bill.includes(seen.now.operations[0].amount.slice(1).replace('.', ',')), bill)
  t.match(bill, /01\.\d\d\.\d{4}, Быстрый .* 900,00 ₽/)
  t.match(bill, /Баланс станет 4 400,00 ₽/)
  t.same(await seriousFaults(page), [])
  await hand.click(form.getByRole('radio', { name: /^С 01\./ }))
  await hand.click(form.getByRole('button', { name: 'Сменить' }))
  await page.getByText(/→ Быстрый с 01\./).waitFor()
  hand.did(t, 'task 9')
  t.match(await row(), { tarif: home.id, next: fast.id })
  await page.getByText('Запланирован', { exact: true }).waitFor()
  t.same(await seriousFaults(page), [])

  await page
    .getByRole('banner')
    .or(page.locator('main header'))
    .getByRole('button', { name: 'Отменить смену' })
    .first()
    .click()
  await page.getByText(/→ Быстрый с 01\./).waitFor({ state: 'detached' })
  t.match(await row(), { tarif: home.id, next: null })

  // The same at once, by keys alone.
  await tabTo(page, page.getByRole('button', { name: 'Сменить тариф' }).first())
  await page.keyboard.press('Enter')
  await tabTo(page, form.getByRole('combobox', { name: 'Новый тариф' }))
  await page.keyboard.type('быс')
  await option(page, /^Быстрый, 900/).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const [now, later] = [form.getByRole('radio', { name: 'Сейчас' }), form.getByRole('radio', { name: /^С 01\./ })]
  await tabTo(page, now)
  await page.keyboard.press('ArrowDown')
  t.ok(await later.isChecked())
  await page.keyboard.press('ArrowUp')
  await tabTo(page, form.getByRole('button', { name: 'Сменить' }))
  await page.keyboard.press('Enter')
  await page.getByText('Тариф изменён: Быстрый').waitFor()
  t.match(await row(), { tarif: fast.id, next: null })
  t.equal((await root.get(`/admin/Abonents/subscribers/${id}/`)).body.subscriber.balance, seen.now.balance)
  await page.getByText('Был раньше').waitFor()
  await page.getByRole('link', { name: 'Журнал', exact: true }).click()
  await page.getByText('Тариф: Домашний → Быстрый').waitFor()
  await page.getByText('Следующий тариф: Быстрый', { exact: true }).waitFor()
  t.same(complaints, [])
})

t.test('a service is given in three clicks with its price and period seen, charged, and taken away', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${id}/`)
  const hand = new Hand()
  const form = page.getByRole('dialog')
  await hand.click(page.getByRole('button', { name: 'Подключить услугу' }).first())
  await form.getByRole('combobox', { name: 'Услуга' }).fill('тел')
  await hand.click(option(page, /^Телевидение, 300/))
  const offer = form.getByRole('status')
  await offer.getByText('В месяц').waitFor()
  t.match(await wordsOf(offer), /В месяц 300,00 ₽ .*Телевидение \d\d\.\d\d\.\d{4} – \d\d\.\d\d\.\d{4} .*300,00 ₽/)
  await hand.click(form.getByRole('button', { name: 'Подключить' }))
  await page.getByText('Подключено: Телевидение').waitFor()
  hand.did(t, 'task 16')
  const taking = page.getByRole('button', { name: 'Отключить: Телевидение' })
  await taking.waitFor()
  await page.getByText(/^Спишется \d\d\.\d\d\.\d{4}$/).waitFor()

  await charge()
  await page
    .getByText(/^Списано по/)
    .nth(1)
    .waitFor()
  await taking.click()
  const seen = (await root.get(`/admin/Abonents/services/${id}/`)).body
  if (seen.services[0].gives_back !== '0.00')
    await form.getByRole('radio', { name: `Вернуть ${seen.services[0].gives_back.replace('.', ',')}` }).waitFor()
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Отключить' }).click()
  await page.getByText('Услуг нет').waitFor()
  await page.getByRole('link', { name: 'Журнал', exact: true }).click()
  await page.getByText('Услуга отключена: Телевидение').waitFor()
  t.same(complaints, [])
})

t.test('the tab and its forms fit a telephone, in the dark and in English', async (t) => {
  const { page, complaints } = await openScreen(t, root, services, {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  await page.getByText('Upcoming charges').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Add a service' }).first().click()
  await page.getByRole('dialog').getByText('Quantity').waitFor()
  // The form slides in from beyond the edge; a click would wait until it stands.
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click({ trial: true })
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone, untilFilled } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { Phone } from '../support/phone.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'Север')`)
const root = await office.staff('root')
const clerk = await office.staff('clerk', 'operator', [1])
const helper = await office.staff('helper', 'operator', [1])
const north = await office.staff('north', 'operator', [2])

const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const city = await made('/admin/dictionary/homes_crud/', { kind: 'city', name: 'Тверь' })
const street = await made('/admin/dictionary/homes_crud/', { kind: 'street', name: 'улица Мира', parent: city.id })
const house = await made('/admin/dictionary/homes_crud/', { kind: 'house', name: '10', parent: street.id })
const client = async (name: string, number: string) =>
  (
    await made('/admin/Abonents/create/', {
      ...{ name, contract_number: number, home: house.id, login: { login: `line${number}`, password: 'secret-word' } },
    })
  ).abonent
const anna = await client('Анна Ли', '000001')
await client('Борис Ли', '000002')
const phones = await Phone.of(office.base)
const phoneOf = async (number: string): Promise<Phone> => {
  const phone = phones.another()
  await phone.signIn(`line${number}`, 'secret-word')
  return phone
}
const [annas, boriss] = [await phoneOf('000001'), await phoneOf('000002')]
const ask = async (phone: Phone, subject: string, body: string): Promise<number> =>
  (await phone.post('/support/tickets', { subject, body })).body.id

const answerOf = (page: Page) => page.getByRole('textbox', { name: 'Ответ', exact: true })
const railOf = (page: Page) => page.getByRole('navigation', { name: 'Разделы' })

t.test('a ticket from a phone is read and answered in three clicks, and both sides see it at once', async (t) => {
  const { page, complaints } = await openScreen(t, clerk, '/')
  const live = annas.live()
  t.teardown(() => live.close())
  await live.status()
  const id = await ask(annas, 'Нет интернета', 'Третий день не работает')
  await railOf(page).getByText('1', { exact: true }).waitFor()
  const hand = new Hand()
  await hand.click(railOf(page).getByRole('link', { name: /^Обращения/ }))
  await page.getByRole('img', { name: 'не прочитано' }).waitFor()
  await page.getByRole('cell', { name: /Тверь, улица Мира, 10$/ }).waitFor()
  t.same(await seriousFaults(page), [])
  await hand.click(page.getByRole('link', { name: 'Нет интернета' }))
  await page.getByText('Третий день не работает').waitFor()
  await railOf(page).getByText('1', { exact: true }).waitFor({ state: 'detached' })
  await page.locator('textarea[name=answer]:focus').waitFor()
  await page.keyboard.type('Мастер будет завтра')
  await hand.click(page.getByRole('button', { name: 'Ответить', exact: true }))
  await page.getByRole('listitem').filter({ hasText: 'Мастер будет завтра' }).getByText('clerk').waitFor()
  hand.did(t, 'task 19')
  await page.getByText('В работе').waitFor()
  // Whoever answers has it.
  await untilFilled(page.getByRole('combobox', { name: 'Ответственный' }), 'clerk')
  await live.frame(({ type, ticket }) => type === 'ticket' && ticket.id === id && ticket.unread === 1)
  t.same(await seriousFaults(page), [])

  await annas.post(`/support/tickets/${id}`, { body: 'Жду его' })
  await page.getByRole('listitem').filter({ hasText: 'Жду его' }).waitFor()
  await page.getByRole('button', { name: 'Закрыть обращение' }).click()
  await page.getByRole('button', { name: 'Открыть снова' }).waitFor()
  await live.frame(({ type, ticket }) => type === 'ticket' && ticket.id === id && ticket.status === 'closed')
  t.same(complaints, [])
})

t.test('the same by keys alone, with a template, and a note that the client does not see', async (t) => {
  await made('/admin/dictionary/ticket_templates_crud/', {
    ...{ name: 'Роутер', text_ru: 'Перезагрузите роутер.', text_en: 'Restart the router.' },
  })
  const id = await ask(boriss, 'Медленно по вечерам', 'С восьми часов')
  const { page, complaints } = await openScreen(t, clerk, '/')
  const { page: other } = await openScreen(t, helper, `/tickets/${id}/`)
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('link', { name: 'Медленно по вечерам' }).waitFor()
  // A list that has just come up may not listen to keys yet; it has one row, so another `j` goes nowhere else.
  const row = page.locator('[data-row-link]:focus')
  while ((await row.count()) === 0) await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('listitem').filter({ hasText: 'С восьми часов' }).waitFor()

  await page.getByRole('radio', { name: 'Ответ', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Жаловался и в прошлом месяце')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Заметка сохранена').waitFor()
  const note = (on: Page) => on.getByRole('listitem').filter({ hasText: 'Жаловался и в прошлом месяце' })
  await note(page).getByText('заметка, абонент не видит').waitFor()
  await note(other).waitFor()
  t.notMatch(JSON.stringify((await boriss.get(`/support/tickets/${id}`)).body), 'Жаловался')

  await page.getByRole('radio', { name: 'Заметка', exact: true }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('combobox', { name: 'Шаблон ответа' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('роут')
  await page.getByRole('option', { name: 'Роутер' }).first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  t.equal(await answerOf(page).inputValue(), 'Перезагрузите роутер.')
  await page.keyboard.type(' Помогло?')
  await page.keyboard.press('Control+Enter')
  await other.getByRole('listitem').filter({ hasText: 'Перезагрузите роутер. Помогло?' }).waitFor()
  t.match((await boriss.get(`/support/tickets/${id}`)).body.messages.at(-1), {
    ...{ author: 'staff', body: 'Перезагрузите роутер. Помогло?' },
  })

  await other.getByRole('button', { name: 'Взять себе' }).click()
  await page.getByRole('button', { name: 'Взять себе' }).waitFor()
  await untilFilled(page.getByRole('combobox', { name: 'Ответственный' }), 'helper')
  t.equal((await north.get(`/admin/Abonents/ticket/${id}/`)).status, 404)
  t.same(complaints, [])
})

t.test('the inbox is narrowed down, leads to the house, and the search opens a ticket on its screen', async (t) => {
  const id = await ask(annas, 'Сменить тариф', 'Хочу быстрее')
  const { page, complaints } = await openScreen(t, clerk, '/')
  await page
    .getByRole('link', { name: /^Обращения.*непрочитанных: \d/ })
    .last()
    .click()
  await page.waitForURL(/\/admin\/tickets\/\?show=open$/)
  await page.getByRole('link', { name: 'Сменить тариф' }).waitFor()
  await page.getByRole('group', { name: /./ }).getByRole('button', { name: 'Мои' }).click()
  await page.getByRole('link', { name: 'Сменить тариф' }).waitFor({ state: 'detached' })
  await page.getByRole('group', { name: /./ }).getByRole('button', { name: 'Все' }).click()
  await page.getByRole('link', { name: 'Нет интернета' }).waitFor()
  await page.getByRole('button', { name: 'Непрочитанные' }).click()
  await page.getByRole('link', { name: 'Нет интернета' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Сменить тариф' }).click()
  await page.getByRole('link', { name: 'Ещё 1 обращение по дому' }).click()
  await page.getByRole('link', { name: 'Медленно по вечерам' }).click()
  await page.getByRole('heading', { name: /Медленно по вечерам/ }).waitFor()
  const here = railOf(page).locator('a[aria-current=page]')
  t.same((await here.allInnerTexts()).slice(1), ['Открытые'], 'a ticket is of the list that it was opened from')
  await page.getByRole('link', { name: 'К обращениям' }).click()
  await page.waitForURL(/\/admin\/tickets\/\?show=open&home=\d+$/)
  await page.getByRole('link', { name: 'Медленно по вечерам' }).waitFor()

  await page.keyboard.press('Control+K')
  await page.keyboard.type(`№ ${id}`)
  await page.getByRole('option', { name: /Сменить тариф/ }).click()
  await page.waitForURL(new RegExp(`/admin/tickets/${id}/$`))
  await page.getByRole('heading', { name: `№ ${id}. Сменить тариф` }).waitFor()
  t.same((await here.allInnerTexts()).slice(1), ['Все'], 'one that the search has opened is of no list')
  await page.getByRole('link', { name: 'Анна Ли' }).click()
  await page.waitForURL(new RegExp(`/subscribers/${anna.id}/`))
  t.same(complaints, [])
})

t.test('templates are added, changed and deleted by who sees all organizations', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/tickets/templates/')
  const here = page.getByRole('navigation').locator('a[aria-current=page]')
  t.same((await here.allInnerTexts()).slice(1), ['Шаблоны ответов'], 'one place of the chapter')
  await page.getByRole('link', { name: 'Новый шаблон' }).click()
  await page.getByLabel('Название').fill('Мастер придёт')
  await page.getByRole('button', { name: 'Добавить' }).click()
  await page.getByText('Нужен ответ хотя бы на одном языке').waitFor()
  await page.getByLabel('Ответ по-русски').fill('Мастер придёт завтра')
  await page.getByRole('button', { name: 'Добавить' }).click()
  await page.getByRole('link', { name: 'Мастер придёт' }).click()
  t.same(await seriousFaults(page), [])
  await page.getByLabel('Ответ по-английски').fill('Somebody will come tomorrow')
  await page.getByRole('button', { name: 'Сохранить' }).click()
  await page.locator('span', { hasText: 'Somebody will come tomorrow' }).waitFor()
  await page.getByRole('link', { name: 'Мастер придёт' }).click()
  await page.getByRole('button', { name: 'Удалить' }).click()
  await page
    .getByRole('dialog', { name: /^Удалить/ })
    .getByRole('button', { name: 'Удалить' })
    .click()
  await page.getByRole('link', { name: 'Мастер придёт' }).waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test('the screens fit a telephone, in the dark and in English', async (t) => {
  const isOffline = (complaint: string) => /ERR_INTERNET_DISCONNECTED/.test(complaint)
  const options = { ...telephone, colorScheme: 'dark', locale: 'en-GB' } as const
  const { context, page, complaints } = await openScreen(t, clerk, '/tickets/', options, isOffline)
  await page.getByRole('link', { name: /Сменить тариф/ }).waitFor()
  t.ok((await overflow(page)) <= 0, 'the inbox')
  t.same(await seriousFaults(page), [])
  await page.getByRole('link', { name: /Медленно по вечерам/ }).click()
  await page.getByRole('button', { name: 'Close the ticket' }).waitFor()
  t.ok((await overflow(page)) <= 0, 'a ticket')
  t.same(await seriousFaults(page), [])
  await follow(page, '/tickets/templates/')
  await page.getByText('Restart the router.').waitFor()
  t.ok((await overflow(page)) <= 0, 'templates')
  t.same(await seriousFaults(page), [])
  t.equal(await page.getByRole('link', { name: 'New template' }).count(), 0, 'only for who sees all organizations')

  await ask(annas, 'Нет звука', 'Телевизор молчит')
  const menu = page.getByRole('dialog', { name: 'Sections' })
  const section = (name: RegExp) => menu.getByRole('button', { name })
  await page.getByRole('button', { name: 'Open the menu' }).click()
  t.equal(
    await section(/^Tickets ?, \d+ unread/).getAttribute('aria-expanded'),
    'true',
    'the section of the screen is open',
  )
  t.same(await seriousFaults(page), [])
  await section(/^System/).click()
  t.match(page.url(), /\/tickets\/templates\/$/, 'a press on the name of a section goes nowhere')
  const last = menu.getByRole('link', { name: 'API' })
  await last.waitFor()
  t.ok((await last.boundingBox())!.y < telephone.viewport.height, 'what is in it is seen')
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await context.setOffline(true)
  await page.getByText('Connection lost').first().waitFor()
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await section(/^Tickets ?, \d+ unread/).waitFor()
  await context.setOffline(false)
  t.same(complaints, [])
})

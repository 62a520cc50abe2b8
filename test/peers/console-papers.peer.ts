// needs chromium from chromium
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { openScreen, overflow, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'Север')`)
const root = await office.staff('root')
const clerk = await office.staff('clerk', 'operator', [1])
const north = await office.staff('north', 'operator', [2])

const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const anna = await made('/admin/Abonents/create/', {
  ...{ name: 'Анна Ли', contract_number: '000001', login: { login: 'anna' } },
  ...{ payment: { amount: '150.00', op_type_id: 40 } },
})
const id = anna.abonent.id
const other = await made('/admin/Abonents/create/', { name: 'Пётр Ли', contract_number: String(id) })
const ticket = await made('/rest_api/v2/Hdsk/', { abonent: id, subject: 'Нет интернета' })
await office.rows(
  `INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES ($1, 'client', 'Третий день не работает')`,
  [ticket.id],
)
await office.rows(
  `INSERT INTO notifications (subscriber_id, kind, text, channel, address, state, sent_at, next_try_at, error) VALUES
    ($1, 'payment_credited', 'Зачислено 150 ₽', 'sms', '79001234567', 'sent', now(), NULL, NULL),
    ($1, 'low_balance', 'Пополните счёт', NULL, NULL, 'failed', NULL, NULL,
      'The subscriber has no device, phone or e-mail address. Given up: it was not sent while it was of use.')`,
  [id],
)

t.test('a ticket is read and answered in three clicks, and a new one is opened', async (t) => {
  const { page, complaints } = await openScreen(t, clerk, `/subscribers/${id}/overview/`)
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Обращения', exact: true }).last())
  await page.getByRole('cell', { name: /^Абонент, / }).waitFor()
  await hand.click(page.getByRole('link', { name: 'Нет интернета' }))
  await page.getByText('Третий день не работает').waitFor()
  await page.getByRole('textbox', { name: 'Ответ', exact: true }).fill('Мастер будет завтра')
  await hand.click(page.getByRole('button', { name: 'Ответить', exact: true }))
  const answer = page.getByRole('listitem').filter({ hasText: 'Мастер будет завтра' })
  await answer.getByText('clerk').waitFor()
  await page.getByText('В работе').waitFor()
  hand.did(t, 'task 19')
  t.same(await seriousFaults(page), [])

  await page.getByRole('button', { name: 'Закрыть обращение' }).click()
  await page.getByRole('button', { name: 'Открыть снова' }).waitFor()
  t.match(await office.rows('SELECT status FROM hdsks WHERE id = $1', [ticket.id]), [{ status: 'closed' }])
  t.equal((await north.get(`/admin/Abonents/ticket/${ticket.id}/`)).status, 404, 'another organization has no such one')

  // The client writes again while the closed ticket is still on the screen: an answer to it must not close it again.
  await office.rows(`UPDATE hdsks SET status = 'open' WHERE id = $1`, [ticket.id])
  await page.getByRole('textbox', { name: 'Ответ', exact: true }).fill('Мастер был')
  await page.getByRole('button', { name: 'Ответить', exact: true }).click()
  await page.getByRole('listitem').filter({ hasText: 'Мастер был' }).waitFor()
  await page.getByRole('button', { name: 'Закрыть обращение' }).waitFor()
  // Whether the screen has followed it in time, and the answer takes it in hand, is either way right.
  const [{ status }] = await office.rows('SELECT status FROM hdsks WHERE id = $1', [ticket.id])
  t.match(status, /^(open|in_progress)$/)

  await page.goto(`${clerk.base}/admin/subscribers/${other.abonent.id}/tickets/${ticket.id}/`)
  await page.waitForURL(new RegExp(`/subscribers/${id}/tickets/${ticket.id}/$`))
  await page.getByRole('button', { name: 'Закрыть обращение' }).click()
  await page.getByRole('button', { name: 'Открыть снова' }).waitFor()

  await page.getByRole('link', { name: 'К обращениям' }).click()
  await page.getByRole('button', { name: 'Новое обращение' }).click()
  await page.getByRole('button', { name: 'Открыть обращение' }).click()
  await page.getByText('Нужно заполнить').first().waitFor()
  await page.getByLabel('Тема').fill('Перенос кабеля')
  await page.getByLabel('Текст').fill('Позвонить после шести')
  await page.getByRole('button', { name: 'Открыть обращение' }).click()
  await page.getByRole('heading', { name: /Перенос кабеля/ }).waitFor()
  await page.getByText('Позвонить после шести').waitFor()
  t.same(complaints, [])
})

t.test('messages say why they were not sent, and papers open', async (t) => {
  const { page, context, complaints } = await openScreen(t, clerk, `/subscribers/${id}/overview/`)
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Сообщения', exact: true }).last())
  await page.getByText('У абонента нет телефона, почты и приложения. Не отправлено, пока было нужно').waitFor()
  await page.getByText(/SMS 79001234567/).waitFor()
  hand.did(t, 'task 20')
  t.same(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Отправить снова' }).click()
  const again = page.getByRole('listitem').filter({ hasText: 'Пополните счёт' })
  await again.getByText('Ждёт', { exact: true }).waitFor()
  t.match(await office.rows(`SELECT state FROM notifications WHERE kind = 'low_balance'`), [{ state: 'waiting' }])
  await office.rows(
    `UPDATE notifications SET state = 'sent', sent_at = now(), next_try_at = NULL WHERE kind = 'low_balance'`,
  )
  await page.getByText('Ждёт', { exact: true }).nth(1).waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Документы' }).click()
  const bill = page.getByRole('link', { name: /^Счёт за / }).first()
  await bill.waitFor()
  const address = await bill.getAttribute('href')
  t.match((await clerk.get(address ?? '')).body, /^%PDF/)
  t.match(address, new RegExp(`\\?abonent=${id}$`), 'whoever else has such a number')
  // The browser of tests has no viewer for papers, so it is looked at what its new window asks for.
  const opened = context.waitForEvent('request', (asked) => asked.method() === 'GET' && /getpdf/.test(asked.url()))
  await page.getByRole('button', { name: /^Напечатать документ/ }).click()
  await opened
  await page.getByText('Документ составлен и сохранён').waitFor()
  t.match(await office.rows('SELECT print_form IS NOT NULL AS kept FROM finance_operations'), [{ kept: true }])
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('the tabs fit a telephone, in the dark and in English', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${id}/tickets/${ticket.id}/`, {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  await page.getByRole('button', { name: 'Open again' }).waitFor()
  t.ok((await overflow(page)) <= 0, 'a thread')
  for (const [tab, word] of [
    ['Tickets', 'New ticket'],
    ['Messages', 'Payment credited'],
    ['Documents', 'Bills by month'],
  ] as const) {
    await page.getByRole('link', { name: tab, exact: true }).last().click()
    await page.getByText(word).first().waitFor()
    t.ok((await overflow(page)) <= 0, tab)
    t.same(await seriousFaults(page), [], tab)
  }
  const height = await page.evaluate<number>(`document.querySelector('[data-scroller]').clientHeight`)
  t.ok(height >= 0.45 * telephone.viewport.height - 1, `a list below a card shows more than two rows: ${height}`)
  t.same(complaints, [])
})

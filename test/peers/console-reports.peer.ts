// needs chromium from chromium
import t from 'tap'
import { dayOf, monthBefore, monthOf, wholeMonth } from '../../src/domain/calendar.ts'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import {
  cutOff,
  follow,
  openScreen,
  overflow,
  questionsTo,
  seriousFaults,
  telephone,
  untilSo,
} from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { fetch } from '../support/published.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
const root = await office.staff('root')
const evil = '<img src=x onerror="window.caught = true">'
const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const tariff = await made('/rest_api/v2/Tarif/', { name: 'Домашний', price: 0 })
const client = await made('/rest_api/v2/Abonents/', { name: evil, contract_number: '000101', tarif: tariff.id })
await office.rows(
  `INSERT INTO finance_operations (op_summa, op_type_id, abonent_id, account_id, organization_id, descr, operator_name, isbuhdoc)
    SELECT (CASE n % 3 WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE -1 END) * 12345 * 10^9::int8, CASE n % 2 WHEN 0 THEN 7 ELSE 23 END, $1, $2, 1,
      'строка ' || n || ' выписки, по заявлению абонента', CASE n % 2 WHEN 1 THEN 'gwa' END, n <= 100
    FROM generate_series(1, 120) AS n`,
  [client.id, client.account],
)
const payment = await made(`/admin/Abonents/accounts_payment/${client.account}/`, {
  ...{ amount: '500.50', kind: 'topup', op_type_id: 7 },
})
const { op_id: paid } = payment.operation
await made(`/admin/Abonents/accounts_storno/${client.account}/`, { op_id: paid })

const thisMonth = monthOf(dayOf(new Date(), timeZone))
const period = wholeMonth(thisMonth)

t.test('the money of a month by type, day, channel, cashier and tariff is three clicks away', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  const chip = (name: string) => page.getByRole('button', { name, exact: true })
  const rail = page.getByRole('navigation').first()
  const report = page.getByRole('region', { name: 'Движение денег' }).getByRole('table')
  const rowOf = (name: string | RegExp) => report.getByRole('row', { name })
  const hand = new Hand()
  await hand.click(rail.getByRole('link', { name: 'Деньги', exact: true }))
  await hand.click(rail.getByRole('link', { name: 'Отчёты', exact: true }))
  await report.getByRole('row', { name: /^Итого 102 / }).waitFor()
  t.equal(hand.clicks, 2, 'by type from the start')
  await hand.click(chip('Канал'))
  await rowOf(/^Шлюз A 50 /).waitFor()
  hand.did(t, 'task 28')
  t.match(page.url(), /by=channel/)
  const rows: readonly (readonly [string, RegExp])[] = [
    ['Кассир', /^root 2 500,50 ₽ −500,50 ₽ 0,00 ₽/],
    ['Тариф', /^Домашний 102 /],
    ['День', new RegExp(`^\\d\\d\\.${thisMonth.slice(5)}\\.${thisMonth.slice(0, 4)} 102 `)],
    ['Тип', /^.+ 50 /],
  ]
  for (const [name, row] of rows) {
    await chip(name).click()
    await rowOf(row).waitFor()
    t.equal(await chip(name).getAttribute('aria-pressed'), 'true')
  }
  t.same(await seriousFaults(page), [])

  await page.getByPlaceholder('Без столбцов').click()
  await page.getByRole('option', { name: '× канал' }).click()
  await report.getByRole('columnheader', { name: 'Шлюз A' }).waitFor()
  const cell = report
    .getByRole('link', { name: '−49,38 ₽' })
    .or(report.getByRole('row').nth(1).getByRole('link').nth(1))
  await cell.first().click()
  await page.getByRole('heading', { name: 'Журнал платежей' }).waitFor()
  const asked = new URL(page.url()).searchParams
  t.same([asked.get('date_from'), asked.get('date_to')], [period.from, period.to])
  t.ok(asked.get('op_type') && asked.get('source'), 'a figure leads to its operations')
  await page.locator('tbody tr').first().waitFor()
  await page.goBack()
  await report.getByRole('columnheader', { name: 'Шлюз A' }).waitFor()

  await page.getByRole('button', { name: 'Предыдущий месяц' }).click()
  await page.getByText('За этот период операций нет').waitFor()
  const before = wholeMonth(monthBefore(thisMonth))
  t.equal(new URL(page.url()).searchParams.get('date_from'), before.from)
  await page.goBack()
  const file = await page.getByRole('link', { name: 'Скачать CSV' }).getAttribute('href')
  const csv = await (await fetch(`${office.base}${file}`, { headers: root.headers })).text()
  t.match(csv, /;Шлюз A/)
  t.match(csv, /;1234,50;/, 'the decimal comma')

  // Pressed again before the screen has followed.
  await page.evaluate(`for (const _ of 'ab') document.querySelector('[aria-label="Предыдущий месяц"]').click()`)
  const twoBefore = wholeMonth(monthBefore(monthBefore(thisMonth)))
  await page.waitForURL((url) => url.searchParams.get('date_from') === twoBefore.from)
  t.same(complaints, [])
})

t.test(
  'days are drawn, and told to who does not see them; debts and subscribers have reports of their own',
  async (t) => {
    await office.rows(
      `INSERT INTO finance_operations (op_date, op_summa, op_type_id, abonent_id, account_id, organization_id)
      VALUES ('2026-03-01 12:00'::timestamp AT TIME ZONE $3, 10^12::int8, 7, $1, $2, 1),
        ('2026-03-30 12:00'::timestamp AT TIME ZONE $3, -10^11::int8, 9, $1, $2, 1)`,
      [client.id, client.account, timeZone],
    )
    const path = '/money/reports/?by=day&date_from=2026-03-01&date_to=2026-03-31'
    const { page, complaints } = await openScreen(t, root, path)
    const chart = page.getByLabel('Деньги по времени: приход 100,00 ₽, расход −10,00 ₽')
    await chart.locator('canvas').waitFor()
    await chart.focus()
    await page.keyboard.press('Home')
    await page.getByText('01.03.2026 · Приход 100 · Расход 0').waitFor()
    await page.getByLabel('Отчёт').getByText('Долги').click()
    await page.getByRole('row', { name: /^Итого/ }).waitFor()
    t.same(await seriousFaults(page), [])
    await page.getByRole('link', { name: '31–60', exact: true }).click()
    await page.getByRole('button', { name: '31–60 дн.', pressed: true }).waitFor()
    t.equal(new URL(page.url()).search, '?show=debtors&debt_days=31&debt_days_to=60', 'leads to those who owe so long')
    await page.getByRole('button', { name: 'от 90 дн.' }).click()
    await page.waitForURL(/\?show=debtors&debt_days=90$/)
    await page.goBack()
    await page.goBack()
    await page.getByLabel('Отчёт').getByText('Абоненты').click()
    await page.getByRole('row', { name: /^Итого 1 0 / }).waitFor()
    await page.getByLabel('Абоненты по месяцам: новых 1, ушло 0').locator('canvas').waitFor()
    t.same(await seriousFaults(page), [])
    t.same(complaints, [])
  },
)

t.test(
  'operations: the month, more while one scrolls, one beside the list, and what was asked for stays',
  async (t) => {
    const { page, complaints } = await openScreen(t, root, '/money/operations/')
    const rows = page.locator('tbody tr[aria-rowindex], tbody tr')
    await page.getByText('122', { exact: true }).waitFor()
    await page.waitForURL((url) => url.searchParams.get('date_from') === period.from)
    t.equal(new URL(page.url()).searchParams.get('date_to'), period.to)
    await page.getByText(/^Приход 49\s880,50\s₽/).waitFor()
    t.ok((await rows.count()) < 122, 'only what is on the screen is drawn')
    const beyond = await page.evaluate(`(({ parentElement: place }) => place.scrollWidth - place.clientWidth)
      (document.querySelector('main table'))`)
    t.equal(beyond, 0, 'the usual columns have room beside each other')
    t.equal(await page.locator('td[data-elastic]', { hasText: evil }).first().getAttribute('title'), evil)
    const top = async (field: string) => (await page.getByLabel(field).first().boundingBox())!.y
    t.same([await top('Все виды'), await top('С какого дня')], [await top('Найти'), await top('Найти')], 'in one line')
    const asked = questionsTo(page, '/finops_json/')
    await page.getByLabel('Найти').fill(String(paid))
    await page.waitForURL((url) => url.searchParams.get('q') === String(paid))
    await page.getByRole('status').getByText('2', { exact: true }).waitFor()
    await page.getByText(/^Приход 500,50/).waitFor()
    t.equal(asked.size, 1, 'what had to be found in all is not looked for once more for its sums')
    await page.locator('[data-row-link]').last().click()
    const card = page.getByRole('dialog')
    await card.getByRole('heading', { name: `Операция № ${paid}` }).waitFor()
    await card.getByText('Сторнирована операцией').waitFor()
    await card.getByText('Сторнирована', { exact: true }).waitFor()
    await card.getByText('Операция проведена').waitFor()
    await card.getByRole('link', { name: evil }).waitFor()
    t.same(await seriousFaults(page), [])
    await card
      .getByRole('link', { name: /^№ \d+$/ })
      .last()
      .click()
    await card.getByText('Исходная операция').waitFor()
    await card.getByText('Сторно', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    t.equal(new URL(page.url()).searchParams.get('q'), String(paid))
    const file = await page.getByRole('link', { name: 'Скачать всё в XLSX' }).getAttribute('href')
    t.match(file, /^\/admin\/Abonents\/download_operations\/\?q=/)
    t.equal((await fetch(`${office.base}${file}`, { headers: root.headers })).status, 200)
    t.equal(await page.evaluate('window.caught'), undefined, 'names are words, not markup')
    t.same(complaints, [])
  },
)

t.test('the former addresses lead to the screens; a telephone and another language have them too', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/reports/PayLog/?op_type=23', {
    ...telephone,
    locale: 'en-US',
  })
  t.equal(new URL(page.url()).pathname, '/admin/money/payments/')
  await page.getByRole('heading', { name: 'Payment log' }).waitFor()
  await page.getByText(/^Income /).waitFor()
  const line = await page.locator('main').getByRole('link', { name: evil }).first().boundingBox()
  t.ok(line && line.height >= 44, 'a finger meets a link among the facts of a card')
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  await page.goto(`${office.base}/admin/Abonents/FinanceOperations/?edit=${paid}`)
  const card = page.getByRole('dialog')
  await card.getByRole('heading', { name: `Operation ${paid}` }).waitFor()
  await card.getByRole('link', { name: 'Paper (PDF)' }).waitFor()
  for (const link of await card.getByRole('link').all())
    t.ok((await link.boundingBox())!.height >= 44, `${await link.textContent()} is as large as a finger`)
  t.equal(new URL(page.url()).pathname, `/admin/money/operations/${paid}/`)
  for (const [path, column] of [
    ['', 'Type'],
    ['?by=day&across=type', 'Day'],
    ['debts/', 'Age in days'],
    ['subscribers/', 'At the start'],
  ] as const) {
    await follow(page, `/money/reports/${path}`)
    await page.getByRole('columnheader', { name: column, exact: true }).waitFor()
    t.equal(await overflow(page), 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  t.same(complaints, [])
})

t.test('with letters twice as large nothing is cut off on a telephone', async (t) => {
  const { context, page, complaints } = await openScreen(t, root, '/', { ...telephone, isOwn: true })
  const session = await context.newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  await page.reload()
  const card = `/subscribers/${client.id}`
  for (const [path, word] of [
    ['/', 'Сводка'],
    ['/account/', 'Моя учётная запись'],
    ['/subscribers/', '000101'],
    ['/subscribers/new/', 'Новый абонент'],
    ['/money/reports/', 'Итого'],
    ['/system/staff/new/', 'Новый сотрудник'],
    [`${card}/documents/`, 'Счета по месяцам'],
    [`${card}/connection/login/new/`, 'Новый логин'],
  ] as const) {
    await follow(page, path)
    await page.locator('main, [role=dialog]').getByText(word).first().waitFor()
    await untilSo(page, `!document.querySelector('[aria-busy=true]')`)
    t.equal(await page.evaluate('getComputedStyle(document.documentElement).fontSize'), '32px')
    t.same(await cutOff(page), [], path)
    t.equal(await overflow(page), 0, path)
  }
  t.same(complaints, [])
})

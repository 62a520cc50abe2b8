// needs chromium from chromium
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { keepFile } from '../../src/billing/importing/kept-import.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone, untilSo } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { until } from '../support/until.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
await root.post('/rest_api/v2/Tarif/', { name: 'Домашний', price: 0 })

/** Windows-1251, as spreadsheets of Russian offices save. */
const cyrillic = (text: string): Buffer =>
  Buffer.from(
    Array.from(text, (sign) => (sign >= 'А' && sign <= 'я' ? sign.charCodeAt(0) - 0x350 : sign.charCodeAt(0))),
  )

const file = cyrillic(
  `Договор;ФИО;Логин;Пароль;Тариф;Остаток;Комментарий\r\n${[
    '5001;Иванов Иван;ivanov;secret-1;Домашний;-100,50;шумит',
    '5002;=Петров Петр;petrov;secret-2;Домашний;10;',
    '5003;Сидоров;petrov;secret-3;Домашний;0;',
    '5004;Козлов;;;Нет такого;0;',
  ].join('\r\n')}\r\n`,
)

async function chooseFile(page: Page, hand: Hand, buffer = file): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await hand.click(page.getByRole('button', { name: 'Выбрать файл' }))
  await (await choosing).setFiles({ name: 'abonents.csv', mimeType: 'text/csv', buffer })
}

t.test('a file is checked and imported, in five clicks, with its errors by line', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Импорт' }))
  await chooseFile(page, hand)
  // The encoding and the columns are guessed; what nobody knows is left out.
  t.equal(await page.getByLabel('Кодировка').inputValue(), 'windows-1251')
  t.equal(await page.getByLabel('Что такое «ФИО»').inputValue(), 'name')
  t.equal(await page.getByLabel('Что такое «Комментарий»').inputValue(), '')
  t.equal(await page.getByText('secret-1').count(), 0, 'passwords are not shown')
  await hand.click(page.getByRole('button', { name: 'Проверить' }))
  await page.getByText('логин «petrov» уже есть в строке 3').waitFor()
  // It could not be pressed while the file was checked, and has the focus again.
  await page.locator('button:focus').getByText('Проверить').waitFor()
  await page.getByText('тарифа «Нет такого» нет').waitFor()
  t.equal((await office.rows('SELECT count(*)::int AS n FROM abonents'))[0].n, 0, 'nothing is written yet')
  t.same(await seriousFaults(page), [])
  await hand.click(page.getByRole('button', { name: 'Загрузить новых: 2' }))
  await page.waitForURL(/\/subscribers\/import\/runs\/\d+/)
  // The check, which is shown until the run is, was ready before.
  await page.getByRole('link', { name: 'К импорту' }).waitFor()
  await page.getByText('Готово').waitFor()
  hand.did(t, 'task 24')
  const rows = await office.rows('SELECT name, contract_number FROM abonents ORDER BY contract_number')
  t.same(rows, [
    { name: 'Иванов Иван', contract_number: '5001' },
    { name: '=Петров Петр', contract_number: '5002' },
  ])
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('what was chosen after the press is what is checked and imported', async (t) => {
  const { page } = await openScreen(t, root, '/subscribers/import/', { isOwn: true })
  const hand = new Hand()
  await chooseFile(page, hand, cyrillic('Договор;ФИО;Остаток\r\n5101;Орлов;77\r\n'))
  const late = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/admin/imports/?*', async (route) => {
    if (++asked === 1) await late.promise
    await route.continue()
  })
  const check = page.getByRole('button', { name: 'Проверить' })
  const first = page.waitForRequest(/\/admin\/imports\/\?/)
  await check.click()
  await first
  await page.getByLabel('Что такое «Остаток»').selectOption('')
  await check.click()
  await page.getByRole('button', { name: 'Загрузить новых: 1' }).waitFor()
  const answered = page.waitForResponse(/\/admin\/imports\/\?/)
  late.resolve()
  await answered
  await until(async () => (await office.rows(`SELECT FROM staff_runs WHERE state = 'running'`)).length === 0)
  await page.getByLabel('Что такое «Остаток»').selectOption('balance')
  await page.getByLabel('Что такое «Остаток»').selectOption('')
  t.equal(await page.getByRole('button', { name: 'Загрузить новых: 1' }).count(), 0, 'what it was is no longer so')
  await check.click()
  await page.getByRole('button', { name: 'Загрузить новых: 1' }).click()
  await page.waitForURL(/\/subscribers\/import\/runs\/\d+/)
  // The check, which is shown until the run is, was ready before.
  await page.getByRole('link', { name: 'К импорту' }).waitFor()
  await page.getByText('Готово').waitFor()
  const [{ ostatok }] = await office.rows(
    `SELECT ostatok FROM admin_accounts AS a JOIN abonents AS s ON s.account_id = a.id WHERE contract_number = '5101'`,
  )
  t.equal(Number(ostatok), 0, 'without the column that was left out')
  await office.rows(`UPDATE abonents SET contract_number = '4999', name = 'Аист' WHERE contract_number = '5101'`)
})

t.test('a run that was cut off or failed tells in Russian how far it came', async (t) => {
  const insert = async (state: string, result: object | null): Promise<number> => {
    const [{ id }] = await office.rows(
      `INSERT INTO staff_runs (kind, lock, user_name, asked, state, total, done, result)
        VALUES ('blocks', 'run of a test', 'root', '{"on": true}', $1, 90, 40, $2) RETURNING id`,
      [state, result],
    )
    return Number(id)
  }
  // As a program that was killed leaves it.
  const killed = await insert('running', null)
  await office.rows(`INSERT INTO staff_run_faults (run_id, record, name, reason)
    VALUES (${killed}, 7, 'Синицын', 'It could not be changed now; ask again shortly.')`)
  await office.rows(`INSERT INTO staff_run_rest SELECT ${killed}, id FROM abonents WHERE contract_number = '5002'`)
  const failed = await insert('failed', { error: 'It failed; the log says why.' })
  const { page, complaints } = await openScreen(t, root, `/subscribers/runs/${killed}/`)
  await page.getByText('Прервано').waitFor()
  await page.getByText('40 из 90').waitFor()
  await page
    .getByRole('row', { name: /Синицын/ })
    .getByText('Сейчас не получилось, повторите позже')
    .waitFor()
  t.same(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Выполнить остаток' }).click()
  const asked = page.getByRole('dialog', { name: 'Выполнить остаток: 1?' })
  await asked.getByRole('button', { name: 'Выполнить остаток' }).click()
  await page.waitForURL((url) => /runs\/\d+/.test(url.href) && !url.href.includes(`/${killed}/`))
  await page.getByText('Готово').waitFor()
  const blocked = await office.rows(
    `SELECT contract_number FROM abonents JOIN abonents_block ON abonent_id = id WHERE b_admin`,
  )
  t.same(blocked, [{ contract_number: '5002' }])
  await root.post('/admin/Abonents/block_many/', { on: false, filter: { q: '5002' } })
  await until(async () => (await office.rows('SELECT FROM abonents_block WHERE b_admin')).length === 0)
  await page.goto(`${root.base}/admin/subscribers/runs/${killed}/`)
  await page.getByText('Остатка нет').waitFor()
  await follow(page, `/subscribers/runs/${failed}/`)
  await page.getByText('Произошла ошибка').waitFor()
  await page.getByText('40 из 90').waitFor()

  const [{ id }] = await office.rows(`INSERT INTO staff_runs (kind, lock, user_name, asked, state, total, done)
    VALUES ('import', 'run of a test', 'root', '{"apply": true, "file": "дом.csv"}', 'running', 2, 0) RETURNING id`)
  const content = new TextEncoder().encode('contract_number;name\n5002;Петров\n')
  await withConnection(office.database.url, (client) =>
    keepFile(client, office.secrets, Number(id), { content, reading: {} }),
  )
  await follow(page, `/subscribers/runs/${id}/`)
  await page.getByText('осталось строк: 2').waitFor()
  await page.getByRole('button', { name: 'Выполнить остаток' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Выполнить остаток' }).click()
  await page.waitForURL((url) => /runs\/\d+/.test(url.href) && !url.href.includes(`/${id}/`))
  await page.getByText('Готово').waitFor()
  await page.getByText('Уже есть, не изменены').waitFor()
  await page.goto(`${root.base}/admin/subscribers/runs/${id}/`)
  await page.getByText('Файл уже не хранится').waitFor()
  t.same(complaints, [])
})

t.test('what a list shows is exported, in two clicks, with its filters and columns', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await page.getByText('Иванов Иван').waitFor()
  const exported = async () => {
    const saving = page.waitForEvent('download')
    await hand.click(page.getByRole('button', { name: 'Выгрузить CSV' }))
    return readFileSync(await (await saving).path(), 'utf8').split('\r\n')
  }
  const [head, ...all] = await exported()
  t.match(head, /^\ufeffИмя;Договор;Баланс;/)
  t.match(all[0], /^'=Петров Петр;5002;10,00;/, 'no cell is run as a formula, and the comma is Russian')
  hand.clicks = 0
  await hand.click(page.getByRole('button', { name: 'Должники' }))
  await page.getByText('Петров Петр').waitFor({ state: 'detached' })
  const [, ...debtors] = await exported()
  hand.did(t, 'task 25')
  t.match(debtors, [/^Иванов Иван;5001;-100,50;/, ''])
  t.equal(debtors.length, 2)
  t.same(complaints, [])
})

t.test('filters, order and columns of a list are saved as a view, chosen, renamed and deleted', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  // Whatever else has been written there is no view.
  await page.evaluate(`localStorage.setItem('tollgate.views.subscribers', '[5, {"name": "x", "query": {"q": 1}}]')`)
  await page.reload()
  await page.getByRole('button', { name: 'Должники' }).click()
  await page.getByRole('button', { name: 'Имя' }).click()
  await page.getByRole('button', { name: 'Столбцы' }).click()
  await page.getByLabel('Телефон').check()
  await page.keyboard.press('Escape')
  const views = page.getByRole('button', { name: 'Виды списка' })
  const dialog = page.getByRole('dialog')
  await views.press('Enter')
  await dialog.getByText('Вид хранит фильтры').waitFor()
  await dialog.locator('input:focus').waitFor()
  await page.keyboard.type('Мои должники')
  await page.keyboard.press('Enter')
  const mine = dialog.getByRole('button', { name: 'Мои должники', exact: true })
  t.equal(await mine.getAttribute('aria-pressed'), 'true')
  t.same(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  await untilSo(page, `document.activeElement?.getAttribute('aria-label') === 'Виды списка'`)

  await page.getByRole('button', { name: 'Столбцы' }).click()
  await page.getByLabel('Телефон').uncheck()
  await page.keyboard.press('Escape')
  await page.getByLabel('Найти').fill('петров')
  await page.waitForURL(/q=/)
  await views.press('Enter')
  t.equal(await mine.getAttribute('aria-pressed'), 'false')
  await mine.press('Enter')
  await page.getByRole('columnheader', { name: 'Телефон' }).waitFor()
  await page.getByRole('link', { name: 'Иванов Иван' }).waitFor()
  t.match(page.url(), /\/subscribers\/\?show=debtors&sort=name$/, 'what the view does not have is taken away')

  await page.reload()
  await views.press('Enter')
  await dialog.getByRole('button', { name: 'Переименовать вид «Мои должники»' }).press('Enter')
  t.equal(await dialog.locator('input:focus').inputValue(), 'Мои должники')
  await dialog.locator('input').fill('Долги')
  await page.keyboard.press('Enter')
  t.equal(await mine.count(), 0)
  await dialog.getByRole('button', { name: 'Удалить вид «Долги»' }).press('Enter')
  await dialog.getByRole('button', { name: 'Вернуть' }).press('Enter')
  await dialog.getByRole('button', { name: 'Удалить вид «Долги»' }).press('Enter')
  await dialog.getByText('Вид «Долги» удалён').waitFor()
  await page.reload()
  await views.press('Enter')
  await dialog.getByText('Вид хранит фильтры').waitFor()
  t.same(complaints, [])
})

t.test('all that a filter finds is blocked at once, in five clicks, and opened again', async (t) => {
  // One after the other: a busy machine refuses those that wait too long.
  for (let n = 0; n < 60; n++) {
    const { status } = await root.post('/rest_api/v2/Abonents/', { name: `Улица ${n}`, contract_number: `6${n}` })
    t.equal(status, 201)
  }
  const blocked = async () => (await office.rows('SELECT count(*)::int AS n FROM abonents_block WHERE b_admin'))[0].n
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await page.getByLabel('Найти').fill('улица')
  await page.getByRole('status').filter({ hasText: /^60$/ }).waitFor()
  await page.getByLabel('Отметить все найденные').click()
  const mark = (number: number) => page.getByLabel(`Отметить: Улица ${number}`, { exact: true })
  await mark(1).click()
  t.same([await mark(1).isChecked(), await mark(0).isChecked()], [false, true], 'one is taken out of all')
  await page.getByRole('button', { name: 'Снять отметки' }).click()
  await hand.click(page.getByLabel('Отметить все найденные'))
  await hand.click(page.getByRole('button', { name: 'Заблокировать' }))
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Будет заблокировано: 60 абонентов').waitFor()
  t.same(await seriousFaults(page), [])
  t.equal(await blocked(), 0, 'the preview changes nothing')
  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: 'Поиск', exact: true })
  await search.waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  const { body: late } = await root.post('/rest_api/v2/Abonents/', { name: 'Улица опоздавшая', contract_number: '660' })
  await hand.click(dialog.getByRole('button', { name: 'Заблокировать' }))
  await page.getByRole('heading', { name: 'Блокировка абонентов', level: 1 }).waitFor()
  await page.getByText('Готово').waitFor()
  hand.did(t, 'task 27')
  t.equal(await blocked(), 61)
  const differs = page.getByRole('alert').filter({ hasText: 'Подтвердили для 60, а фильтр при начале нашёл 61.' })
  await differs.getByText('Добавились:').waitFor()
  t.equal(
    await differs.getByRole('link', { name: 'Улица опоздавшая' }).getAttribute('href'),
    `/admin/subscribers/${late.id}/`,
  )
  t.same(await seriousFaults(page), [])
  await office.rows(`UPDATE abonents SET name = 'Проспект' WHERE id = $1`, [late.id])

  await page.getByRole('link', { name: 'К абонентам' }).click()
  await page.getByLabel('Отметить: Улица 0', { exact: true }).click()
  await page.getByLabel('Отметить: Улица 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Открыть доступ' }).click()
  await dialog.getByText('Блокировка будет снята: 2 абонента').waitFor()
  await dialog.getByRole('button', { name: 'Открыть доступ' }).click()
  await page.getByText('Готово').waitFor()
  t.equal(await blocked(), 59)
  t.same(complaints, [])
})

t.test('many get a tariff from the next month, and promise payments, with the sums seen before', async (t) => {
  const { body: tarif } = await root.post('/rest_api/v2/Tarif/', { name: 'Быстрый', price: 5_000_000_000_000 })
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  const dialog = page.getByRole('dialog')
  await page.getByLabel('Найти').fill('улица')
  await page.getByRole('status').filter({ hasText: /^60$/ }).waitFor()
  await hand.click(page.getByLabel('Отметить все найденные'))
  const typed = Promise.withResolvers<void>()
  await page.route('**/admin/Abonents/create/', (route) => typed.promise.then(() => route.continue()))
  await hand.click(page.getByRole('button', { name: 'Сменить тариф' }))
  await dialog.getByLabel('Новый тариф').pressSequentially('Быстр')
  typed.resolve()
  // Who typed before the tariffs were there chooses by Enter all the same.
  await page.getByRole('option', { name: /Быстрый/ }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('Тариф сменится: 60 абонентов').waitFor()
  await dialog.getByText(/^Абонентская плата за месяц изменится на \+30\s000,00/).waitFor()
  await dialog.getByText(/^Тариф начнётся /).waitFor()
  t.same(await seriousFaults(page), [])
  const planned = async () =>
    (await office.rows('SELECT count(*)::int AS n FROM abonents WHERE next_tarif_id = $1', [tarif.id]))[0].n
  t.equal(await planned(), 0, 'the preview changes nothing')
  await hand.click(dialog.getByRole('button', { name: 'Сменить' }))
  await page.getByRole('heading', { name: /^Смена тарифа: Быстрый с / }).waitFor()
  await page.getByText('Готово').waitFor()
  hand.did(t, 'task 27')
  t.equal(await planned(), 60)

  await office.rows(`UPDATE abonents SET tarif_id = $1, create_date = '2020-01-01' WHERE name = 'Улица 0'`, [tarif.id])
  await page.getByRole('link', { name: 'К абонентам' }).click()
  await page.getByLabel('Отметить: Улица 0', { exact: true }).click()
  await page.getByLabel('Отметить: Улица 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Обещанный платёж' }).click()
  await dialog.getByText('Обещанный платёж получат: 1 абонент').waitFor()
  await dialog.getByText('Обещанные платежи отключены: 1').waitFor()
  await dialog.getByText(/^Будет зачислено: 500,00/).waitFor()
  await dialog.getByText(/^Плата за подключение: 90,00/).waitFor()
  t.same(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Дать' }).click()
  await page.getByRole('heading', { name: 'Обещанные платежи', level: 1 }).waitFor()
  await page
    .getByRole('row', { name: /Улица 1/ })
    .getByText('Обещанный платёж этому абоненту не даётся')
    .waitFor()
  t.equal((await office.rows(`SELECT FROM abonents WHERE promise_pay IS NOT NULL`)).length, 1)
  t.same(complaints, [])
})

t.test('the screens are in English, dark, and fit a telephone', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/import/', {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  await page.getByText('Choose a file').waitFor()
  t.notOk(await page.getByText('You can also drop it here').isVisible(), 'a finger drags no file into a page')
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  await page.locator('main a[href*="/runs/"]').last().click()
  await page.getByText('login "petrov" stands in line 3 already').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])

  await follow(page, '/subscribers/')
  const dialog = page.getByRole('dialog')
  await page
    .getByLabel(/^Select Улица/)
    .first()
    .click()
  await page.evaluate(`(function look() {
    globalThis.widest = Math.max(globalThis.widest ?? 0, document.documentElement.scrollWidth)
    globalThis.next = requestAnimationFrame(look)
  })()`)
  await page.getByRole('toolbar').getByRole('button', { name: 'Change tariff' }).click()
  await dialog.getByLabel('New tariff').waitFor()
  // The tariffs are offered at once, and are never beyond the edge.
  await page.getByRole('option').first().waitFor()
  t.equal(await page.evaluate('cancelAnimationFrame(globalThis.next), globalThis.widest'), 390)
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Saved views' }).click()
  const everybody = 'Everybody in Lenin street, houses one to twenty'
  await dialog.getByLabel('Save the view as').fill(everybody)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('button', { name: everybody, exact: true }).waitFor()
  for (const button of await dialog.getByRole('button').all()) {
    const box = await button.boundingBox()
    t.ok(box && box.height >= 44 && box.width >= 44, `${await button.textContent()} is as large as a finger`)
  }
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

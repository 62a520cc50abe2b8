// needs chromium from chromium
import t from 'tap'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone } from '../support/console.ts'
import { Hand } from '../support/hand.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')

const made = async (model: string, fields: object): Promise<Json> =>
  (await root.post(`/rest_api/v2/${model}/`, fields)).body
const nas = await made('Nas', { name: 'bras', ip: '127.0.0.1', secret: 'x', nas_type: 'mikrotik' })
const ivanov = await made('Abonents', { name: 'Иванов Иван', contract_number: '100001' })
await made('Users', { abonent: ivanov.id, login: 'ivanov', password: 'x' })
await office.rows(`UPDATE nas SET last_packet_at = now()`)
await office.rows(`SELECT radius_auth_log_add_day((now() AT TIME ZONE 'UTC')::date)`)
await office.rows(
  `INSERT INTO radius_auth_log (at, id, accepted, reason, login, abonent_id, organization_id, nas_id, mac, port, count)
    SELECT now() - n * interval '1 ms', n, false, CASE WHEN n % 2 = 0 THEN 'wrong_password' ELSE 'unknown_login' END,
      CASE WHEN n % 2 = 0 THEN 'ivanov' ELSE 'ivanvo' || n END, CASE WHEN n % 2 = 0 THEN $1::int8 END,
      CASE WHEN n % 2 = 0 THEN 1 END, $2::int8, '02:00:00:00:00:01', 'eth1.7', n
    FROM generate_series(2, 41) AS n`,
  [ivanov.id, nas.id],
)

t.test('the card says in one sentence why a client is offline, and where to mend it', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Иванов Иван' }))
  const why = page.locator('section', { has: page.getByRole('heading', { name: 'Диагностика' }) })
  await why.getByText('Последний запрос отклонён: неверный пароль').waitFor()
  hand.did(t, 'task 3')
  t.equal(await why.locator('li').count(), 8)
  t.ok((await why.getByRole('img', { name: 'в порядке', exact: true }).count()) >= 4)
  t.same(await seriousFaults(page), [])
  await why.getByRole('link', { name: /Подробнее: Последний запрос/ }).click()
  await page.getByRole('heading', { name: 'Журнал авторизаций' }).waitFor()
  t.match(page.url(), new RegExp(`/network/log/\\?abonent=${ivanov.id}$`))
  await page.locator('tbody').getByText('Неверный пароль').first().waitFor()
  t.equal(await page.locator('tbody').getByText('Неизвестный логин').count(), 0)
  t.same(complaints, [])
})

t.test('rejects are filtered by reason, login and MAC, in the address', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/network/log/')
  await page.locator('tbody').getByText('Неверный пароль').first().waitFor()
  await page.getByRole('button', { name: 'Неизвестный логин', exact: true }).click()
  await page.locator('tbody').getByText('Неверный пароль').first().waitFor({ state: 'detached' })
  t.match(page.url(), /\?reason=unknown_login$/)
  await page.getByRole('button', { name: 'Все', exact: true }).click()
  await page.getByLabel('Логин или MAC').fill('ivanvo3')
  await page.keyboard.press('Enter')
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
  t.equal(new URL(page.url()).searchParams.get('login'), 'ivanvo3')
  await page.getByLabel('Логин или MAC').fill('0200.0000.0001')
  await page.keyboard.press('Enter')
  await page.locator('tbody').getByText('× 2', { exact: true }).waitFor()
  t.equal(new URL(page.url()).searchParams.get('mac'), '0200.0000.0001')
  t.same(await seriousFaults(page), [])
  t.equal(await overflow(page), 0)
  t.same(complaints, [])
})

t.test(
  'the reasons of the last hour and the days narrow the log down, and one press shows all of it again',
  async (t) => {
    const { page, complaints } = await openScreen(t, root, `/network/log/?abonent=${ivanov.id}`)
    const rows = page.locator('tbody tr[data-index]')
    await page.getByRole('button', { name: 'Неверный пароль 420', exact: true }).waitFor()
    t.equal(
      await page.getByRole('button', { name: 'Неизвестный логин 440', exact: true }).count(),
      0,
      'of whom is shown',
    )
    await page.getByRole('button', { name: 'Сбросить фильтры' }).click()
    await page.waitForURL(({ search }) => search === '')
    const unknown = page.getByRole('button', { name: 'Неизвестный логин 440', exact: true })
    await unknown.click()
    await rows.getByText('Неверный пароль').first().waitFor({ state: 'detached' })
    t.match(page.url(), /\?reason=unknown_login$/)
    t.equal(await unknown.getAttribute('aria-pressed'), 'true')
    await unknown.click()
    await rows.getByText('Неверный пароль').first().waitFor()
    await page.getByLabel('По какой день').fill('2020-01-01')
    await page.getByText('Ничего не найдено').waitFor()
    t.equal(new URL(page.url()).searchParams.get('to'), '2020-01-01')
    await page.getByLabel('По какой день').fill('')
    await page.getByLabel('С какого дня').fill('2020-01-01')
    await rows.getByText('Неверный пароль').first().waitFor()
    t.same(await seriousFaults(page), [])
    t.same(complaints, [])
  },
)

t.test('both fit a telephone and the dark', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/network/log/', { ...telephone, colorScheme: 'dark' })
  await page.getByRole('link', { name: 'ivanov' }).first().waitFor()
  const card = await page.getByRole('listitem').filter({ hasText: 'ivanov' }).first().innerText()
  for (const said of ['Иванов Иван', 'bras', '02:00:00:00:00:01']) t.ok(card.includes(said), `a card says ${said}`)
  const [chips, tools] = [page.getByRole('button', { name: 'Все', exact: true }), page.getByLabel('Выгрузить')]
  const lines = await Promise.all([chips, tools].map(async (one) => Math.round((await one.boundingBox())!.y)))
  t.equal(lines[0], lines[1], 'quick filters and tools share a line')
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  await follow(page, `/subscribers/${ivanov.id}/overview/`)
  await page.getByText('Последний запрос отклонён: неверный пароль').waitFor()
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

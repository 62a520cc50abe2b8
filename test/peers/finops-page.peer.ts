// needs chromium from chromium
import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { visit } from '../support/chromium.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const { body: client } = await root.post('/rest_api/v2/Abonents/', {
  name: '<img src=x onerror="window.caught = true">',
  contract_number: '000101',
})
await office.rows(
  `INSERT INTO finance_operations (op_summa, op_type_id, abonent_id, account_id, organization_id, descr, storno)
    SELECT (CASE n % 3 WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE -1 END) * 12345 * 10^9::int8, 7, $1, $2, 1, 'строка ' || n, n = 120
    FROM generate_series(1, 120) AS n`,
  [client.id, client.account],
)

t.test('a browser shows the month, more of it while it scrolls, and one operation with its surroundings', async (t) => {
  const { context, page, complaints } = await visit(t, { viewport: { width: 1400, height: 900 } })
  await context.addCookies([{ name: 'sessionid', value: root.key, url: office.base }])
  await page.goto(`${office.base}/admin/Abonents/FinanceOperations/`)
  const rows = page.locator('#operations tr')
  await rows.nth(49).waitFor()
  t.equal(await page.locator('[data-total="total"]').textContent(), '120')
  t.match(await page.locator('[data-total="income_sum"]').textContent(), /^49\u00a0380,00$/u)
  t.match(await rows.first().getAttribute('class'), 'storno')
  t.equal(
    await page.evaluate('getComputedStyle(document.querySelector("#operations td")).textDecorationLine'),
    'line-through',
  )
  const firstClass = (row: unknown) => (row as { readonly className: string }).className.split(' ')[0]
  const classes = new Set(await Promise.all((await rows.all()).map((row) => row.evaluate(firstClass)))).size
  t.equal(classes, 3, 'income, expense, neutral')
  for (let shown = 0; shown < 120; ) {
    await page.mouse.wheel(0, 20_000)
    shown = await rows.count()
  }
  await page.getByText('это всё').waitFor()
  t.equal(await rows.count(), 120, 'each once')
  await rows.nth(5).click()
  await page.locator('#detail h2', { hasText: 'Операция' }).waitFor()
  await page.locator('#detail-body dd', { hasText: 'договор 000101' }).waitFor()
  await page.keyboard.press('Escape')
  await page.fill('[name="q"]', 'строка 77')
  await page.click('#filters button')
  await page.locator('#operations tr:only-child').waitFor()
  const csv = await page.getAttribute('[data-format="csv"]', 'href')
  t.match(csv, /^\/admin\/Abonents\/download_operations\/\?q=.*&format=csv$/)
  const [{ op_id: id }] = await office.rows(`SELECT op_id FROM finance_operations WHERE descr = 'строка 77'`)
  await page.goto(`${office.base}/admin/Abonents/finops_detail/${id}/`)
  await page.locator('#detail h2', { hasText: `Операция ${id}` }).waitFor()
  t.equal(await page.evaluate('window.caught'), undefined, 'names are words, not markup')
  t.same(complaints, [])
})

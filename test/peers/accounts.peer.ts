// needs chromium from chromium
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Json, openAccountsOffice } from '../interfaces/accounts/fixture.ts'
import { visit } from '../support/chromium.ts'

const evil = '<img src=x onerror="window.caught = true">'

async function opened(t: Test, base: string, path: string, viewport: { width: number; height: number }) {
  // What the server refuses is shown by the page and reported by the browser as well.
  const isRefusal = (complaint: string) => /status of 400/.test(complaint)
  const { page, complaints } = await visit(t, { viewport, timezoneId: 'Asia/Vladivostok' }, isRefusal)
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(base + path)
  await page.fill('input[name=username]', 'root')
  await page.fill('input[name=password]', 'root-password')
  await page.click('button')
  return { page, complaints }
}

const shows = (where: Page | Locator, selector: string, text: string) =>
  where.locator(selector, { hasText: text }).first().waitFor()

t.test('an operator finds an account, pays, reverses, links and changes terms', async (t) => {
  const { office, client, made } = await openAccountsOffice(t)
  const { account } = await client(evil, { comment: evil })
  const ivan = await client('Иванов Иван')
  await office.rows(`INSERT INTO admin_accounts (comment) SELECT 'n' || n FROM generate_series(1, 250) AS n`)
  await made(`/admin/Abonents/accounts_crud/${account}/`, {
    ...{ comment: evil, warn: 10, sleep_date: '2020-05-05T20:59:59+03:00' },
  })
  const [{ id: tarif }] = await office.rows(
    `INSERT INTO tarifs (name, price) VALUES ('Home', 6000000000000) RETURNING id`,
  )
  const path = `/admin/Abonents/AdminAccounts/?edit=${account}`
  const { page, complaints } = await opened(t, office.base, path, { width: 1280, height: 900 })

  const card = page.locator('#card')
  await shows(card, '#card-title', `Счёт № ${account}`)
  await shows(card, '.clients li', evil)
  await shows(page, '#kpi-total', '252')
  await shows(page, '#kpi-without-client', '250')

  const topUp = card.locator('details', { hasText: 'Пополнить' })
  await topUp.locator('summary').click()
  await topUp.locator('option[value="7"]').waitFor({ state: 'attached' })
  t.equal(await topUp.locator('option[value="9"]').count(), 0, 'a top-up offers income only')
  await topUp.locator('[name=amount]').fill('100,5')
  await topUp.locator('[name=descr]').fill(evil)
  await topUp.locator('form button').click()
  await shows(card, '#card-message', 'Проведено: 100,50 ₽')
  await shows(card, '.balance', '100,50 ₽')
  await shows(card, 'tbody td', evil)
  await shows(page, '#accounts tr', '100,50')

  const adjust = card.locator('details', { hasText: 'Корректировка' })
  await adjust.locator('summary').click()
  await adjust.locator('select[name=op_type_id]').selectOption('9')
  await adjust.locator('[name=amount]').fill('0')
  await adjust.locator('form button').click()
  await shows(adjust, '.bad', 'amount')
  await adjust.locator('[name=amount]').fill('200')
  await adjust.locator('form button').click()
  await shows(card, '.balance', '−99,50 ₽')
  await shows(card, '.badge', 'доступ закрыт')
  await card.getByRole('button', { name: 'Сторно последней' }).click()
  await shows(card, '.balance', '100,50 ₽')
  await card.locator('tr.storno').first().waitFor()

  const link = card.locator('details', { hasText: 'Привязать клиента' })
  await link.locator('summary').click()
  await link.locator('[name=abonent_id]').fill(String(ivan.id))
  await link.locator('form button').click()
  await shows(card, '.clients li', 'Иванов Иван')

  await office.rows(`UPDATE abonents SET create_date = '2020-01-01', tarif_id = $2 WHERE id = $1`, [ivan.id, tarif])
  await card.locator('.clients li', { hasText: 'Иванов' }).getByRole('button', { name: 'Обещанный платёж' }).click()
  await shows(card, '#card-message', 'Обещанный платёж 600,00 ₽ подключён, плата за подключение 90,00 ₽')
  await shows(card, '.clients li', 'обещанный платёж 600,00 ₽ до')
  await shows(card, '.balance', '610,50 ₽')

  const terms = card.locator('details', { hasText: 'Изменить условия' })
  await terms.locator('summary').click()
  t.equal(await terms.locator('[name=warn]').inputValue(), '10.00')
  await terms.locator('[name=limit]').fill('-300')
  await terms.locator('[name=warn]').fill('')
  await terms.locator('[name=unlimited_date]').fill('2030-01-01T10:00')
  await terms.locator('form button').click()
  await shows(card, '#card-message', 'Условия сохранены')
  await shows(card, 'dd', '−300,00 ₽')
  await shows(card, 'dd', '05.05.2020 20:59')
  const [stored] = await office.rows(
    'SELECT warn, "limit", comment, unlimited_date, sleep_date FROM admin_accounts WHERE id = $1',
    [account],
  )
  t.match(stored as Json, { warn: null, limit: '-3000000000000', comment: evil }, 'what was not touched stays')
  t.strictSame(
    stored!.unlimited_date,
    new Date('2030-01-01T10:00:00+03:00'),
    'an hour of TIME_ZONE, not of the browser',
  )
  t.strictSame(stored!.sleep_date, new Date('2020-05-05T20:59:59+03:00'), 'to the second')

  for (const [tab, text] of [
    ['Услуги', 'Ожидаемое начисление'],
    ['Поступления', 'За 90 дней'],
    ['Банк', 'выписки нет'],
    ['Уведомления', 'Уведомлений не было'],
  ] as const) {
    await card.getByRole('tab', { name: tab }).click()
    await shows(card, '[role=tabpanel]', text)
  }
  await card.getByRole('button', { name: 'Удалить счёт' }).click()
  await shows(card, '#card-message.bad', 'клиентов 2 (сначала отвяжите их), операций 5')
  if (process.env.ACCOUNTS_PICTURE) await page.screenshot({ path: `${process.env.ACCOUNTS_PICTURE}-card.png` })
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'hidden' })
  // The address follows the closing in an event of its own.
  await page.waitForURL((url) => !url.searchParams.has('edit'))
  t.notMatch(page.url(), /edit=/)

  while ((await page.locator('#accounts tr').count()) <= 150) await page.mouse.wheel(0, 100_000)
  await page.click('[data-chip=without_client]')
  await shows(page, '#kpi-total', '251')
  t.match(page.url(), /chip=without_client/)
  for (const box of (await page.locator('#accounts input').all()).slice(0, 2)) await box.check()
  await page.selectOption('#bulk [name=action]', 'delete_orphans')
  await page.click('#bulk button')
  await shows(page, '#bulk-result', 'Готово: 2')
  await shows(page, '#kpi-total', '249')
  await page.click('[data-chip=""]')
  await page.locator(`#accounts tr[data-id="${account}"] input`).check()
  await page.selectOption('#bulk [name=action]', 'promise')
  await page.click('#bulk button')
  await shows(page, '#bulk-result', `№ ${account}: Обещанный платёж этому клиенту недоступен`)
  await page.fill('#q', 'img src')
  await shows(page, '#kpi-total', '1')
  await shows(page, '#accounts td', evil)
  if (process.env.ACCOUNTS_PICTURE) await page.screenshot({ path: `${process.env.ACCOUNTS_PICTURE}-list.png` })

  t.equal(await page.evaluate('window.caught'), undefined)
  t.equal(await page.locator('img').count(), 0)
  t.strictSame(complaints, [])
})

t.test('on a phone nothing is wider than the screen', async (t) => {
  const { office, client, move } = await openAccountsOffice(t)
  const { account } = await client('Константинопольский Александр Вениаминович')
  await move(account, -1234)
  const { page, complaints } = await opened(t, office.base, '/admin/Abonents/AdminAccounts/', {
    width: 390,
    height: 800,
  })
  const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
  await shows(page, '#accounts tr', 'Константинопольский')
  t.ok(await fits(), 'the list')
  if (process.env.ACCOUNTS_PICTURE) await page.screenshot({ path: `${process.env.ACCOUNTS_PICTURE}-phone.png` })
  await page.click('#accounts tr')
  await shows(page, '.balance', '−1 234,00')
  t.ok(await fits(), 'the card')
  t.ok(await page.evaluate('document.querySelector("dialog").scrollWidth <= innerWidth'))
  if (process.env.ACCOUNTS_PICTURE) await page.screenshot({ path: `${process.env.ACCOUNTS_PICTURE}-phone-card.png` })
  t.strictSame(complaints, [])
})

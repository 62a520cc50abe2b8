// needs chromium from chromium
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import { openAccountsOffice } from '../interfaces/accounts/fixture.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, follow, isRefusal, openScreen } from '../support/console.ts'

/**
 * Screens on a slow line: an answer comes after its user has gone on, and takes nothing away, leads nobody elsewhere and
 * is not taken for the answer to something else.
 */
const { office, root, client, move, made } = await openAccountsOffice(t, { httpPort: await pagePort() })
const anna = await client('Анна Ли')
const boris = await client('Борис Ли')
await move(boris.account, -70)
await office.rows(`INSERT INTO admin_accounts (comment) SELECT 'n' || n FROM generate_series(1, 250) AS n`)

/** Holds back what a door is asked from now on; `come` lets it go on, and `asked` is there when it was asked. */
async function late(page: Page, isMeant: (request: Request) => boolean) {
  const slow = Promise.withResolvers<void>()
  const asked = page.waitForRequest(isMeant)
  await page.route('**/admin/**', async (route) => {
    if (isMeant(route.request())) await slow.promise
    await route.fallback()
  })
  const come = async () => {
    const answered = page.waitForResponse((response) => isMeant(response.request()))
    slow.resolve()
    await answered
  }
  return { asked, come }
}

const isSent =
  (door: string) =>
  (request: Request): boolean =>
    request.method() === 'POST' && request.url().includes(door)

const dialog = (page: Page) => page.getByRole('dialog')

t.test('whoever has left a form before the answer stays where they are, and hears of it', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${anna.id}/money/`, desk, isRefusal)
  await page.getByRole('button', { name: 'Платёж', exact: true }).first().click()
  await dialog(page).getByLabel('Сумма, ₽').fill('10')
  const payment = await late(page, isSent('accounts_payment'))
  await page.keyboard.press('Enter')
  await payment.asked
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Журнал', exact: true }).click()
  await page.waitForURL(/\/log\/$/)
  await payment.come()
  await page.getByText('Принято 10,00').waitFor()
  t.match(page.url(), /\/log\/$/)

  await page.getByRole('link', { name: 'Деньги', exact: true }).last().click()
  await page.getByRole('link', { name: 'Лицевой счёт' }).click()
  await page.getByRole('button', { name: 'Провести деньги' }).click()
  await dialog(page).getByLabel('Сумма, ₽').fill('11')
  await dialog(page).getByLabel('Дата').fill('2099-01-01T10:00')
  const refused = await late(page, isSent('accounts_payment'))
  await dialog(page).getByRole('button', { name: 'Провести' }).click()
  await refused.asked
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  await refused.come()
  await page.getByText('Дата операции в будущем').waitFor()
  t.equal(await dialog(page).count(), 0, 'nothing is asked over another screen')
  t.same(complaints, [])
})

t.test('nobody else is said to have paid while money is on its way', async (t) => {
  const cashier = await office.staff('kassa', 'cashier', [1])
  await cashier.post('/admin/cash/open/', { opening_cash: '0' })
  const { page } = await openScreen(t, cashier, '/money/cash/')
  const payer = page.getByRole('combobox', { name: 'Кто платит' })
  await payer.fill('борис')
  await page.getByRole('option', { name: /Борис Ли/, disabled: false }).click()
  const payment = await late(page, isSent('accounts_payment'))
  await page.getByRole('button', { name: 'Принять', exact: true }).click()
  await payment.asked
  t.ok(await payer.isDisabled())
  await payment.come()
  await page.getByRole('heading', { name: 'Принято 70,00' }).waitFor()
  await page.getByRole('button', { name: /^Следующий/ }).click()
  t.notOk(await payer.isDisabled())
})

t.test('rows go on after another filter was chosen while they came', async (t) => {
  const { page } = await openScreen(t, root, '/')
  const isNext = (request: Request, filter: string) => {
    const { pathname, searchParams } = new URL(request.url())
    const isMeant = pathname.endsWith('/accounts_json/') && searchParams.get('page') === '2'
    return isMeant && (searchParams.get('chip') ?? '') === filter
  }
  const next = await late(page, (request) => isNext(request, ''))
  await follow(page, '/money/accounts/?sort=-id')
  await page.getByRole('link', { name: '№' }).first().waitFor()
  await page.evaluate(`document.querySelector('main table').parentElement.scrollTop = 1e5`)
  await next.asked
  const others = page.waitForRequest((request) => isNext(request, 'without_client'))
  await page.getByRole('button', { name: 'Без клиента' }).click()
  await others
})

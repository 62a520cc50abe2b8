// needs chromium from chromium
import t, { type Test } from 'tap'
import { type Visit, visit } from '../support/chromium.ts'
import { startGateway } from '../support/gateways.ts'
import { openProgram } from '../support/opened-program.ts'
import type { TestProgram } from '../support/program.ts'
import { type Client, linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'

const station = '02-00-00-00-00-01'
const shop = { id: '100500', key: 'test_shop_of_the_browser_journey' }

type Scene = { readonly program: TestProgram; readonly client: Client }

/** The program with both gateways beside it, and somebody 50 rubles in debt. */
async function scene(t: Test): Promise<Scene> {
  const program = await openProgram(t)
  const options = { webhook: `${program.address.http}/lk/payments/webhook/`, ...shop }
  const [a, b] = await Promise.all([startGateway(t, 'a', options), startGateway(t, 'b', options)])
  const set = await program.rest('POST', '/admin/settings/system/', {
    LK_GWA_API_URL: a.api,
    LK_GWA_SHOP_ID: shop.id,
    LK_GWA_SECRET_KEY: shop.key,
    LK_GWB_FORM_URL: b.form,
    LK_GWB_MERCHANT_ID: shop.id,
    LK_GWB_SECRET_KEY: shop.key,
  })
  t.equal(set.status, 200)
  const [client] = (await signUp(program, 1)) as [Client]
  await charge(program, client, 50)
  return { program, client }
}

async function charge(program: TestProgram, { account }: Client, rubles: number): Promise<void> {
  const made = await program.rest('POST', '/rest_api/v2/FinanceOperations/', {
    account,
    op_type: 9,
    op_summa: rubles * ruble,
  })
  if (made.status !== 201) throw new Error(`The charge was refused: ${JSON.stringify(made.body)}`)
}

type Phone = Visit & {
  /** Looks at a page: it fits the screen, every field has a label, and a picture is taken where one is wanted. */
  look(name: string): Promise<void>
}

/** A small telephone, as Chromium shows it. */
async function phone(t: Test, over: { javaScriptEnabled?: boolean; locale?: string } = {}): Promise<Phone> {
  const pictures = process.env.PORTAL_PICTURES
  const small = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
  const visitor = await visit(t, { ...small, locale: 'ru-RU', ...over }, () => false, Boolean(pictures))
  const { page } = visitor
  const look = async (name: string) => {
    await page.waitForLoadState()
    if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
    const tooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
    t.equal(await page.evaluate(tooWide), false, `${name} fits the screen`)
    const nameless = `[...document.querySelectorAll('input:not([type=hidden])')].filter((one) => one.labels.length === 0).length`
    t.equal(await page.evaluate(nameless), 0, `every field of ${name} has a label`)
  }
  return { ...visitor, look }
}

async function signIn({ page, look }: Phone, { program }: Scene, password = linePassword): Promise<void> {
  await page.goto(`${program.address.http}/lk/`)
  await look('sign-in')
  await page.getByLabel(/договора|Contract/).fill('000001')
  await page.getByLabel(/^Пароль|^Password/).fill(password)
  await page.getByRole('button', { name: /Войти|Sign in/ }).tap()
  await page.waitForURL('**/lk/')
}

t.test('a client pays on a telephone, and the closed line opens', async (t) => {
  const set = await scene(t)
  const { program, client } = set
  const nas = await simulateNas(program, '127.0.0.41')
  t.teardown(() => nas.stop())
  t.match(await nas.signIn(client.login, linePassword, station), { kind: 'rejected', reason: /negative balance/ })

  const visitor = await phone(t)
  const { page, complaints, look } = visitor
  const arrive = async (title: string) => {
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await page.waitForLoadState()
  }
  await signIn(visitor, set)
  await look('account-closed')
  t.match(await page.locator('.state').textContent(), 'Доступ закрыт: отрицательный баланс')
  t.equal(await page.locator('.balance data').getAttribute('value'), '-50.00')

  await page.getByRole('link', { name: 'Пополнить' }).last().tap()
  await arrive('Пополнить счёт')
  await look('pay')
  await page.getByLabel('Сумма').fill('150,50')
  await page.getByRole('button', { name: 'Перейти к оплате' }).tap()
  await page.getByText('157.27').waitFor()
  t.notOk(page.url().startsWith(program.address.http), 'on the page of the gateway')
  await page.getByRole('button', { name: 'Оплатить' }).tap()
  await page.waitForURL('**/lk/payments/result/**')
  await page.getByText('Платёж зачислен').waitFor()
  await look('paid')
  await page.getByRole('link', { name: 'К счёту' }).tap()
  await arrive('Счёт')
  t.equal(await page.locator('.balance data').getAttribute('value'), '100.50')
  t.match(await page.locator('.state').textContent(), 'Доступ открыт')
  await look('account-open')
  t.match(await nas.signIn(client.login, linePassword, station), { kind: 'accepted' })

  // The other gateway, by a form that goes by itself.
  await page.goto(`${program.address.http}/lk/payments/pay/`)
  await page.getByLabel('Электронный кошелёк').check()
  await page.getByLabel('Сумма').fill('20')
  await page.getByRole('button', { name: 'Перейти к оплате' }).tap()
  await page.getByRole('button', { name: 'Оплатить' }).tap()
  await page.getByText('Платёж зачислен').waitFor()

  await page.getByRole('link', { name: 'История' }).tap()
  await arrive('История')
  t.equal(await page.locator('tbody tr').count(), 3)
  await look('history')
  for (const [address, title] of [
    ['promise', 'Обещанный платёж'],
    ['block', 'Приостановить доступ'],
    ['password', 'Сменить пароль'],
    ['tariff', 'Тариф'],
    ['services', 'Услуги'],
    ['tickets', 'Обращения'],
  ] as const) {
    await page.goto(`${program.address.http}/lk/${address}/`)
    await arrive(title)
    await look(address)
  }
  t.strictSame(complaints, [])
})

t.test('all of it works without scripts, in English too', async (t) => {
  const set = await scene(t)
  const { program, client } = set
  const nas = await simulateNas(program, '127.0.0.42')
  t.teardown(() => nas.stop())
  const visitor = await phone(t, { javaScriptEnabled: false, locale: 'en-GB' })
  const { page } = visitor
  const go = (address: string) => page.goto(`${program.address.http}/lk/${address}`)
  await signIn(visitor, set)
  t.match(await page.locator('.state').textContent(), 'Access is closed: negative balance')

  await go('payments/pay/')
  await page.getByLabel('E-wallet').check()
  await page.getByLabel('Amount, RUB').fill('60')
  await page.getByRole('button', { name: 'Continue to payment' }).tap()
  await page.getByText('If it does not, press the button').waitFor()
  await page.getByRole('button', { name: 'Continue to payment' }).tap()
  await page.getByRole('button', { name: 'Оплатить' }).tap()
  await page.waitForURL('**/lk/payments/result/**')
  await page.getByText('The payment is credited').waitFor()
  t.match(await nas.signIn(client.login, linePassword, station), { kind: 'accepted' })

  await go('block/')
  await page.getByRole('button', { name: 'Suspend' }).tap()
  await page.getByText('Access is suspended.').waitFor()
  t.match(await nas.signIn(client.login, linePassword, station), { kind: 'rejected' })
  await page.getByRole('button', { name: 'Resume' }).tap()
  await page.getByText('Access is resumed.').waitFor()

  await go('password/')
  await page.getByLabel('Present password').fill(linePassword)
  await page.getByLabel('New password', { exact: true }).fill('new-line-password')
  await page.getByLabel('New password again').fill('new-line-password')
  await page.getByRole('button', { name: 'Change' }).tap()
  await page.getByText('The password is changed.').waitFor()
  t.match(await nas.signIn(client.login, linePassword, station), { kind: 'rejected' }, 'RADIUS follows at once')
  t.match(await nas.signIn(client.login, 'new-line-password', station), { kind: 'accepted' })

  await page.getByRole('button', { name: 'Sign out' }).tap()
  await page.getByRole('heading', { name: 'Sign in to your account' }).waitFor()
  await go('payments/')
  t.match(page.url(), '/lk/login/?next=')
})

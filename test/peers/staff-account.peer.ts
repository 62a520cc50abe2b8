// needs chromium from chromium
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { pagePort, visit } from '../support/chromium.ts'
import { SteadyClock } from '../support/steady-clock.ts'

let now = new Date('2026-11-23T12:00:10Z')
const clock = Object.assign(new SteadyClock(), { now: () => now })
const office = await openOffice(t, { httpPort: await pagePort(), clock, env: {} })
await office.staff('anna', 'operator', [1])
await office.staff('boris', 'operator', [1])
/** Passkeys are made for names only, and only over TLS or on this machine itself. */
const named = office.base.replace('127.0.0.1', 'localhost')
const fits = 'document.documentElement.scrollWidth <= innerWidth'
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })

const windows = [
  ['a wide light window', { viewport: { width: 1400, height: 900 }, colorScheme: 'light' }],
  ['a narrow dark one', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
] as const

for (const [name, options] of windows)
  t.test(`in ${name} an operator sets up a second factor, signs in with it and takes it away`, async (t) => {
    const { page, complaints } = await visit(t, options)
    const signIn = async () => {
      await page.goto(`${office.base}/admin/?next=/admin/account/`)
      await page.fill('[name="username"]', 'anna')
      await page.fill('[name="password"]', 'anna-password')
      await page.click('button')
    }
    await signIn()
    await page.locator('.qr svg').waitFor()
    t.equal(await page.evaluate(fits), true, 'nothing sticks out')
    const secret = (await page.locator('#factor p code').textContent())!
    await page.fill('#factor [name="password"]', 'anna-password')
    await page.fill('#factor [name="code"]', codeOf(secret))
    await page.click('#factor button')
    await page.locator('.codes li').nth(9).waitFor()

    now = new Date(now.getTime() + 30_000)
    // No page is left that finds itself signed out and goes to the form by itself, beside the next step.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await signIn()
    await page.fill('[name="code"]', codeOf(secret))
    await page.click('button')
    await page.getByText('Кодов восстановления осталось: 10').waitFor()
    t.equal(await page.evaluate(fits), true)
    const off = page.locator('form[action="/admin/account/totp_off/"]')
    await off.locator('[name="password"]').fill('anna-password')
    now = new Date(now.getTime() + 30_000)
    await off.locator('[name="code"]').fill(codeOf(secret))
    await off.locator('button').click()
    await page.getByText('Приложение отключено.').waitFor()
    t.same(complaints, [])
    now = new Date(now.getTime() + 60_000)
  })

for (const [name, options] of windows)
  t.test(
    `in ${name} an operator adds a passkey, signs in with it, and deletes it; a token is made and revoked`,
    async (t) => {
      // Refusals that the page then explains are errors to the console.
      const { context, page, complaints } = await visit(t, options, (text) => /status of 40[13]/.test(text))
      const devtools = await context.newCDPSession(page)
      await devtools.send('WebAuthn.enable')
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      })
      const signIn = async () => {
        await page.goto(`${named}/admin/?next=/admin/account/`)
        await page.fill('[name="username"]', 'boris')
        await page.fill('[name="password"]', 'boris-password')
        await page.click('button')
      }
      await signIn()
      const passkeys = page.locator('#passkeys')
      await passkeys.locator('[name="name"]').fill('Ноутбук')
      await passkeys.locator('[name="current_password"]').fill('wrong')
      await passkeys.getByText('Добавить').click()
      await passkeys.getByText('Нынешний пароль неверен.').waitFor()
      await passkeys.locator('[name="current_password"]').fill('boris-password')
      await passkeys.getByText('Добавить').click()
      await passkeys.locator('.codes code').nth(9).waitFor()
      await passkeys.locator('li', { hasText: 'Ноутбук' }).waitFor()
      t.equal(await page.evaluate(fits), true, 'nothing sticks out')

      await context.clearCookies()
      await signIn()
      await page.locator('#passkey button').click()
      await passkeys.getByText('последнее использование').waitFor()
      t.equal(await page.evaluate(fits), true)

      const tokens = page.locator('#tokens')
      await tokens.locator('[name="name"]').fill('Выгрузка')
      await tokens.locator('[value="read"]').check()
      await tokens.locator('[name="current_password"]').fill('boris-password')
      await tokens.getByText('Создать токен').click()
      await tokens.locator('.outcome code', { hasText: /^tg_/ }).waitFor()
      t.equal(await page.evaluate(fits), true)
      await tokens.locator('li', { hasText: 'Выгрузка' }).getByText('Отозвать').click()
      await tokens.getByText('Токен отозван.').waitFor()
      await tokens.locator('li').waitFor({ state: 'detached' })

      await passkeys.locator('summary').click()
      const removal = passkeys.locator('li form')
      await removal.locator('[name="current_password"]').fill('boris-password')
      await removal.locator('button').click()
      await page.locator('.qr svg').waitFor()
      await page.getByText('Кодов восстановления осталось').waitFor({ state: 'detached' })
      await passkeys.locator('li').waitFor({ state: 'detached' })
      t.same(await office.rows('SELECT FROM staff_passkeys'), [], 'the passkey itself confirmed it')
      t.same(complaints, [])
    },
  )

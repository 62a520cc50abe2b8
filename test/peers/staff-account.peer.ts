// needs chromium from chromium
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { visit } from '../support/chromium.ts'
import { SteadyClock } from '../support/steady-clock.ts'

let now = new Date('2026-11-23T12:00:10Z')
const clock = Object.assign(new SteadyClock(), { now: () => now })
const office = await openOffice(t, { clock })
await office.staff('anna', 'operator', [1])
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })

for (const [name, options] of [
  ['a wide light window', { viewport: { width: 1400, height: 900 }, colorScheme: 'light' }],
  ['a narrow dark one', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
] as const)
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
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'nothing sticks out')
    const secret = (await page.locator('#factor p code').textContent())!
    await page.fill('#factor [name="password"]', 'anna-password')
    await page.fill('#factor [name="code"]', codeOf(secret))
    await page.click('#factor button')
    await page.locator('.codes li').nth(9).waitFor()

    now = new Date(now.getTime() + 30_000)
    await page.context().clearCookies()
    await signIn()
    await page.fill('[name="code"]', codeOf(secret))
    await page.click('button')
    await page.getByText('Кодов восстановления осталось: 10').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    const off = page.locator('form[action="/admin/account/totp_off/"]')
    await off.locator('[name="password"]').fill('anna-password')
    await off.locator('button').click()
    await page.getByText('Второй фактор отключён.').waitFor()
    t.same(complaints, [])
    now = new Date(now.getTime() + 60_000)
  })

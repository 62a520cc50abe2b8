// needs chromium from chromium
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { pagePort, visit } from '../support/chromium.ts'
import { desk, overflow, seriousFaults, telephone } from '../support/console.ts'
import { SteadyClock } from '../support/steady-clock.ts'

/** Stands still between the steps. PostgreSQL, which has a clock of its own, tells which sessions are over. */
let now = new Date()
const clock = Object.assign(new SteadyClock(), { now: () => now })
const office = await openOffice(t, { httpPort: await pagePort(), clock, env: {} })
await office.staff('anna', 'operator', [1])
await office.staff('boris', 'cashier', [1])
/** Passkeys are made for names only, and only over TLS or on this machine itself. */
const named = office.base.replace('127.0.0.1', 'localhost')
const later = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1000)
}
const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() })

async function signIn(page: Page, base: string, username: string, password = `${username}-password`): Promise<void> {
  // No page is left that finds itself signed out and goes to the form by itself, beside the next step.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto(`${base}/admin/?next=/admin/account/`)
  await page.fill('[name="username"]', username)
  await page.fill('[name="password"]', password)
  await page.click('button')
}

/** Nothing is too wide, and axe finds nothing serious. */
async function isFit(page: Page): Promise<void> {
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
}

t.test('codes of an application are set up, asked for and taken away, and the password is changed', async (t) => {
  const options = { ...desk, locale: 'ru-RU', reducedMotion: 'reduce', colorScheme: 'light' } as const
  // Refusals that the screen then explains are errors to the browser's console.
  const { page, complaints } = await visit(t, options, (text) => /status of 40[03]/.test(text))
  const dialog = page.getByRole('dialog')
  await signIn(page, office.base, 'anna')
  await page.getByText('Не включён: для входа хватает пароля.').waitFor()
  await isFit(page)
  await page.getByRole('link', { name: 'Настроить приложение с кодами' }).click()
  await dialog.getByLabel('Текущий пароль').fill('wrong')
  await page.keyboard.press('Enter')
  await dialog.getByText('Ваш пароль неверен').waitFor()
  await dialog.getByLabel('Текущий пароль').fill('anna-password')
  await page.keyboard.press('Enter')
  await dialog.getByRole('img', { name: 'QR-код для приложения' }).waitFor()
  await isFit(page)
  const secret = /[A-Z2-7]{32}/.exec(await dialog.innerText())![0]
  await dialog.getByLabel('Код из приложения').fill('000000')
  await page.keyboard.press('Enter')
  await dialog.getByText('Код или ключ доступа не принят').waitFor()
  await dialog.getByLabel('Код из приложения').fill(codeOf(secret))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('dialog', { name: 'Коды восстановления' })
  const shown = (await codes.locator('dd').innerText()).match(/\w{4}(-\w{4}){3}/g) ?? []
  t.equal(shown.length, 10)
  await isFit(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Это ещё не сохранено' }).getByRole('button', { name: 'Отмена' }).click()
  const download = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Скачать' }).click()
  t.equal((await readFile(await (await download).path(), 'utf8')).trim(), shown.join('\n'))
  await codes.getByRole('button', { name: 'Готово' }).click()
  await page.getByText('Кодов восстановления осталось: 10').waitFor()

  later(30)
  await signIn(page, office.base, 'anna')
  await page.fill('[name="code"]', codeOf(secret))
  await page.click('button')
  await page.getByText('Кодов восстановления осталось: 10').waitFor()
  await page.getByRole('link', { name: 'Отключить приложение с кодами' }).click()
  await dialog.getByLabel('Текущий пароль').fill('anna-password')
  await page.keyboard.press('Enter')
  await dialog.getByText(/^Это последний второй фактор/).waitFor()
  await dialog.getByLabel('Код из приложения или восстановления').fill(shown[0]!)
  await page.keyboard.press('Enter')
  await page.getByText('Приложение отключено').waitFor()
  await page.getByText('Не включён: для входа хватает пароля.').waitFor()

  // That before the second sign-in goes on, because it has set the codes up; that of a program begins now.
  await office.signedIn('anna', 'anna-password')
  await page.reload()
  await page.getByRole('region', { name: 'Мои сессии' }).getByRole('row').nth(3).waitFor()
  await page.getByRole('button', { name: 'Завершить все остальные' }).click()
  await page.getByText('Завершено других сессий: 2').waitFor()
  await page.getByRole('link', { name: 'Сменить пароль' }).click()
  await dialog.getByLabel('Текущий пароль').fill('anna-password')
  await dialog.getByLabel('Новый пароль, не короче 10 знаков').fill('twenty hedgehogs')
  await dialog.getByLabel('Новый пароль ещё раз').fill('thirty hedgehogs')
  await page.keyboard.press('Enter')
  await dialog.getByText('Пароли не совпадают').waitFor()
  await dialog.getByLabel('Новый пароль ещё раз').fill('twenty hedgehogs')
  await isFit(page)
  await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
  await page.getByText('Не включён: для входа хватает пароля.').waitFor()
  t.match(page.url(), /\/admin\/account\/$/, 'the browser goes on in a new session')
  t.same(complaints, [])
})

t.test(
  'who must have a second factor adds a passkey before anything else, signs in with it and deletes it',
  async (t) => {
    await office.settings.set({ STAFF_SECOND_FACTOR: 'offered, cashier=required' })
    const looks = { ...telephone, locale: 'en-GB', reducedMotion: 'reduce', colorScheme: 'dark' } as const
    const options = { ...looks, permissions: ['clipboard-write'] }
    const { context, page, complaints } = await visit(t, options, (text) => /status of 403|WebSocket/.test(text))
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
    const dialog = page.getByRole('dialog')
    await signIn(page, named, 'boris')
    await page.getByText('Your role needs a second factor').waitFor()
    t.equal(await page.getByRole('navigation').count(), 0, 'nothing else is offered')
    await isFit(page)
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Current password').fill('boris-password')
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await codes.getByText(/\w{4}(-\w{4}){3}/).waitFor()
    await isFit(page)
    await page.goBack()
    await page.getByRole('button', { name: 'Cancel' }).click()
    // Whoever presses Enter once more has copied them, and is not asked.
    await codes.locator('button:focus').waitFor()
    await page.keyboard.press('Enter')
    await codes.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: 'Laptop', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Open the menu' }).waitFor()

    await signIn(page, named, 'boris')
    let asked = 0
    page.on('request', (request) => void (request.url().endsWith('/second_factor/options/') && asked++))
    await page.locator('#passkey button').dblclick()
    await page.getByRole('link', { name: 'Delete the passkey Laptop' }).waitFor()
    t.equal(asked, 1, 'the answer to the first press is waited for')
    t.notMatch(await page.getByRole('region', { name: 'Passkeys' }).innerText(), /never/)
    await isFit(page)
    await page.getByRole('link', { name: 'Delete the passkey Laptop' }).click()
    await dialog.getByLabel('Current password').fill('boris-password')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Your role needs a second factor').waitFor()
    t.same(await office.rows('SELECT FROM staff_passkeys'), [], 'the passkey itself confirmed it')
    t.same(complaints, [])
  },
)

import t from 'tap'
import { SimulatedGatewayA } from '../../src/demo/gateways/gateway-a.ts'
import { fetch } from '../support/published.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const north = await office.staff('north', 'cashier', [2])
const viewer = await office.staff('viewer', 'viewer', [2])
await office.rows(
  `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, last_at)
    VALUES (1, 'gwa', 'rest', 'wrongAmount', 'of the north', 2, 'a', 'a', 1045000000000, '2026-01-03'),
      (2, 'gwb', 'form', 'doubled', 'of the south', 3, 'b', 'b', NULL, '2026-01-02'),
      (3, 'gwa', 'http', 'badSignature', 'of nobody', NULL, 'c', 'c', NULL, '2026-01-01')`,
)
const path = '/admin/payments/problems/'

t.test('what was not credited is listed for who may see it', async (t) => {
  const all = await root.get(path)
  t.match(all, { status: 200, body: { ok: true, total: 3, has_more: false } })
  t.same(
    all.body.items.map(({ id }: { id: number }) => id),
    [1, 2, 3],
  )
  t.match(all.body.items[0], { reason: 'wrongAmount', amount: '104.50', resolved: false, times: 1, order_id: null })
  t.same(
    (await north.get(path)).body.items.map(({ id }: { id: number }) => id),
    [1],
  )
  t.equal((await viewer.get(path)).status, 403, 'money is not for everybody')
  t.match((await root.get(`${path}?per_page=2`)).body, { total: 3, has_more: true })
  for (const word of ['x', '__proto__', 'constructor'])
    t.equal((await root.get(`${path}?resolved=${word}`)).status, 400, word)
})

t.test('a problem is marked as seen to, once', async (t) => {
  t.equal((await north.post(`${path}2/`)).status, 404, 'a foreign one')
  t.equal((await north.post(`${path}3/`)).status, 404, 'one of nobody')
  t.equal((await north.post(`${path}1/`, { comment: 'x'.repeat(1001) })).status, 400)
  const first = await north.post(`${path}1/`, { comment: 'вернули' })
  t.match(first, {
    status: 200,
    body: { ok: true, problem: { resolved: true, resolved_by: 'north', comment: 'вернули' } },
  })
  t.match(await root.post(`${path}1/`), { body: { problem: { resolved_by: 'north', comment: 'вернули' } } })
  t.same(
    (await root.get(`${path}?resolved=0`)).body.items.map(({ id }: { id: number }) => id),
    [2, 3],
  )
  t.same(
    (await root.get(`${path}?resolved=1`)).body.items.map(({ id }: { id: number }) => id),
    [1],
  )
  t.match(
    await office.rows(
      `SELECT user_name, action, organization_id FROM audit_operations WHERE table_name = 'PAYMENT_PROBLEMS'`,
    ),
    [{ user_name: 'north', action: 'change', organization_id: '2' }],
  )
  t.equal((await office.rows(`SELECT FROM audit_operations WHERE table_name = 'PAYMENT_PROBLEMS'`)).length, 1)
})

const settingsPath = '/admin/settings/payment/'

t.test('the settings of payments as JSON, with a try of the gateway', async (t) => {
  const gateway = new SimulatedGatewayA({ shopId: '7', secretKey: 'test_key', shopPassword: '', webhook: '' })
  await gateway.start()
  t.teardown(() => gateway.stop())
  const list = await root.get(`${settingsPath}?format=json`)
  t.match(list, { status: 200, body: { ok: true, settings: [{ name: 'LK_PAYMENT_SYSTEM', value: 'gwa' }] } })
  const values = { LK_GWA_API_URL: gateway.apiUrl, LK_GWA_SHOP_ID: '7', LK_GWA_SECRET_KEY: 'test_key' }
  t.match(await root.post(settingsPath, { ...values, check: 'gwa' }), {
    status: 200,
    body: { ok: true, connection: { gateway: 'gwa', protocol: 'rest', ok: true } },
  })
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'test_key')
  const shown = (await root.get(`${settingsPath}?format=json`)).body.settings
  t.match(
    shown.find(({ name }: { name: string }) => name === 'LK_GWA_SECRET_KEY'),
    { value: '***', secret: true },
  )
  t.match(await root.post(settingsPath, { LK_GWA_SECRET_KEY: '***', LK_GWA_SHOP_ID: '8', check: 'gwa' }), {
    body: { connection: { ok: false, message: /does not know/ } },
  })
  t.equal(office.settings.get('LK_GWA_SECRET_KEY'), 'test_key', 'sent back masked it stays')
  t.match(await root.post(settingsPath, { LK_GWA_VAT_CODE: 13 }), {
    status: 400,
    body: { ok: false, errors: { LK_GWA_VAT_CODE: /1 to 12/ } },
  })
  t.match(await root.post(settingsPath, { LK_GWA_API_URL: 'http://gateway.example' }), { status: 400 }, 'not in clear')
  t.match(await root.post(settingsPath, { TIME_ZONE: 'UTC' }), {
    status: 400,
    body: { errors: { TIME_ZONE: /no setting of payments/ } },
  })
  t.match(await root.post(settingsPath, { check: 'x' }), { status: 400 })
  t.equal((await north.get(settingsPath)).status, 403)
  const audits = await office.rows(`SELECT diff FROM audit_operations WHERE object_id = 'LK_GWA_SECRET_KEY'`)
  t.match(audits, [{ diff: { value: ['', '***'] } }], 'a secret is not in the audit')
})

t.test('the same as a page that works without scripts', async (t) => {
  const html = { Accept: 'text/html,application/xhtml+xml' }
  const away = await fetch(office.base + settingsPath, { headers: html, redirect: 'manual' })
  t.equal(away.status, 302, 'who is not signed in goes there first')
  t.match(away.headers.get('location'), '/admin/?next=')

  const browser = await signInAsBrowser('root')
  const page = await (await fetch(office.base + settingsPath, { headers: { ...html, Cookie: browser.cookie } })).text()
  const token = /name="csrfmiddlewaretoken" value="(\w+)"/.exec(page)?.[1] ?? ''
  t.equal(token, browser.token)
  t.match(page, 'name="check" value="gwa"')
  t.match(page, 'name="check" value="gwb"')
  t.match(page, '<html lang="ru">')
  const english = { ...html, Cookie: browser.cookie, 'Accept-Language': 'en' }
  const inEnglish = await (await fetch(office.base + settingsPath, { headers: english })).text()
  for (const [name, text, strange] of [
    ['ru', page, /[a-z]{3,} [a-z]{3,} [a-z]{3,}/],
    ['en', inEnglish, /[а-яё]/i],
  ] as const) {
    const words = text.slice(text.indexOf('<body>')).replace(/<[^>]*>/g, '|')
    t.notMatch(words, strange, `nothing of another language on the page in ${name}`)
  }
  t.match(page, /name="LK_GWA_SECRET_KEY" type="password" autocomplete="new-password" value="\*\*\*"/)

  const send = (fields: Record<string, string>) =>
    fetch(office.base + settingsPath, {
      method: 'POST',
      headers: { ...html, Cookie: browser.cookie, Origin: office.base },
      body: new URLSearchParams({ csrfmiddlewaretoken: token, ...fields }),
    })
  const saved = await send({ LK_GWB_MERCHANT_ID: '"><script>', LK_GWA_RECEIPT_ENABLED: '0' })
  t.equal(saved.status, 200)
  const text = await saved.text()
  t.match(text, 'Сохранено')
  t.notMatch(text, '<script>', 'what was typed is shown as text')
  t.equal(office.settings.get('LK_GWA_RECEIPT_ENABLED'), false)
  const wrong = await send({ LK_GWA_VAT_CODE: '13' })
  t.equal(wrong.status, 400)
  t.match(await wrong.text(), 'id="LK_GWA_VAT_CODE-error">Нужно: целое число от 1 до 12.<')
  t.match(await (await send({ check: 'gwb' })).text(), /class="bad" role="status">Не задано: LK_GWB_FORM_URL/)
  t.equal((await send({ csrfmiddlewaretoken: 'x', LK_GWB_CURRENCY: '398' })).status, 403)
})

t.test('what was not credited as a page, which marks it as seen to', async (t) => {
  const pagePath = '/admin/payments/'
  await office.rows(
    `INSERT INTO payment_problems (id, gateway, protocol, reason, detail, organization_id, notice, fingerprint, amount, order_id)
      VALUES (4, 'gwa', 'rest', 'wrongAmount', '<b>', 2, '<script>', 'd', 1045000000000, 17)`,
  )
  const browser = await signInAsBrowser('north')
  const ask = (path: string, init: RequestInit = {}, language = 'ru') =>
    fetch(office.base + path, {
      redirect: 'manual',
      ...init,
      headers: { Accept: 'text/html', Cookie: browser.cookie, Origin: office.base, 'Accept-Language': language },
    })
  const text = async (path: string, language = 'ru') => (await ask(path, {}, language)).text()
  const open = await text(pagePath)
  t.match(open, 'Сумма не та · 104.50 ₽')
  t.match(open, 'Заказ: 17')
  t.notMatch(open, /<script>|<b><\/p>|of the south/)
  t.match(await text(pagePath, 'en'), 'Wrong amount · 104.50 ₽')
  const mark = (id: number) =>
    ask(`${pagePath}${id}/`, {
      method: 'POST',
      body: new URLSearchParams({ csrfmiddlewaretoken: browser.token, comment: 'вернули "17"' }),
    })
  t.equal((await mark(2)).status, 404, 'a foreign one')
  const marked = await mark(4)
  t.equal(marked.status, 302)
  t.equal(marked.headers.get('location'), pagePath)
  t.match(await text(pagePath), 'Таких платежей нет')
  t.match(await text(`${pagePath}?all=1`), /Разобрано: north, [\d.: ]+<\/p><p>вернули &quot;17&quot;/)
  t.equal((await viewer.get(pagePath)).status, 403)
})

async function signInAsBrowser(username: string): Promise<{ cookie: string; token: string }> {
  const first = await fetch(`${office.base}/admin/`, { headers: { Accept: 'text/html' } })
  const before = cookiesOf(first)
  const token = before.csrftoken ?? ''
  const answer = await fetch(`${office.base}/admin/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: `csrftoken=${token}`, Origin: office.base },
    body: new URLSearchParams({ username, password: `${username}-password`, csrfmiddlewaretoken: token }),
  })
  const cookies = { ...before, ...cookiesOf(answer) }
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
  return { cookie: cookie.join('; '), token: cookies.csrftoken ?? '' }
}

const cookiesOf = (response: Response): Record<string, string> =>
  Object.fromEntries(
    response.headers.getSetCookie().map((line) => (line.split(';', 1)[0] ?? '').split('=', 2) as [string, string]),
  )

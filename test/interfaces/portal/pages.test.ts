import t, { type Test } from 'tap'
import { SimulatedGatewayA } from '../../../src/demo/gateways/gateway-a.ts'
import { SimulatedGatewayB } from '../../../src/demo/gateways/gateway-b.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { amountText, percentText, wholeAmountText } from '../../../src/domain/wording.ts'
import type { AccessRecord } from '../../../src/network/access/record.ts'
import { plantClient, provenLoginOf } from '../../support/clients.ts'
import { SharedDatabase } from '../../support/database.ts'
import { fetch } from '../../support/published.ts'
import { Browser, type PortalFixture, password, signedIn } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const passwordOf = ({ bytes, passwordAt, userReplyAt }: AccessRecord) =>
  Buffer.from(bytes.subarray(passwordAt, userReplyAt)).toString()

const ivan = (t: Test, language = 'ru') => signedIn(t, shared, language)

const enabledOf = async ({ database }: PortalFixture, id: number): Promise<boolean> =>
  (await database.pool.query('SELECT enabled FROM abonents WHERE id = $1', [id])).rows[0].enabled

t.test('the account: balance, state in words, tariff; everything escaped, in the language asked for', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  await fixture.move(id, 1234)
  const open = await browser.get('/lk/')
  t.match(open.text, '<data value="1234.00">1\u00a0234,00\u00a0₽</data>')
  t.match(open.text, 'Доступ открыт')
  t.match(open.text, 'Home &lt;100&gt;')
  t.match(open.text, 'Иванов &quot;Ваня&quot; &lt;Иван&gt;')
  t.match(open.text, 'ул. Мира &amp; Труда')
  t.notMatch(open.text, /<Иван>|<100>/)
  t.match(open.headers.get('cache-control'), 'no-store')
  t.match(open.headers.get('content-security-policy'), "default-src 'none'")
  await fixture.move(id, -1284)
  const closed = await browser.get('/lk/')
  t.match(closed.text, '<data value="-50.00">−50,00\u00a0₽</data>')
  t.match(closed.text, 'Доступ закрыт: отрицательный баланс')
  t.match(closed.text, 'Пополните счёт на 50 руб.')
  const english = await browser.get('/lk/?lang=en')
  t.match(english.text, '<html lang="en">')
  t.match(english.text, 'Access is closed: negative balance')
  t.match((await browser.get('/lk/payments/')).text, '<html lang="en">', 'the choice is remembered')
  t.match((await browser.get('/lk/?lang=xx')).text, '<html lang="en">')
  t.match((await new Browser(fixture.base, 'de, en;q=0.5, ru;q=0.4').get('/lk/login/')).text, '<html lang="en">')
  t.match((await new Browser(fixture.base, 'de').get('/lk/login/')).text, '<html lang="ru">')
  const nothing = await browser.get('/lk/nothing/')
  t.equal(nothing.status, 404)
  t.match(nothing.text, 'There is no such page.')
})

t.test('every page says whom to call or to write to, where the provider says it', async (t) => {
  const { fixture, browser } = await ivan(t)
  t.notMatch((await browser.get('/lk/')).text, '<address>')
  await fixture.set({ MOBILE_BRAND_NAME: 'Сеть & Ко', MOBILE_SUPPORT_PHONE: '+7 (800) 555-35-35' })
  const called = '<address><span>Сеть &amp; Ко</span><a href="tel:+78005553535">+7 (800) 555-35-35</a></address>'
  t.match((await browser.get('/lk/')).text, called)
  await fixture.set({ MOBILE_SUPPORT_EMAIL: 'help@isp.example' })
  const { text } = await new Browser(fixture.base).get('/lk/login/')
  t.match(text, '<a href="mailto:help@isp.example">help@isp.example</a>', 'also who is not signed in')
})

t.test('files have addresses of their content and are kept', async (t) => {
  const { browser } = await ivan(t)
  const [address] = /\/lk\/portal\.css\?v=[\w-]+/.exec((await browser.get('/lk/')).text)!
  const file = await browser.get(address)
  t.match(file.headers.get('content-type'), 'text/css')
  t.match(file.headers.get('cache-control'), 'immutable')
})

t.test('a payment by REST v3: from the form to the gateway and back, by the real state of the order', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  t.match((await browser.get('/lk/payments/pay/')).text, 'временно недоступна', 'no gateway is set up')
  t.equal((await browser.post('/lk/payments/pay/', { amount: '100' })).status, 503)
  const gateway = new SimulatedGatewayA(
    { shopId: '1', secretKey: 'test_key_of_a_shop', shopPassword: '', webhook: 'http://127.0.0.1:9/' },
    { silent: true },
  )
  await gateway.start()
  t.teardown(() => gateway.stop())
  await fixture.set({ LK_GWA_API_URL: gateway.apiUrl, LK_GWA_SHOP_ID: '1', LK_GWA_SECRET_KEY: 'test_key_of_a_shop' })
  await fixture.move(id, -50)

  const form = await browser.get('/lk/payments/pay/')
  t.match(form.text, 'комиссия 4,5 %')
  t.match(form.text, 'href="/lk/payments/pay/?amount=50.00"', 'what opens the line is offered')
  t.match(form.text, 'value="50.00"', 'and proposed')
  const total = 'Чтобы поступило 50,00\u00a0₽, нужно заплатить 52,25\u00a0₽.'
  t.match(form.text, total, 'with the commission')
  t.match(form.text, '500\u00a0₽<small>к оплате 522,50\u00a0₽</small>')
  await fixture.set({ LK_PAYMENT_COMMISSION: '0' })
  const whole = (await browser.get('/lk/payments/pay/')).text
  t.match(whole, 'Без комиссии.')
  t.notMatch(whole, /<small>|заплатить/)
  await fixture.set({ LK_PAYMENT_COMMISSION: '0.045' })
  t.match(form.headers.get('content-security-policy'), `form-action 'self' ${gateway.apiUrl}`)
  for (const amount of ['', '0', '-5', '1.001', '1e3', 'x', '1000000.01']) {
    const refused = await browser.post('/lk/payments/pay/', { amount })
    t.equal(refused.status, 400, `amount ${amount}`)
    t.match(refused.text, 'role="alert"')
  }
  t.equal((await browser.post('/lk/payments/pay/', { amount: '1', system: 'cash' })).status, 400)
  t.equal((await browser.post('/lk/payments/pay/', { amount: '1', system: 'gwb' })).status, 503, 'not set up')

  const started = await browser.post('/lk/payments/pay/', { amount: '1 150,50', system: 'gwa' })
  t.equal(started.status, 302)
  t.ok(started.location?.startsWith(`${gateway.apiUrl}/pay/`))
  t.match(gateway.payments.at(-1), { amount: { value: '1202.27' }, metadata: { credit_amount: '1150.50' } })
  t.ok((await browser.get('/lk/payments/pay/?amount=20')).location?.startsWith(gateway.apiUrl), 'by a link too')
  const orders = gateway.payments.length
  for (const headers of [
    { 'Sec-Fetch-Site': 'same-site' },
    { Referer: 'https://forum.example/thread' },
    { 'Sec-Fetch-Site': 'cross-site', Referer: '' },
  ])
    t.equal((await browser.get('/lk/payments/pay/?amount=77', { headers })).status, 200, JSON.stringify(headers))
  t.equal(gateway.payments.length, orders, 'no order is started by pages of others')
  const lured = await browser.get('/lk/payments/pay/?amount=77', { headers: { 'Sec-Fetch-Site': 'cross-site' } })
  t.equal(lured.status, 200, 'but not by that of another site')
  t.match(lured.text, 'value="77"')
  const inEnglish = await browser.get(/href="([^"]*lang=en)"/.exec(lured.text)![1]!.replaceAll('&amp;', '&'))
  t.equal(inEnglish.status, 200, 'nor by the choice of a language there')
  t.match(inEnglish.text, /value="77"[\s\S]*Continue to payment/)
  await browser.get('/lk/?lang=ru')
  t.equal(gateway.payments.length, orders)
  t.equal((await browser.get('/lk/payments/pay/?amount=77&confirm=1')).status, 200)

  const order = Number(/order=(\d+)/.exec(gateway.payments[0]!.returnUrl)?.[1])
  const result = `/lk/payments/result/?order=${order}&result=success`
  const waiting = await browser.get(result)
  t.match(waiting.text, 'Ждём подтверждения')
  t.match(waiting.text, '<meta http-equiv="refresh" content="2">')
  t.match((await browser.get(result.replace('success', 'fail'))).text, 'Оплата не завершена')
  const { pool } = fixture.database
  await pool.query(`UPDATE payment_orders SET created_at = now() - interval '5 minutes' WHERE id = $1`, [order])
  t.match((await browser.get(result)).text, 'http-equiv="refresh" content="15"')
  await pool.query(`UPDATE payment_orders SET created_at = now() - interval '1 hour' WHERE id = $1`, [order])
  const late = await browser.get(result)
  t.match(late.text, 'Деньги не пропадут')
  t.notMatch(late.text, 'http-equiv="refresh"', 'a page that was left open stops asking')
  await pool.query(`UPDATE payment_orders SET state = 'paid' WHERE id = $1`, [order])
  t.match(
    (await browser.get(result.replace('success', 'fail'))).text,
    'На счёт поступило 1\u00a0150,50\u00a0₽',
    'paid is paid',
  )

  const stranger = new Browser(fixture.base)
  // The links to other languages at the foot repeat the address.
  const shown = async (address: string) => (await stranger.get(address)).text.split('<footer>')[0]
  const nothing = await shown('/lk/payments/result/?order=77')
  for (const guess of [result, `${result}&token=`, `${result}&token=${'a'.repeat(22)}`])
    t.equal(await shown(guess), nothing, 'strangers learn nothing, not even that there is an order')
  const another = new Browser(fixture.base)
  await plantClient(fixture.database, '7', [['anna', 'anna-secret']], fixture.secrets)
  await another.signIn('7', 'anna-secret')
  t.match((await another.get(result)).text, 'Спасибо', 'nor do other clients')
  const { search } = new URL(gateway.payments[0]!.returnUrl)
  const carried = `/lk/payments/result/${search}`
  t.notMatch((await another.get(carried)).text, '150,50')
  const outside = await stranger.get(carried)
  t.equal(outside.status, 200)
  t.match(outside.text, 'Платёж зачислен')
  t.notMatch(outside.text, '150,50', 'amounts are for the client')
  const tv = new Browser(fixture.base)
  t.match((await stranger.get('/lk/payments/result/?order=77')).text, 'Спасибо')
  t.match((await stranger.get('/lk/payments/result/?order=x&result=fail')).text, 'Оплата не завершена')
  const posted = await tv.post(carried, {}, { withToken: false, headers: { Origin: 'https://gateway.example' } })
  t.equal(posted.location, carried, 'a gateway that posts the browser back')
  await pool.query(`UPDATE payment_orders SET state = 'expired' WHERE id = $1`, [order])
  t.match((await browser.get(result)).text, 'Деньги не списаны')
})

t.test('a form for the gateway is submitted by itself, or by its button', async (t) => {
  const { fixture, browser } = await ivan(t)
  const shop = { merchantId: '119', secretKey: 'key-of-b', webhook: 'http://127.0.0.1:9/' }
  const gateway = new SimulatedGatewayB(shop, { silent: true })
  await gateway.start()
  t.teardown(() => gateway.stop())
  await fixture.set({ LK_GWB_FORM_URL: gateway.formUrl, LK_GWB_MERCHANT_ID: '119', LK_GWB_SECRET_KEY: 'key-of-b' })
  const page = await browser.post('/lk/payments/pay/', { amount: '100', system: 'gwb' })
  t.equal(page.status, 200)
  t.match(page.text, `action="${gateway.formUrl}" accept-charset="utf-8" data-submit>`)
  t.match(page.text, 'name="WMI_PAYMENT_AMOUNT" value="104.50"')
  t.match(page.text, '<button>Перейти к оплате</button>')
  t.match(page.text, /<script src="\/lk\/submit\.js\?v=[\w-]+" defer><\/script>/)
  t.match(page.headers.get('content-security-policy'), `form-action 'self' ${new URL(gateway.formUrl).origin}`)
  await fixture.set({ LK_GWB_FORM_URL: 'https://pay.example/checkout', LK_GWB_SECRET_KEY: 'key-of-b' })
  const real = await browser.post('/lk/payments/pay/', { amount: '100', system: 'gwb' })
  t.match(real.headers.get('content-security-policy'), /form-action 'self' https:$/)
})

t.test('the history: kinds, periods, pages, and what was reversed', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  t.match((await browser.get('/lk/payments/')).text, 'операций нет')
  for (let n = 1; n <= 27; n++) await fixture.move(id, n)
  await fixture.move(id, -50)
  const first = await browser.get('/lk/payments/')
  t.match(first.text, 'Выезд &lt;мастера&gt;</td>', 'without the mark of the office')
  t.match(first.text, 'Страница 1 из 2')
  t.match(first.text, '<data value="328.00">')
  t.equal(first.text.match(/<tr>/g)?.length, 27, 'with its head and its sum')
  t.match(first.text, 'href="/lk/payments/?kind=all&amp;period=3month&amp;page=2"')
  const second = await browser.get('/lk/payments/?page=2&kind=payments')
  t.match(second.text, '<data value="2.00">')
  t.notMatch(second.text, '<data value="3.00">')
  t.notMatch((await browser.get('/lk/payments/?kind=charges')).text, 'Оплата</td>')
  t.equal((await browser.get('/lk/payments/?kind=x&period=y&page=-1')).status, 200, 'nonsense is not there')
  t.match((await browser.get('/lk/payments/?page=900')).text, 'Страница 900 из 2')
})

t.test('a promise payment: the offer, activated once as it was shown, and cancelled', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  await fixture.move(id, -50)
  t.equal(await enabledOf(fixture, id), false)
  const offer = await browser.get('/lk/promise/')
  t.match(offer.text, '<data value="600.00">')
  t.match(offer.text, 'name="limit" value="600.00"')
  t.equal(
    (await browser.post('/lk/promise/', { deed: 'activate', limit: '700.00' })).location,
    '/lk/promise/?done=changed',
  )
  t.equal(await enabledOf(fixture, id), false)
  const taken = await browser.post('/lk/promise/', { deed: 'activate', limit: '600.00' })
  t.equal(taken.location, '/lk/promise/?done=activated')
  t.equal(await enabledOf(fixture, id), true)
  const active = await browser.get(taken.location!)
  t.match(active.text, 'Обещанный платёж подключён.')
  t.match(active.text, 'Действует: 600,00\u00a0₽ до')
  const again = await browser.post('/lk/promise/', { deed: 'activate', limit: '600.00' })
  t.equal(again.status, 400)
  t.match(again.text, 'уже действует')
  t.equal((await browser.post('/lk/promise/', { deed: 'cancel' })).location, '/lk/promise/?done=cancelled')
  t.equal(await enabledOf(fixture, id), false)
  t.equal(
    (await browser.post('/lk/promise/', { deed: 'cancel' })).location,
    '/lk/promise/?done=cancelled',
    'pressed twice',
  )
  t.match((await browser.get('/lk/promise/')).text, 'Следующий обещанный платёж доступен с')
  const { rows } = await fixture.database.pool.query(
    `SELECT DISTINCT user_name FROM audit_operations WHERE table_name = 'USERS_USLUGA'`,
  )
  t.strictSame(rows, [{ user_name: `portal ${id}` }])
})

t.test('a suspension: on and off, and not over another block', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  t.equal((await browser.post('/lk/block/', { enable: 'x' })).status, 400)
  t.equal((await browser.post('/lk/block/', { enable: '1' })).location, '/lk/block/?done=suspended')
  t.equal(await enabledOf(fixture, id), false)
  t.match((await browser.get('/lk/block/?done=suspended')).text, 'Доступ приостановлен.')
  t.match((await browser.get('/lk/')).text, 'Возобновить доступ')
  await fixture.move(id, -50)
  t.equal((await browser.post('/lk/block/', { enable: '0' })).location, '/lk/block/?done=debt')
  t.match((await browser.get('/lk/block/?done=debt')).text, 'доступ закрыт: отрицательный баланс')
  const refused = await browser.post('/lk/block/', { enable: '1' })
  t.equal(refused.status, 400)
  t.match(refused.text, 'уже закрыт (отрицательный баланс)')
  await fixture.move(id, 50)
  t.equal(await enabledOf(fixture, id), true)
})

t.test('mailings: refused and wanted again, by the page and by the link of an e-mail', async (t) => {
  const { fixture, browser, id } = await ivan(t)
  const rows = async (text: string) => (await fixture.database.pool.query(text)).rows
  t.match((await browser.get('/lk/mailings/')).text, 'Вы получаете новости')
  t.equal((await browser.post('/lk/mailings/', { enable: 'x' })).status, 400)
  t.equal((await browser.post('/lk/mailings/', { enable: '0' })).location, '/lk/mailings/?done=off')
  t.match((await browser.get('/lk/mailings/')).text, 'Вы отказались от рассылок')
  t.same(await rows('SELECT user_name FROM mailing_opt_outs'), [{ user_name: `portal ${id}` }])
  t.equal((await browser.post('/lk/mailings/', { enable: '1' })).location, '/lk/mailings/?done=on')
  t.same(await rows('SELECT FROM mailing_opt_outs'), [])

  const link = new URL(fixture.optOutLinks.linkOf(id))
  t.equal(link.origin, 'https://billing.example')
  const address = fixture.base + link.pathname + link.search
  const shown = await fetch(address)
  t.match([shown.status, await shown.text()], [200, 'Отказаться от рассылок'])
  t.same(await rows('SELECT FROM mailing_opt_outs'), [], 'a program that looks through mail changes nothing')
  const click = (to: string) =>
    fetch(to, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  for (const wrong of [`${address}x`, address.replace('=', '=1'), `${fixture.base}${link.pathname}`])
    t.equal((await click(wrong)).status, 404)
  t.same(await rows('SELECT FROM mailing_opt_outs'), [])
  for (const time of ['once', 'twice']) t.equal((await click(address)).status, 200, time)
  t.same(await rows('SELECT user_name FROM mailing_opt_outs'), [{ user_name: `e-mail ${id}` }])
  const audits = `SELECT user_name, diff FROM audit_operations WHERE diff ? 'no_mailings' ORDER BY id`
  t.same(await rows(audits), [
    { user_name: `portal ${id}`, diff: { no_mailings: [false, true] } },
    { user_name: `portal ${id}`, diff: { no_mailings: [true, false] } },
    { user_name: `e-mail ${id}`, diff: { no_mailings: [false, true] } },
  ])
})

t.test('a change of password reaches RADIUS and signs out all other browsers and phones', async (t) => {
  const { fixture, browser, logins } = await ivan(t)
  const other = new Browser(fixture.base)
  await other.signIn('ivan', password)
  t.equal((await other.get('/lk/')).status, 200)
  const phone = (await fixture.phones.start(await provenLoginOf(fixture.database, logins[0]!), '127.0.0.1', 'phone'))!
  const change = (current: string, wanted: string, again = wanted) =>
    browser.post('/lk/password/', { current_password: current, new_password: wanted, confirm_password: again })
  for (const [current, wanted, again, words] of [
    ['wrong', 'new-secret', 'new-secret', 'Текущий пароль неверен'],
    [password, 'new-secret', 'other', 'не совпадают'],
    [password, 'short', 'short', 'не короче 6'],
  ] as const) {
    const refused = await change(current, wanted, again)
    t.equal(refused.status, 400)
    t.match(refused.text, words)
  }
  t.equal((await change(password, 'new-secret')).location, '/lk/password/?done=saved')
  t.equal(passwordOf(fixture.access.table.findByName('ivan')!), 'new-secret', 'RADIUS knows it at once')
  t.match((await browser.get('/lk/password/?done=saved')).text, 'Пароль изменён.')
  t.equal((await other.get('/lk/')).status, 302)
  t.equal(await fixture.phones.find(phone.access), null)
  t.equal((await new Browser(fixture.base).signIn('000042', password)).status, 401)
  t.equal((await new Browser(fixture.base).signIn('000042', 'new-secret')).status, 302)
  for (let guess = 0; guess < 5; guess++) await change(`guess ${guess}`, 'third-secret')
  t.equal((await change('new-secret', 'third-secret')).status, 429, 'a lost phone is no way to guess')
})

t.test('a subscriber who is deleted or missing is signed out', async (t) => {
  const { fixture, browser, id, account } = await ivan(t)
  await fixture.accounts.ask(
    account as never,
    { kind: 'setDeleted', subscriberId: subscriberId(id), deleted: true },
    {
      staffId: null,
      name: 'test',
      address: null,
    },
  )
  // The session is remembered for some seconds; the pages look at the subscriber themselves.
  const kept = browser.cookies.get('lksession')!
  for (const path of ['/lk/', '/lk/promise/', '/lk/block/', '/lk/payments/pay/?amount=10']) {
    browser.cookies.set('lksession', kept)
    const away = await browser.get(path)
    t.equal(away.status, 302, path)
    t.match(away.location, '/lk/login/')
  }
})

t.test('amounts as each language writes them', async (t) => {
  const shown = ['0.00', '-1234567.50', '1000.00'].map((sum) => [amountText(sum, 'ru'), amountText(sum, 'en')])
  t.strictSame(shown, [
    ['0,00\u00a0₽', '0.00\u00a0₽'],
    ['−1\u00a0234\u00a0567,50\u00a0₽', '−1,234,567.50\u00a0₽'],
    ['1\u00a0000,00\u00a0₽', '1,000.00\u00a0₽'],
  ])
  t.equal(wholeAmountText(rubles(1000), 'en'), '1,000\u00a0₽')
  t.equal(wholeAmountText(rubles(1000), 'ru'), '1\u00a0000\u00a0₽')
})

t.test('a commission is shown as percent', async (t) => {
  const shown = ['0', '0.045', '0.1', '0.000001', '1', '0.05'].map((share) => percentText(share, 'ru'))
  t.strictSame(shown, ['0', '4,5', '10', '0,0001', '100', '5'])
})

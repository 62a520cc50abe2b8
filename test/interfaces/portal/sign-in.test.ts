import t from 'tap'
import { localPath } from '../../../src/interfaces/portal/sign-in.ts'
import { SharedDatabase } from '../../support/database.ts'
import { fetch } from '../../support/published.ts'
import { Browser, openPortal, password, plantIvan } from './fixture.ts'

const shared = await SharedDatabase.open(t)

t.test('a client signs in by contract or login and goes where they wanted to, within the pages', async (t) => {
  const fixture = await openPortal(t, { shared })
  await plantIvan(fixture)
  const browser = new Browser(fixture.base)
  const away = await browser.get('/lk/payments/?kind=charges')
  t.equal(away.status, 302)
  t.equal(away.location, '/lk/login/?next=%2Flk%2Fpayments%2F%3Fkind%3Dcharges')
  const form = await browser.get(away.location!)
  t.equal(form.status, 200)
  t.match(form.text, /<form class="card" method="post" action="\/lk\/login\/">/)
  t.match(form.text, `name="csrfmiddlewaretoken" value="${browser.cookies.get('csrftoken')}"`)
  t.match(form.text, 'value="/lk/payments/?kind=charges"')
  t.match(form.headers.get('content-security-policy'), /^default-src 'none';.*form-action 'self'$/)

  const entered = await browser.post('/lk/login/', { contract: '42', password, next: '/lk/payments/?kind=charges' })
  t.equal(entered.status, 302)
  t.equal(entered.location, '/lk/payments/?kind=charges')
  const cookie = entered.headers.getSetCookie().find((one) => one.startsWith('lksession='))!
  t.match(cookie, /HttpOnly/)
  t.match(cookie, /SameSite=Lax/)
  t.equal((await browser.get(entered.location!)).status, 200)
  t.equal((await browser.get('/lk/login/?next=/lk/block/')).location, '/lk/block/', 'who is signed in goes on')

  const byLogin = new Browser(fixture.base)
  await byLogin.get('/lk/login/')
  t.equal((await byLogin.post('/lk/login/', { login: 'tv', password: 'other-secret' })).location, '/lk/')

  const pay = await new Browser(fixture.base).signIn('000042', password, '/lk/payments/pay/?amount=100')
  t.equal(pay.location, '/lk/payments/pay/?amount=100&confirm=1', 'a sign-in does not lead to the gateway by itself')
})

t.test('under TLS the cookie of the session is bound to this host', async (t) => {
  const fixture = await openPortal(t, { env: { TOLLGATE_TRUST_PROXY: '127.0.0.1' }, shared })
  await plantIvan(fixture)
  const { base } = fixture
  const behindTls = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
  const form = await fetch(`${base}/lk/login/`, { headers: behindTls })
  const csrf = form.headers
    .getSetCookie()
    .find((one) => one.startsWith('csrftoken='))!
    .split(';')[0]!
  const entered = await fetch(`${base}/lk/login/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...behindTls, cookie: csrf, referer: `${base.replace('http:', 'https:')}/lk/login/` },
    body: new URLSearchParams({ contract: '42', password, csrfmiddlewaretoken: csrf.split('=')[1]! }),
  })
  t.equal(entered.status, 302)
  const cookie = entered.headers.getSetCookie().find((one) => one.includes('lksession'))!
  t.match(cookie, /^__Host-lksession=\w+; Path=\/; .*; Secure$/)
  t.notMatch(cookie, 'Domain')
  const key = cookie.split(';')[0]!
  const home = (sent: string) => fetch(`${base}/lk/`, { redirect: 'manual', headers: { ...behindTls, cookie: sent } })
  t.equal((await home(key)).status, 200)
  t.equal(
    (await home(key.replace('__Host-', ''))).status,
    302,
    'one that another host of the domain could have set is not read',
  )
})

t.test('next leads only to the pages of clients', async (t) => {
  for (const [next, place] of [
    ['/lk/payments/?page=2', '/lk/payments/?page=2'],
    ['/lk', '/lk/'],
    ['', '/lk/'],
    ['https://evil.example/lk/', '/lk/'],
    ['//evil.example/lk/', '/lk/'],
    ['/lk//evil.example', '/lk/'],
    ['/lk/\\evil.example', '/lk/'],
    ['/lk/../admin/', '/lk/'],
    ['/lk/%2e%2e/admin/', '/lk/'],
    ['/lk/..//evil.example', '/lk/'],
    ['/lk/\t/evil.example', '/lk/'],
    ['/lkevil', '/lk/'],
    ['/admin/', '/lk/'],
    ['/lk/login/?next=/lk/', '/lk/'],
    ['javascript:alert(1)', '/lk/'],
  ] as const) {
    t.equal(localPath(next), place, next)
  }
})

t.test('who is wrong stays outside, and after five times waits', async (t) => {
  const fixture = await openPortal(t, { shared })
  const { id } = await plantIvan(fixture)
  const browser = new Browser(fixture.base, 'en-GB,en;q=0.9')
  const wrong = await browser.signIn('<b>42', 'wrong')
  t.equal(wrong.status, 401)
  t.match(wrong.text, /role="alert">Wrong contract, login or password\./)
  t.match(wrong.text, 'value="&lt;b&gt;42"')
  t.notOk(browser.cookies.has('lksession'))
  for (let guess = 0; guess < 5; guess++) t.equal((await browser.signIn('000042', `guess ${guess}`)).status, 401)
  const shut = await browser.signIn('000042', password)
  t.equal(shut.status, 429)
  t.ok(Number(shut.headers.get('retry-after')) > 0)
  for (const name of ['42', '0042', 'ivan', 'tv'])
    t.equal((await browser.signIn(name, password)).status, 429, 'every name of the same client')
  await fixture.database.pool.query('UPDATE abonents SET deleted = true WHERE id = $1', [id])
  t.equal((await browser.signIn('tv', 'other-secret')).status, 401, 'a deleted subscriber is nobody')
})

t.test('a name of a megabyte is not shown again, and a password of one is not hashed', async (t) => {
  const fixture = await openPortal(t, { shared })
  await plantIvan(fixture)
  const browser = new Browser(fixture.base)
  await browser.get('/lk/login/')
  const named = await browser.post('/lk/login/', {
    contract: '"'.repeat(100_000),
    password: 'x',
    next: '<'.repeat(100_000),
  })
  t.equal(named.status, 401)
  t.ok(named.text.length < 110_000, `${named.text.length} characters`)
  t.equal((await browser.post('/lk/login/', { contract: '42', password: 'x'.repeat(300_000) })).status, 401)
})

t.test('another site can neither sign a browser in nor press buttons', async (t) => {
  const fixture = await openPortal(t, { shared })
  await plantIvan(fixture)
  const browser = new Browser(fixture.base)
  await browser.get('/lk/login/')
  const fields = { contract: '000042', password }
  const refused = await browser.post('/lk/login/', fields, { withToken: false })
  t.equal(refused.status, 403)
  t.match(refused.text, 'Форма устарела')
  t.equal((await browser.post('/lk/login/', fields, { headers: { Referer: 'https://evil.example/' } })).status, 403)
  t.equal((await browser.signIn('000042', password)).status, 302)
  for (const path of ['/lk/block/', '/lk/promise/', '/lk/password/', '/lk/payments/pay/', '/lk/logout/']) {
    const sent = { enable: '1', deed: 'cancel', amount: '10' }
    t.equal((await browser.post(path, sent, { withToken: false })).status, 403, `${path} without the token`)
    const foreign = { headers: { Origin: 'https://evil.example' } }
    t.equal((await browser.post(path, sent, foreign)).status, 403, `${path} from elsewhere`)
  }
  const { rows } = await fixture.database.pool.query('SELECT enabled FROM abonents')
  t.strictSame(rows, [{ enabled: true }])
})

t.test('signing out ends the session', async (t) => {
  const fixture = await openPortal(t, { shared })
  await plantIvan(fixture)
  const browser = new Browser(fixture.base)
  await browser.signIn('000042', password)
  const kept = browser.cookies.get('lksession')!
  t.match(await browser.post('/lk/logout/', {}), { status: 302, location: '/lk/login/' })
  t.notOk(browser.cookies.has('lksession'))
  browser.cookies.set('lksession', kept)
  t.equal((await browser.get('/lk/')).status, 302, 'nor does the old key help')
})

t.test('in READ_ONLY_MODE one can come, look and go, and change nothing', async (t) => {
  const fixture = await openPortal(t, { shared })
  await plantIvan(fixture)
  await fixture.set({ READ_ONLY_MODE: true })
  const browser = new Browser(fixture.base)
  t.equal((await browser.signIn('000042', password)).status, 302)
  for (const path of ['/lk/', '/lk/payments/', '/lk/payments/pay/', '/lk/promise/', '/lk/block/', '/lk/password/']) {
    t.equal((await browser.get(path)).status, 200, path)
  }
  const refused = await browser.post('/lk/block/', { enable: '1' })
  t.equal(refused.status, 403)
  t.match(refused.text, 'технические работы')
  t.match(refused.text, 'href="/lk/portal.css?v=', 'drawn as a page')
  t.equal((await browser.get('/lk/payments/pay/?amount=100')).status, 403, 'an order is a write, whatever its method')
  t.equal((await fixture.database.pool.query('SELECT FROM payment_orders')).rowCount, 0)
  t.equal((await browser.post('/lk/logout/', {})).status, 302)
})

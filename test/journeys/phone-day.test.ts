import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { type Clock, systemClock } from '../../src/platform/actors/clock.ts'
import { vendorText } from '../support/attributes.ts'
import { startGateway } from '../support/gateways.ts'
import { openProgram } from '../support/opened-program.ts'
import { Phone } from '../support/phone.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'

const shop = { id: '100500', key: 'test_key_of_the_phone' }

/** Phones are looked at once a minute even when nobody has told of a change, which would hide that nobody does. */
const clockWithoutMinutes: Clock = {
  ...systemClock,
  after: (ms, callback) => (ms === 60_000 ? () => {} : systemClock.after(ms, callback)),
}

t.test('a phone for a day', async (t) => {
  const program = await openProgram(t, {}, clockWithoutMinutes)
  const [client, other] = await signUp(program, 2)
  const { subscriber } = client!
  await program.rest('PUT', `/rest_api/v2/Abonents/${subscriber}/`, { create_date: '2025-01-01T00:00:00Z' })
  const faster = await program.rest('POST', '/rest_api/v2/Tarif/', {
    name: 'Faster',
    price: 900 * ruble,
    speed_mbit: 300,
    is_public: true,
  })
  const video = await program.rest('POST', '/rest_api/v2/Usluga/', {
    name: 'Video',
    price: 100 * ruble,
    is_public: true,
  })
  const nas = await simulateNas(program, '127.0.0.1')
  t.teardown(() => nas.stop())
  const webhook = `${program.address.http}/lk/payments/webhook/`
  const gateway = await startGateway(t, 'a', { webhook, ...shop })
  const paying = { LK_GWA_API_URL: gateway.api, LK_GWA_SHOP_ID: shop.id, LK_GWA_SECRET_KEY: shop.key }
  t.match(await program.rest('POST', '/admin/settings/payment/', paying), { status: 200 })

  const phone = await Phone.of(program.address.http)
  t.same((await new Validator().validate(phone.document)).errors, undefined, 'the document is OpenAPI')

  await t.test('it starts', async (t) => {
    for (const path of ['/branding', '/features', '/version/check', '/auth/methods']) {
      const { status, headers } = await phone.get(path)
      t.equal(status, 200, path)
      t.match(headers.get('cache-control'), 'max-age=300', path)
    }
    const old = await phone.get('/version/check?platform=android&version=0.9.9')
    t.match(old.body, { update_required: true, update_available: true })
    t.match((await phone.get('/features')).body, { payments: true, push: false })
  })

  await t.test('its client signs in', async (t) => {
    const wrong = await phone.signIn('1', 'not it')
    const unknown = await phone.signIn('77777', linePassword)
    t.match(wrong, { status: 401, body: { error: 'wrong_credentials' } })
    t.same(unknown.body, wrong.body, 'nobody learns which contracts there are')
    t.match(await phone.signIn('1', linePassword), { status: 200, body: { token_type: 'Bearer', expires_in: 900 } })
    t.match(await phone.signIn('000001', linePassword), { status: 200 })
  })

  const live = phone.live()
  t.teardown(() => live.close())

  await t.test('it shows the status, twice the same', async (t) => {
    const pushed = await live.status()
    const asked = await phone.get('/account/status')
    t.same(pushed, asked.body)
    t.match(asked.body, { abonent_id: subscriber, balance: '0.00', tariff_name: 'Home', is_blocked: false })
    t.same([asked.body.last_payment, asked.body.has_promise_pay], [null, false])
    t.match(live.frames[0], { type: 'status', seq: 1 })
  })

  await t.test('a promise payment', async (t) => {
    t.match((await phone.get('/finance/promise_pay')).body, {
      active: false,
      available: true,
      limit: '600.00',
      days: 5,
    })
    const keyed = { 'Idempotency-Key': 'promise of the morning' }
    const made = await phone.post('/finance/promise_pay', undefined, keyed)
    t.match(made, { status: 201, body: { active: true, amount: '600.00', available: false, reason: 'already_active' } })
    t.same((await phone.post('/finance/promise_pay', undefined, keyed)).body, made.body, 'the first answer again')
    t.match(await phone.post('/finance/promise_pay'), { status: 400, body: { error: 'already_active' } })
    await live.status((status) => status.has_promise_pay && status.balance === '600.00')
    t.match(await live.frame((frame) => frame.type === 'notification'), {
      notification: { kind: 'promise_activated', text: /Обещанный платёж 600 руб\./ },
    })
  })

  await t.test('a setting of the notice before its end', async (t) => {
    t.equal((await phone.get('/account/status')).body.notification, '')
    const set = (LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS: number) =>
      program.rest('POST', '/admin/settings/system/', { LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS })
    t.match(await set(240), { status: 200 })
    await live.status(({ notification }) => /Обещанный платёж/.test(notification))
    t.match(await set(24), { status: 200 })
    await live.status(({ notification }) => notification === '')
  })

  await t.test('a payment, which ends the promise', async (t) => {
    t.match(await phone.post('/finance/pay', { amount: '0' }), { status: 400, body: { error: 'bad_amount' } })
    const keyed = { 'Idempotency-Key': 'payment of the noon' }
    const started = await phone.post(
      '/finance/pay',
      { amount: '700.00', return_url: 'https://isp.example/back' },
      keyed,
    )
    t.equal(started.status, 200)
    const again = await phone.post('/finance/pay', { return_url: 'https://isp.example/back', amount: '700.00' }, keyed)
    t.same(again.body, started.body, 'no second order')
    t.match(await phone.post('/finance/pay', { amount: 7 }, keyed), { status: 409, body: { error: 'conflict' } })
    const paid = await fetch(started.body.redirect_url, {
      method: 'POST',
      body: new URLSearchParams({ act: 'pay' }),
      redirect: 'manual',
    })
    t.equal(paid.status, 302)
    const status = await live.status(({ balance }) => balance === '700.00')
    t.match(status, { has_promise_pay: false, promise_pay_end: null, last_payment: { amount: '700.00' } })
    await live.frame(({ type, notification }) => type === 'notification' && notification.kind === 'payment_credited')
    const { body: history } = await phone.get('/finance/history?period=month&per_page=500')
    t.match(history, { page: 1, per_page: 100, total: 2 })
    t.match(history.items[0], { amount: '700.00', storno: false })
    t.equal((await phone.get('/finance/charges')).body.items[0].amount, '-600.00')
  })

  await t.test('away for a week', async (t) => {
    t.match((await phone.post('/account/voluntary_block', { enable: true })).body, { enabled: true, can_enable: false })
    t.match(await live.status((status) => status.is_blocked), { block_reason: 'По вашей просьбе' })
    t.match((await phone.post('/account/voluntary_block', { enable: false })).body, { enabled: false, since: null })
  })

  await t.test('a faster tariff and a service', async (t) => {
    const { body } = await phone.get('/account/tariffs')
    t.same(
      body.items.map((tariff: { name: string; current: boolean }) => [tariff.name, tariff.current]),
      [
        ['Home', true],
        ['Faster', false],
      ],
    )
    const speed = async () => {
      const signedIn = await nas.signIn(client!.login, linePassword, '02-00-00-00-00-07')
      return signedIn.kind === 'accepted' ? vendorText(signedIn.answer, 14988, 8) : null
    }
    t.equal(await speed(), '100M/100M')
    const changed = await phone.post('/account/tariff', { tariff_id: faster.body.id })
    t.equal(await speed(), '300M/300M', 'RADIUS knows before the phone does')
    t.match(changed.body, { status: 'ok', tariff_id: faster.body.id })
    const operation = await program.rest('GET', `/rest_api/v2/FinanceOperations/${changed.body.operation_id}/`)
    t.equal(operation.body.descr, 'Смена тарифа: Home → Faster')
    await live.status((status) => status.tariff_name === 'Faster' && status.speed_mbit === 300)
    const toggled = await phone.post('/services/toggle', { service_id: video.body.id, enable: true })
    t.match(toggled.body.service, { name: 'Video', price: '100.00', enabled: true, can_toggle: true })
    await live.status((status) => status.monthly_cost === '1000.00')
  })

  await t.test('a question to the staff', async (t) => {
    const asked = await phone.post('/support/tickets', { subject: 'Slow', body: 'In the evening' })
    t.equal(asked.status, 201)
    t.match(asked.body, { status: 'open', unread: 0, messages: [{ author: 'client', body: 'In the evening' }] })
    const { id } = asked.body
    await program.rest('POST', `/rest_api/v2/Hdsk/${id}/messages/`, { body: 'Restart the router' })
    t.match((await phone.get('/support/tickets')).body.items, [{ id, unread: 1 }])
    const read = await phone.get(`/support/tickets/${id}`)
    t.match(read.body, { unread: 0, messages: [{}, { author: 'staff', body: 'Restart the router' }] })
    t.match(await phone.post(`/support/tickets/${id}`, { body: 'Thanks' }), { status: 201 })
  })

  await t.test('a stolen refresh token', async (t) => {
    const mine = phone.another()
    await mine.signIn('000002', linePassword)
    const stolen = mine.refreshToken
    const watch = mine.live('message')
    await watch.status()
    t.equal((await mine.refresh()).status, 200)
    t.equal((await mine.get('/account/status')).status, 200)
    t.match(await mine.another().refresh(stolen), { status: 401, body: { error: 'bad_token' } })
    t.equal((await watch.end()).code, 4401, 'the live socket ends with the session')
    t.equal((await mine.get('/account/status')).status, 401, 'whoever has it is signed out')
    t.equal((await mine.refresh()).status, 401)
  })

  await t.test('a new password ends every other session', async (t) => {
    const mine = phone.another()
    await mine.signIn('000002', linePassword)
    const tablet = mine.another()
    await tablet.signIn(other!.login, linePassword)
    const wish = { current_password: 'guess', new_password: 'another one', confirm_password: 'another one' }
    t.match(await mine.post('/account/change_password', wish), { status: 400, body: { error: 'wrong_password' } })
    t.equal((await mine.post('/account/change_password', { ...wish, current_password: linePassword })).status, 200)
    t.equal(
      (await nas.signIn(other!.login, linePassword, '02-00-00-00-00-01')).kind,
      'rejected',
      'RADIUS knows at once',
    )
    t.equal((await nas.signIn(other!.login, 'another one', '02-00-00-00-00-01')).kind, 'accepted')
    t.equal((await mine.get('/account/status')).status, 200)
    t.equal((await tablet.get('/account/status')).status, 401)
    t.equal((await tablet.signIn('2', 'another one')).status, 200)
    t.equal((await tablet.post('/auth/logout')).status, 200)
    t.equal((await tablet.get('/account/status')).status, 401)
  })

  await t.test('nothing changes in READ_ONLY_MODE, but one may come and go', async (t) => {
    const mine = phone.another()
    await program.rest('POST', '/admin/settings/system/', { READ_ONLY_MODE: true })
    t.equal((await mine.signIn('2', 'another one')).status, 200)
    t.equal((await mine.refresh()).status, 200)
    t.match(await mine.post('/support/tickets', { subject: 'a', body: 'b' }), { status: 403 })
    t.equal((await mine.get('/account/status')).status, 200)
    t.equal((await mine.post('/auth/logout')).status, 200)
    await program.rest('POST', '/admin/settings/system/', { READ_ONLY_MODE: false })
  })

  await t.test('one request too many', async (t) => {
    const mine = phone.another()
    await mine.signIn('2', 'another one')
    mine.language = 'en'
    let last = await mine.get('/services/list')
    for (let n = 0; n < 40 && last.status === 200; n++) last = await mine.get('/services/list')
    t.match(last, { status: 429, body: { error: 'too_many_requests', message: /Too many requests/ } })
    t.equal(last.headers.get('x-ratelimit-limit'), '30')
    t.equal(last.headers.get('x-ratelimit-remaining'), '0')
    const seconds = Number(last.headers.get('retry-after'))
    t.ok(seconds >= 1 && seconds <= 60)
    t.equal((await phone.get('/account/status')).status, 200, 'others are not held up')
    t.equal((await mine.refresh()).status, 200, 'refresh is counted apart')
  })
})

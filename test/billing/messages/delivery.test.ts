import type { Pool, QueryConfig } from 'pg'
import t, { type Test } from 'tap'
import type { Template } from '../../../src/billing/messages/catalogue.ts'
import { Messages, type Outgoing, providersOf } from '../../../src/billing/messages/messages.ts'
import { Notices } from '../../../src/billing/messages/notices.ts'
import { MessageTable } from '../../../src/billing/messages/table.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { type Clock, systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { SharedDatabase } from '../../support/database.ts'
import { localHttp } from '../../support/local-http.ts'
import { FcmProvider, MailServer, WebProvider } from './servers.ts'
import { untilAnswer } from '../../support/until.ts'

const shared = await SharedDatabase.open(t)

const start = new Date('2026-11-21T12:00:00Z')
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The hour is what the test says; alarms ring at once, so that nobody has to wait for the next look. */
class HurriedClock implements Clock {
  #now = start
  now = () => this.#now
  elapsedMs = () => systemClock.elapsedMs()
  after = (ms: number, callback: () => void) => systemClock.after(Math.min(ms, 20), callback)

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms)
  }
}

type Row = {
  id: string
  state: string
  channel: string | null
  address: string | null
  attempts: number
  error: string | null
  text: string
  kind: string
  next_try_at: Date | null
}

async function startFixture(t: Test) {
  const database = await shared.anew()
  const { pool } = database
  const clock = new HurriedClock()
  const results: string[] = []
  let running: Messages | null = null
  t.teardown(() => running?.stop())
  const rows = async () =>
    (
      await pool.query<Row>(
        `SELECT id, state, channel, address, attempts, error, text, kind, next_try_at FROM notifications ORDER BY id`,
      )
    ).rows
  return {
    pool,
    clock,
    results,
    rows,
    /** A program with these providers; the one before is gone. */
    run: async (outgoing: Partial<Outgoing> = {}, through: Pool = pool) => {
      const messages = new Messages({
        pool: through,
        clock,
        log: silentLog,
        providers: providersOf({ sms: null, fcm: null, smtp: null, ...outgoing }, localHttp, clock),
        style: () => ({ language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72, quietHours: '' }),
        observe: (channel, result) => results.push(`${channel} ${result}`),
      })
      await running?.stop()
      await messages.start()
      running = messages
      return messages
    },
    subscriber: async (fields: { sms?: string; email?: string } = {}) => {
      const { rows } = await pool.query<{ id: string }>(
        `WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
          INSERT INTO abonents (name, contract_number, account_id, organization_id, sms, email)
          SELECT 'Ivan', gen_random_uuid(), id, 1, $1, $2 FROM account RETURNING id`,
        [fields.sms ?? null, fields.email ?? null],
      )
      return subscriberId(rows[0]!.id)
    },
    /** The rows once they are as wanted; the clock stands still meanwhile. */
    until: (is: (rows: Row[]) => boolean): Promise<Row[]> => untilAnswer(rows, is),
  }
}

let key = 0
const notice = (subscriber: ReturnType<typeof subscriberId>, template: Template = 'payment_credited') => ({
  subscriberId: subscriber,
  template,
  values: { amount: '500.00', balance: '20.50', until: '2026-11-26T10:00:00Z', insufficient: '1' },
  key: `test:${++key}`,
})

const smsBy = ({ url }: WebProvider): Pick<Outgoing, 'sms'> => ({
  sms: { url: `${url}/?to={phone}&text={text}&id={id}`, method: null, body: null, headers: {}, accepted: null },
})
const pushBy = ({ credentialsFile, web }: FcmProvider): Pick<Outgoing, 'fcm'> => ({
  fcm: { credentialsFile, url: web.url },
})

const isSent = (rows: Row[]) => rows.length > 0 && rows.every(({ state }) => state === 'sent')

t.test('a message goes by the best way there is: every device, else the phone, else the mailbox', async (t) => {
  const fixture = await startFixture(t)
  const [google, gateway, server] = [await FcmProvider.start(t), await WebProvider.start(t), await MailServer.start(t)]
  const messages = await fixture.run({
    ...pushBy(google),
    ...smsBy(gateway),
    smtp: { url: server.url, from: 'Provider <billing@isp.example>' },
  })
  const [first, second, third] = [
    await fixture.subscriber({ sms: '8 900 111-22-33', email: 'a@b.example' }),
    await fixture.subscriber({ sms: '8 (900) 123-45-67', email: 'a@b.example' }),
    await fixture.subscriber({ email: ' ivan@client.example ' }),
  ]
  await messages.devices.register(first, 'token-a', 'android')
  await messages.devices.register(first, 'token-b', 'web')
  t.equal(await messages.notices.add([notice(first), notice(second), notice(third, 'promise_activated')]), 3)
  const rows = await fixture.until((all) => all.length === 4 && isSent(all))
  t.same(
    rows.map(({ channel, address }) => `${channel} ${address}`).sort(),
    ['email ivan@client.example', 'push android', 'push web', 'sms 79001234567'],
    'no token is in the history',
  )
  t.same(new Set(google.messages.map(({ body }) => JSON.parse(body).message.token)), new Set(['token-a', 'token-b']))
  const asked = new URL(gateway.asked[0]!.path, gateway.url).searchParams
  t.equal(asked.get('text'), 'Зачислено 500 руб., баланс 20.50 руб.')
  t.same(server.mails[0]!.to, ['ivan@client.example'])
  t.equal(
    rows.find(({ kind }) => kind === 'promise_activated')!.text,
    'Обещанный платёж 500 руб. действует до 26.11.2026. Средств недостаточно, пополните счёт.',
  )
  t.equal(await messages.countWaiting(), 0)
  // A result is counted once it is stored.
  await fixture.until(() => fixture.results.length === 4)
  t.same(fixture.results.sort(), ['email sent', 'push sent', 'push sent', 'sms sent'])
})

t.test('without a provider a message waits, is shown, and goes out after a start with one', async (t) => {
  const fixture = await startFixture(t)
  const messages = await fixture.run()
  await messages.notices.add([
    notice(await fixture.subscriber({ sms: '89001234567' })),
    notice(await fixture.subscriber()),
  ])
  const [one, other] = await fixture.until((rows) => rows.every(({ error }) => error !== null))
  t.match(one, { state: 'waiting', channel: null, attempts: 0, error: /No provider is set up.*TOLLGATE_SMS_URL/ })
  t.match(other, { state: 'waiting', error: /no device, phone or e-mail/ })
  t.equal(await messages.countWaiting(), 2)
  const gateway = await WebProvider.start(t)
  fixture.clock.advance(10 * hourMs)
  await fixture.run(smsBy(gateway))
  await fixture.until(([first]) => first!.state === 'sent')
  t.equal(gateway.asked.length, 1)
})

t.test('what is too old is given up where everybody sees it, and a way that is gone is not waited for', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  gateway.answer = () => ({ status: 503 })
  const subscriber = await fixture.subscriber({ sms: '89001234567', email: 'ivan@client.example' })
  await (await fixture.run(smsBy(gateway))).notices.add([notice(subscriber)])
  await fixture.until(([row]) => row!.error !== null)
  const server = await MailServer.start(t)
  const messages = await fixture.run({ smtp: { url: server.url, from: 'a@b.example' } })
  await fixture.until(isSent)
  t.equal(server.mails.length, 1, 'the gateway has been taken away, so the mailbox it is')
  await fixture.run()
  await messages.notices.add([notice(subscriber)])
  await fixture.run(smsBy(gateway))
  fixture.clock.advance(72 * hourMs)
  const rows = await fixture.until(
    (all) => all.at(-1)!.state === 'failed' && fixture.results.some((result) => result.endsWith('expired')),
  )
  t.match(rows.at(-1), { next_try_at: null, error: /Given up: it was not sent while it was of use/ })
  fixture.clock.advance(hourMs)
  const asked = gateway.asked.length
  await fixture.run(smsBy(gateway))
  t.equal(gateway.asked.length, asked)
})

t.test('attempts follow each other with growing waits', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  const answers = [{ status: 500 }, { status: 429, headers: { 'Retry-After': '1000' } }, { status: 500 }, {}]
  gateway.answer = () => answers.shift() ?? {}
  const messages = await fixture.run(smsBy(gateway))
  await messages.notices.add([notice(await fixture.subscriber({ sms: '89001234567' }))])
  const waits: number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    await fixture.until(() => fixture.results.length === attempt)
    // Read anew: those that `until` looked at may be from before the attempt ended.
    const [row] = await fixture.rows()
    const waitMs = row!.next_try_at!.getTime() - fixture.clock.now().getTime()
    t.match(row, { state: 'waiting', attempts: attempt, error: String })
    t.equal(gateway.asked.length, attempt)
    waits.push(waitMs / 1000)
    fixture.clock.advance(waitMs)
  }
  t.same(waits, [60, 1000, 900])
  const [row] = await fixture.until(isSent)
  t.match(row, { attempts: 4, error: null, next_try_at: null })
})

t.test('a refusal is final, until an operator wants another attempt with the address of today', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  gateway.answer = ({ path }) => (path.includes('79001234567') ? { status: 400, body: 'no such phone' } : {})
  const messages = await fixture.run(smsBy(gateway))
  const subscriber = await fixture.subscriber({ sms: '89001234567' })
  await messages.notices.add([notice(subscriber)])
  const [refused] = await fixture.until(([row]) => row!.state === 'failed')
  t.match(refused, { attempts: 1, next_try_at: null, error: /no such phone/ })
  fixture.clock.advance(24 * hourMs)
  await fixture.pool.query(`UPDATE abonents SET sms = '89007654321'`)
  t.equal(await messages.retry(Number(refused!.id)), 'waiting')
  const [sent] = await fixture.until(isSent)
  t.match(sent, { address: '79007654321', attempts: 1, error: null })
  t.equal(await messages.retry(Number(refused!.id)), 'sent', 'and is not sent again')
  t.equal(await messages.retry(999), 'missing')
  t.equal(gateway.asked.length, 2)
})

t.test('a token that FCM no longer knows is forgotten, and the last one gives way to the phone', async (t) => {
  const fixture = await startFixture(t)
  const [google, gateway] = [await FcmProvider.start(t), await WebProvider.start(t)]
  const gone = { status: 404, body: JSON.stringify({ error: { details: [{ errorCode: 'UNREGISTERED' }] } }) }
  google.answer = (token) => (token === 'alive' ? { body: '{"name": "1"}' } : gone)
  const messages = await fixture.run({ ...pushBy(google), ...smsBy(gateway) })
  const [one, other] = [
    await fixture.subscriber({ sms: '89001234567' }),
    await fixture.subscriber({ sms: '89001234568' }),
  ]
  await messages.devices.register(one, 'alive', 'ios')
  for (const token of ['gone-1', 'gone-2']) await messages.devices.register(other, token, 'android')
  await messages.devices.register(one, 'gone-3', 'web')
  await messages.notices.add([notice(one), notice(other)])
  const rows = await fixture.until((all) => all.length === 4 && all.every(({ state }) => state !== 'waiting'))
  t.same(rows.map(({ channel, state }) => `${channel} ${state}`).sort(), [
    'push failed',
    'push failed',
    'push sent',
    'sms sent',
  ])
  const left = await fixture.pool.query('SELECT token FROM push_devices')
  t.same(left.rows, [{ token: 'alive' }])
  t.equal(gateway.asked.length, 1)
})

t.test('a notice with the same key is sent once, and a deleted subscriber gets none', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  const messages = await fixture.run(smsBy(gateway))
  const subscriber = await fixture.subscriber({ sms: '89001234567' })
  const same = notice(subscriber)
  t.equal(await messages.notices.add([same, same]), 1)
  t.equal(await messages.notices.add([same]), 0)
  await fixture.until(isSent)
  await fixture.pool.query('UPDATE abonents SET deleted = true')
  await messages.notices.add([notice(subscriber)])
  const rows = await fixture.until((all) => all.at(-1)!.error !== null)
  t.match(rows.at(-1), { state: 'waiting', error: /deleted/ })
  t.equal(gateway.asked.length, 1)
})

t.test('a message is written with its address, and the delivery is called only for what has to be sent', async (t) => {
  const { pool, clock, subscriber, rows } = await startFixture(t)
  let calls = 0
  const style = () => ({ language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72, quietHours: '' }) as const
  const onWritten = () => calls++
  const notices = new Notices({
    pool,
    clock,
    log: silentLog,
    style,
    served: new Set(['push', 'sms'] as const),
    onWritten,
  })
  await notices.add([notice(await subscriber()), notice(await subscriber({ email: 'ivan@example.net' }))])
  t.equal(calls, 0)
  await notices.add([notice(await subscriber({ sms: '89001234567' }))])
  t.equal(calls, 1)
  const family = await subscriber({ sms: '89001234567' })
  await pool.query(
    `INSERT INTO push_devices (subscriber_id, token, platform) VALUES ($1, 'a', 'ios'), ($1, 'b', 'web')`,
    [family],
  )
  await notices.add([notice(family)])
  t.equal(calls, 2)
  const now = clock.now()
  const later = new Date(now.getTime() + hourMs)
  t.match(await rows(), [
    { channel: null, error: /no device, phone or e-mail/, next_try_at: later },
    { channel: null, error: /TOLLGATE_SMTP_URL/, next_try_at: later },
    { channel: 'sms', address: '79001234567', error: null, next_try_at: now },
    { channel: null, error: null, next_try_at: now },
  ])
})

t.test('many messages go a few at a time, and one that hangs holds up no other', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  let [now, most] = [0, 0]
  gateway.answer = async ({ path }) => {
    if (path.includes('id=1&') || path.endsWith('id=1')) return 'silence'
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now--
    return {}
  }
  const messages = await fixture.run(smsBy(gateway))
  const subscribers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => fixture.subscriber({ sms: `8900123${1000 + n}` })),
  )
  await messages.notices.add(subscribers.map((one) => notice(one)))
  await fixture.until((rows) => rows.filter(({ state }) => state === 'sent').length === 29)
  t.equal(gateway.asked.length, 30)
  t.ok(most <= 8, `${most} at once`)
})

t.test('an effect of the outbox becomes one message, however often it is handled', async (t) => {
  const fixture = await startFixture(t)
  const { notices } = await fixture.run()
  const subscriber = await fixture.subscriber({ sms: '89001234567' })
  const values = { amount: '90.00', balance: '100.00', why: 'payment', until: '2026-11-26T10:00:00.000Z' }
  const effect = (template: string, more = {}) =>
    ({ kind: 'notify', subscriberId: subscriber, template, values: { ...values, ...more } }) as const
  const made = await fixture.pool.query(
    `INSERT INTO outbox (kind, payload, created_at) VALUES ('notify', '{}', $1) RETURNING id`,
    [new Date(start.getTime() - 100 * hourMs)],
  )
  const old = Number(made.rows[0].id)
  const first = await notices.handle(effect('payment_credited'), 50)
  t.match(first, { told: true, message: Number })
  t.match(await notices.handle(effect('payment_credited'), 50), { told: false }, 'after a crash')
  t.match(await notices.handle(effect('promise_ended'), 51), { told: false }, 'the credit notice tells it')
  t.match(await notices.handle(effect('promise_ended', { why: 'expired' }), 52), { told: true })
  t.match(
    await notices.handle(effect('promise_ended', { why: 'expired' }), 53),
    { told: false },
    'one promise ends once',
  )
  t.match(await notices.handle(effect('promise_ended', { why: 'cancelled' }), 54), { told: true })
  t.match(await notices.handle(effect('no_such_words'), 55), { told: false })
  t.match(await notices.handle(effect('low_balance'), old), { told: true })
  const rows = await fixture.until((all) => all.length === 4 && all.every(({ error }) => error !== null))
  t.same(
    rows.map(({ kind, state }) => `${kind} ${state}`),
    ['payment_credited waiting', 'promise_ended waiting', 'promise_ended waiting', 'low_balance failed'],
    'an effect of four days ago is of no use',
  )
})

t.test('devices are seen again, handed on, and forgotten by their own subscriber only', async (t) => {
  const fixture = await startFixture(t)
  const { devices } = await fixture.run()
  const [one, other] = [await fixture.subscriber(), await fixture.subscriber()]
  const owners = async () =>
    (await fixture.pool.query('SELECT subscriber_id::int AS id, token, platform FROM push_devices ORDER BY token')).rows
  await devices.register(one, 'a', 'android')
  await devices.register(one, 'a', 'android')
  await devices.register(one, 'b', 'ios')
  await devices.register(other, 'b', 'web')
  t.same(await owners(), [
    { id: one, token: 'a', platform: 'android' },
    { id: other, token: 'b', platform: 'web' },
  ])
  t.equal(await devices.forget(one, 'b'), false)
  t.equal(await devices.forget(other, 'b'), true)
  for (let n = 0; n < 25; n++) await devices.register(one, `more ${n}`, 'android')
  t.equal((await owners()).length, 20)
  t.ok((await owners()).some(({ token }) => token === 'more 24'))
})

t.test('a device that changes hands gets no message of the client before', async (t) => {
  const fixture = await startFixture(t)
  const [google, gateway] = [await FcmProvider.start(t), await WebProvider.start(t)]
  google.answer = () => ({ status: 503 })
  const { devices, notices } = await fixture.run({ ...pushBy(google), ...smsBy(gateway) })
  const [one, other] = [await fixture.subscriber({ sms: '89001234567' }), await fixture.subscriber()]
  await devices.register(one, 'sold', 'android')
  await notices.add([notice(one)])
  await fixture.until(([row]) => row!.error !== null)
  google.answer = () => ({ body: '{"name": "1"}' })
  await devices.register(other, 'sold', 'android')
  fixture.clock.advance(hourMs)
  const [row] = await fixture.until(isSent)
  t.match(row, { channel: 'sms', address: '79001234567' })
  t.equal(google.messages.length, 1, 'the attempt while it was still the device of the first')
})

t.test('what has been sent while the database was away is marked when it is back, and not sent twice', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  const away = Promise.withResolvers<void>()
  gateway.answer = async () => {
    await fixture.pool.query('ALTER TABLE notifications RENAME TO notifications_away')
    away.resolve()
    return {}
  }
  const messages = await fixture.run(smsBy(gateway))
  await messages.notices.add([notice(await fixture.subscriber({ sms: '89001234567' }))])
  await away.promise
  await t.rejects(messages.countWaiting(), { code: '42P01' })
  await fixture.pool.query('ALTER TABLE notifications_away RENAME TO notifications')
  const [row] = await fixture.until(isSent)
  t.match(row, { attempts: 1, error: null })
  t.equal(gateway.asked.length, 1)
})

t.test('a program that stood still since its claim leaves a message to whoever claims it next', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  let claims = 0
  const query = async (order: QueryConfig, values?: unknown[]) => {
    const answer = await fixture.pool.query(order, values)
    if (order.name === 'messages-claim-others' && answer.rows.length > 0 && ++claims === 1)
      fixture.clock.advance(minuteMs)
    return answer
  }
  const connect = () => fixture.pool.connect()
  const messages = await fixture.run(smsBy(gateway), { query, connect } as unknown as Pool)
  await messages.notices.add([notice(await fixture.subscriber({ sms: '8 900 111-22-33' }))])
  const [row] = await fixture.until(isSent)
  t.match(row, { attempts: 2 }, 'sent by the second')
  t.equal(gateway.asked.length, 1)
})

t.test('a message that another program has sent is not refused afterwards', async (t) => {
  const fixture = await startFixture(t)
  const messages = await fixture.run()
  await messages.notices.add([notice(await fixture.subscriber({ sms: '8 900 111-22-33' }))])
  const table = new MessageTable(fixture.pool)
  const [row] = await fixture.rows()
  const id = Number(row!.id)
  await table.sent(id, start)
  await table.refused(id, 'No such number.')
  t.equal(await table.deviceGone(id, 'No such device.', start), false)
  t.match(await fixture.rows(), [{ state: 'sent', error: null }])
})

t.test('two programs on one database send each message once', async (t) => {
  const fixture = await startFixture(t)
  const gateway = await WebProvider.start(t)
  const parts = {
    pool: fixture.pool,
    clock: fixture.clock,
    log: silentLog,
    providers: providersOf({ fcm: null, smtp: null, ...smsBy(gateway) }, localHttp, fixture.clock),
    style: () => ({ language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72, quietHours: '' }) as const,
    observe: () => {},
  }
  const both = [new Messages(parts), new Messages(parts)]
  t.teardown(() => Promise.all(both.map((one) => one.stop())))
  const subscribers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => fixture.subscriber({ sms: `8900123${1000 + n}` })),
  )
  await Promise.all(both.map((one) => one.notices.add(subscribers.map((subscriber) => notice(subscriber)))))
  await Promise.all(both.map((one) => one.start()))
  await fixture.until((rows) => rows.length === 40 && isSent(rows))
  const ids = gateway.asked.map(({ path }) => new URL(path, gateway.url).searchParams.get('id'))
  t.equal(new Set(ids).size, 40)
  t.equal(ids.length, 40)
})

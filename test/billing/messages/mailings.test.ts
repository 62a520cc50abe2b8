import t, { type Test } from 'tap'
import { faultsOf } from '../../../src/billing/messages/faults.ts'
import { type Audience, type Mailing, MailingTable } from '../../../src/billing/messages/mailing/mailing-table.ts'
import type { MailingProgress } from '../../../src/billing/messages/mailing/mailings.ts'
import { Messages, type Outgoing, providersOf } from '../../../src/billing/messages/messages.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { smsCount, unknownFields } from '../../../src/domain/mailing-text.ts'
import { quietUntil } from '../../../src/domain/quiet-hours.ts'
import { type Clock, systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { SharedDatabase } from '../../support/database.ts'
import { localHttp } from '../../support/local-http.ts'
import { until, untilAnswer } from '../../support/until.ts'
import { WebProvider } from './servers.ts'

const shared = await SharedDatabase.open(t)

const hourMs = 3_600_000

/** The hour is what the test says; alarms ring at once, so that nobody has to wait for the next look. */
class HurriedClock implements Clock {
  #now = new Date('2026-11-21T12:00:00Z')
  now = () => this.#now
  elapsedMs = () => systemClock.elapsedMs()
  after = (ms: number, callback: () => void) => systemClock.after(Math.min(ms, 20), callback)

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms)
  }
}

const notice = { template: 'low_balance', values: { balance: '1.00', warn: '2.00' }, key: 'test:1' } as const
const all: Audience = { conditions: 'true', values: [] }

async function startFixture(t: Test) {
  const database = await shared.anew()
  const { pool } = database
  const clock = new HurriedClock()
  const gateway = await WebProvider.start(t)
  const table = new MailingTable(pool)
  const told: MailingProgress[] = []
  const quiet = { hours: '' }
  let running: Messages | null = null
  t.teardown(() => running?.stop())
  const sms = { url: `${gateway.url}/?to={phone}&text={text}`, method: null, body: null, headers: {}, accepted: null }
  return {
    ...{ pool, clock, gateway, told, quiet },
    /** A program with these providers; the one before is gone. */
    run: async (outgoing: Partial<Outgoing> = { sms }) => {
      const messages = new Messages({
        ...{ pool, clock, log: silentLog },
        providers: providersOf({ sms: null, fcm: null, smtp: null, ...outgoing }, localHttp, clock),
        style: () => ({ language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72, quietHours: quiet.hours }),
        observe: () => {},
      })
      await running?.stop()
      messages.mailings.onProgress((progress) => told.push(progress))
      await messages.start()
      running = messages
      return messages
    },
    /** Subscribers with phones from 79000000001 on. */
    people: (count: number) =>
      pool.query(
        `WITH account AS (INSERT INTO admin_accounts (debit, credit, ostatok) SELECT 0, 1200000000000, -1200000000000
            FROM generate_series(1, $1::int4) RETURNING id)
          INSERT INTO abonents (name, contract_number, account_id, organization_id, sms)
          SELECT '{balance} Petrov', row_number() OVER (), id, 1, (79000000000 + row_number() OVER ())::text FROM account`,
        [count],
      ),
    begin: async (
      messages: Messages,
      order: Partial<Pick<Mailing, 'channel' | 'text'>> = {},
      startsAt: Date | null = null,
    ) => {
      const { channel = 'auto', text = '{name}: {debt}' } = order
      const own = { staff: null, user: 'root', asked: {}, title: 'Provider', key: null, request: null }
      const id = await messages.mailings.begin(pool, { ...own, channel, text, startsAt })
      messages.mailings.gather(id!, all)
      return id!
    },
    until: (id: number, is: (mailing: Mailing) => boolean) =>
      untilAnswer(
        async () => (await table.find(id, null))!,
        (one) => is(one),
      ),
    phones: () => gateway.asked.map(({ path }) => new URL(path, gateway.url).searchParams.get('to')),
  }
}

t.test('everybody of the beginning gets a mailing once, also where the program stops in between', async (t) => {
  const fixture = await startFixture(t)
  const { gateway, phones } = fixture
  await fixture.people(1_100)
  const messages = await fixture.run()
  const id = await fixture.begin(messages)
  await fixture.until(id, ({ total }) => total === 1_100)
  await fixture.pool.query(
    `INSERT INTO abonents (name, contract_number, account_id, sms) SELECT 'Late', 'late', account_id, '79999999999' FROM abonents LIMIT 1`,
  )
  await gateway.askedTimes(100)
  // Nothing may be under way at the stop: what is cut off there may have been sent and is tried again.
  fixture.quiet.hours = '00:00-23:59'
  const { rows } = await fixture.pool.query<{ id: string }>('SELECT id FROM abonents ORDER BY id LIMIT 1')
  await messages.notices.add([{ ...notice, subscriberId: subscriberId(rows[0]!.id) }])
  await untilAnswer(
    async () =>
      (
        await fixture.pool.query(
          `SELECT FROM notifications WHERE state = 'waiting' AND (attempts > 0 OR mailing_id IS NULL)`,
        )
      ).rowCount,
    (count) => count === 0,
  )
  await messages.stop()
  const before = await fixture.until(id, () => true)
  t.equal(before.state, 'sending')
  t.ok(before.sent >= 90 && before.sent < 1_100, `${before.sent} were sent before the stop`)
  t.ok(before.messages <= 1_000, 'few are written ahead')
  fixture.quiet.hours = ''
  await fixture.run()
  const after = await fixture.until(id, ({ state }) => state === 'done')
  t.match(after, { total: 1_100, done: 1_100, messages: 1_100, sent: 1_100, waiting: 0, failed: 0, ended_at: Date })
  t.equal(phones().length, 1_101, 'with the notice')
  t.equal(new Set(phones()).size, 1_100)
  t.equal(new URL(gateway.asked[0]!.path, gateway.url).searchParams.get('text'), '{balance} Petrov: 120 руб.')
  t.match(fixture.told.at(-1), { id, state: 'done' })
})

t.test('in quiet hours mailings wait, and what concerns an account of one client goes', async (t) => {
  const fixture = await startFixture(t)
  await fixture.people(3)
  const { rows } = await fixture.pool.query<{ id: string }>('SELECT id FROM abonents ORDER BY id LIMIT 1')
  fixture.quiet.hours = '14:00-16:00'
  const messages = await fixture.run()
  t.same(messages.mailings.quietUntil(), new Date('2026-11-21T13:00:00Z'))
  const id = await fixture.begin(messages, { text: 'Works in your house' })
  await fixture.until(id, ({ state }) => state === 'sending')
  await fixture.pool.query(
    `INSERT INTO notifications (kind, mailing_id, channel, address, text, next_try_at, expires_at)
      VALUES ('mailing', $1, 'sms', '79995550000', 'A repeat', $2, $2::timestamptz + interval '1 day')`,
    [id, fixture.clock.now()],
  )
  await messages.notices.add([{ ...notice, subscriberId: subscriberId(rows[0]!.id) }])
  await fixture.gateway.askedTimes(1)
  t.same(fixture.phones(), ['79000000001'], 'neither the new ones nor the repeat')
  t.match(await fixture.until(id, () => true), { done: 0, messages: 0 })
  fixture.clock.advance(hourMs)
  await fixture.until(id, ({ state }) => state === 'done')
  t.equal(fixture.gateway.asked.length, 5)

  const later = await fixture.begin(messages, {}, new Date(fixture.clock.now().getTime() + hourMs))
  await fixture.until(later, ({ state }) => state === 'sending')
  await until(() => fixture.told.some(({ id, state }) => id === later && state === 'sending'))
  const sooner = await fixture.begin(messages, { text: 'Sooner' })
  await fixture.until(sooner, ({ state }) => state === 'done')
  t.match(await fixture.until(later, () => true), { state: 'sending', done: 0 })
  fixture.clock.advance(hourMs)
  await fixture.until(later, ({ state }) => state === 'done')
})

t.test('after a stop nobody else gets it, and the rest is told', async (t) => {
  const fixture = await startFixture(t)
  await fixture.people(1_200)
  const held = Promise.withResolvers<void>()
  fixture.gateway.answer = async () => {
    await held.promise
    return {}
  }
  const messages = await fixture.run()
  const id = await fixture.begin(messages)
  await fixture.gateway.askedTimes(8)
  t.equal(await messages.mailings.halt(fixture.pool, id), true)
  t.equal(await messages.mailings.halt(fixture.pool, id), false)
  held.resolve()
  const over = await fixture.until(id, ({ sent }) => sent === 8)
  t.match(over, { state: 'stopped', total: 1_200, sent: 8, waiting: 0, ended_at: Date })
  t.equal(over.failed, over.messages - 8)
  const { rows } = await fixture.pool.query(`SELECT DISTINCT error FROM notifications WHERE state = 'failed'`)
  t.same(faultsOf(rows[0].error), [{ code: 'stopped', detail: '' }])
  await fixture.run()
  t.equal(fixture.gateway.asked.length, 8)
})

t.test('the preview counts as the mailing then does, for every kind of address', async (t) => {
  const fixture = await startFixture(t)
  await fixture.people(12)
  const addresses = ['8 900 1234567', '12-34', '', null, '+7 (900) 123-45-67, 8 901 1234567', '123456789012345']
  const mailboxes = ['a@b.example', 'none', null]
  await fixture.pool.query(
    `UPDATE abonents SET sms = ($1::text[])[1 + id % 6], email = ($2::text[])[1 + id % 3], deleted = id % 5 = 0`,
    [addresses, mailboxes],
  )
  const { rows: people } = await fixture.pool.query<{ id: string }>('SELECT id FROM abonents ORDER BY id')
  await fixture.pool.query(
    `INSERT INTO mailing_opt_outs (subscriber_id, user_name) VALUES ($1, 'root'), ($2, 'root')`,
    [people[1]!.id, people[6]!.id],
  )
  const messages = await fixture.run()
  await messages.devices.register(subscriberId(people[3]!.id), 'token', 'ios')
  for (const channel of ['auto', 'sms', 'email', 'push'] as const) {
    const patient = <Query extends object>(query: Query) => query
    const { total, fates, samples } = await messages.mailings.reach(fixture.pool, { channel, audience: all, patient })
    t.equal(total, 12)
    for (const sample of samples)
      t.match(sample, { channel: 'sms', values: { name: '{balance} Petrov', debt: '120 руб.' } })
    const id = await fixture.begin(messages, { channel })
    const { opted_out, no_address, no_provider, deleted, sent } = await fixture.until(
      id,
      ({ state }) => state === 'done',
    )
    const became = { sms: sent, opted_out, no_address, no_provider, deleted }
    t.same(Object.fromEntries(Object.entries(became).filter(([, count]) => count > 0)), fates, channel)
  }
})

t.test('quiet hours are those of the zone, also over midnight and where the clocks change', (t) => {
  const until = (now: string, hours: string, zone = 'Europe/Moscow') =>
    quietUntil(new Date(now), hours, zone)?.toISOString()
  t.equal(until('2026-11-21T18:00:00Z', '21:00-09:00'), '2026-11-22T06:00:00.000Z')
  t.equal(until('2026-11-22T05:59:59Z', '21:00-09:00'), '2026-11-22T06:00:00.000Z')
  t.equal(until('2026-11-22T06:00:00Z', '21:00-09:00'), undefined)
  t.equal(until('2026-11-21T17:59:59Z', '21:00-09:00'), undefined)
  t.equal(until('2026-11-21T10:00:00Z', '12:00-14:30'), '2026-11-21T11:30:00.000Z')
  t.equal(until('2026-11-21T10:00:00Z', ''), undefined)
  t.equal(until('2026-11-21T10:00:00Z', '13:00-13:00'), undefined)
  t.equal(
    until('2026-03-28T21:00:00Z', '21:00-09:00', 'Europe/Berlin'),
    '2026-03-29T07:00:00.000Z',
    'a night of an hour less',
  )
  const berlin = (now: string) => until(now, '21:00-02:30', 'Europe/Berlin')
  t.equal(berlin('2026-03-29T00:30:00Z'), '2026-03-29T01:30:00.000Z', 'an end that is skipped comes as much later')
  t.equal(berlin('2026-10-24T22:00:00Z'), '2026-10-25T00:30:00.000Z', 'an end that comes twice counts the first time')
  t.equal(berlin('2026-10-25T01:15:00Z'), '2026-10-25T01:30:00.000Z', 'and again for who asks between')
  t.equal(until('2018-11-04T01:00:00Z', '21:00-00:30', 'America/Sao_Paulo'), '2018-11-04T03:30:00.000Z')
  t.equal(until('2026-11-21T16:00:00Z', '21:00-09:00', 'Asia/Kolkata'), '2026-11-22T03:30:00.000Z')
  t.end()
})

t.test('fields that there are none of are named, and SMS are counted', (t) => {
  t.same(unknownFields('{name} {Name} { } {} {x}{x} {', ['name']), ['Name', ' ', '', 'x'])
  t.equal(smsCount('a'.repeat(160)), 1)
  t.equal(smsCount('a'.repeat(161)), 2)
  t.equal(smsCount('ж'.repeat(70)), 1)
  t.equal(smsCount('ж'.repeat(135)), 3)
  t.same(faultsOf('The SMS gateway answered 402: no money Given up: it was not sent while it was of use.'), [
    { code: 'sms_answered', detail: '402: no money' },
    { code: 'expired', detail: '' },
  ])
  t.same(faultsOf('550 no such user'), [{ code: 'other', detail: '550 no such user' }])
  t.end()
})

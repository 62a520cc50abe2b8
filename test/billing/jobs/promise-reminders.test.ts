import t from 'tap'
import {
  promiseExpired,
  promiseExpiring,
  type ReminderWindows,
  type SendReminders,
} from '../../../src/billing/jobs/promise-reminders.ts'
import { Notices } from '../../../src/billing/messages/notices.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { testDatabase } from '../../support/database.ts'

const now = new Date('2026-11-21T07:00:00Z') // 10:00 in Moscow
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)
const never = new AbortController().signal

const { database } = await testDatabase(t)
const { pool } = database
const style = { language: 'ru', timeZone: 'Europe/Moscow', lifetimeHours: 72 } as const
const notices = new Notices({
  pool,
  clock: systemClock,
  log: silentLog,
  style: () => style,
  served: new Set(),
  onWritten: () => {},
})
const send: SendReminders = (template, promises) => notices.addForPromises(template, promises)
const expiring = (windows: ReminderWindows) => promiseExpiring(pool, () => windows, send).run(now, never)
const expired = () => promiseExpired(pool, () => 'Europe/Moscow', send).run(now, never)

async function promised(name: string, until: Date, device = false): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
      INSERT INTO abonents (name, contract_number, account_id, organization_id, promise_pay, promise_date_end)
      SELECT $1, gen_random_uuid(), id, 1, 5000000000000, $2 FROM account RETURNING id`,
    [name, until],
  )
  const id = Number(rows[0]!.id)
  if (device)
    await pool.query(`INSERT INTO push_devices (subscriber_id, token, platform) VALUES ($1, $2, 'ios')`, [id, name])
  return id
}

const lastIn = (zone: string, at: string) => promiseExpired(pool, () => zone, send).run(new Date(at), never)

const told = async () => {
  const { rows } = await pool.query(
    `SELECT abonents.name, kind, text FROM notifications JOIN abonents ON abonents.id = subscriber_id ORDER BY notifications.id`,
  )
  await pool.query('TRUNCATE notifications')
  return rows
}

t.beforeEach(() => pool.query('TRUNCATE abonents, notifications CASCADE').then(() => {}))

t.test(
  'subscribers with a device are reminded in the window for pushes, the others in the window for notices',
  async (t) => {
    await promised('in 23 h', hours(23))
    await promised('in 23 h with a device', hours(23), true)
    await promised('in 30 h', hours(30))
    await promised('in 47 h with a device', hours(47), true)
    await promised('over', hours(-1))
    t.same(await expiring({ push: 0, other: 0 }), { promises: 0, told: 0 }, '0 tells nobody')
    t.same(await expiring({ push: 48, other: 0 }), { promises: 2, told: 2 })
    t.same(
      (await told()).map(({ name }) => name),
      ['in 23 h with a device', 'in 47 h with a device'],
    )
    await expiring({ push: 0, other: 24 })
    t.same(await told(), [
      {
        name: 'in 23 h',
        kind: 'promise_expiring',
        text: 'Обещанный платёж 500 руб. действует до 22.11.2026 09:00. Пополните счёт, чтобы связь не прервалась.',
      },
    ])
    t.same(await expiring({ push: 0, other: 2 }), { promises: 1, told: 1 }, 'the next run is a day away')
  },
)

t.test('a subscriber is reminded of each promise once, however often the job runs', async (t) => {
  const id = await promised('once', hours(5))
  const windows = { push: 24, other: 24 }
  t.same(await expiring(windows), { promises: 1, told: 1 })
  t.same(await expiring(windows), { promises: 1, told: 0 })
  t.same(await Promise.all([expired(), expired()]).then((runs) => runs.map(({ told }) => told).sort()), [0, 1])
  await pool.query('UPDATE abonents SET promise_date_end = $2 WHERE id = $1', [id, hours(9)])
  t.same(await expiring(windows), { promises: 1, told: 1 })
})

t.test('the reminder on the last day follows the calendar of TIME_ZONE', async (t) => {
  await promised('ended before dawn', new Date('2026-11-20T21:00:00Z'))
  await promised('yesterday', new Date('2026-11-20T20:59:59Z'))
  await promised('tonight', new Date('2026-11-21T20:59:00Z'))
  await promised('tomorrow', new Date('2026-11-21T21:00:00Z'))
  t.same(await expired(), { promises: 2, told: 2 })
  t.match(await told(), [
    { name: 'ended before dawn', kind: 'promise_expired' },
    { name: 'tonight', text: 'Обещанный платёж 500 руб. завершается сегодня, 21.11.2026 23:59. Пополните счёт.' },
  ])
})

t.test('a reminder on the last day and a message about the end are never both sent', async (t) => {
  const until = hours(3)
  const ended = (id: number, outboxId: number) =>
    notices.handle(
      {
        kind: 'notify',
        subscriberId: subscriberId(id),
        template: 'promise_ended',
        values: { amount: '500.00', why: 'expired', until: until.toISOString() },
      },
      outboxId,
    )
  const first = await promised('told by the job', until)
  await expired()
  t.match(await ended(first, 1), { told: false })
  const second = await promised('told by the end', until)
  t.match(await ended(second, 2), { told: true })
  t.same(await expired(), { promises: 2, told: 0 })
})

t.test('the day of the end is that of the zone, where the clocks change as well', async (t) => {
  const cases: readonly (readonly [
    zone: string,
    now: string,
    before: string,
    first: string,
    last: string,
    after: string,
  ])[] = [
    // A day of 25 hours that begins with an hour that comes twice.
    [
      'America/Havana',
      '2026-11-01T15:00:00Z',
      '2026-11-01T03:59:59Z',
      '2026-11-01T04:00:00Z',
      '2026-11-02T04:59:59Z',
      '2026-11-02T05:00:00Z',
    ],
    [
      'Europe/Berlin',
      '2026-03-29T10:00:00Z',
      '2026-03-28T22:59:59Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:59:59Z',
      '2026-03-29T22:00:00Z',
    ],
    [
      'Asia/Kolkata',
      '2026-02-28T10:00:00Z',
      '2026-02-27T18:29:59Z',
      '2026-02-27T18:30:00Z',
      '2026-02-28T18:29:59Z',
      '2026-02-28T18:30:00Z',
    ],
  ]
  for (const [zone, at, ...ends] of cases) {
    await pool.query('TRUNCATE abonents, notifications CASCADE')
    for (const [index, end] of ends.entries()) await promised(`${index}`, new Date(end))
    t.match(await lastIn(zone, at), { promises: 2 }, zone)
    t.same((await told()).map(({ name }) => name).sort(), ['1', '2'], zone)
  }
})

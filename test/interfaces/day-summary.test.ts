import t from 'tap'
import { nasId, organizationId } from '../../src/domain/ids.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { StoppedWatch } from '../support/stopped-watch.ts'
import { type Json, openOffice } from './admin-office.ts'

const clock = new StoppedWatch()
const office = await openOffice(t, { clock })
await office.settings.set({ TIME_ZONE: zoneOfNoon() })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (2, 2, 'North')`)
const north = await office.staff('north', 'viewer', [2])

const subscriber = async (number: number, more: object = {}): Promise<Json> =>
  (await root.post('/rest_api/v2/Abonents/', { name: `Client ${number}`, contract_number: `${number}`, ...more })).body
const [ivan, olga] = [await subscriber(1), await subscriber(2, { parent: 2 })]

const pay = async ({ account }: Json, fields: object): Promise<Json> => {
  const { status, body } = await root.post(`/admin/Abonents/accounts_payment/${account}/`, fields)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}
const topUp = (of: Json, amount: string, more: object = {}) =>
  pay(of, { amount, kind: 'topup', op_type_id: 7, ...more })
const expense = (of: Json, amount: string) => pay(of, { amount, kind: 'adjustment', op_type_id: 9 })

const summaryOf = async (caller = root): Promise<Json> => (await caller.get('/admin/summary/')).body

t.test('a day on which nothing has happened', async (t) => {
  t.same(await summaryOf(), {
    ...{ ok: true, online_a_day_ago: 0, debtors_new: 0, tickets_open: 0, receipts: [] },
  })
})

t.test('receipts of today by channel, without reversed ones and those of before', async (t) => {
  await topUp(ivan, '100.50')
  await topUp(ivan, '200')
  await topUp(olga, '50')
  const { operation } = await topUp(ivan, '999')
  await root.post(`/admin/Abonents/accounts_storno/${ivan.account}/`, { op_id: operation.op_id })
  const { operation: old } = await topUp(ivan, '30')
  await office.rows(`UPDATE finance_operations SET op_date = op_date - interval '1 day' WHERE op_id = $1`, [old.op_id])
  t.same((await summaryOf()).receipts, [{ channel: 'manual', count: 3, sum: '350.50' }])
  t.same((await summaryOf(north)).receipts, [{ channel: 'manual', count: 1, sum: '50.00' }], 'of the own organizations')
})

t.test('who has come below zero today, and is there still', async (t) => {
  await expense(olga, '60')
  await expense(olga, '5')
  t.equal((await summaryOf()).debtors_new, 1, 'each account once')
  t.equal((await summaryOf(north)).debtors_new, 1)
  await topUp(olga, '100')
  t.equal((await summaryOf()).debtors_new, 0)
  await expense(ivan, '5000')
  t.equal((await summaryOf()).debtors_new, 1)
  t.equal((await summaryOf(north)).debtors_new, 0)
  await office.rows(`UPDATE admin_accounts SET debt_since = debt_since - interval '1 day'`)
  t.equal((await summaryOf()).debtors_new, 0, 'a debtor of yesterday is not new')
})

t.test('tickets that are not closed', async (t) => {
  const open = { subject: 'No line', body: 'Since noon' }
  await root.post(`/admin/Abonents/tickets/${ivan.id}/`, open)
  const { body } = await root.post(`/admin/Abonents/tickets/${olga.id}/`, open)
  t.equal((await summaryOf()).tickets_open, 2)
  t.equal((await summaryOf(north)).tickets_open, 1)
  await office.rows(`UPDATE hdsks SET status = 'closed' WHERE id = $1`, [body.id ?? body.ticket?.id])
  t.equal((await summaryOf(north)).tickets_open, 0)
})

/** How many sessions were live at the moment of the summary, by the tables alone. */
const liveThen = async (organizations: readonly number[] | null): Promise<number> => {
  const [{ count }] = await office.rows(
    `SELECT count(*)::int4 AS count FROM radius_sessions, date_bin('10 minutes', now() - interval '24 hours', 'epoch') AS moment
      WHERE started_at <= moment AND (ended_at IS NULL OR ended_at > moment)
        AND ($1::int8[] IS NULL OR organization_id = ANY($1))`,
    [organizations],
  )
  return count
}

/** Live ones are in memory, as those that the program has heard of or read. */
const session = async (organization: number, startedAgo: string, endedAgo: string | null) => {
  const name = `${organization} ${startedAgo} ${endedAgo}`
  const [{ id, ms }] = await office.rows(
    `INSERT INTO radius_sessions (login, organization_id, nas_id, acct_session_id, started_at, updated_at, ended_at)
      VALUES ('x', $1, 1, $2, now() - $3::interval, now(), now() - $4::interval)
      RETURNING id, extract(epoch FROM started_at)::float8 * 1000 AS ms`,
    [organization, name, startedAgo, endedAgo],
  )
  if (endedAgo !== null) return
  office.sessions.add({
    ...{ id: Number(id), nasId: nasId(1), nasIp: '127.0.0.1', acctSessionId: name, login: 'x', userLogin: null },
    ...{ nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null }, nasPort: null, inGarden: null },
    ...{ organizationId: organizationId(organization), userId: null, subscriberId: null, callingStationId: null },
    ...{ ip: null, offeredIp: null, delegatedIpv6Prefix: null, ipv6Prefix: null, mac: null },
    ...{ startedAtMs: ms, receivedAtMs: ms, reportedAtMs: ms, sessionTime: 0, inputOctets: 0n, outputOctets: 0n },
  })
}

t.test('sessions that were live 24 hours ago', async (t) => {
  await session(1, '2 hours', null)
  await session(1, '3 hours', '1 hour')
  await session(1, '26 hours', '1 hour')
  await session(2, '30 hours', '23 hours')
  await session(2, '30 hours', '25 hours')
  await session(2, '30 hours', null)
  t.equal((await summaryOf()).online_a_day_ago, 3)
  t.equal(await liveThen(null), 3, 'as the tables tell')
  t.equal((await summaryOf(north)).online_a_day_ago, 2)
  t.equal(await liveThen([2]), 2)
})

t.test('one that goes on after a presumed end counts once', async (t) => {
  await session(2, '31 hours', '2 hours')
  const again = 'UPDATE radius_sessions SET ended_at = NULL WHERE acct_session_id = $1 RETURNING id'
  await office.rows(again, ['2 31 hours 2 hours'])
  t.equal(
    (await office.rows('SELECT FROM radius_ended_sessions WHERE ended_at > now() - interval $$3 hours$$')).length,
    3,
  )
  t.equal((await summaryOf(north)).online_a_day_ago, 2, 'the program has not read it yet')
})

/** Lets the next readings, so many of them, last as long as costly ones. */
const costly = (readings: number): void => {
  const { pool } = office.database
  const connect = pool.connect.bind(pool)
  let left = readings
  pool.connect = (async (...args: []) => {
    clock.advance(50)
    if (--left === 0) Object.assign(pool, { connect })
    return connect(...args)
  }) as typeof pool.connect
}

t.test('a summary that was costly to read is given again for twenty seconds', async (t) => {
  costly(1)
  const before = await summaryOf()
  await office.rows('UPDATE hdsks SET status = $1', ['closed'])
  t.same(await summaryOf(), before)
  clock.advance(20_000)
  t.same(await summaryOf(), before, 'to the end')
  clock.advance(1)
  t.same(await summaryOf(), { ...before, tickets_open: 0 })
})

t.test('sessions of a day ago that were costly to count are so once for all who ask', async (t) => {
  costly(2)
  const { online_a_day_ago: before } = await summaryOf()
  await session(2, '32 hours', '1 hour')
  clock.advance(60_000)
  t.equal((await summaryOf()).online_a_day_ago, before)
  t.equal((await summaryOf(north)).online_a_day_ago, 2)
  clock.advance(600_000)
  t.equal((await summaryOf()).online_a_day_ago, before + 1)
  t.equal((await summaryOf(north)).online_a_day_ago, 3)
})

import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

const minuteMs = 60_000

/** Lets the drain run until accounting goes to the database again. */
async function recovered(fixture: AccountingFixture): Promise<void> {
  fixture.isUp = true
  const seen = new Promise<void>((resolve) => {
    const look = () => {
      if (fixture.accounting.state === 'direct') return resolve()
      fixture.clock.advance(500)
      setImmediate(look)
    }
    look()
  })
  await seen
}

t.test('while the database is away accounting is answered from the spool, and stored when it is back', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'before' }))
  fixture.isUp = false
  fixture.clock.advance(1000)
  t.same(
    await fixture.send(
      packet('start', { id: 'during', ip: '10.0.0.7' }),
      packet('interim', { id: 'before', time: 5, input: 50 }),
    ),
    [0, 1],
  )
  t.equal(fixture.accounting.state, 'spooling')
  t.match(
    fixture.sessions.liveOf('ivan'),
    [{ inputOctets: 50n }, { ip: '10.0.0.7', subscriberId: 1 }],
    'the table goes on without the database',
  )
  t.equal((await fixture.rows()).length, 1)
  fixture.clock.advance(minuteMs)
  await fixture.send(
    packet('stop', { id: 'before', time: 61, input: 60, cause: 1 }),
    packet('interim', { id: 'during', time: 60, input: 7 }),
  )
  await recovered(fixture)
  const rows = await fixture.rows()
  t.match(rows, [
    { acct_session_id: 'before', input_octets: '60', ended: 61, end_reason: 'User-Request' },
    { acct_session_id: 'during', input_octets: '7', ended: null, started: 1, framed_ip: '10.0.0.7' },
  ])
  t.match(fixture.sessions.liveOf('ivan'), [{ id: rows[1]!.id, acctSessionId: 'during' }], 'with the id of its row')
  t.same(fixture.heard, ['started ivan before', 'started ivan during', 'stopped ivan before'], 'told once')
  t.same(await readdir(join(fixture.folder, 'spool')), [])
})

t.test('a session that waits in the spool keeps the address that it was offered, whoever has it by then', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const station = '02-00-00-00-00-01'
  fixture.isUp = false
  await fixture.send(packet('start', { id: 'one', station }), packet('stop', { id: 'one', station, time: 0 }))
  await fixture.send(packet('start', { id: 'two', station }))
  await fixture.send(packet('stop', { id: 'two', station, time: 0 }))
  fixture.lease = '10.0.0.88'
  await fixture.send(packet('start', { id: 'three', station }))
  await fixture.send(packet('start', { id: 'four' }))
  // Killed: another program drains it, whose memory is empty.
  fixture.lease = '10.0.0.99'
  fixture.isUp = true
  await fixture.begin()
  t.strictSame(
    (await fixture.rows()).map(({ acct_session_id, offered_ip }) => [acct_session_id, offered_ip]),
    [
      ['one', '10.0.0.77'],
      ['two', '10.0.0.77'],
      ['three', '10.0.0.88'],
      ['four', null],
    ],
  )
})

t.test('a statement that fails half-way is repeated from the spool without harm', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  // The commit happens, its confirmation is lost.
  const { query } = fixture.database
  let lost = 0
  Object.assign(fixture.database, {
    query: async (...args: unknown[]) => {
      const result = await Reflect.apply(query, fixture.database, args)
      if ((args[0] as { name?: string }).name?.startsWith('accounting-sessions') && lost++ === 0)
        throw new Error('Connection terminated unexpectedly')
      return result
    },
  })
  t.same(await fixture.send(packet('start')), [0])
  t.equal(fixture.accounting.counts.spooled, 1)
  await recovered(fixture)
  const rows = await fixture.rows()
  t.equal(rows.length, 1)
  t.match(fixture.sessions.liveOf('ivan'), [{ id: rows[0]!.id }])
})

t.test('a record whose row came meanwhile, of a statement whose end was not heard, is no refused one', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  fixture.isUp = false
  await fixture.send(packet('interim', { time: 5, input: 500 }))
  const { query } = fixture.database
  let conflicts = 0
  Object.assign(fixture.database, {
    query: async (...args: unknown[]) => {
      const isJudged = /^accounting-\d+$/.test((args[0] as { name?: string }).name ?? '')
      if (!isJudged || conflicts++ > 0) return Reflect.apply(query, fixture.database, args)
      await fixture.database.query(`INSERT INTO radius_sessions (nas_id, acct_session_id, login, started_at, updated_at)
        VALUES (1, 'A1', 'ivan', '2026-03-01 12:00Z', '2026-03-01 12:00Z')`)
      throw Object.assign(new Error('duplicate key value'), { code: '23505' })
    },
  })
  await recovered(fixture)
  t.equal(fixture.accounting.counts.refused, 0)
  t.match(await fixture.rows(), [{ input_octets: '500', ended: null }])
  t.equal((await fixture.rows()).length, 1)
})

t.test('what the spool kept survives kill -9', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'one' }))
  fixture.isUp = false
  for (let i = 0; i < 5; i++)
    await fixture.send(
      packet('start', { id: `s${i}`, login: `l${i}` }),
      packet('stop', { id: `s${i}`, login: `l${i}`, time: 0 }),
    )
  await fixture.send(packet('interim', { id: 'one', time: 9, input: 9 }))
  // No stop: the program is gone. Another begins.
  fixture.isUp = true
  await fixture.begin()
  t.equal(fixture.accounting.state, 'direct')
  t.equal((await fixture.rows()).length, 6)
  t.match(fixture.sessions.liveOf('ivan'), [{ inputOctets: 9n, acctSessionId: 'one' }])
  t.equal(fixture.sessions.size, 1)
})

t.test('a spool drained by half and drained again gives the same rows', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  fixture.isUp = false
  await fixture.send(packet('start', { identifier: 1 }), packet('interim', { time: 5, input: 500 }))
  fixture.clock.advance(minuteMs)
  await fixture.send(packet('stop', { time: 60, input: 600 }))
  fixture.clock.advance(minuteMs)
  await fixture.send(packet('start', { identifier: 2 }), packet('interim', { time: 1, input: 10 }))
  const spool = join(fixture.folder, 'spool')
  const kept = join(fixture.folder, 'kept')
  await mkdir(kept)
  for (const name of await readdir(spool)) await copyFile(join(spool, name), join(kept, name))
  await recovered(fixture)
  const first = await fixture.rows()
  t.match(first, [
    { input_octets: '600', ended: 60 },
    { input_octets: '10', ended: null, generation: 1 },
  ])
  await fixture.accounting.stop()
  await rm(spool, { recursive: true })
  await rename(kept, spool)
  await fixture.begin()
  t.same(await fixture.rows(), first)
})

t.test('a late packet of a session long ended starts none while the database is away', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'known' }), packet('stop', { id: 'known', time: 1 }))
  await fixture.database.query(`INSERT INTO radius_sessions (nas_id, acct_session_id, login, started_at, updated_at, ended_at, end_reason)
    VALUES (1, 'forgotten', 'ivan', '2026-03-01 10:00Z', '2026-03-01 11:00Z', '2026-03-01 11:00Z', 'User-Request')`)
  fixture.isUp = false
  await fixture.send(packet('interim', { id: 'known', time: 1 }))
  t.equal(fixture.sessions.size, 0)
  await fixture.send(packet('interim', { id: 'forgotten', time: 1 }))
  t.equal(fixture.sessions.size, 1, 'nobody can know')
  await recovered(fixture)
  t.equal(fixture.sessions.size, 0)
  t.equal((await fixture.rows()).length, 2)
})

t.test(
  'a session that memory has ended during an outage, or had ended before it, lives where its row does',
  async (t) => {
    const fixture = await AccountingFixture.start(t, shared)
    const station = '02-00-00-00-00-09'
    await fixture.send(packet('start', { id: 'presumed', station, ip: '10.0.0.7' }), packet('start', { id: 'known' }))
    const presumed = fixture.sessions.liveOf('ivan').find(({ acctSessionId }) => acctSessionId === 'presumed')!
    await fixture.accounting.endSession(presumed, fixture.clock.now(), 'Disconnect-NAK')
    fixture.clock.advance(10 * minuteMs)
    fixture.isUp = false
    await fixture.send(packet('interim', { id: 'presumed', time: 600, input: 50 }))
    // Of an earlier session of that name: it began an hour before.
    await fixture.send(packet('stop', { id: 'known', time: 60, delay: 3600, cause: 1 }))
    await fixture.send(packet('start', { id: 'ended', login: 'two' }), packet('stop', { id: 'ended', login: 'two' }))
    t.equal(fixture.sessions.size, 0)
    await recovered(fixture)
    t.match(await fixture.rows(), [{ ended: null, input_octets: '50' }, { ended: null }, { end_reason: 'Unknown' }])
    const ids = (await fixture.rows()).slice(0, 2).map(({ id }) => id)
    const live = fixture.sessions.liveOf('ivan').sort((a, b) => Number(a.id) - Number(b.id))
    t.match(live, [{ id: ids[0], ip: '10.0.0.7', inputOctets: 50n }, { id: ids[1] }])
    t.match(fixture.heard.slice(-2), ['started ivan presumed', 'started ivan known'])
  },
)

t.test('Accounting-On and endings of our own are kept by the spool too', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'a', station: 'mac' }), packet('start', { id: 'b', login: 'two' }))
  fixture.isUp = false
  fixture.clock.advance(minuteMs)
  await fixture.send(packet('start', { id: 'c', station: 'mac' }))
  await fixture.accounting.endSession(fixture.sessions.liveOf('two')[0]!, fixture.clock.now(), 'Disconnect-ACK')
  t.equal(fixture.sessions.size, 1, 'a was replaced by c, b disconnected')
  fixture.clock.advance(minuteMs)
  await fixture.send(packet('on'))
  t.equal(fixture.sessions.size, 0)
  await recovered(fixture)
  t.match(await fixture.rows(), [
    { acct_session_id: 'a', end_reason: 'Replaced', ended: 60 },
    { acct_session_id: 'b', end_reason: 'Disconnect-ACK', ended: 60 },
    { acct_session_id: 'c', end_reason: 'NAS-Reboot', ended: 120 },
  ])
})

t.test('with neither database nor spool nothing is answered', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  fixture.isUp = false
  await rm(join(fixture.folder, 'spool'), { recursive: true })
  await writeFile(join(fixture.folder, 'spool'), 'in the way')
  t.same(await fixture.send(packet('start')), [])
  t.equal(fixture.accounting.counts.unsaved, 1)
  t.equal(fixture.sessions.size, 0)
  await rm(join(fixture.folder, 'spool'))
  await mkdir(join(fixture.folder, 'spool'))
  t.same(await fixture.send(packet('start')), [0], 'the NAS repeats')
  t.equal(fixture.sessions.size, 1)
})

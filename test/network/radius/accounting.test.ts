import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { loopback } from '../../support/nas.ts'
import { nasId, subscriberId } from '../../../src/domain/ids.ts'
import { AccountingFixture, classFor, packet, startOfTime } from '../../support/accounting.ts'

const shared = await SharedDatabase.open(t)

const minuteMs = 60_000

t.test('a session from its Start to its Stop', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  t.same(await fixture.send(packet('start', { ip: '10.0.0.1', station: '02-00-00-00-00-01' })), [0])
  const [live] = fixture.sessions.liveOf('ivan')
  t.match(live, {
    login: 'ivan',
    ip: '10.0.0.1',
    subscriberId: 1,
    organizationId: 1,
    userId: 1,
    mac: '02:00:00:00:00:01',
  })
  t.equal(fixture.sessions.ofSubscriber(subscriberId(1)).length, 1)
  t.equal(fixture.sessions.countByNas().get(1), 1)

  fixture.clock.advance(5 * minuteMs)
  await fixture.send(packet('interim', { time: 300, input: 5, output: 7, gigawords: [1, 2] }))
  const [counted] = fixture.sessions.liveOf('ivan')
  t.equal(counted?.inputOctets, 2n ** 32n + 5n)
  t.equal(counted?.outputOctets, 2n * 2n ** 32n + 7n)

  fixture.clock.advance(minuteMs)
  await fixture.send(packet('stop', { time: 360, input: 9, output: 9, gigawords: [1, 2], cause: 1 }))
  t.equal(fixture.sessions.size, 0)
  const rows = await fixture.rows()
  t.equal(rows.length, 1)
  t.match(rows[0], {
    user_id: '1',
    abonent_id: '1',
    started: 0,
    ended: 360,
    end_reason: 'User-Request',
    session_time: '360',
    input_octets: String(2n ** 32n + 9n),
    framed_ip: '10.0.0.1',
  })
  t.same(fixture.heard, ['started ivan A1', 'stopped ivan A1'])
  t.same(
    fixture.published.map(({ kind }) => kind),
    ['sessionStarted', 'sessionUpdated', 'sessionStopped'],
  )
  t.match(fixture.of('sessionStopped')[0]!.session, {
    id: rows[0]!.id,
    endReason: 'User-Request',
    inputOctets: 2n ** 32n + 9n,
  })
})

t.test('the plan of a group is made anew when four times as many sessions have begun', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const names: string[] = []
  const { query } = fixture.database
  Object.assign(fixture.database, {
    query: (...args: unknown[]) => {
      const { name } = args[0] as { name?: string }
      if (name?.startsWith('accounting-sessions')) names.push(name)
      return Reflect.apply(query, fixture.database, args)
    },
  })
  for (let begun = 0; begun < 16; begun++) await fixture.send(packet('start', { id: `s${begun}` }))
  t.same(
    names.map((name) => Number(name.replace('accounting-sessions-begin-', ''))),
    [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2],
  )
})

t.test('a group is written by a statement of only what it needs', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const names: (string | undefined)[] = []
  const { query } = fixture.database
  Object.assign(fixture.database, {
    query: (...args: unknown[]) => {
      names.push((args[0] as { name?: string }).name)
      return Reflect.apply(query, fixture.database, args)
    },
  })
  const written = async (...packets: Buffer[]) => {
    names.length = 0
    t.equal((await fixture.send(...packets)).length, packets.length)
    const ofSessions = names.filter((name) => name?.startsWith('accounting-sessions'))
    return ofSessions.map((name) => name!.replace(/-\d+$/, ''))
  }
  t.same(await written(packet('start', { id: 'a' }), packet('start', { id: 'b' })), ['accounting-sessions-begin'])
  t.same(await written(packet('interim', { id: 'a', time: 5, input: 5 })), ['accounting-sessions-move'])
  const mixed = [packet('stop', { id: 'a', time: 9 }), packet('interim', { id: 'b', time: 6 })]
  t.same(await written(...mixed), ['accounting-sessions-move-end'])
  const begun = packet('start', { id: 'c' })
  t.same(await written(packet('interim', { id: 'b', time: 7 }), begun), ['accounting-sessions-move-begin'])
  const all = [packet('stop', { id: 'b', time: 8 }), packet('start', { id: 'd' })]
  t.same(await written(...all), ['accounting-sessions-move-end-begin'])
  t.match(await fixture.rows(), [
    { acct_session_id: 'a', session_time: '9', input_octets: '5', end_reason: 'Unknown' },
    { acct_session_id: 'b', session_time: '8', end_reason: 'Unknown' },
    { acct_session_id: 'c', session_time: '0', end_reason: null },
    { acct_session_id: 'd', session_time: '0', end_reason: null },
  ])
  const { rows } = await fixture.database.query('SELECT session_id FROM radius_live_sessions')
  t.equal(rows.length, 2, 'the others are not live')
})

t.test('a record that came during a commit is stored together with those that follow the answers', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const { query } = fixture.database
  let meanwhile = () => {}
  Object.assign(fixture.database, {
    query: async (...args: unknown[]) => {
      const result = await Reflect.apply(query, fixture.database, args)
      fixture.clock.advance(4)
      meanwhile()
      return result
    },
  })
  const starts = (count: number) => Array.from({ length: count }, (_, at) => packet('start', { id: `${count} ${at}` }))
  for (const one of starts(20)) await fixture.send(one)
  const before = fixture.accounting.counts.statements
  let other: Promise<number[]> | undefined
  meanwhile = () => {
    meanwhile = () => {}
    other = fixture.send(packet('start', { id: 'other' }))
  }
  await fixture.send(...starts(8))
  t.equal((await fixture.send(...starts(9))).length, 9)
  t.same(await other, [0])
  t.equal(fixture.accounting.counts.statements - before, 2)
})

t.test('a session belongs to the login that its User-Name means, whichever statement writes it', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const name = { login: 'ivan@isp.ru' }
  await fixture.send(packet('start', name))
  t.match(fixture.sessions.liveOf('ivan'), [{ login: 'ivan@isp.ru', userLogin: 'ivan', userId: 1, subscriberId: 1 }])
  await fixture.send(packet('stop', { ...name, time: 60 }))
  // The second session of this name is judged by the database.
  fixture.clock.advance(10 * minuteMs)
  await fixture.send(packet('start', { ...name, identifier: 2 }))
  t.equal(fixture.sessions.liveOf('ivan').length, 1)
  fixture.isUp = false
  await fixture.send(packet('start', { ...name, id: 'A2' }))
  t.equal(fixture.sessions.liveOf('ivan').length, 2, 'while the database is away')
  fixture.isUp = true
  // A start stores what the spool has kept.
  await fixture.accounting.stop()
  await fixture.begin()
  const rows = await fixture.rows()
  t.match(
    rows.map(({ login, user_id, abonent_id }) => [login, user_id, abonent_id]),
    Array(3).fill(['ivan@isp.ru', '1', '1']),
  )
})

t.test('our own Class names the login whatever User-Name is, and a forged one names nobody', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const anonymous = (id: string, ...classes: string[]) =>
    packet('start', { login: 'anonymous', id, more: classes.map((text) => [25, text]) })
  const signed = classFor(1)
  await fixture.send(anonymous('A1', signed), anonymous('A2', 'proxy', signed))
  t.match(fixture.sessions.liveOf('ivan'), Array(2).fill({ login: 'anonymous', userId: 1, subscriberId: 1 }))
  const forged = [signed.replace('tg2/1/', 'tg2/2/'), classFor(1, '', Buffer.alloc(32, 2)), 'tg1/1/1', classFor(7)]
  await fixture.send(...forged.map((text, at) => anonymous(`F${at}`, text)))
  t.match(fixture.sessions.liveOf('anonymous'), Array(forged.length).fill({ userId: null }))
  fixture.isUp = false
  await fixture.send(anonymous('A3', signed))
  t.equal(fixture.sessions.liveOf('ivan').length, 3, 'while the database is away')
  fixture.isUp = true
  await fixture.accounting.stop()
  await fixture.begin()
  t.equal(fixture.sessions.liveOf('ivan').length, 3)
  t.same(
    (await fixture.rows()).flatMap(({ acct_session_id, user_id }) => (user_id === '1' ? [acct_session_id] : [])).sort(),
    ['A1', 'A2', 'A3'],
  )
})

t.test('a session without a Framed-IP-Address keeps the address that was offered, also over a restart', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const offered = () => fixture.sessions.liveOf('ivan').map(({ ip, offeredIp }) => [ip, offeredIp])
  const more: [number, string][] = [[25, classFor(1, '10.0.0.5')]]
  await fixture.send(packet('start', { id: 'byClass', more, station: 'x' }))
  t.same(offered(), [[null, '10.0.0.5']])
  fixture.clock.advance(1000)
  await fixture.send(packet('start', { id: 'byLease', station: 'y' }))
  fixture.clock.advance(1000)
  await fixture.send(packet('start', { id: 'named', more, station: 'z', ip: '10.0.0.6' }))
  fixture.isUp = false
  fixture.clock.advance(1000)
  await fixture.send(packet('start', { id: 'spooled', more, station: 'w' }))
  const expected = [
    [null, '10.0.0.5'],
    [null, '10.0.0.77'],
    ['10.0.0.6', null],
    [null, '10.0.0.5'],
  ]
  t.same(offered(), expected)
  fixture.isUp = true
  await fixture.accounting.stop()
  await fixture.begin()
  t.same(offered(), expected)
})

t.test('retransmissions change nothing, at whatever time they come', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const start = packet('start')
  const interim = packet('interim', { time: 60, input: 100 })
  const stop = packet('stop', { time: 90, input: 150, cause: 2 })
  t.same(await fixture.send(start, start), [0, 1])
  fixture.clock.advance(minuteMs)
  await fixture.send(start, interim, interim)
  fixture.clock.advance(minuteMs / 2)
  await fixture.send(stop, stop)
  const before = await fixture.rows()
  for (const again of [stop, interim, start, packet('start', { delay: 269, identifier: 2 })]) {
    t.same(await fixture.send(again), [0], 'answered')
    fixture.clock.advance(minuteMs)
  }
  t.same(
    (await fixture.rows()).map((row) => ({ ...row, updated_at: null })),
    before.map((row) => ({ ...row, updated_at: null })),
  )
  t.equal(before.length, 1)
  t.equal(fixture.sessions.size, 0)
})

t.test('a late Interim neither rewinds counters nor reopens a session', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  fixture.clock.advance(10 * minuteMs)
  await fixture.send(packet('interim', { time: 600, input: 5000, output: 100 }))
  await fixture.send(packet('interim', { time: 300, input: 2000, output: 50, delay: 300 }))
  t.match(fixture.sessions.liveOf('ivan'), [{ inputOctets: 5000n, outputOctets: 100n, sessionTime: 600 }])
  await fixture.send(packet('stop', { time: 600, input: 6000 }))
  await fixture.send(packet('interim', { time: 601, input: 5500 }))
  t.equal(fixture.sessions.size, 0)
  t.match(await fixture.rows(), [{ input_octets: '6000', output_octets: '100', end_reason: 'Unknown', ended: 600 }])
})

t.test('a Stop without Start makes a closed session, an Interim without Start a live one', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(
    packet('stop', { id: 'S', time: 100, cause: 4 }),
    packet('interim', { id: 'I', time: 50, login: 'nobody' }),
  )
  t.match(await fixture.rows(), [
    { acct_session_id: 'S', started: -100, ended: 0, end_reason: 'Idle-Timeout' },
    { acct_session_id: 'I', started: -50, ended: null, user_id: null, abonent_id: null, login: 'nobody' },
  ])
  t.equal(fixture.sessions.size, 1)
  t.same(fixture.heard, ['started nobody I'])
  // Its Start comes late and tells the beginning.
  fixture.clock.advance(1000)
  await fixture.send(packet('start', { id: 'I', login: 'nobody', delay: 52 }))
  t.match((await fixture.rows())[1], { started: -51, ended: null })
  t.equal(fixture.sessions.size, 1)
})

t.test('everything about a session in one batch is one row', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const packets = [
    packet('start', { ip: '10.0.0.9' }),
    packet('interim', { time: 10, input: 10 }),
    packet('stop', { time: 20, input: 20, cause: 1 }),
  ]
  t.same(await fixture.send(...packets), [0, 1, 2])
  t.match(await fixture.rows(), [{ input_octets: '20', end_reason: 'User-Request', framed_ip: '10.0.0.9' }])
})

t.test('Accounting-On ends the sessions of its NAS and no others, once', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'A' }), packet('start', { id: 'B', login: 'other' }))
  await fixture.accounting.sink({
    tokens: Int32Array.of(1),
    nasIds: Int32Array.of(2),
    sources: Int32Array.from(loopback),
    arrivedMs: Float64Array.of(Number.POSITIVE_INFINITY),
    ends: Int32Array.of(packet('start').length),
    packets: packet('start'),
  })
  fixture.clock.advance(minuteMs)
  const on = packet('on')
  // The same Acct-Session-Id in the same batch, behind the reboot, is another session.
  t.same(await fixture.send(on, packet('start', { id: 'A', time: 0, identifier: 9 })), [0, 1])
  t.match(await fixture.rows(), [
    { acct_session_id: 'A', ended: 60, end_reason: 'NAS-Reboot', generation: 0 },
    { acct_session_id: 'B', ended: 60, end_reason: 'NAS-Reboot' },
    { acct_session_id: 'A1', ended: null },
    { acct_session_id: 'A', ended: null, generation: 1 },
  ])
  fixture.clock.advance(minuteMs)
  t.same(await fixture.send(on), [0])
  t.equal(fixture.sessions.countByNas().get(1), 1, 'its retransmission ends nothing that began since')
  await fixture.send(packet('off'))
  t.equal(fixture.sessions.countByNas().get(1), 0)
  t.equal(fixture.sessions.countByNas().get(2), 1)
  t.same(fixture.sessions.ofNas(nasId(2)).length, 1)
})

t.test('an Acct-Session-Id used again is another session', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { identifier: 1 }), packet('stop', { time: 0, identifier: 2 }))
  fixture.clock.advance(1000)
  await fixture.send(packet('start', { identifier: 3, delay: 1 }))
  t.equal((await fixture.rows()).length, 1, 'a Start repeated with another Acct-Delay-Time is none')
  await fixture.send(packet('start', { identifier: 4 }))
  t.match(await fixture.rows(), [{ ended: 0 }, { ended: null, generation: 1 }])
  fixture.clock.advance(5 * minuteMs)
  // Without a Stop or Accounting-On between them.
  await fixture.send(packet('start', { identifier: 5 }))
  t.match(await fixture.rows(), [{ ended: 0 }, { ended: 301, end_reason: 'Replaced' }, { ended: null, generation: 2 }])
  t.equal(fixture.sessions.size, 1)
  // A Stop of the second life, late.
  await fixture.send(packet('stop', { time: 100, delay: 200, cause: 1 }))
  t.match(await fixture.rows(), [{}, { end_reason: 'User-Request', ended: 101 }, { ended: null }])
  t.equal(fixture.sessions.size, 1)
})

t.test('a new Start of the same station and login takes the place of a session whose Stop was lost', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(
    packet('start', { id: 'old', station: '02-00-00-00-00-AB' }),
    packet('start', { id: 'other', station: 'else' }),
  )
  fixture.clock.advance(minuteMs)
  // Another NAS writes it in another way.
  await fixture.send(packet('start', { id: 'new', station: '0200.0000.00ab' }))
  await fixture.send(packet('interim', { id: 'new', time: 1 }))
  t.match(await fixture.rows(), [
    { acct_session_id: 'old', end_reason: 'Replaced', ended: 60 },
    { acct_session_id: 'other', ended: null },
    { acct_session_id: 'new', ended: null },
  ])
  t.same(
    fixture.sessions.liveOf('ivan').map(({ acctSessionId }) => acctSessionId),
    ['other', 'new'],
  )
})

/** What the job closes in so many minutes, looking every minute. */
async function closedWithin(fixture: AccountingFixture, minutes: number): Promise<number> {
  let closed = 0
  for (let minute = 0; minute < minutes; minute++) {
    fixture.clock.advance(minuteMs)
    closed += await fixture.accounting.closeSilentSessions(fixture.clock.now())
  }
  return closed
}

t.test('a session silent for three interim intervals is closed', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'silent' }), packet('start', { id: 'alive', login: 'other' }))
  t.equal(await closedWithin(fixture, 10), 0)
  await fixture.send(packet('interim', { id: 'alive', login: 'other', time: 600 }))
  t.equal(await closedWithin(fixture, 6), 1)
  t.match(await fixture.rows(), [{ end_reason: 'Lost-Carrier', ended: 960 }, { ended: null }])
  // The Stop comes after all: it knows better.
  await fixture.send(packet('stop', { id: 'silent', time: 700, delay: 260, cause: 2 }))
  t.match((await fixture.rows())[0], { end_reason: 'Lost-Carrier', terminate_cause: 'Lost-Carrier', ended: 700 })
})

t.test('a presumed end is undone when the NAS reports that the session lives', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'silent' }), packet('start', { id: 'old', login: 'other', station: 'mac' }))
  await fixture.send(packet('stop', { id: 'cut', login: 'third', time: 5 }))
  fixture.clock.advance(minuteMs)
  // Told late: that station has left it since.
  await fixture.send(packet('start', { id: 'late', login: 'other', station: 'mac' }))
  await fixture.accounting.endSession(fixture.sessions.liveOf('ivan')[0]!, fixture.clock.now(), 'Lost-Carrier')
  t.same(
    [...fixture.sessions.all()].map(({ acctSessionId }) => acctSessionId),
    ['late'],
  )
  await fixture.send(
    packet('interim', { id: 'silent', time: 30, delay: 30, input: 1 }),
    packet('interim', { id: 'cut', login: 'third', time: 65, input: 2 }),
  )
  t.equal(fixture.sessions.size, 1, 'neither what was told before the end, nor after a Stop')
  fixture.clock.advance(minuteMs)
  await fixture.send(
    packet('interim', { id: 'silent', time: 120, input: 9 }),
    packet('interim', { id: 'old', login: 'other', station: 'mac', time: 120 }),
  )
  t.match(await fixture.rows(), [
    { acct_session_id: 'silent', ended: null, end_reason: null, input_octets: '9' },
    { acct_session_id: 'old', ended: null, end_reason: null },
    { acct_session_id: 'cut', end_reason: 'Unknown' },
    { acct_session_id: 'late', ended: null },
  ])
  t.equal(fixture.sessions.size, 3)
  t.equal(fixture.sessions.liveOf('ivan').length, 1)
  await fixture.send(packet('stop', { id: 'silent', time: 130, cause: 1 }))
  t.match((await fixture.rows())[0], { ended: 120, end_reason: 'User-Request' })
})

t.test('time in which the program did not run is nobody’s silence', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  await fixture.accounting.stop()
  fixture.clock.advance(60 * minuteMs)
  await fixture.begin()
  t.equal(fixture.sessions.size, 1)
  fixture.clock.advance(minuteMs)
  t.equal(await fixture.accounting.closeSilentSessions(fixture.clock.now()), 0)
})

t.test('nor is time in which the machine slept', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  t.equal(await closedWithin(fixture, 20), 0)
  await fixture.send(packet('start'))
  fixture.clock.advance(60 * minuteMs)
  t.equal(await closedWithin(fixture, 15), 0)
  t.equal(await closedWithin(fixture, 2), 1, 'from then on it is')
})

t.test('a MAC that authenticates counts for the login it belongs to', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { login: '02-00-00-00-00-01' }))
  t.match(await fixture.rows(), [{ login: '02-00-00-00-00-01', user_id: '1', abonent_id: '1' }])
  t.match(fixture.sessions.liveOf('ivan'), [{ login: '02-00-00-00-00-01', userLogin: 'ivan' }])
  await fixture.accounting.stop()
  await fixture.begin()
  t.match(fixture.sessions.liveOf('ivan'), [{ login: '02-00-00-00-00-01', userLogin: 'ivan', subscriberId: 1 }])
})

t.test('an address learned later moves the session', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  await fixture.send(
    packet('interim', { ip: '10.0.0.3', more: [[97, Buffer.from([0, 56, 0x20, 1, 0xd, 0xb8, 0, 1, 2, 3])]] }),
  )
  t.match(await fixture.rows(), [{ framed_ip: '10.0.0.3', ipv6_prefix: '2001:db8:1:200::/56' }])
  t.same(fixture.heard, ['started ivan A1', 'moved ivan 10.0.0.3'])
})

t.test('malformed attributes are stored as far as they can be read', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const nul = packet('start', { id: 'nul', login: 'a\0b' })
  const cut = packet('start', { id: 'cut' })
  cut[cut.length - 4] = 40 // Acct-Session-Id says it is longer than the packet; the workers drop such a one.
  const odd = packet('start', {
    id: 'odd',
    login: 'quote"\\ü',
    more: [
      [8, Buffer.from([1, 2])],
      [42, Buffer.from([1])],
      [97, Buffer.from([0, 200])],
      [25, Buffer.from([0, 255])],
    ],
  })
  const unknown = packet('start', { id: 'unknown' })
  unknown[unknown.indexOf(Buffer.from([40, 6, 0, 0, 0, 1])) + 5] = 15
  t.same(await fixture.send(nul, odd, unknown, cut), [0, 1, 2, 3])
  const rows = await fixture.rows()
  t.match(
    rows.map(({ login }) => login),
    ['octets:610062', 'quote"\\ü'],
  )
  t.match(rows[1], { acct_session_id: 'odd', framed_ip: null, input_octets: '0', class: '0x00ff' })
})

t.test('a record the database refuses does not keep the others out', async (t) => {
  const { pool } = await shared.anew()
  await pool.query(`ALTER TABLE radius_sessions ADD CONSTRAINT refusal CHECK (login <> 'refused')`)
  t.teardown(() => pool.query('ALTER TABLE radius_sessions DROP CONSTRAINT refusal'))
  const fixture = await AccountingFixture.start(t, shared)
  const packets = ['one', 'refused', 'two', 'three'].map((login, i) => packet('start', { login, id: `id${i}` }))
  t.same(await fixture.send(...packets), [0, 2, 3])
  t.equal((await fixture.rows()).length, 3)
  t.equal(fixture.accounting.counts.refused, 1)
})

t.test('Event-Timestamp and Acct-Delay-Time say when it happened', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const seconds = startOfTime.getTime() / 1000
  await fixture.send(
    packet('start', { id: 'delayed', delay: 30 }),
    packet('start', { id: 'stamped', stamp: seconds - 90 }),
    packet('start', { id: 'clock ahead', stamp: seconds + 5000 }),
  )
  t.same(
    (await fixture.rows()).map(({ acct_session_id, started }) => [acct_session_id, started]),
    [
      ['delayed', -30],
      ['stamped', -90],
      ['clock ahead', 0],
    ],
  )
})

t.test('batches that come during a commit share the next one', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const answers = Array.from({ length: 50 }, (_, i) => fixture.send(packet('start', { id: `S${i}` })))
  t.same((await Promise.all(answers)).flat(), Array(50).fill(0))
  t.equal(fixture.accounting.counts.statements, 2)
  t.equal((await fixture.rows()).length, 50)
})

t.test('a row somebody deleted comes back with the next Interim', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'))
  await fixture.database.query('DELETE FROM radius_sessions')
  t.same(await fixture.send(packet('interim', { time: 10, input: 10 })), [0])
  const rows = await fixture.rows()
  t.match(rows, [{ input_octets: '10', ended: null }])
  t.match(fixture.sessions.liveOf('ivan'), [{ id: rows[0]!.id }])
})

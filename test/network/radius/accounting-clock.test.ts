import t, { type Test } from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { AccountingFixture, classFor, packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import type { Attribute } from '../../support/nas.ts'

const shared = await SharedDatabase.open(t)

const hourMs = 3_600_000

const nas1 = { nasId: nasId(1), nasIdentity: { ipAddress: null, ipv6Address: null, identifier: null } }

t.test('after the clock was set back, the reports of a NAS about its sessions still count', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(
    packet('start', { id: 'A1' }),
    packet('start', { id: 'A2', login: 'other' }),
    packet('start', { id: 'A3', login: 'third' }),
  )
  fixture.clock.advance(-hourMs)
  await fixture.send(packet('interim', { id: 'A1', time: 30, input: 500, output: 70 }))
  t.match((await fixture.rows())[0], { input_octets: '500', session_time: '30', ended: null })

  await fixture.send(packet('stop', { id: 'A1', time: 60, input: 900, output: 80, cause: 1 }))
  t.match((await fixture.rows())[0], { input_octets: '900', session_time: '60', end_reason: 'User-Request' })
  t.equal(fixture.sessions.find({ ...nas1, acctSessionId: 'A1', login: 'ivan' }), -1)

  const other = fixture.sessions.at(fixture.sessions.find({ ...nas1, acctSessionId: 'A2', login: 'other' }))
  await fixture.accounting.endSession(other, fixture.clock.now(), 'Disconnect-ACK')
  t.match((await fixture.rows())[1], { ended: 0, end_reason: 'Disconnect-ACK' }, 'it ends no earlier than it began')

  await fixture.send(packet('on'))
  t.match((await fixture.rows())[2], { ended: 0, end_reason: 'Lost-Carrier' }, 'and a reboot ends what began before')
  t.equal(fixture.sessions.size, 0)
})

t.test('a Start that is repeated with other bytes over a jump of the clock begins nothing', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'A1' }))
  fixture.clock.advance(hourMs)
  await fixture.send(packet('start', { id: 'A1', delay: 1 }))
  t.match(await fixture.rows(), [{ started: 0, ended: null }])
  t.equal((await fixture.rows()).length, 1)
  fixture.isUp = false
  fixture.clock.advance(hourMs)
  await fixture.send(packet('start', { id: 'A1', delay: 2 }))
  t.equal(fixture.sessions.size, 1)
  t.equal(fixture.heard.length, 1)
})

t.test('the Class of its sign-in tells a Start that comes again with other bytes from another session', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const class1: Attribute = [25, classFor(1, '10.0.0.1')]
  const class2: Attribute = [25, classFor(1, '10.0.0.2')]
  const ends = ['Disconnect-ACK', 'Disconnect-NAK', 'Replaced']
  for (const id of ends) {
    await fixture.send(packet('start', { id, more: [class1] }))
    const session = fixture.sessions.liveOf('ivan')[0]!
    await fixture.accounting.endSession(session, fixture.clock.now(), id)
  }
  for (const jumpMs of [hourMs, -2 * hourMs]) {
    fixture.clock.advance(jumpMs)
    for (const id of ends) await fixture.send(packet('start', { id, more: [class1], delay: 1, station: `${jumpMs}` }))
    t.same(
      (await fixture.rows()).map((row) => row.end_reason),
      ends,
    )
    t.equal(fixture.sessions.size, 0)
  }
  fixture.clock.advance(2 * hourMs)
  await fixture.send(packet('interim', { id: 'Disconnect-NAK', more: [class1], time: 9, input: 90 }))
  t.match(await fixture.rows(), [{ ended: 0 }, { ended: null, input_octets: '90' }, { ended: 0 }], 'it has lived on')

  await fixture.send(packet('start', { id: 'Disconnect-ACK', more: [class2] }))
  t.match((await fixture.rows())[3], { ended: null, generation: 1 }, 'another sign-in is another session')
  await fixture.send(packet('stop', { id: 'Disconnect-ACK', more: [class2], time: 5, cause: 1 }))
  fixture.clock.advance(hourMs)
  await fixture.send(packet('start', { id: 'Disconnect-ACK', more: [class2], delay: 1 }))
  t.equal((await fixture.rows()).length, 5, 'and what its NAS has ended begins again')
})

t.test('a Start with other bytes and its Stop, stored twice because the first answer was lost, are one', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const more: Attribute[] = [[25, classFor(1, '10.0.0.1')]]
  await fixture.send(packet('start', { id: 'A1', more }))
  await fixture.accounting.endSession(fixture.sessions.liveOf('ivan')[0]!, fixture.clock.now(), 'Disconnect-ACK')
  fixture.clock.advance(hourMs)
  fixture.isUp = false
  await fixture.send(packet('start', { id: 'A1', more, delay: 1 }))
  await fixture.send(packet('stop', { id: 'A1', more, time: 3, input: 500, cause: 6 }))
  const { query } = fixture.database
  let lost = 0
  fixture.database.query = (async (...asked: [{ name?: string }]) => {
    const answer = await Reflect.apply(query, fixture.database, asked)
    if (!/^accounting-\d/.test(asked[0].name ?? '') || lost++ > 0) return answer
    throw Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' })
  }) as typeof query
  await fixture.recover()
  t.equal(lost, 2)
  t.match(await fixture.rows(), [{ end_reason: 'Disconnect-ACK', terminate_cause: 'Admin-Reset', input_octets: '500' }])
  t.equal((await fixture.rows()).length, 1)
  await fixture.send(packet('start', { id: 'A1', more, delay: 2 }))
  t.equal((await fixture.rows()).length, 2, 'what its NAS has ended begins again')
})

t.test('a session that was thought to be replaced lives on although the clock was set back since', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'B1', station: 'mac' }))
  fixture.clock.advance(hourMs)
  // It is of before, and was repeated until the clock had been set forth.
  await fixture.send(packet('start', { id: 'A1', station: 'mac', delay: 9 }))
  await fixture.send(packet('stop', { id: 'A1', station: 'mac', time: 1, cause: 1 }))
  t.match(await fixture.rows(), [{ ended: 3591, end_reason: 'Replaced' }, { end_reason: 'User-Request' }])
  t.equal(fixture.sessions.size, 0)
  fixture.clock.advance(-hourMs / 2)
  await fixture.send(packet('interim', { id: 'B1', time: 60, input: 500 }))
  t.match(await fixture.rows(), [{ ended: null, end_reason: null, input_octets: '500' }, { input_octets: '0' }])
  t.match(fixture.sessions.liveOf('ivan'), [{ acctSessionId: 'B1' }])
})

t.test('a name is used again, and then the clock goes back before the second life began', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'A1' }), packet('interim', { id: 'A1', time: 1 }))
  fixture.clock.advance(hourMs)
  await fixture.send(packet('start', { id: 'A1', delay: 1 }))
  for (const back of [hourMs / 2, hourMs]) {
    fixture.clock.advance(-back)
    await fixture.send(packet('interim', { id: 'A1', time: 5, input: back }))
    t.match(await fixture.rows(), [
      { end_reason: 'Replaced', input_octets: '0' },
      { ended: null, input_octets: String(back) },
    ])
  }
  await fixture.send(packet('stop', { id: 'A1', time: 9, input: 2 * hourMs, cause: 1 }))
  t.match(await fixture.rows(), [{ end_reason: 'Replaced' }, { end_reason: 'User-Request' }])
  t.equal(fixture.sessions.size, 0)
})

t.test('the same while the database is away and everything goes through the spool', async (t) => {
  await waitsInSpool(t, await AccountingFixture.start(t, shared), 0)
})

t.test('and where the clock has been set forth again when the spool is drained', async (t) => {
  await waitsInSpool(t, await AccountingFixture.start(t, shared), 2 * hourMs)
})

t.test('and at a node, whose clock is that of the database', async (t) => {
  const { a } = await AccountingFixture.pair(t)
  await waitsInSpool(t, a, 2 * hourMs)
})

async function waitsInSpool(t: Test, fixture: AccountingFixture, forthMs: number): Promise<void> {
  await fixture.send(packet('on', { identifier: 2 }))
  await fixture.send(packet('start', { id: 'A1' }), packet('start', { id: 'A2', login: 'other' }))
  await fixture.send(packet('start', { id: 'A3', login: 'third' }))
  fixture.isUp = false
  fixture.clock.advance(-hourMs)
  await fixture.send(packet('interim', { id: 'A3', login: 'third', time: 50, input: 700 }))
  await fixture.send(packet('stop', { id: 'A1', time: 60, input: 900, output: 80, cause: 1 }))
  await fixture.send(packet('on'))
  t.equal(fixture.sessions.size, 0)
  fixture.clock.advance(1_000)
  await fixture.send(packet('start', { id: 'A4', login: 'fourth' }))
  fixture.clock.advance(forthMs)
  await fixture.recover()
  const { rows: reboots } = await fixture.database.query('SELECT at FROM nas_reboots')
  t.strictSame(
    reboots,
    [{ at: new Date(startOfTime.getTime() - hourMs) }],
    'the last reboot, though of an earlier time',
  )
  t.match(await fixture.rows(), [
    { input_octets: '900', end_reason: 'User-Request' },
    { end_reason: 'Lost-Carrier' },
    { input_octets: '700', end_reason: 'Lost-Carrier' },
    { acct_session_id: 'A4', ended: null },
  ])
  t.strictSame(
    [...fixture.sessions.all()].map(({ login }) => login),
    ['fourth'],
  )
}

t.test('what a node heard while the clock was back ends its own sessions and none of another node', async (t) => {
  const { a, b } = await AccountingFixture.pair(t)
  const advance = (ms: number) => {
    for (const { clock } of [a, b]) clock.advance(ms)
  }
  await a.send(packet('start', { id: 'own' }))
  await b.send(packet('start', { id: 'taken over' }))
  await a.send(packet('interim', { id: 'taken over', time: 1 }))
  a.isUp = false
  advance(-hourMs)
  await a.send(packet('stop', { id: 'used again', time: 600, input: 900, cause: 1 }))
  await a.send(packet('on'))
  advance(2 * hourMs)
  await b.send(packet('start', { id: 'used again' }), packet('start', { id: 'since' }))
  advance(60_000)
  await a.recover()
  for (const node of [a, b]) await node.readOthers()
  const ends = (await a.rows()).map((row) => [row.acct_session_id, row.end_reason, row.input_octets])
  t.strictSame(ends, [
    ['own', 'Lost-Carrier', '0'],
    ['taken over', 'Lost-Carrier', '0'],
    ['used again', null, '0'],
    ['since', null, '0'],
  ])
  for (const { sessions } of [a, b])
    t.strictSame(
      sessions
        .liveOf('ivan')
        .map(({ acctSessionId }) => acctSessionId)
        .sort(),
      ['since', 'used again'],
    )
})

t.test('a late packet of an earlier life of a session still ends nothing', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { id: 'A1' }))
  await fixture.send(packet('stop', { id: 'A1', time: 600, delay: 120, cause: 1 }))
  t.match(await fixture.rows(), [{ ended: null }])
})

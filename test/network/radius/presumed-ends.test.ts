import t from 'tap'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import type { Attribute } from '../../support/nas.ts'

const shared = await SharedDatabase.open(t)

const minuteMs = 60_000
const garden: Attribute = [25, 'tg1/1/1/garden']

/** A session with an address in the walled garden, which ends as `end` has it; its clock goes on. */
async function ended(
  t: Parameters<typeof AccountingFixture.start>[0],
  end: (fixture: AccountingFixture) => Promise<unknown>,
) {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start', { ip: '10.5.0.4', station: 'AA-BB', more: [garden] }))
  fixture.clock.advance(minuteMs)
  await end(fixture)
  fixture.clock.advance(minuteMs)
  return fixture
}

const endedFor = (reason: string) => (fixture: AccountingFixture) =>
  fixture.accounting.endSession(fixture.sessions.liveOf('ivan')[0]!, fixture.clock.now(), reason)
const reboot = (fixture: AccountingFixture) => fixture.send(packet('on'))
const goesOn = packet('interim', { time: 120, input: 900 })

t.test('a session that continues after a presumed end lives again, with its address and garden', async (t) => {
  for (const [reason, end] of Object.entries({
    'Disconnect-NAK': endedFor('Disconnect-NAK'),
    'Lost-Carrier': endedFor('Lost-Carrier'),
    'NAS-Reboot': reboot,
  })) {
    const fixture = await ended(t, end)
    t.match(await fixture.rows(), [{ end_reason: reason }], reason)
    t.equal(fixture.sessions.size, 0)
    await fixture.send(goesOn)
    t.match(await fixture.rows(), [{ end_reason: null, ended: null, input_octets: '900' }])
    t.match(fixture.sessions.liveOf('ivan'), [
      { ip: '10.5.0.4', callingStationId: 'AA-BB', inGarden: true, inputOctets: 900n },
    ])
    t.match(fixture.heard, ['started ivan A1', 'stopped ivan A1', 'started ivan A1'])
    await fixture.begin()
    t.equal(fixture.sessions.size, 1, 'after a restart too')
  }
})

t.test('the word of the NAS is no presumption', async (t) => {
  const stop = (fixture: AccountingFixture) => fixture.send(packet('stop', { time: 60, cause: 11 }))
  for (const [end, reason] of [
    [endedFor('Disconnect-ACK'), 'Disconnect-ACK'],
    [stop, 'NAS-Reboot'],
  ] as const) {
    const fixture = await ended(t, end)
    await fixture.send(goesOn)
    t.match(await fixture.rows(), [{ end_reason: reason, input_octets: '900' }], 'what it used is counted all the same')
    t.equal(fixture.sessions.size, 0)
  }
})

t.test('a packet from before the reboot undoes nothing', async (t) => {
  const fixture = await ended(t, reboot)
  await fixture.send(packet('interim', { time: 59, input: 900, delay: 61 }))
  t.match(await fixture.rows(), [{ end_reason: 'NAS-Reboot', input_octets: '900' }])
})

t.test('and begins no session that the reboot has ended', async (t) => {
  const fixture = await ended(t, reboot)
  await fixture.send(
    packet('start', { id: 'late', delay: 61 }),
    packet('interim', { id: 'missed', time: 30, input: 7, delay: 61 }),
  )
  const [, ...rows] = await fixture.rows()
  t.match(rows, [
    { acct_session_id: 'late', end_reason: 'NAS-Reboot', ended: 60 },
    { acct_session_id: 'missed', end_reason: 'NAS-Reboot', ended: 60, input_octets: '7' },
  ])
  t.equal(fixture.sessions.size, 0)
  await fixture.send(packet('start', { id: 'since', delay: 59 }))
  t.match(fixture.sessions.liveOf('ivan'), [{ acctSessionId: 'since' }])
})

t.test('a session whose address somebody else has by now is disconnected', async (t) => {
  const fixture = await ended(t, reboot)
  const cut: string[] = []
  fixture.disconnect = ({ acctSessionId, ip }) => cut.push(`${acctSessionId} ${ip}`)
  fixture.taken.add('10.5.0.4')
  await fixture.send(goesOn)
  t.strictSame(cut, ['A1 10.5.0.4'])
  await fixture.send(packet('interim', { time: 130, input: 901 }))
  t.strictSame(cut, ['A1 10.5.0.4'], 'once')
  await fixture.send(packet('start', { id: 'new', ip: '10.5.0.4' }))
  t.strictSame(cut, ['A1 10.5.0.4'], 'a session that begins is left to those who gave it the address')
})

t.test('and so is one whose row is gone, as after a failover to a server that never had it', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const cut: string[] = []
  fixture.disconnect = ({ acctSessionId, ip }) => cut.push(`${acctSessionId} ${ip}`)
  await fixture.send(packet('interim', { id: 'A1', time: 60, ip: '10.5.0.3' }))
  fixture.taken.add('10.5.0.4')
  await fixture.send(packet('interim', { id: 'A2', time: 60, ip: '10.5.0.4' }))
  t.strictSame(cut, ['A2 10.5.0.4'])
  t.equal(fixture.sessions.size, 2)
})

t.test('a session whose access has been closed meanwhile is disconnected again', async (t) => {
  const { accounting, allNas, disconnects } = await startCoaFixture(t, shared, [{}], { reachOf: () => 'garden' })
  const nas = allNas[0]!
  const end = () => endedFor('Disconnect-NAK')(accounting)
  await accounting.send(packet('start', { more: [[25, 'tg1/1/1/garden']] }))
  accounting.clock.advance(minuteMs)
  await end()
  accounting.clock.advance(minuteMs)
  await accounting.send(goesOn)
  t.equal(nas.seen.length, 0, 'it is where it belongs')
  await end()
  accounting.clock.advance(minuteMs)
  // The Class says that it has been let out of the garden.
  await accounting.send(packet('interim', { time: 240, more: [[25, 'tg1/1/1']] }))
  await nas.received(1)
  t.equal(nas.seen[0]!.text(44), 'A1')

  accounting.disconnect = (session) => disconnects.cut(session)
  accounting.taken.add('10.5.0.4')
  await accounting.send(packet('start', { id: 'B1', ip: '10.5.0.4', more: [[25, 'tg1/1/1/garden']] }))
  accounting.clock.advance(minuteMs)
  const other = accounting.sessions.liveOf('ivan').find(({ acctSessionId }) => acctSessionId === 'B1')!
  await accounting.accounting.endSession(other, accounting.clock.now(), 'NAS-Reboot')
  accounting.clock.advance(minuteMs)
  await accounting.send(packet('interim', { id: 'B1', time: 120 }))
  await nas.received(2)
  t.equal(nas.seen[1]!.text(44), 'B1')
})

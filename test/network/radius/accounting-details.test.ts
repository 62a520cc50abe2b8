import t from 'tap'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

t.test('what is no address of a client is not stored as one', async (t) => {
  // RFC 2865 section 5.8: the client, or the NAS, is to choose; and what a NAS says before it knows.
  for (const address of ['0.0.0.0', '255.255.255.254', '255.255.255.255']) {
    const fixture = await AccountingFixture.start(t, shared)
    const station = '02-00-00-00-00-09'
    await fixture.send(packet('start', { ip: address, station }))
    t.match(fixture.sessions.liveOf('ivan'), [{ ip: null, offeredIp: '10.0.0.77' }], address)
    t.match(await fixture.rows(), [{ framed_ip: null, offered_ip: '10.0.0.77' }])
    await fixture.send(packet('interim', { ip: '10.0.0.5', station, time: 5 }))
    await fixture.send(packet('interim', { ip: address, station, time: 10 }))
    t.match(fixture.sessions.liveOf('ivan'), [{ ip: '10.0.0.5' }], 'nor takes the place of one')
  }
})

t.test('what only a later packet of a session tells is stored', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const details = async () => {
    const { rows } = await fixture.database.query(
      'SELECT nas_port_id, delegated_ipv6_prefix::text AS prefix FROM radius_sessions ORDER BY id',
    )
    return rows
  }
  const prefix = (third: number) => Buffer.of(0, 48, 0x20, 1, 0x0d, 0xb8, 0, third)
  await fixture.send(packet('start'), packet('interim', { time: 5, more: [[87, 'eth 1']] }))
  t.strictSame(await details(), [{ nas_port_id: 'eth 1', prefix: null }], 'in one group')
  await fixture.send(packet('interim', { time: 10, more: [[123, prefix(1)]] }))
  t.match(await details(), [{ prefix: '2001:db8:1::/48' }], 'the client has asked for its prefix by now')
  await fixture.send(packet('interim', { time: 20, more: [[123, prefix(2)]] }))
  t.match(await details(), [{ prefix: '2001:db8:2::/48' }])
  await fixture.accounting.stop()
  await fixture.begin()
  const { statements } = fixture.accounting.counts
  await fixture.send(packet('interim', { time: 30, more: [[123, prefix(3)]] }))
  t.match(await details(), [{ prefix: '2001:db8:3::/48' }], 'also after a restart')
  t.equal(fixture.accounting.counts.statements, statements + 1)
})

t.test('a session whose duration cannot be began when it was heard of', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(
    packet('interim', { id: 'below zero', time: 2 ** 32 - 20 }),
    packet('interim', { id: 'old', time: 3600 }),
  )
  t.match(await fixture.rows(), [{ started: 0 }, { started: -3600 }])
  t.match(
    fixture.sessions.liveOf('ivan').map(({ acctSessionId }) => acctSessionId),
    ['old', 'below zero'],
  )
})

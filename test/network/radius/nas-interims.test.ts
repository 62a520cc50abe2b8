import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { type Attribute, ip } from '../../support/nas.ts'
import { nasEntry } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Accounting of NAS 1, whose record is as given; an interim interval has five minutes. */
async function accountingOf(t: Parameters<typeof AccountingFixture.start>[0], nas: Partial<NasEntry> = {}) {
  const fixture = await AccountingFixture.start(t, shared)
  fixture.accounting.setNas([nasEntry({ id: nasId(1), ...nas })])
  return fixture
}

/** As the job, which looks every minute; answers how many sessions it ended. */
async function pass(fixture: AccountingFixture, ms: number): Promise<number> {
  // The first look after a gap begins the silence anew.
  fixture.clock.advance(ms)
  let closed = await fixture.accounting.closeSilentSessions(fixture.clock.now())
  for (let minute = 0; minute <= 16; minute++) {
    fixture.clock.advance(minuteMs)
    closed += await fixture.accounting.closeSilentSessions(fixture.clock.now())
  }
  return closed
}

t.test('a NAS that never sent an Interim-Update keeps its silent sessions', async (t) => {
  const fixture = await accountingOf(t)
  await fixture.send(packet('start', { id: 'online' }), packet('start', { id: 'short', login: 'other' }))
  t.equal(await pass(fixture, hourMs), 0)
  await fixture.send(packet('stop', { id: 'short', login: 'other', time: 300 }))
  t.strictSame(fixture.learned, [], 'nothing was due before this Stop')
  await fixture.send(packet('stop', { id: 'lost', login: 'third', time: 3600 }))
  t.strictSame(fixture.learned, [[1, false]])
  t.equal(await pass(fixture, hourMs), 0)
  t.strictSame(
    [...fixture.sessions.all()].map(({ acctSessionId }) => acctSessionId),
    ['online'],
  )
  await fixture.send(packet('on'))
  t.equal(fixture.sessions.size, 0, 'a reboot ends it')
})

t.test('an Interim-Update of a session that has lasted for an interval makes silence mean something', async (t) => {
  const fixture = await accountingOf(t)
  await fixture.send(packet('start', { id: 'silent' }), packet('start', { id: 'alive', login: 'other' }))
  await fixture.send(packet('interim', { id: 'alive', login: 'other', time: 2 }))
  t.strictSame(fixture.learned, [], 'it reports an address after the Start and promises nothing')
  t.equal(await pass(fixture, 0), 0)
  await fixture.send(packet('interim', { id: 'alive', login: 'other' }))
  t.strictSame(fixture.learned, [[1, true]], 'by the Start, without Acct-Session-Time')
  await fixture.send(packet('interim', { id: 'alive', login: 'other', time: 1020 }))
  await fixture.send(packet('stop', { id: 'other', login: 'third', time: 7200 }))
  t.strictSame(fixture.learned, [[1, true]], 'once and for all')
  t.equal(await pass(fixture, 0), 2)
  t.match((await fixture.rows())[0], { end_reason: 'Lost-Carrier' })
})

t.test('a Stop without one is corrected by a later Interim-Update', async (t) => {
  const fixture = await accountingOf(t)
  await fixture.send(packet('stop', { id: 'first', time: 700 }))
  await fixture.send(packet('interim', { id: 'second', login: 'other', time: 300 }))
  t.strictSame(fixture.learned, [
    [1, false],
    [1, true],
  ])
})

t.test('of several NAS that share a record only those that report lose their silent sessions', async (t) => {
  const west: readonly Attribute[] = [[4, ip('10.9.0.1')]]
  const east: readonly Attribute[] = [[4, ip('10.9.0.2')]]
  const fixture = await accountingOf(t, { interims: 'auto', learnedInterims: true })
  await fixture.send(packet('start', { id: 'reporting', more: west }), packet('start', { id: 'lost', more: west }))
  await fixture.send(packet('start', { id: 'quiet', login: 'other', more: east }))
  fixture.clock.advance(5 * minuteMs)
  await fixture.send(packet('interim', { id: 'reporting', more: west }))
  await pass(fixture, 0)
  t.strictSame(
    [...fixture.sessions.all()].map(({ acctSessionId }) => acctSessionId),
    ['quiet'],
  )

  fixture.accounting.setNas([nasEntry({ id: nasId(1), interims: 'yes' })])
  await pass(fixture, 0)
  t.equal(fixture.sessions.size, 0, 'the operator says that all of them do')
})

t.test('the operator knows better', async (t) => {
  for (const [interims, closed] of [
    ['yes', 1],
    ['no', 0],
  ] as const) {
    const fixture = await accountingOf(t, { interims, learnedInterims: interims === 'no' })
    await fixture.send(packet('start'))
    t.equal(await pass(fixture, 0), closed, interims)
  }
})

t.test('what was learned holds after a restart, and a record that was saved begins anew', async (t) => {
  const fixture = await accountingOf(t, { learnedInterims: true })
  await fixture.send(packet('start'))
  fixture.accounting.setNas([nasEntry({ id: nasId(1), learnedInterims: null })])
  t.equal(await pass(fixture, 0), 0)
  fixture.accounting.setNas([nasEntry({ id: nasId(1), learnedInterims: true })])
  t.equal(await pass(fixture, 0), 1)
})

t.test('without Interim-Updates a session ends three intervals after its Session-Timeout', async (t) => {
  const fixture = await accountingOf(t)
  fixture.sessionSeconds = 3600
  await fixture.send(packet('start'))
  t.equal(await pass(fixture, 0), 0)
  t.equal(await pass(fixture, 0), 0)
  t.equal(await pass(fixture, hourMs), 1)
  t.match(await fixture.rows(), [{ end_reason: 'Session-Timeout', terminate_cause: null }])
  await fixture.send(packet('interim', { time: 2 * 3600 }))
  t.equal(fixture.sessions.size, 1, 'and lives again when the NAS reports it after all')
})

t.test('without Interim-Updates a session is disconnected after the limit of its NAS', async (t) => {
  const fixture = await accountingOf(t, { sessionHoursMax: 24 })
  const asked: string[] = []
  fixture.disconnect = ({ acctSessionId }) => {
    asked.push(acctSessionId)
    t.equal(fixture.sessions.size, 1, 'it holds its address until the NAS has answered')
  }
  await fixture.send(packet('start', { id: 'week' }))
  t.equal(await pass(fixture, 23 * hourMs), 0)
  t.strictSame(asked, [])
  t.equal(await pass(fixture, hourMs), 1)
  t.strictSame(asked, ['week'])
  t.match(await fixture.rows(), [{ end_reason: 'Lost-Carrier' }])
})

t.test('a session with a longer interval of its own is silent for three of those', async (t) => {
  const fixture = await accountingOf(t, { interims: 'yes' })
  fixture.ownInterimSeconds = 3600
  await fixture.send(packet('start', { id: 'slow' }))
  t.equal(await pass(fixture, hourMs), 0)
  t.equal(await pass(fixture, 2 * hourMs), 1)
})

import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import { ForeignReports } from '../../../src/app/foreign-reports.ts'
import type { EventOf } from '../../../src/domain/events.ts'
import { type SubscriberId, subscriberId } from '../../../src/domain/ids.ts'
import { ForeignCounters } from '../../../src/network/radius/accounting/foreign-counters.ts'
import { NodeSessions } from '../../../src/network/radius/accounting/node-sessions.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { AccountingFixture, packet } from '../../support/accounting.ts'
import { endedWith } from '../../support/database.ts'
import type { Attribute } from '../../support/nas.ts'
import { until } from '../../support/until.ts'

const { a, b } = await AccountingFixture.pair(t)

/** Both begin anew on empty tables. */
async function beginAnew(): Promise<void> {
  await a.database.query('TRUNCATE radius_sessions, radius_live_sessions, traffic_late, nas_reboots')
  for (const node of [a, b]) {
    await node.begin()
    await node.readOthers()
    node.published.length = node.heard.length = 0
  }
  const [ofA, ofB] = [a.clock.now().getTime(), b.clock.now().getTime()]
  a.clock.advance(Math.max(0, ofB - ofA))
  b.clock.advance(Math.max(0, ofA - ofB))
}

const live = (node: AccountingFixture) => node.sessions.liveOf('ivan')
const names = (node: AccountingFixture) => live(node).map(({ acctSessionId }) => acctSessionId)
const kinds = (node: AccountingFixture) =>
  node.published.map((event) => `${'isForeign' in event && event.isForeign ? 'foreign ' : ''}${event.kind}`)

t.test('a session of one node counts at the other and ends there, and ordinary reports are not told', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S', station: '02-00-00-00-00-01', ip: '10.0.0.5' }))
  await a.readOthers()
  t.match(live(a), [{ acctSessionId: 'S', ip: '10.0.0.5', userId: 1, mac: '02:00:00:00:00:01', node: 2 }])
  t.match(live(b), [{ acctSessionId: 'S', node: null }])
  const told = b.told
  b.clock.advance(300_000)
  await b.send(packet('interim', { id: 'S', ip: '10.0.0.5', station: '02-00-00-00-00-01', time: 300, input: 1000 }))
  t.equal(b.told, told, 'a report says nothing that others need')
  await b.send(packet('stop', { id: 'S', time: 310, input: 1500, cause: 1 }))
  await a.readOthers()
  t.strictSame(names(a), [])
  t.strictSame(a.heard, ['started ivan S', 'stopped ivan S'])
  t.strictSame(kinds(a), ['foreign sessionStarted', 'foreign sessionStopped'])
  t.match(a.of('sessionStopped'), [{ session: { endReason: 'User-Request', inputOctets: 1500n, sessionTime: 310 } }])
  t.strictSame(kinds(b), ['sessionStarted', 'sessionUpdated', 'sessionStopped'])
})

t.test('the counters of a session of the other node are read from its row', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.readOthers()
  b.clock.advance(100_000)
  await b.send(packet('interim', { id: 'S', time: 100, input: 1_000, output: 9 }))
  const { sessions, clock } = a
  const counters = new ForeignCounters({ nodes: new NodeSessions(a.pool), sessions, clock, log: silentLog })
  const counted = { sessionTime: 100, inputOctets: 1_000n, outputOctets: 9n }
  t.match(await counters.of(live(a)), [{ acctSessionId: 'S', ...counted }])
  t.same(sessions.ratesAt(live(a)[0]!.slot), { input: 80, output: 1 })
  b.clock.advance(100_000)
  await b.send(packet('interim', { id: 'S', time: 200, input: 3_000 }))
  a.isUp = false
  t.match(await counters.of(live(a)), [counted], 'what was read last')
  a.isUp = true
  await counters.all()
  t.match(live(a), [{ inputOctets: 3_000n }])
  await b.send(packet('interim', { id: 'S', time: 201, input: 4_000 }))
  await counters.all()
  t.match(live(a), [{ inputOctets: 3_000n }], 'not again at once')
  t.equal(a.traffic.waiting, 0, 'and nothing of it is traffic of this node')
})

t.test('the counters of many sessions of another node are read page by page', async (t) => {
  await beginAnew()
  for (let n = 1; n <= 5; n++) {
    await b.send(packet('start', { id: `S${n}` }))
    b.clock.advance(10_000)
    await b.send(packet('interim', { id: `S${n}`, time: 10 * n, input: n, output: 2 ** 31 + n }))
  }
  await a.readOthers()
  const nodes = new NodeSessions(a.pool)
  for (const pageRows of [2, 5, 9]) {
    const pages: unknown[][] = []
    for await (const page of nodes.countersSince(60_000, pageRows))
      pages.push(
        [...page].map(({ sessionTime, inputOctets, outputOctets }) => [sessionTime, inputOctets, outputOctets]),
      )
    t.same(
      pages.flat(),
      [1, 2, 3, 4, 5].map((n) => [10 * n, BigInt(n), 2n ** 31n + BigInt(n)]),
      `${pageRows} at once`,
    )
    t.ok(pages.every((page) => page.length <= pageRows))
  }
  for await (const page of nodes.countersSince(-60_000)) t.equal(page.length, 0, 'nothing since a minute from now')
})

t.test('an open page of a subscriber is shown the reports that another node hears', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.readOthers()
  const { sessions, clock } = a
  const foreignCounters = new ForeignCounters({ nodes: new NodeSessions(a.pool), sessions, clock, log: silentLog })
  const shown: EventOf<'sessionUpdated'>[] = []
  let watched: readonly SubscriberId[] = []
  const live = {
    *watchedSubscribers() {
      yield* watched
    },
    sessionUpdated: (event: EventOf<'sessionUpdated'>) => void shown.push(event),
  }
  const reports = new ForeignReports({ live, sessions, foreignCounters, clock })
  t.teardown(() => reports.stop())
  const looks = async () => {
    clock.advance(5_000)
    // The answer of an earlier question has come by the time of that of a later one on the same two connections.
    await Promise.all([1, 2].map(() => foreignCounters.of(sessions.liveOf('ivan'))))
  }
  b.clock.advance(100_000)
  await b.send(packet('interim', { id: 'S', time: 100, input: 1_000 }))
  await looks()
  t.strictSame(shown, [], 'nobody looks')
  watched = [subscriberId(1)]
  b.clock.advance(100_000)
  await b.send(packet('interim', { id: 'S', time: 200, input: 3_000 }))
  await looks()
  await until(() => shown.length > 0)
  t.match(shown, [{ isForeign: true, session: { acctSessionId: 'S', inputOctets: 3_000n } }])
  await looks()
  t.equal(shown.length, 1, 'each report once')
})

t.test('an answer to a Disconnect at one node ends the session of the other', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.readOthers()
  await a.accounting.endSession(live(a)[0]!, a.clock.now(), 'Disconnect-ACK')
  t.strictSame(names(a), [])
  t.match(await a.rows(), [{ end_reason: 'Disconnect-ACK' }])
  t.strictSame(names(b), ['S'], 'not heard of yet')
  await b.readOthers()
  t.strictSame(names(b), [])
  t.strictSame(kinds(b), ['sessionStarted', 'foreign sessionStopped'])
  b.clock.advance(300_000)
  await b.send(packet('interim', { id: 'S', time: 300 }))
  t.strictSame(names(b), [], 'a NAS that has said so is believed')
})

t.test('a session that is closed elsewhere lives again when its NAS reports it, at whichever node', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.readOthers()
  await a.accounting.endSession(live(a)[0]!, a.clock.now(), 'Lost-Carrier')
  await b.readOthers()
  b.clock.advance(300_000)
  await b.send(packet('interim', { id: 'S', time: 300, input: 70 }))
  await a.readOthers()
  t.match([live(a), live(b)], [[{ acctSessionId: 'S', node: 2 }], [{ acctSessionId: 'S', node: null }]])
  t.match(await a.rows(), [{ ended: null, end_reason: null, input_octets: '70' }])
})

t.test('the same station takes its place, whichever node had it', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'old', station: '02-00-00-00-00-01' }))
  await a.readOthers()
  a.clock.advance(60_000)
  await a.send(packet('start', { id: 'new', station: '02-00-00-00-00-01' }))
  await a.accounting.endSession({ ...live(a)[0]!, acctSessionId: 'none' }, a.clock.now(), 'Replaced')
  await b.readOthers()
  t.strictSame([names(a), names(b)], [['new'], ['new']])
  const ended = (await a.rows()).filter((row) => row.ended !== null)
  t.match(ended, [{ acct_session_id: 'old', end_reason: 'Replaced' }])
})

t.test(
  'an Accounting-On at one node ends the sessions of its NAS, and repeated at the other none begun since',
  async (t) => {
    await beginAnew()
    await b.send(packet('start', { id: 'before' }))
    await a.readOthers()
    a.clock.advance(10_000)
    b.clock.advance(10_000)
    const on = packet('on', { identifier: 7 })
    await a.send(on)
    await b.readOthers()
    t.strictSame([names(a), names(b)], [[], []])
    await b.send(packet('start', { id: 'since' }))
    b.clock.advance(2_000)
    await b.send(on)
    t.strictSame(names(b), ['since'])
    await a.readOthers()
    t.match(await a.rows(), [{ end_reason: 'NAS-Reboot' }, { ended: null }])
    t.strictSame(names(a), ['since'])
  },
)

t.test('an Accounting-On that waits in a spool ends at no node what began since', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'before' }))
  await a.readOthers()
  for (const { clock } of [a, b]) clock.advance(10_000)
  a.isUp = false
  await a.send(packet('on'))
  for (const { clock } of [a, b]) clock.advance(10_000)
  await b.send(packet('start', { id: 'since' }))
  for (const { clock } of [a, b]) clock.advance(60_000)
  await a.recover()
  await b.readOthers()
  t.match(await a.rows(), [
    { end_reason: 'NAS-Reboot', ended: Number },
    { end_reason: null, ended: null },
  ])
  t.strictSame(names(b), ['since'])
})

t.test('a session that waits in a spool ends none of the same name that began since at another node', async (t) => {
  await beginAnew()
  a.isUp = false
  await a.send(packet('start', { id: 'S' }), packet('start', { id: 'T' }))
  await a.send(packet('stop', { id: 'T', time: 5, input: 50, cause: 1 }))
  for (const { clock } of [a, b]) clock.advance(70_000)
  await a.send(packet('on', { identifier: 31 }))
  for (const { clock } of [a, b]) clock.advance(10_000)
  await b.send(packet('start', { id: 'S', identifier: 2 }), packet('start', { id: 'T', identifier: 2 }))
  for (const { clock } of [a, b]) clock.advance(60_000)
  await a.recover()
  for (const node of [a, b]) await node.readOthers()
  t.match(await a.rows(), [
    { ended: null, input_octets: '0' },
    { ended: null, input_octets: '0' },
  ])
  for (const node of [a, b]) t.strictSame(names(node).sort(), ['S', 'T'])
  t.match([live(a)[0], live(b)[0]], [{ node: 2 }, { node: null }])
})

t.test('an Accounting-On that a node stood still before ends nothing when another one has stored it', async (t) => {
  await beginAnew()
  const on = packet('on', { identifier: 9 })
  await b.send(on)
  for (const { clock } of [a, b]) clock.advance(5_000)
  await b.send(packet('start', { id: 'since' }))
  for (const { clock } of [a, b]) clock.advance(5_000)
  await a.send(on)
  t.match(await a.rows(), [{ ended: null }])
  await a.readOthers()
  t.strictSame([names(a), names(b)], [['since'], ['since']])
})

t.test('what a node stood still before is as old as it is when another one has stored what came after', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S', delay: 2 }))
  for (const { clock } of [a, b]) clock.advance(3_000)
  await b.send(packet('interim', { id: 'S', time: 5, input: 50 }))
  await b.send(packet('stop', { id: 'S', time: 5, input: 50, cause: 1 }))
  await b.send(packet('stop', { id: 'T', time: 4, cause: 1 }))
  await b.send(packet('on', { identifier: 10 }))
  await b.send(packet('start', { id: 'U' }))
  for (const { clock } of [a, b]) clock.advance(40_000)
  // The first ones of the NAS, before it turned to the other node.
  await a.sendLate(45_000, packet('start', { id: 'S' }), packet('start', { id: 'T' }))
  await a.sendLate(44_000, packet('start', { id: 'S', delay: 1 }), packet('interim', { id: 'S', time: 1, input: 9 }))
  await a.sendLate(44_000, packet('on', { identifier: 9 }))
  t.match(await a.rows(), [
    { acct_session_id: 'S', input_octets: '50', session_time: '5', end_reason: 'User-Request' },
    { acct_session_id: 'T', session_time: '4', end_reason: 'User-Request' },
    { acct_session_id: 'U', ended: null },
  ])
  t.equal((await a.rows()).length, 3)
  for (const node of [a, b]) await node.readOthers()
  t.strictSame([names(a), names(b)], [['U'], ['U']])
  await a.send(packet('start', { id: 'S', identifier: 9 }))
  t.equal((await a.rows()).length, 4, 'a Start that is new begins another session')
})

/** Another node stores a reboot of the NAS while `records` wait in the spool of `a`, from which they come afterwards. */
async function drainAfterReboot(records: readonly Buffer[], reboot: Buffer): Promise<void> {
  await beginAnew()
  a.isUp = false
  await a.send(...records)
  for (const { clock } of [a, b]) clock.advance(10_000)
  await b.send(reboot)
  for (const { clock } of [a, b]) clock.advance(60_000)
  await a.recover()
  for (const node of [a, b]) await node.readOthers()
}

t.test('what waits in a spool begins no session that a reboot stored elsewhere has ended since', async (t) => {
  const records = [
    packet('start', { id: 'S' }),
    packet('start', { id: 'T', login: 'nobody' }),
    packet('interim', { id: 'U', time: 100, input: 70 }),
    packet('stop', { id: 'V', time: 50, cause: 1 }),
  ]
  await drainAfterReboot(records, packet('on', { identifier: 21 }))
  const [began] = await a.rows()
  const endedAtReboot = { end_reason: 'NAS-Reboot', ended: began!.started + 10 }
  t.match(await a.rows(), [
    { acct_session_id: 'S', ...endedAtReboot },
    { acct_session_id: 'T', ...endedAtReboot },
    { acct_session_id: 'U', ...endedAtReboot, input_octets: '70' },
    { acct_session_id: 'V', end_reason: 'User-Request', ended: began!.started },
  ])
  t.strictSame([names(a), names(b)], [[], []])
  t.equal(a.sessions.size + b.sessions.size, 0)
  const { rows } = await a.database.query('SELECT FROM radius_live_sessions')
  t.equal(rows.length, 0)
  await a.send(packet('start', { id: 'S', identifier: 22 }), packet('start', { id: 'W' }))
  await b.readOthers()
  t.strictSame(
    [names(a), names(b)],
    [
      ['S', 'W'],
      ['S', 'W'],
    ],
    'a Start since the reboot begins one',
  )
  await b.send(packet('interim', { id: 'U', time: 170, input: 90 }))
  t.strictSame(names(b).sort(), ['S', 'U', 'W'], 'a report since shows that it has outlived the reboot')
})

t.test('a reboot says nothing of sessions of another NAS', async (t) => {
  const named = (name: string): Attribute => [32, name]
  const record = packet('start', { id: 'S', more: [named('bras-2')] })
  await drainAfterReboot([record], packet('on', { identifier: 23, more: [named('bras-1')] }))
  t.strictSame([names(a), names(b)], [['S'], ['S']])
})

t.test('what lay before a node that stood still begins no session that a reboot has ended', async (t) => {
  await beginAnew()
  await b.send(packet('on', { identifier: 24 }))
  await a.sendLate(5_000, packet('start', { id: 'S' }), packet('interim', { id: 'T', time: 10 }))
  t.match(await a.rows(), [{ end_reason: 'NAS-Reboot' }, { end_reason: 'NAS-Reboot' }])
  await a.send(packet('start', { id: 'U' }))
  await b.readOthers()
  t.strictSame([names(a), names(b)], [['U'], ['U']])
})

t.test('a reboot by a clock that has been set back since ends nothing, and the next one does', async (t) => {
  await beginAnew()
  await b.send(packet('on', { identifier: 25 }))
  await a.database.query(`UPDATE nas_reboots SET at = at + interval '3 hours'`)
  await a.send(packet('start', { id: 'S' }))
  t.strictSame(names(a), ['S'])
  await b.send(packet('on', { identifier: 26 }))
  await a.sendLate(5_000, packet('start', { id: 'T' }))
  t.match(await a.rows(), [{}, { acct_session_id: 'T', end_reason: 'NAS-Reboot' }])
})

t.test('a report that waits in a spool does not revive what has ended meanwhile', async (t) => {
  await beginAnew()
  await a.send(packet('start', { id: 'S' }))
  await b.readOthers()
  a.isUp = false
  for (const { clock } of [a, b]) clock.advance(10_000)
  await a.send(packet('interim', { id: 'S', time: 10, input: 70 }))
  for (const { clock } of [a, b]) clock.advance(10_000)
  await b.send(packet('on', { identifier: 11 }))
  for (const { clock } of [a, b]) clock.advance(60_000)
  await a.recover()
  t.match(await a.rows(), [{ end_reason: 'NAS-Reboot', input_octets: '70' }])
  await a.readOthers()
  t.strictSame([names(a), names(b)], [[], []])
})

async function close(): Promise<number> {
  a.clock.advance(60_000)
  return await a.accounting.closeSilentSessions(a.clock.now())
}

/** For so long that it may call sessions silent. */
async function listen(t: Test): Promise<void> {
  for (let minute = 0; minute < 16; minute++) t.equal(await close(), 0, 'heard of by the clock of the database')
}

t.test('silence is that of all nodes, by the clock of the database', async (t) => {
  await beginAnew()
  await a.send(packet('start', { id: 'silent' }), packet('start', { id: 'heard' }), packet('start', { id: 'spooled' }))
  const heard = (id: string, minutes: number, node: number) =>
    a.database.query(
      `UPDATE radius_sessions SET node = $3, heard_at = now() - $2 * interval '1 minute' WHERE acct_session_id = $1`,
      [id, minutes, node],
    )
  await listen(t)
  // The one lives however long the test takes, and the other has not been heard of.
  await a.database.query(
    `UPDATE nodes SET heartbeat_at = now() + CASE number WHEN 1 THEN interval '1 hour' ELSE interval '-30 minutes' END`,
  )
  await heard('silent', 16, 1)
  await heard('heard', 14, 1)
  await heard('spooled', 40, 2)
  t.equal(await close(), 1)
  t.match(await a.rows(), [{ end_reason: 'Lost-Carrier' }, { ended: null }, { ended: null }])
  await a.database.query(`UPDATE nodes SET heartbeat_at = now() - interval '61 minutes' WHERE number = 2`)
  t.equal(await close(), 1, 'a node that has gone for good')
  await a.database.query(`UPDATE nodes SET heartbeat_at = now() + interval '1 hour'`)
  await heard('heard', 16, 2)
  a.accounting.hearAgain()
  t.equal(await close(), 0, 'nobody could tell while the database was away')
})

/** What happens after the next judgement of silence, before anything follows from it. */
function afterJudging(deed: () => unknown): void {
  const { query } = a.database
  a.database.query = (async (...asked: [{ text: string }]) => {
    const answer = await Reflect.apply(query, a.database, asked)
    if (asked[0].text.includes('AS silent')) {
      Reflect.deleteProperty(a.database, 'query')
      await deed()
    }
    return answer
  }) as typeof query
}

t.test(
  'a session of which another node hears after it was called silent lives, at once and from a spool',
  async (t) => {
    await beginAnew()
    await a.send(packet('start', { id: 'own' }), packet('start', { id: 'queued' }), packet('start', { id: 'silent' }))
    await b.send(packet('start', { id: 'other' }))
    await a.readOthers()
    await b.readOthers()
    await listen(t)
    const fallSilent = () =>
      a.database.query(`
      UPDATE nodes SET heartbeat_at = now() + interval '1 hour';
      UPDATE radius_sessions SET heard_at = now() - interval '16 minutes'`)
    const ends = async () =>
      Object.fromEntries((await a.rows()).map((row) => [row.acct_session_id, row.end_reason ?? 'lives']))
    const alive = { own: 'lives', queued: 'lives', other: 'lives' }
    await fallSilent()
    let queued: Promise<unknown> | undefined
    afterJudging(async () => {
      await b.send(packet('interim', { id: 'own', time: 1 }), packet('interim', { id: 'other', time: 1 }))
      // While the first is being stored the next ones become one group.
      const late = a.send(packet('start', { id: 'late' }))
      queued = Promise.all([late, a.send(packet('interim', { id: 'queued', time: 1 }))])
    })
    t.equal(await close(), 1)
    await queued
    t.strictSame(await ends(), { ...alive, silent: 'Lost-Carrier', late: 'lives' })
    await a.readOthers()
    t.strictSame(names(a).sort(), ['late', 'other', 'own', 'queued'])
    await fallSilent()
    afterJudging(() => {
      a.isUp = false
    })
    t.equal(await close(), 0, 'only the database knows')
    await b.send(...['own', 'queued', 'other'].map((id) => packet('interim', { id, time: 2 })))
    t.strictSame(names(a).sort(), ['late', 'other', 'own', 'queued'])
    await a.recover()
    t.strictSame(await ends(), { ...alive, silent: 'Lost-Carrier', late: 'Lost-Carrier' })
    await a.readOthers()
    t.strictSame(names(a).sort(), ['other', 'own', 'queued'])
    t.equal(a.heard.filter((one) => one.startsWith('stopped')).length, 2)
  },
)

t.test('what was missed is read anew, and what has ended or has no row meanwhile is gone', async (t) => {
  await beginAnew()
  await b.send(...['gone', 'stays', 'lost'].map((id) => packet('start', { id })))
  await a.readOthers()
  await b.send(packet('stop', { id: 'gone', time: 5, cause: 1 }), packet('start', { id: 'unheard' }))
  await b.database.query(`
    DELETE FROM radius_live_sessions USING radius_sessions WHERE id = session_id AND acct_session_id = 'lost';
    DELETE FROM radius_sessions WHERE acct_session_id = 'lost'`)
  await a.accounting.followAll()
  while (a.accounting.toFollow > 0) await new Promise(setImmediate)
  t.strictSame(names(a).sort(), ['stays', 'unheard'])
})

t.test('a node that was away from the database hears of it afterwards, and so do the others', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.readOthers()
  a.isUp = false
  a.clock.advance(300_000)
  await a.send(packet('interim', { id: 'S', time: 300, input: 500 }), packet('start', { id: 'away' }))
  a.isUp = true
  await a.send(packet('interim', { id: 'away', time: 1 }))
  await a.recover()
  await b.readOthers()
  t.match(
    [live(a), live(b)],
    [
      [
        { acctSessionId: 'S', node: null, inputOctets: 500n },
        { acctSessionId: 'away', node: null },
      ],
      [
        { acctSessionId: 'S', node: 1, inputOctets: 500n },
        { acctSessionId: 'away', node: 1 },
      ],
    ],
  )
})

t.test('the first node takes over what was heard before there were nodes, however long that takes', async (t) => {
  await beginAnew()
  await b.send(packet('start', { id: 'S' }))
  await a.database.query('UPDATE radius_sessions SET node = NULL; DELETE FROM traffic_nodes')
  const hasty = endedWith(t, new pg.Pool({ ...a.database.options, query_timeout: 100 }))
  // As many rows take as long as one that somebody else holds.
  const other = await b.database.connect()
  await other.query('BEGIN; SELECT FROM radius_sessions FOR UPDATE')
  const adopted = new NodeSessions(hasty).adopt()
  await Promise.race([adopted, setTimeout(300)])
  await other.query('COMMIT')
  other.release()
  await adopted
  t.match(await a.rows(), [{ node: 1 }])
})

type Step = {
  readonly node: 'a' | 'b'
  readonly deed: 'start' | 'interim' | 'stop' | 'end' | 'read'
  readonly id: string
}

t.test('whatever both store and in whatever order they read, both have what the tables have', async (t) => {
  const step: fc.Arbitrary<Step> = fc.record({
    node: fc.constantFrom('a', 'b'),
    deed: fc.constantFrom('start', 'interim', 'stop', 'end', 'read'),
    id: fc.constantFrom('S', 'T'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      await beginAnew()
      let time = 0
      for (const { node: name, deed, id } of steps) {
        const node = { a, b }[name]
        for (const { clock } of [a, b]) clock.advance(40_000)
        time += 40
        if (deed === 'read') await node.readOthers()
        else if (deed === 'end') {
          const session = live(node).find(({ acctSessionId }) => acctSessionId === id)
          if (session) await node.accounting.endSession(session, node.clock.now(), 'Lost-Carrier')
        } else if (deed === 'start') await node.send(packet('start', { id }))
        else await node.send(packet(deed, { id, time: 20, input: time, ...(deed === 'stop' && { cause: 1 }) }))
      }
      for (const node of [a, b, a, b]) await node.readOthers()
      const { rows } = await a.database.query<{ id: string; node: number }>(
        'SELECT s.id, s.node FROM radius_live_sessions l JOIN radius_sessions s ON s.id = l.session_id WHERE s.ended_at IS NULL ORDER BY s.id',
      )
      for (const [own, node] of [a, b].entries()) {
        const known = [...node.sessions.all()].sort((one, other) => Number(one.id) - Number(other.id))
        t.strictSame(
          known.map(({ id, node: at }) => ({ id, node: at ?? own + 1 })),
          rows,
        )
        t.equal(
          node.heard.filter((one) => one.startsWith('started')).length -
            node.heard.filter((one) => one.startsWith('stopped')).length,
          rows.length,
          'each counts once',
        )
      }
    }),
    { numRuns: 15 },
  )
})

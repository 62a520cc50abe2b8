import t from 'tap'
import type { OrderedEffect } from '../../../src/domain/effects.ts'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { UnansweredDisconnects } from '../../../src/network/radius/coa/unanswered.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import type { NasAnswer } from '../../support/nas.ts'
import { until } from '../../support/until.ts'
import { nasEntry } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const acctSessionId = 44
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A login that is closed, at a NAS that answers as `is.answer` says: at first nothing. */
async function withClosedLogin(t: Parameters<typeof startCoaFixture>[0]) {
  const clock = new ManualClock(startOfTime)
  const is: { answer: NasAnswer } = { answer: 'silence' }
  const orders: Promise<unknown>[] = []
  const lines: string[] = []
  const fixture: Awaited<ReturnType<typeof startCoaFixture>> = await startCoaFixture(
    t,
    shared,
    [{ answer: () => is.answer }],
    {
      clock,
      log: { ...silentLog, info: (line) => lines.push(line), warn: (line) => lines.push(line) },
      reachOf: () => 'closed',
      order: (effect: OrderedEffect) => {
        if (effect.kind !== 'disconnectSession') throw new Error(`not ${effect.kind}`)
        const work = fixture.disconnects.handlers.disconnectSession(effect, null)
        orders.push(work)
        return work
      },
    },
  )
  const { accounting, allNas, disconnects, cut } = fixture
  const outcomes = () => accounting.of('coaAnswered').length
  /** Until what has just been sent is answered or given up, and that is stored. */
  const finish = async <Result>(sent: () => Promise<Result>, before = outcomes()): Promise<Result> => {
    let isOpen = true
    const work = sent().finally(() => {
      isOpen = false
    })
    if (is.answer === 'silence') for (const waitMs of [1000, 2000, 4000, 4000]) clock.advance(waitMs)
    else while (outcomes() === before) await turn()
    while (isOpen) {
      clock.advance(10)
      await turn()
    }
    return await work
  }
  /** Answers how many Disconnects this report of the NAS caused. */
  const report = async (status: 'start' | 'interim', id: string) => {
    const [before, outcomesBefore] = [orders.length, outcomes()]
    await accounting.send(packet(status, { id, time: 300 }))
    const caused = orders.length - before
    if (caused > 0) await finish(() => orders.at(-1)!, outcomesBefore)
    return caused
  }
  return { is, accounting, nas: allNas[0]!, disconnects, cut, finish, report, lines }
}

t.test(
  'a NAS that reports a session and never answers is not asked for ever; its first answer takes that back',
  async (t) => {
    const { is, nas, report, disconnects, finish, cut, lines } = await withClosedLogin(t)
    const caused: number[] = []
    caused.push(await report('start', 'A1'))
    for (let n = 0; n < 4; n++) caused.push(await report('interim', 'A1'))
    t.same(caused, [1, 1, 1, 0, 0])
    t.same(disconnects.unanswered, [{ nas: 'nas-1', disconnects: 3 }])
    t.same(lines.filter((line) => line.includes('answers no Disconnect')).length, 1, 'said once')

    t.equal(await report('start', 'A2'), 1, 'another session has its own')
    t.same(await finish(() => cut(['ivan'])), { ack: 0, nak: 0, noAnswer: 2 }, 'a new reason is always told')
    t.same(disconnects.unanswered, [{ nas: 'nas-1', disconnects: 6 }])

    is.answer = { nak: 501 }
    await finish(() => cut(['anybody']))
    t.same(disconnects.unanswered, [])
    t.ok(lines.some((line) => line.includes('answers Disconnects again')))
    is.answer = 'ack'
    t.equal(await report('interim', 'A1'), 1, 'what is still live is cut at last')
    t.equal(nas.seen.at(-1)?.text(acctSessionId), 'A1')
  },
)

t.test('a NAS that was away is told again of every session, however many were lost meanwhile', async (t) => {
  const { is, report, disconnects, cut, finish, accounting } = await withClosedLogin(t)
  is.answer = { nak: 501 }
  await report('start', 'A1')
  is.answer = 'silence'
  for (let n = 0; n < 5; n++) await finish(() => cut(['ivan']))
  t.same(disconnects.unanswered, [{ nas: 'nas-1', disconnects: 5 }])
  is.answer = 'ack'
  t.equal(await report('interim', 'A1'), 1)
  // The end of the session and the answer to the Disconnect are stored by different statements.
  await until(() => accounting.sessions.size === 0)
  t.same(disconnects.unanswered, [])
})

t.test('an operator who tries a NAS that answers by now takes it back too', async (t) => {
  const { is, nas, report, disconnects } = await withClosedLogin(t)
  const caused = [await report('start', 'A1')]
  for (let n = 0; n < 3; n++) caused.push(await report('interim', 'A1'))
  t.same(caused, [1, 1, 1, 0])
  is.answer = { nak: 503 }
  t.match(await disconnects.probe(nas.entry), { result: 'answered' })
  t.same(disconnects.unanswered, [])
  is.answer = 'ack'
  t.equal(await report('interim', 'A1'), 1)
})

t.test('a NAS without an answer is tried again now and then, and at once when its record changes', (t) => {
  const clock = new ManualClock(startOfTime)
  const unanswered = new UnansweredDisconnects({ clock, log: silentLog })
  const nas: NasEntry = nasEntry({ id: nasId(7) })
  const repeats = (entry: NasEntry, session: string) =>
    Array.from({ length: 5 }, () => unanswered.takeRepeat(entry, session)).filter(Boolean).length
  t.equal(repeats(nas, 'one'), 3)
  t.equal(repeats(nas, 'two'), 3)
  clock.advance(3_600_000)
  t.equal(repeats(nas, 'one') + repeats(nas, 'two'), 1, 'one for all')
  unanswered.sessionEnded(nas.id, 'one')
  t.equal(repeats(nas, 'one'), 3, 'a later session of this name')
  unanswered.noAnswer(nas)
  const moved = { ...nas, coaPort: 1700 }
  t.same(unanswered.counts([moved]), [])
  t.equal(repeats(moved, 'two'), 3)
  t.end()
})

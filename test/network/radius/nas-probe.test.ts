import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import t from 'tap'
import { ManualClock } from '../../support/manual-clock.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'

const shared = await SharedDatabase.open(t)

const startOfTime = new Date('2026-03-01T12:00:00Z')
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('a NAS that does not know the session listens and has our secret', async (t) => {
  const { accounting, allNas, answers, disconnects } = await startCoaFixture(t, shared, [
    { answer: () => ({ nak: 503 }) },
  ])
  const [nas] = allNas
  t.match(await disconnects.probe(nas!.entry), { result: 'answered', errorCause: 503 })
  const [request] = nas!.seen
  t.match(request, { code: 40, authentic: true })
  t.match(request!.text(1), /^tollgate-test-/, 'a login that nobody has')
  t.equal(request!.text(44), request!.text(1), 'a session that nobody has')
  t.strictSame(nas!.seen.length, 1)
  t.strictSame(accounting.published, [], 'operators see no Disconnect')
  t.strictSame(await answers(), [], 'none is stored')
  nas!.answer = () => ({ nak: 403 })
  t.match(await disconnects.probe(nas!.entry), { result: 'answered', errorCause: 403 })
})

t.test('silence is no answer after one repetition', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { allNas, disconnects } = await startCoaFixture(t, shared, [{ answer: () => 'silence' }], { clock })
  const probe = disconnects.probe(allNas[0]!.entry)
  await allNas[0]!.received(1)
  clock.advance(1000)
  // The repetition, and the same from a socket that would learn of a closed port.
  await allNas[0]!.received(3)
  clock.advance(2000)
  t.strictSame(await probe, { result: 'no_answer', ms: 3000, errorCause: null })
  t.ok(allNas[0]!.seen.every(({ authentic }) => authentic))
})

t.test('an answer that is signed with another secret shows a wrong secret', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { allNas, disconnects } = await startCoaFixture(t, shared, [{ answer: () => 'forged' }], { clock })
  const probe = disconnects.probe(allNas[0]!.entry)
  while (disconnects.counts.forged < 1) await turn()
  clock.advance(1000)
  clock.advance(2000)
  t.match(await probe, { result: 'wrong_secret', errorCause: null })
})

t.test('a port where nothing listens refuses', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { allNas, disconnects } = await startCoaFixture(t, shared, [{}], { clock })
  const closed = createSocket('udp4').bind(0, '127.0.0.77')
  await once(closed, 'listening')
  const { port } = closed.address()
  closed.close()
  const probe = disconnects.probe({ ...allNas[0]!.entry, ip: '127.0.0.77', coaPort: port })
  clock.advance(1000)
  t.strictSame(await probe, { result: 'refused', ms: 1000, errorCause: null })
})

t.test(
  'where a NAS of a network listens is unknown without coa_ip, and a program that stops asks nobody',
  async (t) => {
    const { allNas, disconnects } = await startCoaFixture(t, shared)
    const { entry } = allNas[0]!
    t.match(await disconnects.probe({ ...entry, ip: null, network: '127.0.0.0/24' }), { result: 'no_address' })
    t.match(await disconnects.probe({ ...entry, ip: null, network: '127.0.0.0/24', coaIp: '127.0.0.1' }), {
      result: 'answered',
    })
    await disconnects.stop(0)
    t.match(await disconnects.probe(entry), { result: 'stopped' })
  },
)

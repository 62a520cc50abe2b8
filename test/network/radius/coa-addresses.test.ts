import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasEntry } from '../../../src/domain/nas.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { packet, startOfTime } from '../../support/accounting.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'

const shared = await SharedDatabase.open(t)

const nasIdentifier = 32

/** Changes what the records say of a fake NAS, whose socket stays where it is. */
const change = (entry: NasEntry, changes: Partial<NasEntry>) => Object.assign(entry, changes)

t.test(
  'the session of a network record is disconnected where its accounting came from, also after a restart',
  async (t) => {
    const { accounting, allNas, cut, restart } = await startCoaFixture(t, shared)
    const [nas] = allNas
    change(nas!.entry, { ip: null, network: '127.0.0.0/8' })
    t.same(await cut(['ivan']), { ack: 0, nak: 0, noAnswer: 0 }, 'nobody knows where the NAS of a network are')
    await accounting.send(packet('start', { id: 'one' }), packet('start', { id: 'two', login: 'olga' }))
    t.same(
      accounting.of('sessionStarted').map(({ session }) => session.nasIp),
      ['127.0.0.1', '127.0.0.1'],
    )
    t.same(await cut(['ivan']), { ack: 1, nak: 0, noAnswer: 0 })
    const { disconnects } = await restart()
    t.same(
      await disconnects.handlers.disconnect({ kind: 'disconnect', logins: ['olga'], subscriberId: null }, null),
      { ack: 1, nak: 0, noAnswer: 0 },
      'its address is kept with the session',
    )
  },
)

t.test('Disconnect goes to coa_ip and leaves from coa_source, or from the address that the NAS asked', async (t) => {
  const { allNas, cut } = await startCoaFixture(t, shared, [{}, {}, {}])
  const [own, asked, elsewhere] = allNas
  change(own!.entry, { coaSource: '127.0.0.5', askedIp: '127.0.0.6' })
  change(asked!.entry, { askedIp: '127.0.0.6' })
  change(elsewhere!.entry, { ip: '192.0.2.1', coaIp: elsewhere!.entry.ip })
  t.same(await cut(['ivan']), { ack: 3, nak: 0, noAnswer: 0 })
  t.same(
    [own, asked, elsewhere].map((nas) => nas!.seen.map(({ from }) => from)),
    [['127.0.0.5'], ['127.0.0.6'], ['127.0.0.1']],
  )
})

t.test('where our address is gone, Disconnect leaves from another one', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { allNas, cut, disconnects } = await startCoaFixture(t, shared, [{}], { clock })
  const [nas] = allNas
  change(nas!.entry, { askedIp: '192.0.2.77' })
  void cut(['ivan'])
  // The sockets report by an event that their address cannot be had; until the packet is sent again nothing is heard.
  await new Promise<void>((resolve) => setImmediate(resolve))
  clock.advance(1000)
  await nas!.received(1)
  t.equal(nas!.seen[0]!.from, '127.0.0.1')
  t.equal(disconnects.counts.sent, 1)
})

t.test('while a secret is being changed, the one proved last is tried first, then the other', async (t) => {
  const clock = new ManualClock(startOfTime)
  const { accounting, allNas, cut } = await startCoaFixture(t, shared, [{}], {
    clock,
    nas: () => [{ ...nas!.entry, secret: 'the old one', secretNext: nas!.entry.secret, ...seen }],
  })
  const [nas] = allNas
  nas!.answer = ({ authentic }) => (authentic ? 'ack' : 'silence')
  let seen: Partial<NasEntry> = { secretSeenAtMs: 1, secretNextSeenAtMs: 2 }
  void cut(['ivan'])
  await accounting.publishedOnce('coaAnswered')
  t.same(
    nas!.seen.map(({ authentic }) => authentic),
    [true],
  )
  seen = { secretSeenAtMs: 3, secretNextSeenAtMs: 2 }
  void cut(['olga'])
  await nas!.received(2)
  clock.advance(1000)
  await nas!.received(3)
  t.same(
    nas!.seen.map(({ authentic }) => authentic),
    [true, false, true],
  )
})

t.test('each NAS behind one address is asked under its own name', async (t) => {
  const { allNas, cut } = await startCoaFixture(t, shared, [{}], {
    nas: () => [
      { ...nas!.entry, identifier: 'bras-1' },
      { ...nas!.entry, id: nasId(2), identifier: 'bras-2' },
      { ...nas!.entry, id: nasId(3), identifier: 'bras-3', enabled: false },
    ],
  })
  const [nas] = allNas
  t.same(await cut(['ivan', 'olga']), { ack: 4, nak: 0, noAnswer: 0 })
  t.same(nas!.seen.map((request) => `${request.text(1)} ${request.text(nasIdentifier)}`).sort(), [
    'ivan bras-1',
    'ivan bras-2',
    'olga bras-1',
    'olga bras-2',
  ])
})

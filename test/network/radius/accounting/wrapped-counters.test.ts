import t from 'tap'
import { AccountingFixture, packet } from '../../../support/accounting.ts'
import { SharedDatabase } from '../../../support/database.ts'

const shared = await SharedDatabase.open(t)

const gib = 2 ** 30
const range = 4 * gib

t.test('counters without Gigawords count on after 4 GiB, and never go back', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  const octets = async () => {
    const [row] = await fixture.rows()
    const [live] = [...fixture.sessions.all()]
    if (live) t.equal(String(live.inputOctets), row!.input_octets, 'memory and table agree')
    return Number(row!.input_octets)
  }
  await fixture.send(packet('start'), packet('interim', { time: 300, input: 3 * gib, output: 5 }))
  await fixture.send(packet('interim', { time: 600, input: gib / 2, output: 9 }))
  t.equal(await octets(), range + gib / 2, 'a wrap')
  await fixture.send(packet('interim', { time: 600, input: gib / 2, output: 9, delay: 4 }))
  t.equal(await octets(), range + gib / 2, 'the same report once more')
  await fixture.send(packet('interim', { time: 450, input: 3.5 * gib, output: 7 }))
  t.equal(await octets(), range + gib / 2, 'a late one from before')
  await fixture.send(packet('interim', { time: 700, input: gib / 2 - 1000, output: 9 }))
  t.equal(await octets(), range + gib / 2, 'a NAS that counts back a little')
  await fixture.begin()
  await fixture.send(packet('interim', { time: 900, input: 2 * gib, output: 9 }))
  t.equal(await octets(), range + 2 * gib, 'after a restart')
  await fixture.send(packet('interim', { time: 1200, input: 3.5 * gib, output: 9 }))
  await fixture.send(
    packet('interim', { time: 1250, input: 0.5 * gib, output: 9 }),
    packet('stop', { time: 1300, input: gib, output: 10 }),
  )
  t.equal(await octets(), 2 * range + gib, 'in one group, by the Stop')
  t.match(await fixture.rows(), [{ output_octets: '10' }], 'each direction by itself')
})

t.test('what is no wrap: Gigawords of the NAS, and a name that is used again', async (t) => {
  const fixture = await AccountingFixture.start(t, shared)
  await fixture.send(packet('start'), packet('interim', { time: 300, input: 3 * gib, gigawords: [0, 0] }))
  await fixture.send(packet('interim', { time: 600, input: gib, gigawords: [0, 0] }))
  t.match(await fixture.rows(), [{ input_octets: String(3 * gib) }])
  fixture.clock.advance(700_000)
  await fixture.send(packet('start', { identifier: 2 }))
  await fixture.send(packet('interim', { time: 5, input: 1000 }))
  t.match(await fixture.rows(), [{ input_octets: String(3 * gib) }, { input_octets: '1000' }])
})

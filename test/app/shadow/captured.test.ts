import fc from 'fast-check'
import t from 'tap'
import { capturedExchanges } from '../../../src/app/shadow/captured.ts'
import { type Exchange, Seen, SourceFault } from '../../../src/app/shadow/exchange.ts'
import { formatAddress } from '../../../src/network/radius/wire/address.ts'
import { build, type Tlv } from '../../network/radius/wire/builder.ts'
import { capture, frame, type FrameOptions, type Hop, inChunks } from './frames.ts'

const there: Hop = { from: '192.0.2.7', to: '192.0.2.1', ports: [40_000, 1812] }
const there6: Hop = { from: '2001:db8::7', to: '2001:db8::1', ports: [40_000, 1812] }
const back = ({ from, to, ports: [source, port] }: Hop): Hop => ({ from: to, to: from, ports: [port, source] })

const name = (login: string): Tlv => [1, login]
const request = (identifier: number, login: string, mark = identifier) =>
  build(1, identifier, Buffer.alloc(16, mark), [name(login)])
const answer = (code: number, identifier: number) => build(code, identifier, Buffer.alloc(16), [])

async function read(bytes: Buffer, chunk?: number): Promise<{ told: string[]; seen: Seen }> {
  const seen = new Seen()
  const told: string[] = []
  for await (const exchange of capturedExchanges(inChunks(bytes, chunk), 1812, seen)) told.push(shown(exchange))
  return { told, seen }
}

function shown({ atMs, source, request: asked, reply }: Exchange): string {
  const login = asked.kind === 'packet' ? asked.packet.text(1) : null
  return `${atMs / 1000} ${formatAddress(source)} ${login} ${reply?.kind === 'packet' ? reply.packet.code : 'none'}`
}

t.test('every kind of device, order of octets and part of a second is read', async (t) => {
  const hops: readonly [Hop, string][] = [
    [there, '192.0.2.7'],
    [there6, '2001:db8::7'],
  ]
  for (const link of [0, 1, 12, 101, 113, 276])
    for (const [hop, address] of hops)
      for (const options of [{}, { isBigEndian: true }, { isNanosecond: true }, { tags: [5] }, { tags: [100, 7] }]) {
        if ('tags' in options && ![1, 113, 276].includes(link)) continue
        const all: FrameOptions = { link, ...options }
        const frames = [frame(hop, request(1, 'anna'), all), frame(back(hop), answer(2, 1), all)]
        const { told } = await read(capture(frames, all))
        const [first = ''] = told
        t.match(first, new RegExp(`^1000\\.005 ${address} anna 2$`), JSON.stringify(all))
        t.equal(told.length, 1)
      }
})

t.test('the size of the chunks changes nothing', async (t) => {
  const frames = [1, 2, 3].flatMap((id) => [
    frame(there, request(id, `user${id}`)),
    frame(back(there), answer(id === 2 ? 3 : 2, id)),
  ])
  const whole = await read(capture(frames))
  t.equal(whole.told.length, 3)
  for (const size of [1, 7, 24, 41]) t.strictSame((await read(capture(frames), size)).told, whole.told)
})

t.test('answers find their requests by addresses, ports and identifier', async (t) => {
  const other: Hop = { ...there, from: '192.0.2.8' }
  const otherPort: Hop = { ...there, ports: [40_001, 1812] }
  const asked = [there, other, otherPort].map((hop, index) => frame(hop, request(9, `user${index}`, index)))
  const answered = [otherPort, there, other].map((hop, index) => frame(back(hop), answer([2, 3, 11][index]!, 9)))
  const { told, seen } = await read(capture([...asked, ...answered]))
  t.strictSame(told, ['1002.005 192.0.2.7 user2 2', '1000.005 192.0.2.7 user0 3', '1001.005 192.0.2.8 user1 11'])
  t.equal(seen.leftOut.size, 0)
})

t.test('a repetition is one request, and an identifier that is used again is another', async (t) => {
  const frames = [
    frame(there, request(1, 'anna', 1)),
    frame(there, request(1, 'anna', 1)),
    frame(back(there), answer(2, 1)),
    frame(there, request(1, 'anna', 1)),
    frame(back(there), answer(2, 1)),
    frame(there, request(1, 'boris', 2)),
    frame(there, request(1, 'clara', 3)),
    frame(back(there), answer(3, 1)),
  ]
  const { told, seen } = await read(capture(frames))
  t.strictSame(told, ['1000.005 192.0.2.7 anna 2', '1005.005 192.0.2.7 boris none', '1006.005 192.0.2.7 clara 3'])
  t.equal(seen.repeated, 3)
})

t.test('what has no answer after a minute, or no request, is told as such', async (t) => {
  const frames = [
    frame(there, request(1, 'anna')),
    frame(back(there), answer(2, 7)),
    frame(back(there), answer(2, 1)),
    frame(there, request(2, 'boris')),
    frame(there, request(3, 'clara')),
  ]
  const { told, seen } = await read(capture(frames, { times: [100, 110, 161, 170, 231] }))
  t.strictSame(told, ['100.005 192.0.2.7 anna none', '170.005 192.0.2.7 boris none', '231.005 192.0.2.7 clara none'])
  t.strictSame([...seen.leftOut], [['replyAlone', 2]])
})

t.test('what is not whole, of another port or no sign-in is counted or passed over', async (t) => {
  const accounting = build(4, 1, Buffer.alloc(16), [name('anna')])
  const fragment6 = Buffer.from([17, 0, 0, 1, 0, 0, 0, 0xfe])
  const later6 = Buffer.from([17, 0, 0, 9, 0, 0, 0, 0xfe])
  const options6 = Buffer.from([17, 0, 1, 4, 0, 0, 0, 0])
  const frames = [
    frame(there, request(1, 'anna'), { fragment: 0x2000 }),
    frame(there, request(1, 'anna'), { fragment: 0x0003 }),
    frame(there6, request(1, 'anna'), { extensions: [fragment6] }),
    frame(there6, request(1, 'anna'), { extensions: [later6] }),
    frame({ ...there, ports: [40_000, 53] }, Buffer.from('a question')),
    frame(there, Buffer.from('no RADIUS at all, by far')),
    frame(there, accounting),
    frame(there6, request(4, 'dora'), { extensions: [options6] }),
  ]
  const { told, seen } = await read(capture(frames))
  t.strictSame(told, ['1007.005 2001:db8::7 dora none'])
  t.strictSame(Object.fromEntries(seen.leftOut), { fragmented: 2, notRadius: 1 })
  t.equal(seen.others, 1)
  const cut = await read(capture([frame(there, request(1, 'a login of some length'))], { cut: 50 }))
  t.strictSame([...cut.seen.leftOut], [['cutShort', 1]])
})

t.test('a capture may end anywhere, and what is none is refused with advice', async (t) => {
  const whole = capture([frame(there, request(1, 'anna')), frame(back(there), answer(2, 1))])
  t.strictSame((await read(whole.subarray(0, -3))).told, ['1000.005 192.0.2.7 anna none'])
  t.strictSame((await read(Buffer.alloc(0))).told, [])
  const refused: [Buffer, RegExp][] = [
    [Buffer.from('0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff', 'hex'), /editcap -F pcap/],
    [Buffer.from('1f8b08000000000000030000000000000000000000000000', 'hex'), /zcat/],
    [Buffer.from('Sat Nov 28 16:23:52 2026\n\tPacket-Type'), /as `tcpdump -w` writes it/],
    [Buffer.from('short'), /shorter than the header/],
    [capture([], { link: 105 }), /link type 105/],
    [Buffer.concat([whole, Buffer.alloc(16, 0xff)]), /damaged: packet 3/],
  ]
  for (const [bytes, sentence] of refused) await t.rejects(read(bytes), sentence)
})

t.test('whatever a capture has in it, it is read or refused', async (t) => {
  const seeds = [1, 101, 113, 276].map((link) =>
    capture(
      [there, there6].flatMap((hop) => [
        frame(hop, request(1, 'anna'), { link, tags: link === 101 ? [] : [5] }),
        frame(back(hop), answer(2, 1), { link }),
      ]),
      { link },
    ),
  )
  const change = fc.tuple(fc.nat(10_000), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(
      fc.nat(seeds.length - 1),
      fc.array(change, { maxLength: 12 }),
      fc.nat(400),
      fc.integer({ min: 1, max: 200 }),
      async (seed, changes, cut, chunk) => {
        const bytes = Buffer.from(seeds[seed]!)
        for (const [at, octet] of changes) bytes[at % bytes.length] = octet
        await read(bytes.subarray(0, bytes.length - cut), chunk).catch((error) => {
          if (!(error instanceof SourceFault)) throw error
        })
      },
    ),
    { numRuns: 1_500 },
  )
  t.pass()
})

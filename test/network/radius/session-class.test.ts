import fc from 'fast-check'
import t from 'tap'
import { PacketWriter } from '../../../src/network/radius/wire/writer.ts'
import { ClassReader, ClassWriter, gardenOf, isOurClass } from '../../../src/network/radius/worker/session-class.ts'
import { sipHash } from './wire/siphash-reference.ts'

const key = Buffer.from('0123456789abcdef0123456789abcdef')
const reader = new ClassReader(key)
const writer = new PacketWriter()

function classOf(loginId: number, inGarden: boolean, address: number, now: number, number = 0): string {
  writer.begin(2, 1)
  new ClassWriter(key, number).write(writer, loginId, inGarden, address, now)
  return writer.packet.toString('latin1', 22)
}

/** As the decision record says: login id, second, number, address and two marks, the first of 64 bits. */
function signatureOf(loginId: number, second: number, number: number, address: number, marks: number): string {
  const message = Buffer.alloc(24)
  message.writeBigUInt64LE(BigInt(loginId))
  for (const [index, word] of [second, number, address, marks].entries()) message.writeUInt32LE(word, 8 + index * 4)
  return sipHash(key.subarray(0, 16), message)
}

t.test('a Class is text, signed by SipHash-2-4 with the first half of the key', async (t) => {
  const second = 1_700_000_000
  const head = 'tg2/7/6553f10000000001/0a000005'
  t.equal(classOf(7, false, 0x0a000005, second), `${head}/${signatureOf(7, second, 1, 0x0a000005, 0)}`)
  t.equal(classOf(7, true, 0x0a000005, second), `${head}/${signatureOf(7, second, 1, 0x0a000005, 1)}/garden`)
  const none = `tg2/7/6553f10000000000/0/${signatureOf(7, second, 0, 0xffffffff, 2)}`
  t.equal(classOf(7, false, -1, second, 0xffffffff), none)
  const long = 999_999_999_999_999
  const signed = signatureOf(long, second, 1, 0x0a000005, 0)
  t.equal(classOf(long, false, 0x0a000005, second), `tg2/${long}/6553f10000000001/0a000005/${signed}`)
})

t.test('a number of a Class has no second spelling', async (t) => {
  const written = classOf(7, false, 10, 1_700_000_000)
  t.ok(reader.read(written))
  t.equal(reader.read(written.replace('tg2/7/', 'tg2/07/')), null)
  t.equal(reader.read(written.toUpperCase().replace('TG', 'tg')), null)
})

t.test('what is written is read back, and nothing else', async (t) => {
  const login = fc.integer({ min: 1, max: 999_999_999_999_999 })
  const address = fc.integer({ min: -1, max: 0xffffffff })
  const second = fc.integer({ min: 1, max: 0xffffffff })
  fc.assert(
    fc.property(login, fc.boolean(), address, second, fc.nat(), fc.nat(9), (id, garden, offered, now, at, digit) => {
      const text = classOf(id, garden, offered, now)
      const read = reader.read(text)
      const same =
        read?.loginId === id && read.inGarden === garden && read.address === offered && read.signedInAt === now
      const place = at % text.length
      const changed = text.slice(0, place) + digit + text.slice(place + 1)
      return (
        same &&
        gardenOf(text) === garden &&
        isOurClass(Buffer.from(text)) &&
        (changed === text || reader.read(changed) === null) &&
        reader.read(garden ? text.replace('/garden', '') : `${text}/garden`) === null &&
        new ClassReader(Buffer.alloc(32)).read(text) === null
      )
    }),
  )
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^tg[12][/0-9a-f]{0,90}(\/garden)?$/)), (text) => {
      gardenOf(text)
      return reader.read(text) === null
    }),
  )
  t.equal(reader.read(null), null)
})

t.test('the classes of sessions that began before classes were signed still show the garden', async (t) => {
  t.equal(gardenOf('tg1/7/1000007'), false)
  t.equal(gardenOf('tg1/7/1000007/garden'), true)
  t.equal(reader.read('tg1/7/1000007'), null)
  for (const text of [null, '', 'tg1/7', 'tg3/7/1', 'garden', 'xtg1/7/1']) t.equal(gardenOf(text), null, String(text))
  t.notOk(isOurClass(Buffer.from('tg')))
})

import t from 'tap'
import { attributes } from '../../../../src/network/radius/wire/attribute-types.ts'
import { codes, decodePacket, PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { attributesOf, vendorText } from '../../../support/attributes.ts'
import { build, hex, integer, type Tlv, vendorSpecific, zeros } from './builder.ts'

const authenticator = hex('000102030405060708090a0b0c0d0e0f')
const request = (...list: Tlv[]) => build(codes.accessRequest, 1, authenticator, list)

const decoded = (datagram: Uint8Array): PacketView => {
  const result = decodePacket(datagram)
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}
const faultOf = (datagram: Uint8Array) => {
  const result = decodePacket(datagram)
  return 'fault' in result ? result.fault : null
}
/** The datagram with its length field changed. */
const claiming = (length: number, datagram: Buffer) => {
  const changed = Buffer.from(datagram)
  changed.writeUInt16BE(length, 2)
  return changed
}

t.test('a header without attributes is a packet', async (t) => {
  const packet = decoded(request())
  t.equal(packet.code, 1)
  t.equal(packet.identifier, 1)
  t.equal(packet.length, 20)
  t.strictSame(packet.authenticator, authenticator)
  t.strictSame([...attributesOf(packet)], [])
})

t.test('every malformed datagram has its fault', async (t) => {
  const name: Tlv = [1, 'steve']
  const cases: [string, Buffer, string][] = [
    ['nothing', Buffer.alloc(0), 'shorterThanHeader'],
    ['nineteen bytes', request().subarray(0, 19), 'shorterThanHeader'],
    ['a length of 19', claiming(19, request(name)), 'lengthBelowHeader'],
    ['a length of 0', claiming(0, request(name)), 'lengthBelowHeader'],
    ['a length of 4097', claiming(4097, Buffer.concat([request(), zeros(4200)])), 'lengthAboveMaximum'],
    ['a lost end', request(name).subarray(0, 26), 'shorterThanLength'],
    ['a type without a length', claiming(21, Buffer.concat([request(), hex('01')])), 'attributeTruncated'],
    ['an attribute length of 0', claiming(22, Buffer.concat([request(), hex('0100')])), 'attributeTooShort'],
    ['an attribute length of 1', claiming(22, Buffer.concat([request(), hex('0101')])), 'attributeTooShort'],
    ['an attribute over the end', claiming(24, Buffer.concat([request(), hex('01060000')])), 'attributeOverrun'],
    [
      'an attribute that reaches into padding',
      claiming(24, Buffer.concat([request(), hex('0106000000')])),
      'attributeOverrun',
    ],
    ['a short Message-Authenticator', request([80, zeros(15)]), 'messageAuthenticatorMalformed'],
    ['two Message-Authenticators', request([80, zeros(16)], [80, zeros(16)]), 'messageAuthenticatorMalformed'],
  ]
  for (const [what, datagram, fault] of cases) t.equal(faultOf(datagram), fault, what)
})

t.test('a packet of 4096 bytes is taken', async (t) => {
  const list: Tlv[] = Array.from({ length: 15 }, () => [33, zeros(253)])
  const datagram = request(...list, [33, zeros(4096 - 20 - 15 * 255 - 2)])
  t.equal(datagram.length, 4096)
  t.equal(decoded(datagram).findAll(33).length, 16)
})

t.test('padding after the length is ignored', async (t) => {
  const packet = decoded(Buffer.concat([request([1, 'steve']), hex('02 06 01 02 03 04')]))
  t.equal(packet.length, 27)
  t.notOk(packet.has(2))
  t.equal(packet.packet.length, 27)
})

t.test('attributes are views on the datagram, found by type and in order', async (t) => {
  const datagram = request([33, 'a'], [1, 'steve'], [33, ''], [33, 'bc'])
  const packet = decoded(datagram)
  t.strictSame(packet.findAll(33).map(String), ['a', '', 'bc'])
  t.equal(packet.find(99), null)
  t.strictSame(packet.findAll(99), [])
  t.equal(packet.offsetOf(1), 23)
  t.equal(packet.offsetAfter(1, 23), -1)
  datagram[25] = 0x53
  t.equal(packet.text(1), 'Steve')
  t.strictSame(
    [...attributesOf(packet)].map(({ type, value }) => [type, value.toString()]),
    [
      [33, 'a'],
      [1, 'Steve'],
      [33, ''],
      [33, 'bc'],
    ],
  )
})

t.test('a view is used for packet after packet, anywhere in a buffer', async (t) => {
  const first = request([1, 'steve'], [31, 'aa'])
  const second = build(codes.accountingRequest, 2, authenticator, [[1, 'anna']])
  const buffer = Buffer.concat([zeros(7), first, second, zeros(3)])
  const packet = new PacketView()
  t.equal(packet.reset(buffer, 7, 7 + first.length), null)
  t.equal(packet.text(1), 'steve')
  t.equal(packet.reset(buffer, 7 + first.length, 7 + first.length + second.length), null)
  t.equal(packet.text(1), 'anna')
  t.equal(packet.text(31), null)
  t.equal(packet.identifier, 2)
  t.strictSame(packet.packet, second)
  t.equal(packet.reset(new Uint8Array(first)), null, 'a plain Uint8Array will do')
  t.equal(packet.text(1), 'steve')
})

t.test('after a fault the view is empty', async (t) => {
  const packet = new PacketView()
  packet.reset(request([1, 'steve']))
  t.equal(packet.reset(claiming(29, Buffer.concat([request([1, 'anna']), hex('1f01 0000')]))), 'attributeTooShort')
  t.notOk(packet.has(1))
  t.equal(packet.length, 0)
  t.equal(packet.code, 0)
  t.strictSame([...attributesOf(packet)], [])
})

t.test('values are read by their type, and null when they have a wrong length', async (t) => {
  const packet = decoded(
    request(
      [5, integer(4294967295)],
      [4, hex('c0a80110')],
      [27, hex('000001')],
      [8, hex('c0a8011000')],
      [168, hex('20010db8000000000000000000000001')],
      [95, hex('20010db8')],
    ),
  )
  t.equal(packet.integer(5), 4294967295)
  t.equal(packet.ipv4(4), '192.168.1.16')
  t.equal(packet.integer(27), null)
  t.equal(packet.ipv4(8), null)
  t.equal(packet.ipv6(168), '2001:db8::1')
  t.equal(packet.ipv6(95), null)
  t.equal(packet.integer(99), null)
  t.equal(packet.ipv4(99), null)
  t.equal(packet.ipv6(99), null)
})

t.test('an IPv6 prefix has the bytes it needs, and nothing behind them', async (t) => {
  const prefixOf = (value: string) => decoded(request([97, hex(value)])).ipv6Prefix(97)
  t.equal(prefixOf('0040 20010db800010002'), '2001:db8:1:2::/64')
  t.equal(prefixOf('0040 20010db8000100020000000000000000'), '2001:db8:1:2::/64', 'written in full')
  t.equal(prefixOf('0038 20010db8aabbccdd'), '2001:db8:aabb:cc00::/56', 'bits behind the prefix are dropped')
  t.equal(prefixOf('003c 20010db8aabbccdd'), '2001:db8:aabb:ccd0::/60')
  t.equal(prefixOf('0000'), '::/0')
  t.equal(prefixOf('0080 20010db8000000000000000000000001'), '2001:db8::1/128')
  t.equal(prefixOf('0040 20010db8'), null, 'too few bytes')
  t.equal(prefixOf('0081 20010db8000000000000000000000001'), null, 'more than 128 bits')
  t.equal(prefixOf('00'), null)
  t.equal(prefixOf('0040 20010db8000100020000000000000000ff'), null, 'too many bytes')
})

t.test('text that is not UTF-8 equals nothing that could be a name', async (t) => {
  t.equal(decoded(request([1, hex('c3a9')])).text(1), 'é')
  t.equal(decoded(request([1, hex('e9')])).text(1), '\ufffd')
})

t.test('attributes of vendors are found, alone or several in one', async (t) => {
  const packet = decoded(
    request(
      vendorSpecific(9, [1, 'ip:inacl=1'], [2, 'port'], [1, 'ip:outacl=2']),
      vendorSpecific(14988, [19, 'vip'], [1, integer(5)]),
      vendorSpecific(9, [1, 'third']),
    ),
  )
  t.equal(vendorText(packet, 9, 1), 'ip:inacl=1')
  t.equal(vendorText(packet, 9, 2), 'port')
  t.equal(vendorText(packet, 14988, 19), 'vip')
  t.strictSame(packet.vendor(14988, 1), integer(5))
  t.equal(packet.vendor(14988, 8), null)
  t.equal(packet.vendor(311, 1), null)
  t.equal(packet.bytes[packet.vendorOffset(14988, 19)], 19)
})

t.test('a malformed Vendor-Specific hides itself and nothing else', async (t) => {
  const vendor = (inside: string): Tlv => [26, hex(inside)]
  const packet = decoded(
    request(
      vendor(''),
      vendor('000000'),
      vendor('00000009'),
      vendor('00000009 01'),
      vendor('00000009 0100'),
      vendor('00000009 0101'),
      vendor('00000009 010a 6162'),
      vendor('00000009 0203 61 0106 62'),
      vendor('00000009 0203 63 0103 64'),
    ),
  )
  t.equal(vendorText(packet, 9, 1), 'd')
  t.equal(vendorText(packet, 9, 2), 'a')
  t.equal(packet.text(attributes.userName), null)
})

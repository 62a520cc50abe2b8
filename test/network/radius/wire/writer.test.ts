import t from 'tap'
import { attributes, errorCauses, vendors } from '../../../../src/network/radius/wire/attribute-types.ts'
import {
  equalBytes,
  verifyMessageAuthenticator,
  verifyRequestAuthenticator,
  verifyResponse,
} from '../../../../src/network/radius/wire/authenticator.ts'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../../src/network/radius/wire/writer.ts'
import { build, hex, integer, sealed, signed, type Tlv, vendorSpecific, zeros } from './builder.ts'

const secret = new SharedSecret('testing123')
const other = new SharedSecret('testing124')
const random = hex('0f0e0d0c0b0a09080706050403020100')
const place: Tlv = [80, zeros(16)]

const decoded = (datagram: Buffer): PacketView => {
  const result = decodePacket(datagram)
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}
/** The packet with one bit of the byte turned. */
const spoiled = (datagram: Buffer, at: number) => {
  const copy = Buffer.from(datagram)
  copy[at]! ^= 1
  return copy
}

t.test('every kind of value is written as the RFC draws it', async (t) => {
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, 7)
  writer.messageAuthenticator()
  t.ok(writer.text(attributes.replyMessage, 'привет'))
  t.ok(writer.octets(attributes.class, hex('00ff00')))
  t.ok(writer.octets(attributes.class, hex('aabbccdd'), 1, 3))
  t.ok(writer.integer(attributes.sessionTimeout, 4294967295))
  t.ok(writer.ipv4(attributes.framedIpAddress, 0x0a0000fe))
  t.ok(writer.ipv4(9, -1))
  t.ok(writer.octets(168, hex('20010db8000000000000000000000001')))
  t.ok(writer.ipv6Prefix(attributes.framedIpv6Prefix, hex('20010db8000100020000000000000000'), 64))
  t.ok(writer.ipv6Prefix(attributes.delegatedIpv6Prefix, hex('ffff 20010db8aabbffff0000000000000000'), 44, 2))
  t.ok(writer.ipv6Prefix(attributes.delegatedIpv6Prefix, hex('20010db8aabbffff0000000000000000'), 0))
  t.ok(writer.vendorOctets(14988, 8, Buffer.from('10M/20M')))
  t.ok(writer.vendorInteger(14122, 7, 10_000_000))
  t.ok(writer.vendorOctets(vendors.microsoft, 26, hex('0102')))
  t.ok(writer.encoded(hex('0606 00000002 0706 00000001')))
  writer.finishResponse(secret, random)
  const list: Tlv[] = [
    place,
    [18, 'привет'],
    [25, hex('00ff00')],
    [25, hex('bbcc')],
    [27, hex('ffffffff')],
    [8, hex('0a0000fe')],
    [9, hex('ffffffff')],
    [168, hex('20010db8000000000000000000000001')],
    [97, hex('0040 20010db800010002')],
    [123, hex('002c 20010db8aab0')],
    [123, hex('0000')],
    vendorSpecific(14988, [8, '10M/20M']),
    vendorSpecific(14122, [7, integer(10_000_000)]),
    vendorSpecific(311, [26, hex('0102')]),
    [6, integer(2)],
    [7, integer(1)],
  ]
  const expected = signed(sealed(build(2, 7, zeros(16), list), random, 'testing123'), random, 'testing123')
  t.strictSame(writer.copy(), expected)
  t.strictSame(writer.packet, expected)
  t.equal(writer.length, expected.length)
  t.equal(writer.refused, 0)
})

t.test('what does not fit is refused whole, and the packet stays right', async (t) => {
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, 1)
  t.notOk(writer.octets(25, zeros(254)))
  t.notOk(writer.text(18, 'я'.repeat(127)))
  t.notOk(writer.text(18, ''))
  t.notOk(writer.vendorOctets(9, 1, zeros(248)))
  t.notOk(writer.encoded(hex('0106 00')))
  t.notOk(writer.encoded(hex('0101')))
  t.equal(writer.refused, 6)
  t.equal(writer.length, 20)
  t.ok(writer.octets(25, zeros(253)))
  t.ok(writer.vendorOctets(9, 1, zeros(247)))
  for (let i = 0; i < 13; i++) t.ok(writer.octets(25, zeros(253)))
  t.equal(writer.length, 20 + 15 * 255)
  t.notOk(writer.octets(25, zeros(250)))
  t.notOk(writer.encoded(zeros(252)))
  t.ok(writer.octets(25, zeros(249)))
  t.equal(writer.length, 4096)
  t.notOk(writer.integer(27, 1))
  t.equal(writer.finishResponse(secret, random), 4096)
  t.ok(verifyResponse(decoded(writer.copy()), random, secret))
  writer.begin(codes.accessAccept, 1)
  t.equal(writer.refused, 0)
})

t.test('wrong use is an error, not a wrong packet', async (t) => {
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, 1)
  writer.text(18, 'first')
  t.throws(() => writer.messageAuthenticator(), /first attribute/)
  t.throws(() => writer.ipv6Prefix(97, zeros(16), 129), RangeError)
  t.throws(() => writer.ipv6Prefix(97, zeros(16), -1), RangeError)
  t.throws(() => writer.integer(27, 4294967296), RangeError)
  t.throws(() => writer.finishRequest(secret), TypeError)
  t.throws(
    () => verifyMessageAuthenticator(decoded(build(2, 1, random, [place])), secret),
    TypeError,
    'an answer needs the authenticator of its request',
  )
})

t.test('Proxy-State comes back unchanged and in order', async (t) => {
  const list: Tlv[] = [
    [33, hex('01')],
    [1, 'steve'],
    [33, hex('00'.repeat(253))],
    [33, ''],
    [33, hex('02')],
  ]
  const request = decoded(build(1, 5, random, list))
  const writer = new PacketWriter()
  writer.begin(codes.accessReject, 5)
  t.ok(writer.proxyStates(request))
  writer.finishResponseTo(request, secret)
  const expected = build(3, 5, zeros(16), [list[0]!, list[2]!, list[3]!, list[4]!])
  t.strictSame(writer.copy(), signed(expected, random, 'testing123'))
})

t.test('an Access-Request keeps its random authenticator', async (t) => {
  const writer = new PacketWriter()
  writer.begin(codes.accessRequest, 3, random)
  writer.messageAuthenticator()
  writer.text(attributes.userName, 'steve')
  writer.finishRequest(secret)
  const expected = sealed(build(1, 3, random, [place, [1, 'steve']]), random, 'testing123')
  t.strictSame(writer.copy(), expected)
  t.equal(verifyMessageAuthenticator(decoded(expected), secret), 'right')
  t.equal(verifyMessageAuthenticator(decoded(expected), other), 'wrong')
  for (const at of [1, 10, 25, expected.length - 1]) {
    t.equal(verifyMessageAuthenticator(decoded(spoiled(expected, at)), secret), 'wrong')
  }
  t.equal(verifyMessageAuthenticator(decoded(build(1, 3, random, [[1, 'steve']])), secret), 'absent')
})

t.test('the Message-Authenticator is verified in any position', async (t) => {
  const lists: Tlv[][] = [
    [place, [1, 'steve'], [31, 'aa']],
    [[1, 'steve'], place, [31, 'aa']],
    [[1, 'steve'], [31, 'aa'], place],
  ]
  for (const list of lists) {
    const request = sealed(build(1, 3, random, list), random, 'testing123')
    t.equal(verifyMessageAuthenticator(decoded(request), secret), 'right')
    const padded = Buffer.concat([zeros(5), request, zeros(9)])
    const packet = decoded(request)
    t.equal(packet.reset(padded, 5), null)
    t.equal(verifyMessageAuthenticator(packet, secret), 'right', 'inside a larger buffer')
  }
})

/** RFC 2866 section 4.1, RFC 5176 section 2.2 and 2.3: requests whose authenticator is computed over zeros. */
const computed: { name: string; code: number; list: Tlv[] }[] = [
  {
    name: 'Accounting-Request',
    code: codes.accountingRequest,
    list: [
      [1, 'steve'],
      [40, integer(1)],
      [44, '81a0'],
    ],
  },
  {
    name: 'Disconnect-Request',
    code: codes.disconnectRequest,
    list: [
      [1, 'steve'],
      [44, '81a0'],
      [8, hex('0a000001')],
    ],
  },
  {
    name: 'CoA-Request',
    code: codes.coaRequest,
    list: [[1, 'steve'], vendorSpecific(14988, [8, '10M/10M'])],
  },
]

for (const { name, code, list } of computed) {
  t.test(`${name} is signed over zeros`, async (t) => {
    const writer = new PacketWriter()
    for (const withPlace of [false, true]) {
      writer.begin(code, 200)
      if (withPlace) writer.messageAuthenticator()
      for (const [type, value] of list) writer.octets(type, Buffer.from(value as Buffer))
      writer.finishRequest(secret)
      const bare = build(code, 200, zeros(16), withPlace ? [place, ...list] : list)
      const whole = withPlace ? sealed(bare, zeros(16), 'testing123') : bare
      const expected = signed(whole, zeros(16), 'testing123')
      t.strictSame(writer.copy(), expected)
      t.ok(verifyRequestAuthenticator(decoded(expected), secret))
      t.notOk(verifyRequestAuthenticator(decoded(expected), other))
      t.notOk(verifyRequestAuthenticator(decoded(spoiled(expected, expected.length - 1)), secret))
      t.notOk(verifyRequestAuthenticator(decoded(spoiled(expected, 4)), secret))
      t.equal(verifyMessageAuthenticator(decoded(expected), secret), withPlace ? 'right' : 'absent')
    }
  })
}

t.test('answers to CoA and Disconnect are signed with the authenticator of the request', async (t) => {
  const request = decoded(signed(build(40, 17, zeros(16), [[1, 'steve']]), zeros(16), 'testing123'))
  const list: Tlv[] = [place, [101, integer(503)]]
  const whole = sealed(build(codes.disconnectNak, 17, zeros(16), list), request.authenticator, 'testing123')
  const expected = signed(whole, request.authenticator, 'testing123')
  const writer = new PacketWriter()
  writer.begin(codes.disconnectNak, 17)
  writer.messageAuthenticator()
  writer.integer(attributes.errorCause, errorCauses.sessionContextNotFound)
  writer.finishResponseTo(request, secret)
  t.strictSame(writer.copy(), expected)
  const answer = decoded(expected)
  t.ok(verifyResponse(answer, request.authenticator, secret))
  t.ok(verifyResponse(answer, request.packet, secret, 4), 'the authenticator may lie inside a buffer')
  t.equal(verifyMessageAuthenticator(answer, secret, request.authenticator), 'right')
  t.equal(verifyMessageAuthenticator(answer, secret, request.packet, 4), 'right')
  t.notOk(verifyResponse(answer, random, secret))
  t.equal(verifyMessageAuthenticator(answer, secret, random), 'wrong')
})

t.test('bytes are compared to the end', async (t) => {
  t.ok(equalBytes(hex('010203'), 0, hex('ff010203'), 1, 3))
  t.notOk(equalBytes(hex('010203'), 0, hex('010204'), 0, 3))
  t.notOk(equalBytes(hex('810203'), 0, hex('010203'), 0, 3))
})

t.test('a secret does not show itself', async (t) => {
  t.equal(`${secret}`, '[secret]')
  t.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
  const { inspect } = await import('node:util')
  t.equal(inspect({ secret }), '{ secret: [secret] }')
})

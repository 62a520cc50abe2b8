/** The npm package `radius` reads what we write, and we read what it writes. */

import { createRequire } from 'node:module'
import t from 'tap'
import { attributes, errorCauses } from '../../../../src/network/radius/wire/attribute-types.ts'
import {
  verifyMessageAuthenticator,
  verifyRequestAuthenticator,
  verifyResponse,
} from '../../../../src/network/radius/wire/authenticator.ts'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { hidePassword, readUserPassword, verifyPap } from '../../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../../src/network/radius/wire/writer.ts'
import { hex } from './builder.ts'

type Attributes = Record<string, unknown>
type Decoded = { code: string; identifier: number; attributes: Attributes; raw_attributes: [number, Buffer][] }
/** As much of the package as is used here; it has no types. */
type Radius = {
  decode(args: { packet: Buffer; secret: string }): Decoded
  encode(args: {
    code: string
    secret: string
    identifier?: number
    attributes: unknown
    add_message_authenticator?: boolean
  }): Buffer
  encode_response(args: { packet: Decoded; code: string; secret: string; attributes?: unknown }): Buffer
  verify_response(args: { request: Buffer; response: Buffer; secret: string }): boolean
}
const radius: Radius = createRequire(import.meta.url)('radius')
const text = 'testing123'
const secret = new SharedSecret(text)
const writer = new PacketWriter()

const decoded = (datagram: Buffer): PacketView => {
  const result = decodePacket(datagram)
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

t.test('it reads our Access-Request, and we its answer', async (t) => {
  const random = hex('0f0e0d0c0b0a09080706050403020100')
  const password = 'a password of more than sixteen bytes'
  writer.begin(codes.accessRequest, 77, random)
  writer.messageAuthenticator()
  writer.text(attributes.userName, 'steve')
  writer.octets(attributes.userPassword, hidePassword(Buffer.from(password), random, secret))
  writer.ipv4(attributes.nasIpAddress, 0xc0a80110)
  writer.integer(attributes.sessionTimeout, 3600)
  writer.finishRequest(secret)
  const request = writer.copy()
  const theirs = radius.decode({ packet: request, secret: text })
  t.equal(theirs.code, 'Access-Request')
  t.equal(theirs.identifier, 77)
  t.match(theirs.attributes, {
    'User-Name': 'steve',
    'User-Password': password,
    'NAS-IP-Address': '192.168.1.16',
    'Session-Timeout': 3600,
  })
  const response = radius.encode_response({
    packet: theirs,
    code: 'Access-Accept',
    secret: text,
    attributes: [
      ['Framed-IP-Address', '10.0.0.1'],
      ['Reply-Message', 'привет'],
    ],
  })
  const answer = decoded(response)
  t.ok(verifyResponse(answer, random, secret))
  t.equal(verifyMessageAuthenticator(answer, secret, random), 'right')
  t.equal(answer.ipv4(attributes.framedIpAddress), '10.0.0.1')
  t.equal(answer.text(attributes.replyMessage), 'привет')
})

t.test('we read its Access-Request, and it our answer', async (t) => {
  for (const password of ['x', 'exactly sixteen.', 'seventeen bytes..', 'я'.repeat(60)]) {
    const request = radius.encode({
      code: 'Access-Request',
      secret: text,
      identifier: 5,
      add_message_authenticator: true,
      attributes: [
        ['User-Name', 'steve'],
        ['User-Password', password],
        ['NAS-Port', 4294967295],
        ['Proxy-State', Buffer.from('one')],
        ['Proxy-State', Buffer.from('two')],
      ],
    })
    const packet = decoded(request)
    t.equal(verifyMessageAuthenticator(packet, secret), 'right')
    t.equal(packet.text(attributes.userName), 'steve')
    t.equal(packet.integer(attributes.nasPort), 4294967295)
    t.equal(readUserPassword(packet, secret), password)
    t.ok(verifyPap(packet, secret, password))
    writer.begin(codes.accessAccept, packet.identifier)
    writer.messageAuthenticator()
    writer.text(attributes.replyMessage, 'welcome')
    writer.proxyStates(packet)
    writer.finishResponseTo(packet, secret)
    t.ok(radius.verify_response({ request, response: writer.copy(), secret: text }))
    const states = radius.decode({ packet: writer.copy(), secret: text }).raw_attributes.filter(([type]) => type === 33)
    t.strictSame(
      states.map(([, value]) => value.toString()),
      ['one', 'two'],
    )
    writer.begin(codes.accessAccept, packet.identifier)
    writer.finishResponseTo(packet, new SharedSecret('other'))
    t.notOk(radius.verify_response({ request, response: writer.copy(), secret: text }))
  }
})

for (const [name, code] of [
  ['Accounting-Request', codes.accountingRequest],
  ['Disconnect-Request', codes.disconnectRequest],
  ['CoA-Request', codes.coaRequest],
] as const) {
  t.test(`${name} goes both ways`, async (t) => {
    const theirs = radius.encode({
      code: name,
      secret: text,
      identifier: 9,
      attributes: [
        ['User-Name', 'steve'],
        ['Acct-Session-Id', '81a0'],
      ],
    })
    t.equal(theirs[0], code)
    t.ok(verifyRequestAuthenticator(decoded(theirs), secret))
    writer.begin(code, 9)
    writer.text(attributes.userName, 'steve')
    writer.text(attributes.acctSessionId, '81a0')
    writer.finishRequest(secret)
    t.strictSame(writer.copy(), theirs)
    t.equal(radius.decode({ packet: writer.copy(), secret: text }).code, name)
  })
}

t.test('it accepts our Disconnect-NAK', async (t) => {
  const request = radius.encode({
    code: 'Disconnect-Request',
    secret: text,
    identifier: 9,
    attributes: [['User-Name', 'steve']],
  })
  writer.begin(codes.disconnectNak, 9)
  writer.integer(attributes.errorCause, errorCauses.sessionContextNotFound)
  writer.finishResponseTo(decoded(request), secret)
  t.ok(radius.verify_response({ request, response: writer.copy(), secret: text }))
  t.match(radius.decode({ packet: writer.copy(), secret: text }).attributes, {
    'Error-Cause': /Session.Context.Not.Found/,
  })
})

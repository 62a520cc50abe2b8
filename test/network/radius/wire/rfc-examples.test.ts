/** The packets printed in the RFCs, byte for byte. All of them have the secret xyzzy5461. */
import t from 'tap'
import { attributes } from '../../../../src/network/radius/wire/attribute-types.ts'
import { verifyMessageAuthenticator, verifyResponse } from '../../../../src/network/radius/wire/authenticator.ts'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { hidePassword, readUserPassword, verifyChap, verifyPap } from '../../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../../src/network/radius/wire/writer.ts'
import { hex } from './builder.ts'

const secret = new SharedSecret('xyzzy5461')
const writer = new PacketWriter()

const decoded = (datagram: Buffer): PacketView => {
  const result = decodePacket(datagram)
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

const ipv4 = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

t.test('RFC 2865 section 7.1: user telnet to specified host', async (t) => {
  const request = hex(`
    01 00 00 38 0f 40 3f 94 73 97 80 57 bd 83 d5 cb 98 f4 22 7a 01 06 6e 65 6d 6f 02 12 0d be 70 8d
    93 d4 13 ce 31 96 e4 3f 78 2a 0a ee 04 06 c0 a8 01 10 05 06 00 00 00 03`)
  const accept = hex(`
    02 00 00 26 86 fe 22 0e 76 24 ba 2a 10 05 f6 bf 9b 55 e0 b2 06 06 00 00 00 01 0f 06 00 00 00 00
    0e 06 c0 a8 01 03`)
  const packet = decoded(request)
  t.equal(packet.code, codes.accessRequest)
  t.equal(packet.identifier, 0)
  t.equal(packet.text(attributes.userName), 'nemo')
  t.equal(readUserPassword(packet, secret), 'arctangent')
  t.ok(verifyPap(packet, secret, 'arctangent'))
  t.notOk(verifyPap(packet, secret, 'arctangenT'))
  t.equal(packet.ipv4(attributes.nasIpAddress), '192.168.1.16')
  t.equal(packet.integer(attributes.nasPort), 3)

  writer.begin(codes.accessRequest, 0, packet.authenticator)
  writer.text(attributes.userName, 'nemo')
  writer.octets(attributes.userPassword, hidePassword(Buffer.from('arctangent'), packet.authenticator, secret))
  writer.ipv4(attributes.nasIpAddress, ipv4('192.168.1.16'))
  writer.integer(attributes.nasPort, 3)
  writer.finishRequest(secret)
  t.strictSame(writer.copy(), request)

  writer.begin(codes.accessAccept, packet.identifier)
  writer.integer(6, 1)
  writer.integer(15, 0)
  writer.ipv4(14, ipv4('192.168.1.3'))
  writer.finishResponseTo(packet, secret)
  t.strictSame(writer.copy(), accept)
  t.ok(verifyResponse(decoded(accept), packet.authenticator, secret))
  t.notOk(verifyResponse(decoded(accept), packet.authenticator, new SharedSecret('xyzzy5462')))
})

t.test('RFC 2865 section 7.2: framed user with CHAP', async (t) => {
  const request = hex(`
    01 01 00 47 2a ee 86 f0 8d 0d 55 96 9c a5 97 8e 0d 33 67 a2 01 08 66 6c 6f 70 73 79 03 13 16 e9
    75 57 c3 16 18 58 95 f2 93 ff 63 44 07 72 75 04 06 c0 a8 01 10 05 06 00 00 00 14 06 06 00 00 00
    02 07 06 00 00 00 01`)
  const accept = hex(`
    02 01 00 38 15 ef bc 7d ab 26 cf a3 dc 34 d9 c0 3c 86 01 a4 06 06 00 00 00 02 07 06 00 00 00 01
    08 06 ff ff ff fe 0a 06 00 00 00 02 0d 06 00 00 00 01 0c 06 00 00 05 dc`)
  const packet = decoded(request)
  t.equal(packet.text(attributes.userName), 'flopsy')
  t.ok(verifyChap(packet, 'arctangent'))
  t.notOk(verifyChap(packet, 'arctangen'))

  writer.begin(codes.accessRequest, 1, hex('2aee86f08d0d55969ca5978e0d3367a2'))
  writer.text(attributes.userName, 'flopsy')
  writer.octets(attributes.chapPassword, hex('16e97557c316185895f293ff6344077275'))
  writer.ipv4(attributes.nasIpAddress, ipv4('192.168.1.16'))
  writer.integer(attributes.nasPort, 20)
  writer.integer(6, 2)
  writer.integer(7, 1)
  writer.finishRequest(secret)
  t.strictSame(writer.copy(), request)

  writer.begin(codes.accessAccept, 1)
  writer.integer(6, 2)
  writer.integer(7, 1)
  writer.ipv4(attributes.framedIpAddress, 0xfffffffe)
  writer.integer(10, 2)
  writer.integer(13, 1)
  writer.integer(12, 1500)
  writer.finishResponseTo(packet, secret)
  t.strictSame(writer.copy(), accept)
})

t.test('RFC 2865 section 7.3: user with challenge-response card', async (t) => {
  const request = hex(`
    01 02 00 39 f3 a4 7a 1f 6a 6d 76 71 0b 94 7a b9 30 41 a0 39 01 07 6d 6f 70 73 79 02 12 33 65 75
    73 77 82 89 b5 70 88 5e 15 08 48 25 c5 04 06 c0 a8 01 10 05 06 00 00 00 07`)
  const challenge = hex(`
    0b 02 00 4e 36 f3 c8 76 4a e8 c7 11 57 40 3c 0c 71 ff 9c 45 12 30 43 68 61 6c 6c 65 6e 67 65 20
    33 32 37 36 39 34 33 30 2e 20 20 45 6e 74 65 72 20 72 65 73 70 6f 6e 73 65 20 61 74 20 70 72 6f
    6d 70 74 2e 18 0a 33 32 37 36 39 34 33 30`)
  // The length of State is the one that fits the length of the packet.
  const second = hex(`
    01 03 00 43 b1 22 55 6d 42 8a 13 d0 d6 25 38 07 c4 57 ec f0 01 07 6d 6f 70 73 79 02 12 69 2c 1f
    20 5f c0 81 b9 19 b9 51 95 f5 61 a5 81 04 06 c0 a8 01 10 05 06 00 00 00 07 18 0a 33 32 37 36 39
    34 33 30`)
  const reject = hex('03 03 00 14 a4 2f 4f ca 45 91 6c 4e 09 c8 34 0f 9e 74 6a a0')
  const packet = decoded(request)
  t.ok(verifyPap(packet, secret, 'challenge'))
  writer.begin(codes.accessRequest, 2, packet.authenticator)
  writer.text(attributes.userName, 'mopsy')
  writer.octets(attributes.userPassword, hidePassword(Buffer.from('challenge'), packet.authenticator, secret))
  writer.ipv4(attributes.nasIpAddress, ipv4('192.168.1.16'))
  writer.integer(attributes.nasPort, 7)
  writer.finishRequest(secret)
  t.strictSame(writer.copy(), request)

  writer.begin(codes.accessChallenge, 2)
  writer.text(attributes.replyMessage, 'Challenge 32769430.  Enter response at prompt.')
  writer.text(24, '32769430')
  writer.finishResponseTo(packet, secret)
  t.strictSame(writer.copy(), challenge)

  const answer = decoded(second)
  t.equal(answer.text(24), '32769430')
  t.ok(verifyPap(answer, secret, '99101462'))
  writer.begin(codes.accessReject, 3)
  writer.finishResponseTo(answer, secret)
  t.strictSame(writer.copy(), reject)
})

const statusServer = [
  {
    name: 'RFC 5997 section 6.1: minimal query to the authentication port',
    request: `
      0c da 00 26 8a 54 f4 68 6f b3 94 c5 28 66 e3 02 18 5d 06 23 50 12 5a 66 5e 2e 1e 84 11 f3 e2 43
      82 20 97 c8 4f a3`,
    response: '02 da 00 14 ef 0d 55 2a 4b f2 d6 93 ec 2b 6f e8 b5 41 1d 66',
  },
  {
    name: 'RFC 5997 section 6.2: minimal query to the accounting port',
    request: `
      0c b3 00 26 92 5f 6b 66 dd 5f ed 57 1f cb 1d b7 ad 38 82 60 50 12 e8 d6 ea bd a9 10 87 5c d9 1f
      da de 26 36 78 58`,
    response: '05 b3 00 14 0f 6f 92 14 5f 10 7e 2f 50 4e 86 0a 48 60 66 9c',
  },
  {
    name: 'RFC 5997 section 6.3: verbose query and response',
    request: `
      0c 47 00 2c bf 58 de 56 ae 40 8a d3 b7 0c 85 13 f9 b0 3f be 04 06 c0 00 02 10 50 12 85 2d 6f ec
      61 e7 ed 74 b8 e3 2d ac 2f 2a 5f b2`,
    response: `
      02 47 00 34 46 f4 3e 62 fd 03 54 42 4c bb eb fd 6d 21 4e 06 12 20 52 41 44 49 55 53 20 53 65 72
      76 65 72 20 75 70 20 32 20 64 61 79 73 2c 20 31 38 3a 34 30`,
    message: 'RADIUS Server up 2 days, 18:40',
  },
]

for (const { name, request, response, message } of statusServer) {
  t.test(name, async (t) => {
    const packet = decoded(hex(request))
    t.equal(packet.code, codes.statusServer)
    t.equal(verifyMessageAuthenticator(packet, secret), 'right')
    t.equal(verifyMessageAuthenticator(packet, new SharedSecret('other')), 'wrong')
    if (message === undefined) {
      // The longer query has its Message-Authenticator last, where we never put it.
      writer.begin(codes.statusServer, packet.identifier, packet.authenticator)
      writer.messageAuthenticator()
      writer.finishRequest(secret)
      t.strictSame(writer.copy(), hex(request))
    }
    writer.begin(hex(response)[0]!, packet.identifier)
    if (message !== undefined) writer.text(attributes.replyMessage, message)
    writer.finishResponseTo(packet, secret)
    t.strictSame(writer.copy(), hex(response))
    t.ok(verifyResponse(decoded(hex(response)), packet.authenticator, secret))
  })
}

import { createHash } from 'node:crypto'
import t from 'tap'
import { encryptKey, masterKey, startKey, writeMsChapAccept } from '../../../../src/network/radius/wire/mppe.ts'
import {
  authenticatorResponse,
  challengeHash,
  challengeResponse,
  chapError,
  hashNtPasswordHash,
  lmPasswordHash,
  ntPasswordHash,
  readMsChap,
  verifyMsChap,
} from '../../../../src/network/radius/wire/ms-chap.ts'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { passwordMethod } from '../../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../../src/network/radius/wire/writer.ts'
import { vendorText } from '../../../support/attributes.ts'
import { build, hex, integer, revealKey, revealPassword, type Tlv, vendorSpecific } from './builder.ts'

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'))
const secret = new SharedSecret('xyzzy5461')
const microsoft = 311

/** RFC 2759 section 9.2, user name "User" and password "clientPass". */
const rfc2759 = {
  authenticatorChallenge: hex('5B 5D 7C 7D 7B 3F 2F 3E 3C 2C 60 21 32 26 26 28'),
  peerChallenge: hex('21 40 23 24 25 5E 26 2A 28 29 5F 2B 3A 33 7C 7E'),
  challenge: 'd02e4386bce91226',
  passwordHash: '44ebba8d5312b8d611474411f56989ae',
  ntResponse: '82309ecd8d708b5ea08faa3981cd83544233114a3d85d6df',
  passwordHashHash: '41c00c584bd2d91c4017a2a12fa59f3f',
  authenticatorResponse: 'S=407A5589115FD0D6209F510FE9C04566932CDA56',
}

t.test('RFC 2759 section 9.2: hash example', async (t) => {
  const { authenticatorChallenge, peerChallenge } = rfc2759
  const ntHash = ntPasswordHash('clientPass')
  const challenge = challengeHash(peerChallenge, authenticatorChallenge, Buffer.from('User'))
  const response = challengeResponse(challenge, ntHash)
  t.equal(text(ntHash), rfc2759.passwordHash)
  t.equal(text(challenge), rfc2759.challenge)
  t.equal(text(response), rfc2759.ntResponse)
  t.equal(text(hashNtPasswordHash(ntHash)), rfc2759.passwordHashHash)
  t.equal(
    authenticatorResponse(ntHash, response, peerChallenge, authenticatorChallenge, Buffer.from('User')),
    rfc2759.authenticatorResponse,
  )
})

t.test('RFC 2433 section B.2: hash example', async (t) => {
  const ntHash = ntPasswordHash('MyPw')
  t.equal(text(ntHash), 'fc156af7edcd6c0edde3337d427f4eac')
  t.equal(text(challengeResponse(hex('102DB5DF085D3041'), ntHash)), '4e9d3c8f9cfd385d5bf4d3246791956ca4c351ab409a3d61')
})

t.test('RFC 3079 section 3.5: sample key derivations', async (t) => {
  const master = masterKey(hex(rfc2759.passwordHashHash), hex(rfc2759.ntResponse))
  const send = startKey(master, 'send')
  t.equal(text(master), 'fdece3717a8c838cb388e527ae3cdd31')
  t.equal(text(send.subarray(0, 8)), '8b7cdc149b993a1b', '3.5.1 and 3.5.2')
  t.equal(text(send), '8b7cdc149b993a1ba118cb153f56dccb', '3.5.3')
  // What the NAS makes of our key must be what the RFC prints (section 3.4, GetNewKeyFromSHA).
  t.equal(text(sessionKey(send.subarray(0, 8), hex('d1269e'))), 'd1269ec49fa62e3e', '40 bits')
  t.equal(text(sessionKey(send.subarray(0, 8), hex('d1'))), 'd15c00c49fa62e3e', '56 bits')
  t.equal(text(sessionKey(send, hex(''))), '405cb2247a7956e6e211007ae27b22d4', '128 bits')
  t.not(text(startKey(master, 'receive')), text(send))
})

t.test('RFC 3079 section 2.5: hashes that MS-CHAP-MPPE-Keys carry', async (t) => {
  const lm = lmPasswordHash('clientPass')
  t.equal(text(lm), '76a152936096d7830e2390227404afd2')
  t.equal(text(sessionKey(Buffer.from(lm!.subarray(0, 8)), hex('d1269e'))), 'd1269e538cec4a08', '2.5.1')
  t.equal(lmPasswordHash('longer than fourteen'), null)
  t.equal(lmPasswordHash('пароль'), null)
})

t.test('the password hash is over UTF-16, also beyond ASCII', async (t) => {
  t.equal(text(ntPasswordHash('')), '31d6cfe0d16ae931b73c59d7e0c089c0')
  // The same bytes, written by hand: п а р о л ь in UTF-16, little-endian.
  t.strictSame(ntPasswordHash('пароль'), hashNtPasswordHash(hex('3f04 3004 4004 3e04 3b04 4c04')))
})

const request = (...list: Tlv[]): PacketView => {
  const result = decodePacket(build(codes.accessRequest, 9, hex('000102030405060708090a0b0c0d0e0f'), list))
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

const version2 = (userName: string) =>
  request(
    [1, userName],
    vendorSpecific(microsoft, [11, rfc2759.authenticatorChallenge]),
    vendorSpecific(microsoft, [
      25,
      Buffer.concat([hex('07 00'), rfc2759.peerChallenge, Buffer.alloc(8), hex(rfc2759.ntResponse)]),
    ]),
  )

const version1 = (flags: number) =>
  request(
    [1, 'User'],
    vendorSpecific(
      microsoft,
      [11, hex('102DB5DF085D3041')],
      [
        1,
        Buffer.concat([Buffer.of(7, flags), Buffer.alloc(24), hex('4e9d3c8f9cfd385d5bf4d3246791956ca4c351ab409a3d61')]),
      ],
    ),
  )

t.test('MS-CHAP version 2 is verified, with and without a domain before the name', async (t) => {
  for (const name of ['User', 'DOM\\User']) {
    const packet = version2(name)
    t.equal(passwordMethod(packet), 'mschap2')
    const read = readMsChap(packet, 2)!
    t.equal(read.identifier, 7)
    t.ok(verifyMsChap(read, ntPasswordHash('clientPass')))
    t.notOk(verifyMsChap(read, ntPasswordHash('clientpass')))
  }
  t.notOk(verifyMsChap(readMsChap(version2('user'), 2)!, ntPasswordHash('clientPass')), 'the name counts')
  t.equal(readMsChap(version2('User'), 1), null)
})

t.test('MS-CHAP version 1 is verified by its NT response', async (t) => {
  const packet = version1(1)
  t.equal(passwordMethod(packet), 'mschap')
  t.ok(verifyMsChap(readMsChap(packet, 1)!, ntPasswordHash('MyPw')))
  t.notOk(verifyMsChap(readMsChap(packet, 1)!, ntPasswordHash('myPw')))
  t.equal(readMsChap(version1(0), 1), null, 'an LM response is refused')
})

t.test('a half MS-CHAP is no MS-CHAP', async (t) => {
  t.equal(readMsChap(request(vendorSpecific(microsoft, [25, Buffer.alloc(50)])), 2), null, 'no challenge')
  t.equal(
    readMsChap(request(vendorSpecific(microsoft, [11, Buffer.alloc(16)], [25, Buffer.alloc(49)])), 2),
    null,
    'a short response',
  )
  t.equal(
    readMsChap(request(vendorSpecific(microsoft, [11, Buffer.alloc(8)], [25, Buffer.alloc(50)])), 2),
    null,
    'a challenge of version 1',
  )
})

t.test('an Accept to version 2 proves the password and carries both keys', async (t) => {
  const packet = version2('User')
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, 9)
  const answer = { ntHash: ntPasswordHash('clientPass'), password: 'clientPass', secret, salt: 5 }
  t.ok(writeMsChapAccept(writer, readMsChap(packet, 2)!, packet.authenticator, answer))
  writer.finishResponseTo(packet, secret)
  const accept = packetOf(writer.copy())
  t.equal(vendorText(accept, microsoft, 26), `\x07${rfc2759.authenticatorResponse}`)
  const [send, receive] = [accept.vendor(microsoft, 16)!, accept.vendor(microsoft, 17)!]
  t.equal(text(revealKey(send, packet.authenticator, 'xyzzy5461')), '8b7cdc149b993a1ba118cb153f56dccb')
  t.equal(
    text(revealKey(receive, packet.authenticator, 'xyzzy5461')),
    text(
      sha1(hex('fdece3717a8c838cb388e527ae3cdd31'), Buffer.alloc(40), clientSendMagic, Buffer.alloc(40, 0xf2)).subarray(
        0,
        16,
      ),
    ),
  )
  t.not(text(send.subarray(0, 2)), text(receive.subarray(0, 2)), 'salts differ')
  t.strictSame(accept.vendor(microsoft, 7), integer(1))
  t.strictSame(accept.vendor(microsoft, 8), integer(6))
})

t.test('an Accept to version 1 carries MS-CHAP-MPPE-Keys', async (t) => {
  const packet = version1(1)
  const writer = new PacketWriter()
  writer.begin(codes.accessAccept, 9)
  const answer = { ntHash: ntPasswordHash('clientPass'), password: 'clientPass', secret, salt: 5 }
  t.ok(writeMsChapAccept(writer, readMsChap(packet, 1)!, packet.authenticator, answer))
  writer.finishResponseTo(packet, secret)
  const keys = packetOf(writer.copy()).vendor(microsoft, 12)!
  t.equal(keys.length, 32)
  t.equal(
    text(revealPassword(keys, packet.authenticator, 'xyzzy5461')),
    `76a152936096d783${rfc2759.passwordHashHash}${'0'.repeat(16)}`,
  )
})

t.test('a Reject has the reason in MS-CHAP-Error', async (t) => {
  const second = () => chapError(readMsChap(version2('User'), 2)!, 691, 'wrong').toString('latin1')
  t.equal(second()[0], '\x07')
  t.match(second().slice(1), /^E=691 R=0 C=[0-9A-F]{32} V=3 M=wrong$/)
  t.not(second(), second(), 'a new challenge each time')
  t.equal(chapError(readMsChap(version1(1), 1)!, 649, 'blocked').toString('latin1'), '\x07E=649 R=0')
})

t.test('an encrypted key is what RFC 2548 section 2.4.2 prescribes', async (t) => {
  const authenticator = hex('000102030405060708090a0b0c0d0e0f')
  for (const size of [1, 8, 15, 16, 31, 32, 100, 239]) {
    const key = Buffer.alloc(size, 0xa5)
    const encrypted = Buffer.from(encryptKey(key, authenticator, secret, 0x1234))
    t.equal(encrypted.length % 16, 2)
    t.equal(text(encrypted.subarray(0, 2)), '9234', 'the highest bit of the salt is set')
    t.strictSame(revealKey(encrypted, authenticator, 'xyzzy5461'), key)
  }
  t.throws(() => encryptKey(Buffer.alloc(240), authenticator, secret, 0), RangeError)
})

const clientSendMagic = Buffer.from(
  'On the client side, this is the send key; on the server side, it is the receive key.',
)

function packetOf(datagram: Buffer): PacketView {
  const result = decodePacket(datagram)
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

function sha1(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** RFC 3079, GetNewKeyFromSHA of the first session key, then the reduction to 40 or 56 bits. */
function sessionKey(start: Uint8Array, prefix: Buffer): Buffer {
  const key = sha1(start, Buffer.alloc(40), start, Buffer.alloc(40, 0xf2)).subarray(0, start.length)
  prefix.copy(key)
  return key
}

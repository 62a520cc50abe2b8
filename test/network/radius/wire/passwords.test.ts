import { createHash } from 'node:crypto'
import t from 'tap'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import {
  hidePassword,
  passwordMethod,
  readUserPassword,
  verifyChap,
  verifyPap,
} from '../../../../src/network/radius/wire/passwords.ts'
import { SharedSecret } from '../../../../src/network/radius/wire/shared-secret.ts'
import { build, hex, type Tlv, vendorSpecific, zeros } from './builder.ts'

const authenticator = hex('a0a1a2a3a4a5a6a7a8a9aaabacadaeaf')
const secret = new SharedSecret('testing123')

const request = (...list: Tlv[]): PacketView => {
  const result = decodePacket(build(codes.accessRequest, 1, authenticator, list))
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

/** RFC 2865 section 5.2 with node:crypto. */
const hidden = (password: Buffer, secretText = 'testing123'): Buffer => {
  const padded = Buffer.concat([password, zeros((16 - (password.length % 16)) % 16)])
  const clear = padded.length === 0 ? zeros(16) : padded
  const parts: Buffer[] = []
  let before = authenticator
  for (let at = 0; at < clear.length; at += 16) {
    const mask = createHash('md5').update(secretText).update(before).digest()
    before = mask.map((byte, i) => byte ^ clear[at + i]!) as Buffer
    parts.push(before)
  }
  return Buffer.concat(parts)
}

const passwords = [
  '',
  'a',
  'пароль',
  '0123456789abcde',
  '0123456789abcdef',
  '0123456789abcdefg',
  'x'.repeat(127),
  'x'.repeat(128),
]

t.test('PAP takes passwords up to 128 bytes, in blocks of sixteen', async (t) => {
  for (const password of passwords) {
    const bytes = Buffer.from(password)
    const value = hidden(bytes)
    t.strictSame(Buffer.from(hidePassword(bytes, authenticator, secret)), value)
    const packet = request([2, value])
    t.equal(passwordMethod(packet), 'pap')
    t.equal(readUserPassword(packet, secret), password)
    t.ok(verifyPap(packet, secret, password))
    t.ok(verifyPap(packet, secret, bytes))
    t.notOk(verifyPap(packet, secret, `${password}!`))
    if (password !== '') t.notOk(verifyPap(packet, secret, password.slice(0, -1)))
    t.notOk(verifyPap(packet, new SharedSecret('other'), password))
  }
  t.throws(() => hidePassword(zeros(129), authenticator, secret), RangeError)
})

t.test('a longer password does not leave traces for a shorter one', async (t) => {
  t.ok(verifyPap(request([2, hidden(Buffer.from('x'.repeat(40)))]), secret, 'x'.repeat(40)))
  t.ok(verifyPap(request([2, hidden(Buffer.from('x'))]), secret, 'x'))
  t.notOk(verifyPap(request([2, hidden(Buffer.from('x'))]), secret, 'x'.repeat(40)))
})

t.test('a malformed User-Password is no password', async (t) => {
  for (const size of [1, 15, 17, 20, 144]) {
    const packet = request([2, zeros(size)])
    t.equal(readUserPassword(packet, secret), null)
    t.notOk(verifyPap(packet, secret, ''))
    t.notOk(verifyPap(packet, secret, 'x'.repeat(200)))
  }
  t.equal(readUserPassword(request([2, '']), secret), '', 'a value of no bytes is an empty password')
  t.notOk(verifyPap(request(), secret, ''))
  t.equal(readUserPassword(request(), secret), null)
})

t.test('CHAP uses CHAP-Challenge, or the authenticator without one', async (t) => {
  const response = (challenge: Buffer, password: string) =>
    Buffer.concat([Buffer.of(22), createHash('md5').update(Buffer.of(22)).update(password).update(challenge).digest()])
  const challenge = hex('00112233445566778899aabbccddeeff0011223344')
  for (const password of ['secret', 'пароль', 'x'.repeat(128)]) {
    t.equal(passwordMethod(request([3, response(authenticator, password)])), 'chap')
    t.ok(verifyChap(request([3, response(authenticator, password)]), password))
    t.ok(verifyChap(request([3, response(authenticator, password)]), Buffer.from(password)))
    t.ok(verifyChap(request([3, response(challenge, password)], [60, challenge]), password))
    t.notOk(verifyChap(request([3, response(authenticator, password)], [60, challenge]), password))
    t.notOk(verifyChap(request([3, response(authenticator, password)]), `${password.slice(1)}!`))
  }
  t.notOk(verifyChap(request([3, response(authenticator, 'secret').subarray(0, 16)]), 'secret'))
  t.notOk(
    verifyChap(request([3, response(authenticator, 'x'.repeat(129))]), 'x'.repeat(129)),
    'longer than any password',
  )
  t.notOk(verifyChap(request(), 'secret'))
})

t.test('the method is read from what the request carries', async (t) => {
  t.equal(passwordMethod(request([1, 'steve'])), 'none')
  t.equal(passwordMethod(request([79, hex('0201000501')])), 'eap')
  t.equal(passwordMethod(request(vendorSpecific(311, [1, zeros(50)]))), 'mschap')
  t.equal(passwordMethod(request(vendorSpecific(311, [25, zeros(50)]))), 'mschap2')
  t.equal(passwordMethod(request(vendorSpecific(9, [25, zeros(50)]))), 'none')
})

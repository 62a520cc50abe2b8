import t from 'tap'
import { readCoaAnswer, writeCoaRequest } from '../../../src/network/radius/coa/coa-packet.ts'
import { SharedSecret } from '../../../src/network/radius/wire/shared-secret.ts'
import { hex } from './wire/builder.ts'

/**
 * RFC 5176 prints no packets: these were computed by Python's hmac and hashlib from its text (sections 2.2, 2.3 and 3).
 */
const secret = new SharedSecret('xyzzy5461')
const at = new Date('2026-11-21T17:13:08.700Z')

const disconnect = hex(`
  28 07 00 4a d7 07 c4 07 35 2f 9b 60 ee 2f 01 5a a1 c0 bb 54 50 12 a3 5f f9 ce 62 c5 29 0d 05 64
  90 6d 70 61 63 fd 01 06 6e 65 6d 6f 04 06 c0 a8 01 10 2c 06 38 31 61 30 08 06 0a 00 00 05 05 06
  00 00 00 03 37 06 6b 01 d1 24`)
const change = hex(`
  2b 08 00 41 2b f7 a1 31 78 68 86 6b 9a d9 a4 cf 74 ea 4f d4 50 12 43 72 33 41 94 37 ec c4 fb 4f
  50 d0 c8 f3 f1 1f 01 06 6e 65 6d 6f 37 06 6b 01 d1 24 1a 0f 00 00 3a 8c 08 09 35 30 4d 2f 35 30
  4d`)
const ack = hex(`
  29 07 00 26 d3 bf e3 94 ad 94 2b 32 36 11 19 e8 e8 eb d9 2c 50 12 47 c5 29 57 47 d1 e9 54 98 fe
  c3 b1 99 9b 6b 55`)
const bareAck = hex('29 07 00 14 f2 82 0c 70 5a c6 5b ab 92 ca 54 17 63 3a 18 ab')
const nak = hex(`
  2a 07 00 2c 41 47 ac 60 cf f9 3f 67 44 33 8e a6 20 ed ec 92 50 12 ed 0d 75 e6 a3 59 14 13 ce c0
  d2 2f c8 64 be 83 65 06 00 00 01 f7`)

const unnamed = { ipAddress: null, ipv6Address: null, identifier: null }
const nobody = { login: 'nemo', nasIdentity: unnamed, session: null }

t.test('a Disconnect-Request names the session', async (t) => {
  const session = { acctSessionId: '81a0', ip: '10.0.0.5', nasPort: 3 }
  const subject = { login: 'nemo', nasIdentity: { ...unnamed, ipAddress: '192.168.1.16' }, session }
  t.strictSame(writeCoaRequest('disconnect', 7, subject, secret, at), disconnect)
})

t.test('a CoA-Request has the speed in the attributes of its vendor', async (t) => {
  const speed = hex('1a 0f 00 00 3a 8c 08 09 35 30 4d 2f 35 30 4d')
  t.strictSame(writeCoaRequest('coa', 8, nobody, secret, at, speed), change)
})

t.test('answers are read, and only those to this request', async (t) => {
  const read = (answer: Buffer, kind: 'disconnect' | 'coa' = 'disconnect', by = secret) =>
    readCoaAnswer(kind, answer, disconnect, by)
  const acknowledged = { answer: { result: 'ack', errorCause: null } }
  t.strictSame(read(ack), acknowledged)
  t.strictSame(read(bareAck), acknowledged, 'a NAS may leave the Message-Authenticator out')
  t.strictSame(read(nak), { answer: { result: 'nak', errorCause: 503 } })
  t.strictSame(read(ack, 'coa'), { fault: 'otherKind' })
  t.strictSame(read(ack, 'disconnect', new SharedSecret('other')), { fault: 'forged' })
  t.strictSame(readCoaAnswer('disconnect', ack, change, secret), { fault: 'forged' })
  t.strictSame(read(ack.subarray(0, 30)), { fault: 'malformed' })
  for (let place = 0; place < nak.length; place++) {
    const spoiled = Buffer.from(nak)
    spoiled[place] = spoiled[place]! ^ 1
    const told = read(spoiled)
    t.ok('fault' in told, `byte ${place} is spoiled`)
  }
})

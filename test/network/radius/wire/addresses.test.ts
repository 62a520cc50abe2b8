import t from 'tap'
import {
  formatIpv4,
  formatIpv6,
  parseIpv4,
  parseIpv6,
  parseIpv6Prefix,
} from '../../../../src/network/radius/wire/address.ts'
import { hex } from './builder.ts'

t.test('IPv4 addresses are read and written', async (t) => {
  for (const [text, number] of [
    ['0.0.0.0', 0],
    ['192.168.1.16', 0xc0a80110],
    ['255.255.255.255', 0xffffffff],
  ] as const) {
    t.equal(parseIpv4(text), number)
    t.equal(formatIpv4(number), text)
  }
  for (const wrong of ['', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1.2.3.x', ' 1.2.3.4', '::1'])
    t.equal(parseIpv4(wrong), null)
})

t.test('IPv6 addresses are read in every spelling and written by RFC 5952', async (t) => {
  for (const [text, bytes, written] of [
    ['::', '00000000000000000000000000000000', '::'],
    ['::1', '00000000000000000000000000000001', '::1'],
    ['1::', '00010000000000000000000000000000', '1::'],
    ['2001:DB8:0:0:0:0:0:1', '20010db8000000000000000000000001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '20010000000000010000000000000001', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201', '::ffff:c000:201'],
    ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221', '64:ff9b::c000:221'],
  ] as const) {
    t.strictSame(Buffer.from(parseIpv6(text)!), hex(bytes), text)
    t.equal(formatIpv6(hex(bytes)), written)
  }
  for (const wrong of ['', '1', '1.2.3.4', ':::', '1:2:3:4:5:6:7', 'fe80::1%eth0', 'g::'])
    t.equal(parseIpv6(wrong), null)
})

t.test('an IPv6 prefix has nothing behind it', async (t) => {
  t.strictSame(parseIpv6Prefix('2001:db8::/32'), {
    address: new Uint8Array(hex('20010db8000000000000000000000000')),
    bits: 32,
  })
  t.equal(parseIpv6Prefix('::/0')?.bits, 0)
  t.equal(parseIpv6Prefix('2001:db8::1/128')?.bits, 128)
  for (const wrong of [
    '2001:db8::',
    '2001:db8::1/127',
    '2001:db8::/129',
    '2001:db8::/',
    '2001:db8::/x',
    '/64',
    '10.0.0.0/8',
  ]) {
    t.equal(parseIpv6Prefix(wrong), null, wrong)
  }
})

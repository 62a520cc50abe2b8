import t from 'tap'
import { clientOf, lineOf, plainAddress, trustedProxies } from '../../../src/platform/http/address.ts'

const trusted = trustedProxies(['10.0.0.0/8', '::1/128', '192.0.2.7'])

t.test('addresses of uWebSockets.js get their usual spelling', async (t) => {
  t.equal(plainAddress('127.0.0.1'), '127.0.0.1')
  t.equal(plainAddress('0000:0000:0000:0000:0000:ffff:7f00:0001'), '127.0.0.1')
  t.equal(plainAddress('0000:0000:0000:0000:0000:0000:0000:0001'), '::1')
  t.equal(plainAddress('2001:0db8:0000:0000:0000:0000:0000:0001'), '2001:db8::1')
})

t.test('a trusted proxy is believed, from the right, up to the first address that is not ours', async (t) => {
  t.same(clientOf('10.1.1.1', false, '203.0.113.9', 'https', trusted), { address: '203.0.113.9', secure: true })
  t.equal(clientOf('10.1.1.1', false, '6.6.6.6, 203.0.113.9, 10.2.2.2', '', trusted).address, '203.0.113.9')
  t.equal(clientOf('::1', false, '[2001:db8::5]:4711', '', trusted).address, '2001:db8::5')
  t.equal(clientOf('192.0.2.7', false, '203.0.113.9:80', '', trusted).address, '203.0.113.9')
  t.equal(clientOf('10.1.1.1', false, 'nonsense', '', trusted).address, '10.1.1.1')
  t.equal(clientOf('10.1.1.1', false, '10.3.3.3', '', trusted).address, '10.3.3.3', 'all of them ours')
})

t.test('nobody else is believed', async (t) => {
  t.same(clientOf('203.0.113.1', false, '6.6.6.6', 'https', trusted), { address: '203.0.113.1', secure: false })
  t.same(clientOf('10.1.1.1', true, '6.6.6.6', 'http', trustedProxies([])), { address: '10.1.1.1', secure: true })
})

t.test('a wrong CIDR is named', async (t) => {
  for (const cidr of ['10.0.0.0/33', 'proxy', '', '::1/129', '10.0.0.0/x'])
    t.throws(() => trustedProxies([cidr]), /trusted proxy/)
})

t.test('an IPv6 customer is a /64', async (t) => {
  t.equal(lineOf('203.0.113.9'), '203.0.113.9')
  t.equal(lineOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.equal(lineOf('2001:db8::6'), '2001:db8:0:0::/64')
  t.equal(lineOf('::1'), '0:0:0:0::/64')
})

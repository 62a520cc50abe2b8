import t from 'tap'
import {
  bearsProxyHeaders,
  clientOf,
  lineOf,
  plainAddress,
  siteOf,
  trustedProxies,
} from '../../../src/platform/http/address.ts'

const trusted = trustedProxies(['10.0.0.0/8', '::1/128', '192.0.2.7'])

t.test('addresses of uWebSockets.js get their usual spelling', async (t) => {
  t.equal(plainAddress('127.0.0.1'), '127.0.0.1')
  t.equal(plainAddress('0000:0000:0000:0000:0000:ffff:7f00:0001'), '127.0.0.1')
  t.equal(plainAddress('0000:0000:0000:0000:0000:0000:0000:0001'), '::1')
  t.equal(plainAddress('2001:0db8:0000:0000:0000:0000:0000:0001'), '2001:db8::1')
})

t.test('a trusted proxy is believed, from the right, up to the first address that is not ours', async (t) => {
  t.same(clientOf('10.1.1.1', false, '203.0.113.9', 'https', trusted), {
    address: '203.0.113.9',
    secure: true,
    isNamed: true,
  })
  t.equal(clientOf('10.1.1.1', false, '6.6.6.6, 203.0.113.9, 10.2.2.2', '', trusted).address, '203.0.113.9')
  t.equal(clientOf('::1', false, '[2001:db8::5]:4711', '', trusted).address, '2001:db8::5')
  t.equal(clientOf('192.0.2.7', false, '203.0.113.9:80', '', trusted).address, '203.0.113.9')
  t.match(clientOf('10.1.1.1', false, 'nonsense', '', trusted), { address: '10.1.1.1', isNamed: false })
  t.match(clientOf('10.1.1.1', false, '', '', trusted), { address: '10.1.1.1', isNamed: false })
  t.equal(clientOf('10.1.1.1', false, '10.3.3.3', '', trusted).address, '10.3.3.3', 'all of them ours')
})

t.test('the scheme is the one that the trusted side wrote', async (t) => {
  const secure = (forwardedFor: string, proto: string) =>
    clientOf('10.1.1.1', false, forwardedFor, proto, trusted).secure
  t.equal(secure('203.0.113.9', 'https, http'), false, 'a client cannot put one in front')
  t.equal(secure('6.6.6.6, 203.0.113.9', 'http, https'), true)
  t.equal(secure('203.0.113.9, 10.2.2.2', 'https, http'), true, 'a second proxy of ours by plain HTTP')
  t.equal(secure('203.0.113.9, 10.2.2.2', 'http, https, http'), true)
  t.equal(secure('203.0.113.9, 10.2.2.2', 'https'), true, 'a proxy that overwrites')
  t.equal(secure('', 'https'), true)
  t.equal(secure('203.0.113.9', ''), false)
})

t.test('nobody else is believed', async (t) => {
  t.same(clientOf('203.0.113.1', false, '6.6.6.6', 'https', trusted), {
    address: '203.0.113.1',
    secure: false,
    isNamed: false,
  })
  t.same(clientOf('10.1.1.1', true, '6.6.6.6', 'http', trustedProxies([])), {
    address: '10.1.1.1',
    secure: true,
    isNamed: false,
  })
})

t.test('a wrong CIDR is named', async (t) => {
  for (const cidr of ['10.0.0.0/33', 'proxy', '', '::1/129', '10.0.0.0/x'])
    t.throws(() => trustedProxies([cidr]), /trusted proxy/)
})

t.test('only proxies set their headers', async (t) => {
  for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'via'])
    t.equal(
      bearsProxyHeaders((asked) => (asked === name ? 'x' : '')),
      true,
      name,
    )
  t.equal(
    bearsProxyHeaders((asked) => (asked === 'host' ? 'x' : '')),
    false,
  )
})

t.test('an IPv6 customer is a /64', async (t) => {
  t.equal(lineOf('203.0.113.9'), '203.0.113.9')
  t.equal(lineOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.equal(lineOf('2001:db8::6'), '2001:db8:0:0::/64')
  t.equal(lineOf('::1'), '0:0:0:0::/64')
  t.equal(siteOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1::/48')
  t.equal(siteOf('203.0.113.9'), null)
})

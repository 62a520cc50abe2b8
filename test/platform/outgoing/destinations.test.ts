import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { smtp } from '../../../src/billing/messages/smtp.ts'
import { Destinations, isSafeAddress, PrivateDestination } from '../../../src/platform/outgoing/destinations.ts'
import { OutgoingHttp } from '../../../src/platform/outgoing/outgoing-http.ts'
import { endOf, isPublicAddress } from '../../../src/platform/outgoing/public-addresses.ts'
import { localHttp } from '../../support/local-http.ts'

const nowhere = new Destinations()

const special = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
  ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', 'fe80::1', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '100::1', '5f00::1'],
  ...['2001:db8::1', '3fff::1', '2002:7f00:1::', '2001::1', '2001:10::1', '64:ff9b:1::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:c0a8:0101'],
  ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::', '64:ff9b::1', '64:ff9b::a00:0'],
  ...['fe80::1%lo', '::1%1', '1.2.3', '', 'localhost', '0x7f.1'],
]

t.test('addresses that only some networks have are not connected to', async (t) => {
  for (const address of special) t.notOk(nowhere.admits(address), address)
  for (const address of ['8.8.8.8', '100.63.255.255', '172.32.0.1', '223.255.255.255', '2a00:1450::1', '2600::'])
    t.ok(nowhere.admits(address), address)
  for (const address of ['::ffff:8.8.8.8', '64:ff9b::808:808']) t.ok(nowhere.admits(address), address)
})

t.test('those that are listed are', async (t) => {
  const some = new Destinations(['127.0.0.0/8', ' 10.1.2.3', 'fd00::/8'])
  for (const address of ['127.0.0.1', '127.9.9.9', '10.1.2.3', 'fd00::1', '::ffff:127.0.0.1', '8.8.8.8'])
    t.ok(some.admits(address), address)
  for (const address of ['10.1.2.4', '192.168.0.1', '::1', 'fe80::1', '64:ff9b::10.1.2.4'])
    t.notOk(some.admits(address), address)
})

t.test('an IPv4 address is judged alike in every spelling', async () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(octet, octet, octet, octet, (...octets) => {
      const quad = octets.join('.')
      const spellings = [`::ffff:${quad}`, `64:ff9b::${quad}`, `0:0:0:0:0:FFFF:${quad}`, `64:ff9b:0:0:0:0:${quad}`]
      return spellings.every((text) => endOf(text) === quad && nowhere.admits(text) === isPublicAddress(quad))
    }),
  )
  fc.assert(fc.property(fc.string(), (text) => isIP(text) > 0 || !nowhere.admits(text)))
  fc.assert(fc.property(fc.ipV6(), (address) => typeof nowhere.admits(address) === 'boolean'))
})

t.test('secrets go by https, and by http to private addresses alone', async (t) => {
  for (const address of [
    'https://gate.example/v3',
    'http://127.0.0.1:1',
    'http://localhost',
    'http://10.0.0.5',
    'http://[fd00::1]:8080',
  ])
    t.ok(isSafeAddress(address), address)
  for (const address of [
    'http://gate.example',
    'http://8.8.8.8',
    'ftp://127.0.0.1',
    'file:///etc/passwd',
    '127.0.0.1',
    'http://[2a00:1450::1]',
  ])
    t.notOk(isSafeAddress(address), address)
})

/** A server that counts its connections, and names that lead to it. */
async function target(t: { teardown(end: () => unknown): unknown }) {
  let connections = 0
  const server = createServer((_, response) => response.end('hello'))
  server.on('connection', () => connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Names that resolve to one list of addresses after the other. */
const resolving = (...answers: string[][]) => {
  let asked = 0
  return ((_name: string, _options: object, callback: (error: null, addresses: object[]) => void) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)]!
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )
  }) as unknown as typeof lookup
}

const request = (http: OutgoingHttp, address: string) =>
  http.request(address, { signal: AbortSignal.timeout(10_000), answerBytesMax: 100 })

t.test('nothing is connected to that a name, a number or a rebound name hides', async (t) => {
  const { port, connections } = await target(t)
  const refused = (http: OutgoingHttp, host: string) =>
    t.rejects(request(http, `http://${host}:${port}/`), new PrivateDestination(), host)
  const bare = new OutgoingHttp(new Destinations([], resolving(['127.0.0.1'])))
  for (const host of ['gate.example', '127.0.0.1', '0x7f.1', '2130706433', '127.1', 'localhost', '[::1]'])
    await refused(bare, host)
  for (const host of ['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '0.0.0.0', '[::]', 'a.localhost'])
    await refused(bare, host)

  // Public when somebody looks, private when the socket does.
  const names = resolving(['8.8.8.8'], ['127.0.0.1'])
  const rebound = new Destinations([], names)
  t.notOk(await rebound.isPrivate('gate.example'))
  await refused(new OutgoingHttp(rebound), 'gate.example')
  t.equal(connections(), 0)

  const listed = new OutgoingHttp(new Destinations(['127.0.0.0/8'], resolving(['10.0.0.1', '127.0.0.1'])))
  const { status, bytes, isWhole } = await request(listed, `http://gate.example:${port}/`)
  t.same({ status, text: bytes.toString(), isWhole }, { status: 200, text: 'hello', isWhole: true })
  t.equal(connections(), 1, 'of several addresses the one that may be')
})

t.test('mail neither', async (t) => {
  const { port, connections } = await target(t)
  const options = { url: `smtp://u:p@mail.example:${port}`, from: 'a@isp.example' }
  const message = { id: 1, kind: 'x', to: 'b@isp.example', title: 'x', text: 'x', mailingTo: null }
  for (const url of [options.url, `smtp://u:p@127.0.0.1:${port}`, `smtps://u:p@[::1]:${port}`]) {
    const mail = smtp({ ...options, url }, new Destinations([], resolving(['127.0.0.1'])))
    t.match(
      await mail.send(message, new AbortController().signal),
      { kind: 'retryLater', reason: /private network that TOLLGATE_ALLOW_PRIVATE_ADDRESSES does not list/ },
      url,
    )
    mail.close?.()
  }
  t.equal(connections(), 0)
})

t.test('an answer is read to its length, and redirects are not followed', async (t) => {
  const server = createServer((asked, response) => {
    if (asked.url === '/away') response.writeHead(302, { Location: '/long' }).end()
    else response.end('x'.repeat(1_000_000))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.match(await request(localHttp, `${address}/long`), { status: 200, isWhole: false })
  const away = await request(localHttp, `${address}/away`)
  t.match(away, { status: 302, isWhole: true })
  t.equal(away.header('location'), '/long')
})

import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { type Client, isSigned, nasEntry, RadiusFixture, secret } from './fixture.ts'
import { build, sealed, signed, type Tlv, zeros } from './wire/builder.ts'

const next = 'the next secret'
const login: Tlv = [1, 'user1']

/** An Access-Request with a Message-Authenticator by this secret. */
function signedRequest(client: Client, by: string, attributes: readonly Tlv[]): Buffer {
  const authenticator = randomBytes(16)
  const packet = build(1, client.identifier, authenticator, [[80, zeros(16)], ...attributes])
  return sealed(packet, authenticator, by)
}

/** An Access-Request with a PAP password and no signature. */
function papRequest(client: Client, by: string, password: string): Buffer {
  const authenticator = randomBytes(16)
  const mask = createHash('md5').update(by).update(authenticator).digest()
  const hidden = Buffer.from(Buffer.alloc(16, password.padEnd(16, '\0')).map((octet, at) => octet ^ mask[at]!))
  return build(1, client.identifier, authenticator, [login, [2, hidden]])
}

/** CHAP with its challenge in the authenticator (RFC 2865 section 2.2). */
function chapAttributes(password: string): Tlv[] {
  const challenge = randomBytes(16)
  const digest = createHash('md5').update(Buffer.of(7)).update(password).update(challenge).digest()
  return [login, [3, Buffer.concat([Buffer.of(7), digest])], [60, challenge]]
}

const accounting = (client: Client, by: string, attributes: readonly Tlv[]): Buffer =>
  signed(build(4, client.identifier, zeros(16), attributes), zeros(16), by)

const start = (session: string): Tlv[] => [login, [40, Buffer.of(0, 0, 0, 1)], [44, session]]

async function codeOf(client: Client, request: Buffer, by: string, port: 'auth' | 'acct' = 'auth'): Promise<number> {
  client.send(request, port)
  const answer = await client.next()
  if (!isSigned(request, answer, by)) throw new Error('The answer is signed with another secret.')
  return answer[0]!
}

t.test('a network answers all its addresses by one secret, a single address in it by its own', async (t) => {
  const batches: { nasId: number; source: number }[] = []
  const fixture = await RadiusFixture.start(t, {
    host: '::',
    nas: [
      nasEntry({ id: nasId(1), ip: null, network: '127.0.0.0/8', secret: 'wide' }),
      nasEntry({ id: nasId(2), ip: '127.0.0.9', secret: 'own' }),
      nasEntry({ id: nasId(3), ip: null, network: '::/64', secret: 'six' }),
      nasEntry({ id: nasId(4), ip: null, network: '127.7.0.0/16', enabled: false }),
    ],
    accounting: async (batch) => {
      for (const [index, id] of batch.nasIds.entries())
        batches.push({ nasId: id, source: Buffer.from(batch.sources.buffer)[index * 16 + 15]! })
      return Int32Array.from(batch.tokens.keys())
    },
  })
  fixture.login(1)
  for (const [address, by] of [
    ['127.0.0.5', 'wide'],
    ['127.0.0.6', 'wide'],
    ['127.0.0.9', 'own'],
    ['::1', 'six'],
  ] as const) {
    const client = await fixture.client(address)
    t.equal(await codeOf(client, signedRequest(client, by, chapAttributes('secret1')), by), 2, address)
    t.equal(await codeOf(client, accounting(client, by, start(address)), by, 'acct'), 5, address)
  }
  t.strictSame(batches, [
    { nasId: 1, source: 5 },
    { nasId: 1, source: 6 },
    { nasId: 2, source: 9 },
    { nasId: 3, source: 1 },
  ])
  // Only what comes first is answered, so silence is told by the next answer.
  const shut = await fixture.client('127.7.0.1')
  shut.send(signedRequest(shut, 'wide', chapAttributes('secret1')))
  const open = await fixture.client('127.6.0.1')
  t.equal(await codeOf(open, signedRequest(open, 'wide', chapAttributes('secret1')), 'wide'), 2)
  const unknown = fixture.engine.snapshot().counts.find(({ fault }) => fault === 'unknownNas')
  t.equal(unknown?.count, 1)
})

t.test('NAS of one address are told apart by NAS-Identifier, each with its own secret', async (t) => {
  const fixture = await RadiusFixture.start(t, {
    nas: [
      nasEntry({ id: nasId(1), name: 'proxy', secret: 'plain' }),
      nasEntry({ id: nasId(2), name: 'bras-2', identifier: 'bras-2', secret: 'second' }),
    ],
  })
  fixture.login(1)
  const client = await fixture.client()
  const asked = (by: string, more: readonly Tlv[]) =>
    codeOf(client, signedRequest(client, by, [...chapAttributes('secret1'), ...more]), by)
  t.equal(await asked('plain', []), 2)
  t.equal(await asked('second', [[32, 'bras-2']]), 2)
  t.equal(await asked('plain', [[32, 'bras-3']]), 2)
  // node:dgram sends an answer before it is counted.
  const accepted = () => fixture.engine.snapshot().counts.filter(({ result }) => result === 'accept')
  while (accepted().reduce((sum, { count }) => sum + count, 0) < 3)
    await new Promise((resolve) => setImmediate(resolve))
  const counts = accepted()
  t.strictSame(Object.fromEntries(counts.map(({ nas, count }) => [nas, count])), { proxy: 2, 'bras-2': 1 })
})

t.test('while a secret is being changed, each request is answered with the one it used', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ secretNext: next })] })
  fixture.login(1)
  const client = await fixture.client()
  const right = chapAttributes('secret1')
  for (const by of [secret, next, next, secret, next]) {
    t.equal(await codeOf(client, signedRequest(client, by, right), by), 2, 'signed')
    t.equal(await codeOf(client, papRequest(client, by, 'secret1'), by), 2, 'a PAP password proves its secret')
    t.equal(await codeOf(client, accounting(client, by, start(by)), by, 'acct'), 5, 'accounting')
    const unsigned = build(1, client.identifier, randomBytes(16), right)
    t.equal(await codeOf(client, unsigned, by), 2, 'CHAP proves none, and is answered with the last that was proved')
    t.equal(await codeOf(client, papRequest(client, by, 'wrong'), by), 3, 'as is a wrong password')
  }
  const [first, second] = await fixture.heardOf(2)
  t.match(
    [first, second],
    [
      { kind: 'proved', nasId: 1, usesNext: false },
      { kind: 'proved', nasId: 1, usesNext: true },
    ],
  )
  client.send(signedRequest(client, 'a third secret', right))
  client.send(accounting(client, 'a third secret', start('never')), 'acct')
  t.equal(await codeOf(client, signedRequest(client, next, right), next), 2, 'a third secret is not answered')
})

t.test('requests of one batch may use either secret', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ secretNext: next })] })
  fixture.login(1)
  const client = await fixture.client()
  const requests = Array.from({ length: 200 }, (_, index) => {
    const by = index % 3 === 0 ? secret : next
    const request =
      index % 2 === 0 ? signedRequest(client, by, chapAttributes('secret1')) : papRequest(client, by, 'secret1')
    return { by, request }
  })
  for (const { request } of requests) client.send(request)
  const byIdentifier = new Map(requests.map((one) => [one.request[1]!, one]))
  let right = 0
  for (let count = 0; count < requests.length; count++) {
    const answer = await client.next()
    const { request, by } = byIdentifier.get(answer[1]!)!
    if (answer[0] === 2 && isSigned(request, answer, by)) right++
  }
  t.equal(right, requests.length)
})

t.test('a secret that is too long for a batch is as good during its change', async (t) => {
  const long = 'long '.repeat(40)
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ secretNext: long })] })
  fixture.login(1)
  const client = await fixture.client()
  for (const by of [secret, long, secret])
    t.equal(await codeOf(client, signedRequest(client, by, chapAttributes('secret1')), by), 2)
})

t.test('a NAS that asks one of several addresses of ours is known by it', async (t) => {
  const fixture = await RadiusFixture.start(t, { host: '0.0.0.0' })
  fixture.login(1)
  const client = await fixture.client()
  t.equal(await codeOf(client, signedRequest(client, secret, chapAttributes('secret1')), secret), 2)
  t.match(await fixture.heardOf(1), [{ kind: 'asked', nasId: 1, address: '127.0.0.1' }])
})

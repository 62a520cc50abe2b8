import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import type { EventOf } from '../../../src/domain/events.ts'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasType } from '../../../src/domain/nas.ts'
import { parseMacText, stationHashOf } from '../../../src/network/access/station.ts'
import { challengeHash, challengeResponse, ntPasswordHash } from '../../../src/network/radius/wire/ms-chap.ts'
import { openAccess } from '../access/entries.ts'
import { ClassReader } from '../../../src/network/radius/worker/session-class.ts'
import { classKey, nasEntry, RadiusFixture, usualSettings, vendorValues, verified } from './fixture.ts'
import { type Tlv, vendorSpecific } from './wire/builder.ts'

/** The text of an MS-CHAP value behind the identifier it begins with. */
const withoutIdentifier = ([value]: Buffer[]) => value?.toString('latin1', 1)

const blocked = (bits: number) => ({ ...openAccess, subscriberEnabled: false, loginEnabled: false, blockBits: bits })

t.test('PAP: an Access-Accept with address, interim interval and Class, Message-Authenticator first', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'секрет', ip: 0x0a000005, downKbit: 100_000, upKbit: 50_000 })
  const client = await fixture.client()
  const answer = await client.pap('ivan', 'секрет', [
    ['Proxy-State', Buffer.from('first')],
    ['Proxy-State', Buffer.from('second')],
  ])
  t.equal(answer.code, 'Access-Accept')
  t.match(answer.attributes, { 'Framed-IP-Address': '10.0.0.5', 'Acct-Interim-Interval': 300 })
  t.equal(answer.raw[0]?.[0], 80, 'Message-Authenticator is the first attribute')
  t.strictSame(
    answer.raw.filter(([type]) => type === 33).map(([, value]) => value.toString()),
    ['first', 'second'],
  )
  const className = answer.raw.find(([type]) => type === 25)![1].toString()
  t.match(new ClassReader(classKey).read(className), { loginId: 1, address: 0x0a000005, inGarden: false })
  t.strictSame(
    vendorValues(answer, 14122, 7).map((value) => value.readUInt32BE()),
    [50_000_000],
  )
  t.strictSame(
    vendorValues(answer, 14122, 8).map((value) => value.readUInt32BE()),
    [100_000_000],
  )
  t.notOk(
    answer.raw.some(([type]) => type === 27),
    'no Session-Timeout while access has no end',
  )
})

t.test('an unknown login and a wrong password read alike', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  const client = await fixture.client()
  const rejection = fixture.nextRejection()
  const wrong = await client.pap('ivan', 'wrong', [['Calling-Station-Id', 'AA-BB']])
  const unknown = await client.pap('petr', 'right')
  for (const { code, attributes } of [wrong, unknown]) {
    t.equal(code, 'Access-Reject')
    t.equal(attributes['Reply-Message'], 'unknown login or wrong password')
  }
  t.match(await rejection, { login: 'ivan', subscriberId: 1_000_001, organizationId: 1, nasId: 1, station: 'AA-BB' })
})

t.test('requests without a name or a password are refused and break nothing', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: '' })
  const client = await fixture.client()
  for (const attributes of [
    [],
    [['User-Name', 'ivan']],
    [['User-Password', 'x']],
    [
      ['User-Name', 'ivan'],
      ['User-Password', ''],
    ],
  ]) {
    t.equal((await client.exchange(client.access(attributes))).code, 'Access-Reject')
  }
  t.equal((await client.exchange(client.raw([[1, '']]))).code, 'Access-Reject')
  t.equal(
    (
      await client.exchange(
        client.raw([
          [1, 'ivan'],
          [2, 'odd length'],
        ]),
      )
    ).code,
    'Access-Reject',
  )
  t.equal(
    (
      await client.exchange(
        client.raw([
          [1, 'ivan'],
          [3, 'short'],
        ]),
      )
    ).code,
    'Access-Reject',
  )
  const eap = await client.exchange(
    client.raw([
      [1, 'ivan'],
      [79, 'identity'],
    ]),
  )
  t.equal(eap.attributes['Reply-Message'], 'unsupported authentication method')
})

t.test('a rejected request with EAP-Message gets an EAP-Failure, however its octets are split', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  const client = await fixture.client()
  const identity = Buffer.concat([Buffer.of(2, 7, 0, 9, 1), Buffer.from('ivan')])
  const eap = (...values: (Buffer | string)[]): Tlv[] => values.map((value) => [79, value])
  const challenge = randomBytes(16)
  const chap = Buffer.concat([
    Buffer.of(9),
    createHash('md5').update(Buffer.of(9)).update('right').update(challenge).digest(),
  ])
  const cases: [what: string, request: Tlv[], identifier: number][] = [
    ['whole', eap(identity), 7],
    ['split after the code', eap(identity.subarray(0, 1), identity.subarray(1)), 7],
    ['behind empty attributes', eap('', '', identity), 7],
    ['an EAP-Start', eap(''), 0],
    ['the code alone', eap(Buffer.of(2)), 0],
    ['beside a wrong CHAP', [[3, Buffer.alloc(17)], ...eap(identity)], 7],
    ['beside a right CHAP', [[3, chap], [60, challenge], ...eap(identity)], 7],
    ['as long as can be', eap(...Array<Buffer>(15).fill(Buffer.alloc(253, 0xee))), 0xee],
  ]
  for (const [what, request, identifier] of cases) {
    const rejection = fixture.nextRejection()
    const { code, raw } = await client.exchange(client.raw([[1, 'ivan'], ...request]))
    t.equal(code, 'Access-Reject', what)
    t.equal(raw[0]?.[0], 80, `${what}: signed by Message-Authenticator`)
    t.strictSame(
      raw.filter(([type]) => type === 79).map(([, value]) => [...value]),
      [[4, identifier, 0, 4]],
      what,
    )
    if (what === 'whole') t.match(await rejection, { reason: 'unsupported authentication method: EAP is not offered' })
  }
  t.equal((await client.pap('ivan', 'right', [['EAP-Message', identity]])).code, 'Access-Reject', 'beside a right PAP')
  const plain = await client.pap('ivan', 'wrong')
  t.notOk(
    plain.raw.some(([type]) => type === 79),
    'no EAP-Failure for a request without EAP-Message',
  )
})

t.test('CHAP, with a challenge of its own and with the Request Authenticator', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  const client = await fixture.client()
  const challenge = randomBytes(16)
  const response = (password: string) =>
    Buffer.concat([Buffer.of(9), createHash('md5').update(Buffer.of(9)).update(password).update(challenge).digest()])
  t.equal(
    (
      await client.exchange(
        client.raw([
          [1, 'ivan'],
          [3, response('right')],
          [60, challenge],
        ]),
      )
    ).code,
    'Access-Accept',
  )
  t.equal(
    (
      await client.exchange(
        client.raw([
          [1, 'ivan'],
          [3, response('wrong')],
          [60, challenge],
        ]),
      )
    ).code,
    'Access-Reject',
  )
  t.equal(
    (
      await client.exchange(
        client.raw(
          [
            [1, 'ivan'],
            [3, response('right')],
          ],
          challenge,
        ),
      )
    ).code,
    'Access-Accept',
  )
})

t.test('names with a realm or in other letters sign in by every method, as the settings and the NAS say', async (t) => {
  const fixture = await RadiusFixture.start(t, {
    nas: [nasEntry(), nasEntry({ id: nasId(2), ip: '127.0.0.2', realms: '!isp.ru, other' })],
    settings: { realms: 'isp, isp.ru' },
  })
  fixture.login(1, { login: 'u3', password: 'right' })
  const client = await fixture.client()
  const chap = (name: string) => {
    const [challenge, id] = [randomBytes(16), Buffer.of(9)]
    const digest = createHash('md5').update(id).update('right').update(challenge).digest()
    return client.raw([
      [1, name],
      [3, Buffer.concat([id, digest])],
      [60, challenge],
    ])
  }
  /** `hashed` is the name as the client puts it into its response. */
  const msChap2 = (name: string, hashed: string) => {
    const [challenge, peer] = [randomBytes(16), randomBytes(16)]
    const nt = challengeResponse(challengeHash(peer, challenge, Buffer.from(hashed)), ntPasswordHash('right'))
    const response = Buffer.concat([Buffer.of(7, 0), peer, Buffer.alloc(8), nt])
    return client.raw([[1, name], vendorSpecific(311, [11, challenge]), vendorSpecific(311, [25, response])])
  }
  const code = async (packet: Buffer) => (await client.exchange(packet)).code
  for (const name of ['u3', 'u3@isp.ru', 'isp\\u3', 'isp.ru/u3']) {
    t.equal((await client.pap(name, 'right')).code, 'Access-Accept', `PAP ${name}`)
    t.equal(await code(chap(name)), 'Access-Accept', `CHAP ${name}`)
  }
  t.equal(await code(msChap2('u3@isp.ru', 'u3@isp.ru')), 'Access-Accept', 'the response is made over the name as sent')
  t.equal(await code(msChap2('isp\\u3', 'u3')), 'Access-Accept', 'but without the domain before a backslash')
  t.equal(await code(msChap2('u3@isp.ru', 'u3')), 'Access-Reject')
  t.equal((await client.pap('u3@elsewhere', 'right')).code, 'Access-Reject')
  t.equal((await client.pap('U3@isp.ru', 'right')).code, 'Access-Reject')
  fixture.engine.setSettings({ ...usualSettings, realms: '*', loginCase: 'ignore' })
  t.equal((await client.pap('U3@elsewhere', 'right')).code, 'Access-Accept')

  const other = await fixture.client('127.0.0.2')
  t.equal((await other.pap('u3@other', 'right')).code, 'Access-Accept')
  t.equal(
    (await other.pap('u3@elsewhere', 'right')).code,
    'Access-Reject',
    'the list of the NAS is in place of the other',
  )
  const told = new Promise<EventOf<'accessRejected'>>((resolve) =>
    fixture.events.on('accessRejected', (event) => event.reason === 'realm not accepted' && resolve(event)),
  )
  const refused = await other.pap('u3@isp.ru', 'right')
  t.equal(refused.attributes['Reply-Message'], 'realm not accepted')
  t.match(await told, { login: 'u3@isp.ru', nasId: 2, code: 'realm_refused' }, 'the operator reads the name as sent')
})

t.test('MS-CHAP v1 and v2 bring keys; a refusal brings MS-CHAP-Error', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  fixture.login(2, { login: 'petr', password: 'right', access: blocked(1) })
  const client = await fixture.client()
  const v1 = (name: string, password: string) => {
    const challenge = randomBytes(8)
    const nt = challengeResponse(challenge, ntPasswordHash(password))
    const response = Buffer.concat([Buffer.of(5, 1), Buffer.alloc(24), nt])
    return client.exchange(
      client.raw([[1, name], vendorSpecific(311, [11, challenge]), vendorSpecific(311, [1, response])]),
    )
  }
  const v2 = (name: string, password: string) => {
    const [challenge, peer] = [randomBytes(16), randomBytes(16)]
    const nt = challengeResponse(challengeHash(peer, challenge, Buffer.from(name)), ntPasswordHash(password))
    const response = Buffer.concat([Buffer.of(7, 0), peer, Buffer.alloc(8), nt])
    return client.exchange(
      client.raw([[1, name], vendorSpecific(311, [11, challenge]), vendorSpecific(311, [25, response])]),
    )
  }
  const first = await v1('ivan', 'right')
  t.equal(first.code, 'Access-Accept')
  t.equal(vendorValues(first, 311, 12)[0]?.length, 32, 'MS-CHAP-MPPE-Keys')
  const second = await v2('ivan', 'right')
  t.equal(second.code, 'Access-Accept')
  t.match(withoutIdentifier(vendorValues(second, 311, 26)), /^S=[0-9A-F]{40}$/)
  t.equal(vendorValues(second, 311, 16).length + vendorValues(second, 311, 17).length, 2)
  t.match(
    withoutIdentifier(vendorValues(await v2('ivan', 'wrong'), 311, 2)),
    /^E=691 R=0 C=[0-9A-F]{32} V=3 M=unknown login or wrong password$/,
  )
  const debtor = await v2('petr', 'right')
  t.equal(debtor.attributes['Reply-Message'], 'blocked: negative balance')
  t.match(withoutIdentifier(vendorValues(debtor, 311, 2)), /^E=649 R=0 C=[0-9A-F]{32} V=3 M=blocked: negative balance$/)
  t.equal((await v1('ivan', 'wrong')).code, 'Access-Reject')
})

t.test('IPoE: the MAC is name and password, in any spelling', async (t) => {
  const fixture = await RadiusFixture.start(t)
  const mac = parseMacText('00:1a:2b:3c:4d:5e')
  fixture.login(1, { login: 'ivan', password: 'right', mac })
  fixture.login(2, { login: '00:1a:2b:3c:4d:5f', password: 'right' })
  const client = await fixture.client()
  for (const name of ['00:1A:2B:3C:4D:5E', '001a2b3c4d5e', '001a.2b3c.4d5e', '00-1a-2b-3c-4d-5e']) {
    t.equal((await client.pap(name, '001A.2B3C.4D5E')).code, 'Access-Accept', name)
    t.equal((await client.pap(name, '')).code, 'Access-Accept', `${name}, empty password`)
    t.equal((await client.pap(name, '00:1a:2b:3c:4d:5f')).code, 'Access-Reject')
  }
  t.equal(
    (await client.exchange(client.access([['User-Name', '001a2b3c4d5e']]))).code,
    'Access-Accept',
    'no password at all',
  )
  t.equal(
    (await client.pap('00:1a:2b:3c:4d:5f', '')).code,
    'Access-Reject',
    'a login that reads like a MAC needs its password',
  )
  t.equal((await client.pap('00:1a:2b:3c:4d:5f', 'right')).code, 'Access-Accept')
  const challenge = randomBytes(16)
  const digest = createHash('md5').update(Buffer.of(1)).update('00-1A-2B-3C-4D-5E').update(challenge).digest()
  const chap = client.raw([
    [1, '001a2b3c4d5e'],
    [3, Buffer.concat([Buffer.of(1), digest])],
    [60, challenge],
  ])
  t.equal((await client.exchange(chap)).code, 'Access-Accept', 'CHAP over another spelling')
})

t.test('a block is seen by the next request, and so is its end', async (t) => {
  const fixture = await RadiusFixture.start(t, { workers: 2 })
  fixture.login(1, { login: 'ivan', password: 'right' })
  const clients = await Promise.all([1, 2, 3, 4].map(() => fixture.client()))
  for (let round = 0; round < 20; round++) {
    for (const [bits, text] of [
      [1, 'blocked: negative balance'],
      [2, 'blocked: by the operator'],
      [4, "blocked: at the client's request"],
    ] as const) {
      fixture.table.setAccess(1, blocked(bits))
      const answers = await Promise.all(clients.map((client) => client.pap('ivan', 'right')))
      t.ok(answers.every(({ attributes }) => attributes['Reply-Message'] === text))
    }
    fixture.table.setAccess(1, openAccess)
    const answers = await Promise.all(clients.map((client) => client.pap('ivan', 'right')))
    t.ok(answers.every(({ code }) => code === 'Access-Accept'))
  }
})

t.test('the walled garden lets debtors into a list for ten minutes', async (t) => {
  const nas = [nasEntry({ type: 'mikrotik' }), nasEntry({ id: nasId(2), ip: '127.0.0.2', type: 'cisco' })]
  const fixture = await RadiusFixture.start(t, { nas })
  fixture.login(1, {
    login: 'ivan',
    password: 'right',
    walledGarden: true,
    downKbit: 50_000,
    upKbit: 50_000,
    access: blocked(1),
  })
  const mikrotik = await (await fixture.client()).pap('ivan', 'right')
  t.equal(mikrotik.code, 'Access-Accept')
  t.equal(mikrotik.attributes['Session-Timeout'], 600)
  t.equal(vendorValues(mikrotik, 14988, 19)[0]?.toString(), 'debtors')
  t.equal(vendorValues(mikrotik, 14988, 8)[0]?.toString(), '50M/50M')
  const elsewhere = await (await fixture.client('127.0.0.2')).pap('ivan', 'right')
  t.equal(elsewhere.attributes['Filter-Id'], 'debtors')
  fixture.engine.setSettings({ ...usualSettings, interimSeconds: 60, walledGardenList: 'pay-first' })
  const client = await fixture.client('127.0.0.2')
  t.match((await client.pap('ivan', 'right')).attributes, { 'Filter-Id': 'pay-first', 'Acct-Interim-Interval': 60 })
})

t.test('every vendor gets the speed in its own attributes', async (t) => {
  const words: Record<NasType, (values: (vendor: number, type: number) => string[]) => string[]> = {
    mikrotik: (values) => values(14988, 8),
    cisco: (values) => values(9, 1),
    huawei: (values) => [...values(2011, 2), ...values(2011, 5)],
    juniper: (values) => values(4874, 108),
    accel: () => [],
    generic: (values) => [...values(14122, 7), ...values(14122, 8)],
  }
  const expected: Record<NasType, string[]> = {
    mikrotik: ['10500k/100M'],
    cisco: [
      'lcp:interface-config#1=rate-limit input 10500000 1968750 3937500 conform-action transmit exceed-action drop',
      'lcp:interface-config#2=rate-limit output 100000000 18750000 37500000 conform-action transmit exceed-action drop',
    ],
    huawei: ['\x00\xa0\x37\xa0', '\x05\xf5\xe1\x00'],
    juniper: ['T02 100000k'],
    accel: [],
    generic: ['\x00\xa0\x37\xa0', '\x05\xf5\xe1\x00'],
  }
  const types = Object.keys(words) as NasType[]
  const nas = types.map((type, index) => nasEntry({ id: nasId(index + 1), ip: `127.0.0.${index + 1}`, type }))
  const fixture = await RadiusFixture.start(t, { nas })
  const userReply = Buffer.from('\x12\x06mine', 'latin1')
  const tariffReply = Buffer.from('\x12\x08tariff', 'latin1')
  fixture.login(1, { login: 'ivan', password: 'right', downKbit: 100_000, upKbit: 10_500, userReply, tariffReply })
  for (const [index, type] of types.entries()) {
    const answer = await (await fixture.client(`127.0.0.${index + 1}`)).pap('ivan', 'right')
    const values = (vendor: number, kind: number) =>
      vendorValues(answer, vendor, kind).map((value) => value.toString('latin1'))
    t.strictSame(words[type](values), expected[type], type)
    if (type === 'accel') t.equal(answer.attributes['Filter-Id'], '100000/10500')
    const own = answer.raw.filter(([kind]) => kind === 18).map(([, value]) => value.toString())
    t.strictSame(own, ['mine', 'tariff'], 'radius_reply of the login, then of the tariff')
  }
})

t.test('one session too many is refused; the station of a live session takes its place', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'ivan', password: 'right' })
  fixture.table.addSession(1, stationHashOf('AA-BB-CC-DD-EE-FF'))
  const client = await fixture.client()
  const from = (station: string) => client.pap('ivan', 'right', [['Calling-Station-Id', station]])
  t.equal((await from('11-22-33-44-55-66')).attributes['Reply-Message'], 'too many sessions')
  t.equal((await from('aa:bb:cc:dd:ee:ff')).code, 'Access-Accept')
  fixture.engine.setSettings({ ...usualSettings, simultaneous: 'replace' })
  t.equal((await from('11-22-33-44-55-66')).code, 'Access-Accept')
  fixture.table.removeSession(1, stationHashOf('AA-BB-CC-DD-EE-FF'))
  t.equal((await from('11-22-33-44-55-66')).code, 'Access-Accept')
})

t.test('a pool gives addresses and runs out', async (t) => {
  const pool = { id: 7, network: 0x0a010000, prefixLength: 30, gateway: 0x0a010001, enabled: true }
  const fixture = await RadiusFixture.start(t, { pools: [pool], workers: 2 })
  fixture.login(1, { login: 'ivan', password: 'right', poolId: 7 })
  fixture.login(2, { login: 'petr', password: 'right', poolId: 7 })
  const [first, second] = [await fixture.client(), await fixture.client()]
  for (const client of [first, second, first]) {
    t.equal((await client.pap('ivan', 'right')).attributes['Framed-IP-Address'], '10.1.0.2')
  }
  t.equal((await second.pap('petr', 'right')).attributes['Reply-Message'], 'no free address')
  t.ok(fixture.pools.hold(1, 0, 0x0a010002))
  fixture.pools.leave(1, 0, 0x0a010002)
  t.equal((await second.pap('petr', 'right')).attributes['Framed-IP-Address'], '10.1.0.2')
})

t.test('access that ends by itself carries a Session-Timeout; prefixes are sent as short as they are', async (t) => {
  const fixture = await RadiusFixture.start(t)
  const prefix = Uint8Array.from([0, 56, 0x20, 0x01, 0x0d, 0xb8, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  const accessEnd = Math.floor(Date.now() / 1000) + 3600
  fixture.login(1, {
    login: 'ivan',
    password: 'right',
    ipv6Prefix: prefix,
    delegatedIpv6Prefix: prefix,
    access: { ...openAccess, accessEnd },
  })
  const client = await fixture.client()
  const request = client.access([
    ['User-Name', 'ivan'],
    ['User-Password', 'right'],
  ])
  const answer = await client.exchange(request)
  t.ok(Math.abs(Number(answer.attributes['Session-Timeout']) - 3600) <= 60)
  for (const type of [97, 123]) {
    t.equal(answer.raw.find(([kind]) => kind === type)?.[1].toString('hex'), '003820010db8000102')
  }
  client.send(request)
  t.ok((await client.next()).equals(verified(request, answer.bytes).bytes), 'a retransmission gets the same bytes')
})

import t from 'tap'
import { ReplyReader } from '../../../src/network/access/replies.ts'
import { AccessRecord, type AccessFields } from '../../../src/network/access/record.ts'
import { encodeReplyAttributes } from '../../../src/network/radius/wire/dictionary.ts'
import { attributesInForce } from '../../../src/network/radius/worker/attribute-block.ts'
import { blocksOf } from '../../../src/network/radius/worker/template-blocks.ts'
import { templateOf } from '../../../src/network/radius/templates.ts'
import { createLog } from '../../../src/platform/log.ts'
import { encodeReplyAttribute } from '../../support/attributes.ts'
import { fieldsOf } from '../access/entries.ts'
import { nasEntry, RadiusFixture, secret, vendorValues } from './fixture.ts'
import { revealKey } from './wire/builder.ts'

type Item = { name: string; value: string | number; op?: string }

const logged: string[] = []
const log = createLog({ level: 'warn', pretty: false, write: (line) => logged.push(line) })
const replies = new ReplyReader(log)

/** The fields of a login whose own list and whose tariff's are these. */
function listed(user: Item[], tariff: Item[] = []): Partial<AccessFields> {
  const reply = replies.read(JSON.stringify(user), JSON.stringify(tariff))
  const { ip: _, ...rest } = reply
  return {
    ...rest,
    ...(reply.ip !== null && { ip: reply.ip }),
  }
}

const speed = { downKbit: 100_000, upKbit: 50_000 }

t.test('an attribute that may occur once is sent once: of the login, else of the tariff, else ours', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ type: 'mikrotik' })] })
  const client = await fixture.client()
  const answerOf = (user: Item[], tariff: Item[] = []) => {
    fixture.login(1, { login: 'ivan', password: 'right', ip: 0x0a000005, ...speed, ...listed(user, tariff) })
    return client.pap('ivan', 'right')
  }
  const values = (answer: Awaited<ReturnType<typeof answerOf>>, type: number) =>
    answer.raw.filter(([kind]) => kind === type).map(([, value]) => value.toString('hex'))

  const address = await answerOf([{ name: 'Framed-IP-Address', value: '10.0.0.7' }])
  t.strictSame(values(address, 8), ['0a000007'])
  const both = await answerOf(
    [{ name: 'Acct-Interim-Interval', value: 60 }],
    [
      { name: 'Acct-Interim-Interval', value: 90 },
      { name: 'Framed-IP-Address', value: '10.0.0.8' },
      { name: 'Idle-Timeout', value: 30 },
    ],
  )
  t.strictSame(values(both, 85), ['0000003c'], 'the login wins over its tariff')
  t.strictSame(values(both, 8), ['0a000008'], 'the tariff wins over what we would send')
  t.strictSame(values(both, 28), ['0000001e'])
  const chosen = await answerOf([{ name: 'Framed-IP-Address', value: '255.255.255.254' }])
  t.strictSame(values(chosen, 8), ['fffffffe'], 'the NAS is to choose the address')
  const rate = await answerOf([{ name: 'Mikrotik-Rate-Limit', value: '1M/2M 4M/8M' }])
  t.strictSame(
    vendorValues(rate, 14988, 8).map((value) => value.toString()),
    ['1M/2M 4M/8M'],
  )
})

t.test('an attribute that may occur several times is added, and replaces where the list has =', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ type: 'cisco' })] })
  const client = await fixture.client()
  const pairsOf = async (user: Item[], tariff: Item[] = []) => {
    fixture.login(1, { login: 'ivan', password: 'right', ...speed, ...listed(user, tariff) })
    return vendorValues(await client.pap('ivan', 'right'), 9, 1).map((value) => value.toString())
  }
  const pair = (value: string, op?: string) => ({ name: 'Cisco-AVPair', value, ...(op && { op }) })
  const ours = await pairsOf([])
  t.equal(ours.length, 2)
  t.strictSame(
    await pairsOf([pair('a=1')], [pair('b=2')]),
    [...ours, 'a=1', 'b=2'],
    'as lists without operators always did',
  )
  t.strictSame(await pairsOf([pair('a=1', '+=')], [pair('b=2', '=')]), ['a=1', 'b=2'], 'the tariff replaces the speed')
  t.strictSame(await pairsOf([pair('a=1', '='), pair('c=3', '=')], [pair('b=2')]), ['a=1', 'c=3'])
})

t.test('a Session-Timeout of the list shortens a session and never outlives the access', async (t) => {
  const fixture = await RadiusFixture.start(t)
  const client = await fixture.client()
  const timeoutOf = async (changes: Partial<AccessFields>) => {
    fixture.login(1, { login: 'ivan', password: 'right', ...changes })
    return (await client.pap('ivan', 'right')).raw
      .filter(([type]) => type === 27)
      .map(([, value]) => value.readUInt32BE())
  }
  const hour = listed([{ name: 'Session-Timeout', value: 3600 }])
  const { access } = fieldsOf(1)
  t.strictSame(await timeoutOf(hour), [3600])
  const garden = {
    walledGarden: true,
    access: { ...access, subscriberEnabled: false, loginEnabled: false, blockBits: 1 },
  }
  t.strictSame(await timeoutOf({ ...hour, ...garden }), [600])
  t.strictSame(await timeoutOf({ ...listed([{ name: 'Session-Timeout', value: 60 }]), ...garden }), [60])
})

t.test('a CoA carries the speed in force', async (t) => {
  const record = new AccessRecord()
  const blocks = blocksOf(templateOf({ type: 'mikrotik' }))
  const inForce = (user: Item[], tariff: Item[]) => {
    record.fill(fieldsOf(1, { ...speed, ...listed(user, tariff) }))
    return Buffer.from(attributesInForce(blocks.block('coa', record.downKbit, record.upKbit, ''), record))
  }
  const rate = (value: string) => ({ name: 'Mikrotik-Rate-Limit', value })
  const filter = { name: 'Filter-Id', value: 'x' }
  t.strictSame(inForce([filter], []), encodeReplyAttribute('Mikrotik-Rate-Limit', '50M/100M'))
  t.strictSame(inForce([filter], [rate('9M/9M')]), encodeReplyAttribute('Mikrotik-Rate-Limit', '9M/9M'))
  t.strictSame(inForce([rate('1M/1M')], [rate('9M/9M'), filter]), encodeReplyAttribute('Mikrotik-Rate-Limit', '1M/1M'))
})

t.test('combinations that make no sense are refused', async (t) => {
  const faults: [Item[], RegExp][] = [
    [
      [
        { name: 'Framed-IP-Address', value: '10.0.0.1' },
        { name: 'framed-ip-address', value: '10.0.0.2' },
      ],
      /Framed-IP-Address stands once in an answer, and this list has two/,
    ],
    [[{ name: 'Framed-IP-Address', value: '10.0.0.1', op: '+=' }], /Framed-IP-Address stands once .* cannot be added/],
    [[{ name: 'Mikrotik-Rate-Limit', value: '1M/1M', op: '+=' }], /Mikrotik-Rate-Limit stands once/],
    [[{ name: 'Class', value: 'x', op: '=' }], /Class of an answer names its session and cannot be replaced/],
    [[{ name: 'State', value: 'x', op: '=' }], /State belongs to the protocol/],
    [[{ name: 'Class', value: 'x', op: ':=' }], /RADIUS attribute 1 is not .*"op": "=" or "\+="/],
  ]
  for (const [list, fault] of faults) t.match(encodeReplyAttributes(list), { fault })
  t.notOk('fault' in encodeReplyAttributes([{ name: 'Class', value: 'x', op: '+=' }]))
  logged.length = 0
  const old = replies.read('[{"name":"Idle-Timeout","value":1},{"name":"Idle-Timeout","value":2}]', null)
  t.equal(Buffer.from(old.userReply).toString('hex'), '1c0600000002', 'of a stored list the last one counts')
  t.match(logged.join(), /its list has it again/)
})

t.test('a Tunnel-Password is encrypted anew for each answer', async (t) => {
  const fixture = await RadiusFixture.start(t)
  const client = await fixture.client()
  const list = [
    { name: 'Tunnel-Password:2', value: 'open sesame' },
    { name: 'Alc-LI-FC', value: 7 },
    { name: 'Filter-Id', value: 'x' },
  ]
  fixture.login(1, { login: 'ivan', password: 'right', ...listed(list) })
  const salts = new Set<string>()
  for (let round = 0; round < 3; round++) {
    const request = client.access([
      ['User-Name', 'ivan'],
      ['User-Password', 'right'],
    ])
    const answer = await client.exchange(request)
    const clear = (value: Buffer) => revealKey(value, request.subarray(4, 20), secret)
    const [, tunnel = Buffer.alloc(0)] = answer.raw.find(([type]) => type === 69) ?? []
    t.equal(tunnel[0], 2, 'the tag')
    t.equal(clear(tunnel.subarray(1)).toString(), 'open sesame')
    const [filter = Buffer.alloc(0)] = vendorValues(answer, 6527, 124)
    t.strictSame(clear(filter), Buffer.of(0, 0, 0, 7))
    salts.add(tunnel.toString('hex', 1, 3)).add(filter.toString('hex', 0, 2))
    t.equal(answer.attributes['Filter-Id'], 'x')
  }
  t.equal(salts.size, 6, 'no two have the same salt')
})

import t from 'tap'
import { type AnswerTemplate, nasTypes } from '../../../src/domain/nas.ts'
import { nasId } from '../../../src/domain/ids.ts'
import { templateOf } from '../../../src/network/radius/templates.ts'
import { compileTemplate, isTemplatePart } from '../../../src/network/radius/wire/answer-template.ts'
import type { FaultCode } from '../../../src/network/radius/wire/attribute-fault.ts'
import { encodeReplyAttributes } from '../../../src/network/radius/wire/dictionary.ts'
import { placeNames } from '../../../src/network/radius/wire/template-line.ts'
import { blocksOf } from '../../../src/network/radius/worker/template-blocks.ts'
import { openAccess } from '../access/entries.ts'
import { nasEntry, RadiusFixture, vendorValues } from './fixture.ts'

const debtor = { ...openAccess, subscriberEnabled: false, loginEnabled: false, blockBits: 1 }

const own: AnswerTemplate = {
  accept: [
    { name: 'ERX-Service-Activate:1', value: 'inet({down_kbit},{up_kbit})' },
    { name: 'Huawei-Output-Peak-Rate', value: '{down_bit}' },
    { name: 'Reply-Message', value: 'welcome' },
  ],
  coa: [{ name: 'ERX-Service-Activate:1', value: 'inet({down_kbit},{up_kbit})' }],
  garden: [
    { name: 'Filter-Id', value: '{list}' },
    { name: 'Idle-Timeout', value: 60 },
  ],
}

t.test('a template of its own decides what a NAS is told, and a change is followed at once', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ type: 'juniper', template: own })] })
  const client = await fixture.client()
  fixture.login(1, { login: 'ivan', password: 'right', downKbit: 20_000, upKbit: 10_000 })
  const answer = await client.pap('ivan', 'right')
  t.equal(vendorValues(answer, 4874, 65)[0]?.toString('latin1'), '\x01inet(20000,10000)')
  t.equal(vendorValues(answer, 2011, 6)[0]?.readUInt32BE(), 20_000_000)
  t.equal(answer.attributes['Reply-Message'], 'welcome')
  fixture.login(1, { login: 'ivan', password: 'right' })
  const unlimited = await client.pap('ivan', 'right')
  t.equal(vendorValues(unlimited, 4874, 65).length, 0, 'no speed, no attribute of a speed')
  t.equal(unlimited.attributes['Reply-Message'], 'welcome')
  fixture.engine.setNas([nasEntry({ template: { ...own, accept: [{ name: 'Reply-Message', value: 'changed' }] } })])
  t.equal((await client.pap('ivan', 'right')).attributes['Reply-Message'], 'changed')
})

t.test('in the garden of accel-ppp the client is redirected, and keeps the speed', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ type: 'accel' })] })
  const client = await fixture.client()
  fixture.login(1, {
    login: 'ivan',
    password: 'right',
    walledGarden: true,
    downKbit: 50_000,
    upKbit: 20_000,
    access: debtor,
  })
  const { raw } = await client.pap('ivan', 'right')
  const values = (type: number) => raw.filter(([kind]) => kind === type).map(([, value]) => value)
  t.strictSame(values(11).map(String), ['50000/20000'])
  t.strictSame(values(243), [Buffer.of(0, 0, 0, 1)])
  t.strictSame(values(244).map(String), ['debtors'])
})

t.test('nothing of radius_reply opens the garden', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ template: own })] })
  const client = await fixture.client()
  const userReply = encodeReplyAttributes([
    { name: 'Filter-Id', value: 'free', op: '=' },
    { name: 'Idle-Timeout', value: 5 },
    { name: 'Callback-Id', value: 'kept' },
  ]) as Buffer
  const replaced = [11, 28, 20]
  const login = { login: 'ivan', password: 'right', walledGarden: true, userReply, replaced }
  fixture.login(1, { ...login, access: debtor })
  const garden = (await client.pap('ivan', 'right')).raw
  const values = (type: number) => garden.filter(([kind]) => kind === type).map(([, value]) => value.toString('latin1'))
  t.strictSame([values(11), values(28), values(20)], [['debtors'], ['\0\0\0\x3c'], ['kept']])
  fixture.login(1, login)
  t.equal((await client.pap('ivan', 'right')).attributes['Filter-Id'], 'free')
})

t.test('NAS of the same type differ by their templates', async (t) => {
  const nas = [
    nasEntry({ type: 'mikrotik' }),
    nasEntry({ id: nasId(2), ip: '127.0.0.2', type: 'mikrotik', template: own }),
  ]
  const fixture = await RadiusFixture.start(t, { nas })
  fixture.login(1, { login: 'ivan', password: 'right', downKbit: 1000, upKbit: 1000 })
  const first = await (await fixture.client()).pap('ivan', 'right')
  const second = await (await fixture.client('127.0.0.2')).pap('ivan', 'right')
  t.equal(vendorValues(first, 14988, 8)[0]?.toString(), '1M/1M')
  t.strictSame([vendorValues(second, 14988, 8).length, vendorValues(second, 4874, 65).length], [0, 1])
})

t.test('a wrong template is refused in a sentence and by a code', async (t) => {
  const faults: [AnswerTemplate['accept'], RegExp, FaultCode][] = [
    [[{ name: 'No-Such', value: 'x' }], /no RADIUS attribute "No-Such"/, 'unknown'],
    [[{ name: 'Filter-Id', value: '{speed}' }], /Filter-Id: \{speed\} is no place; there are \{down_kbit\}/, 'place'],
    [[{ name: 'Idle-Timeout', value: '{list}' }], /Idle-Timeout needs a whole number/, 'integer'],
    [[{ name: 'Framed-IP-Address', value: '10.0.0.1' }], /Framed-IP-Address is written by the program itself/, 'own'],
    [[{ name: 'State', value: 'x' }], /belongs to the protocol/, 'protocol'],
    [[{ name: 'Tunnel-Password', value: 'x' }], /is encrypted and has no place in a template/, 'encrypted'],
    [
      [
        { name: 'Idle-Timeout', value: 1 },
        { name: 'Idle-Timeout', value: 2 },
      ],
      /Idle-Timeout stands once in an answer, and this template has it twice/,
      'repeated',
    ],
  ]
  for (const [accept, fault, code] of faults)
    t.match(compileTemplate({ accept, coa: [], garden: [] }), { fault, code, about: { attribute: accept[0]!.name } })
  t.notOk('fault' in compileTemplate(own))
  t.notOk(isTemplatePart('x') || isTemplatePart([{ name: 'Filter-Id' }]) || isTemplatePart([null]))
  const both = { accept: [{ name: 'Idle-Timeout', value: 1 }], coa: [], garden: [{ name: 'Idle-Timeout', value: 2 }] }
  t.match(compileTemplate(both), { fault: /Idle-Timeout stands once/ })
})

t.test('what the places stand for', async (t) => {
  const values = [
    ['down_kbit', '20500'],
    ['up_kbit', '10000'],
    ['down_bit', '20500000'],
    ['up_bit', '10000000'],
    ['down_rate', '20500k'],
    ['up_rate', '10M'],
    ['down_burst', '3843750'],
    ['up_burst', '1875000'],
    ['down_burst_max', '7687500'],
    ['up_burst_max', '3750000'],
    ['burst', '3843750'],
    ['vlan', '120'],
    ['list', 'debtors'],
  ] as const
  t.strictSame(
    values.map(([name]) => name),
    placeNames,
  )
  for (const [name, value] of values) {
    const template = { accept: [{ name: 'Reply-Message', value: `<{${name}}>` }], coa: [], garden: [] }
    const { bytes } = blocksOf(templateOf({ type: 'generic', template })).block(
      'accept',
      20_500,
      10_000,
      'debtors',
      120,
    )
    t.equal(Buffer.from(bytes.subarray(2)).toString(), `<${value}>`, name)
  }
})

t.test('a speed beyond 32 bits is cut to what the attribute holds', async (t) => {
  const blocks = blocksOf(templateOf({ type: 'huawei' }))
  const { bytes } = blocks.block('accept', 0x7fff_ffff, 1000, '')
  t.equal(Buffer.from(bytes).toString('hex'), '1a0c000007db0206000f42401a0c000007db0506ffffffff')
})

t.test('every type has a template that fits the dictionary', async (t) => {
  for (const type of nasTypes) t.ok(templateOf({ type }).accept.length > 0)
})

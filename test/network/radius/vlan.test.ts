import t from 'tap'
import { subscriberId } from '../../../src/domain/ids.ts'
import { type AnswerTemplate, nasTypes } from '../../../src/domain/nas.ts'
import { AccessRecord } from '../../../src/network/access/record.ts'
import { speedChangeOf } from '../../../src/network/radius/speed-change.ts'
import { templateOf } from '../../../src/network/radius/templates.ts'
import { compileTemplate } from '../../../src/network/radius/wire/answer-template.ts'
import { attributeTexts } from '../../../src/network/radius/wire/attribute-text.ts'
import { encodeReplyAttributes } from '../../../src/network/radius/wire/dictionary.ts'
import { TemplateBlocks } from '../../../src/network/radius/worker/template-blocks.ts'
import { SharedDatabase } from '../../support/database.ts'
import { startCoaFixture } from '../../support/coa.ts'
import { packet } from '../../support/accounting.ts'
import { fieldsOf, openAccess } from '../access/entries.ts'
import { nasEntry, RadiusFixture } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const speed = { downKbit: 100_000, upKbit: 50_000 }
const lines = (bytes: Uint8Array) =>
  attributeTexts(Buffer.from(bytes), 0).map(({ name, value }) => `${name} = ${value}`)
const blocksOf = (template: Partial<AnswerTemplate>): TemplateBlocks => {
  const compiled = compileTemplate({ accept: [], coa: [], garden: [], ...template })
  if ('fault' in compiled) throw new Error(compiled.fault)
  return new TemplateBlocks(compiled)
}
const rfc3580 = (vlan: number) => [
  'Tunnel-Type = vlan',
  'Tunnel-Medium-Type = ieee-802',
  `Tunnel-Private-Group-Id = ${vlan}`,
]
const tunnel = (tag: string, id: string | number) => [
  { name: `Tunnel-Type${tag}`, value: 'VLAN' },
  { name: `Tunnel-Private-Group-Id${tag}`, value: id },
]

t.test('the VLAN of a login is sent as RFC 3580 says, and nothing of it to a login without one', async (t) => {
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ type: 'cisco' })] })
  const client = await fixture.client()
  const tunnels = async () =>
    (await client.pap('ivan', 'right')).raw
      .filter(([type]) => type === 64 || type === 65 || type === 81)
      .map(([type, value]) => [type, value.toString('hex')])
  const ivan = { login: 'ivan', password: 'right', ...speed }
  fixture.login(1, { ...ivan, vlan: 120 })
  t.strictSame(await tunnels(), [
    [64, '0000000d'],
    [65, '00000006'],
    [81, Buffer.from('120').toString('hex')],
  ])
  fixture.login(1, { ...ivan, vlan: 121 })
  t.strictSame((await tunnels())[2], [81, Buffer.from('121').toString('hex')], 'not what was remembered')
  fixture.login(1, ivan)
  t.strictSame(await tunnels(), [])
})

t.test('every type but accel says it at the sign-in, and none by CoA', async (t) => {
  for (const type of nasTypes) {
    const blocks = new TemplateBlocks(templateOf({ type }))
    const [without, withVlan] = [0, 120].map((vlan) => lines(blocks.block('accept', 100_000, 50_000, '', vlan).bytes))
    t.strictSame(withVlan, type === 'accel' ? without : [...without!, ...rfc3580(120)], type)
    t.notOk(without!.some((line) => line.startsWith('Tunnel')))
    t.equal(blocks.hasVlan('coa'), false, type)
  }
})

t.test('attributes of one tag are left out together, others stay', async (t) => {
  const blocks = blocksOf({
    accept: [
      ...tunnel(':1', '{vlan}'),
      ...tunnel(':2', 7),
      { name: 'Mikrotik-Wireless-VLANID', value: '{vlan}' },
      { name: 'Filter-Id', value: 'vlan{vlan}-{down_kbit}' },
      { name: 'Reply-Message', value: 'hi' },
    ],
  })
  const told = (vlan: number, down = 100_000) => lines(blocks.block('accept', down, down, '', vlan).bytes)
  t.strictSame(told(4094), [
    'Tunnel-Type:1 = vlan',
    'Tunnel-Private-Group-Id:1 = 4094',
    'Tunnel-Type:2 = vlan',
    'Tunnel-Private-Group-Id:2 = 7',
    'Mikrotik-Wireless-VLANID = 4094',
    'Filter-Id = vlan4094-100000',
    'Reply-Message = hi',
  ])
  const others = ['Tunnel-Type:2 = vlan', 'Tunnel-Private-Group-Id:2 = 7', 'Reply-Message = hi']
  t.strictSame(told(0), others)
  t.strictSame(
    told(5, 0).slice(0, 2),
    ['Tunnel-Type:1 = vlan', 'Tunnel-Private-Group-Id:1 = 5'],
    'an unlimited speed has a VLAN too',
  )
  t.notOk(told(5, 0).some((line) => line.startsWith('Filter-Id')))
})

t.test('debtors go into the VLAN of the garden, whatever the login, its tariff or their replies say', async (t) => {
  const template = {
    accept: [...tunnel('', '{vlan}'), ...tunnel(':1', '{vlan}')],
    coa: [],
    garden: tunnel('', 999),
  }
  const fixture = await RadiusFixture.start(t, { nas: [nasEntry({ template })] })
  const client = await fixture.client()
  const groups = async () => {
    const { raw } = await client.pap('ivan', 'right')
    return raw.filter(([type]) => type === 81).map(([, value]) => value.toString('latin1'))
  }
  const ivan = { login: 'ivan', password: 'right', vlan: 120, walledGarden: true }
  fixture.login(1, ivan)
  t.strictSame(await groups(), ['120', '\x01120'])
  const access = { ...openAccess, subscriberEnabled: false, loginEnabled: false, blockBits: 1 }
  fixture.login(1, { ...ivan, access })
  t.strictSame(await groups(), ['\x01120', '999'], 'only the tunnel that the garden describes is another one')
  const userReply = encodeReplyAttributes(tunnel('', '121').map((line) => ({ ...line, op: '+=' as const }))) as Buffer
  fixture.login(1, { ...ivan, userReply })
  t.ok((await groups()).includes('121'))
  fixture.login(1, { ...ivan, access, userReply })
  t.strictSame(await groups(), ['\x01120', '999'])
})

t.test('blocks of speeds that no double holds as one number are kept apart', async (t) => {
  const blocks = blocksOf({ accept: [{ name: 'Filter-Id', value: '{down_kbit}/{up_kbit}' }] })
  const told = (down: number, up: number) => lines(blocks.block('accept', down, up, '').bytes)[0]
  for (const up of [0x7000_0001, 0x7000_0002, 0x7000_0001]) {
    t.equal(told(0x7fff_ffff, up), `Filter-Id = ${0x7fff_ffff}/${up}`)
  }
})

t.test('how a live session follows another VLAN', async (t) => {
  const record = new AccessRecord()
  const speedLine = { name: 'Filter-Id', value: '{down_kbit}' }
  const vlanLines = tunnel('', '{vlan}')
  const silent = blocksOf({ accept: [speedLine], coa: [speedLine] })
  const bySignIn = blocksOf({ accept: [speedLine, ...vlanLines], coa: [speedLine] })
  const byCoa = blocksOf({ accept: [speedLine, ...vlanLines], coa: [speedLine, ...vlanLines] })
  const follow = (blocks: TemplateBlocks, how: 'ofTariff' | 'ofLogin' | undefined, fields: object) => {
    record.fill(fieldsOf(1, { ...speed, ...fields }))
    const change = speedChangeOf(blocks, record, '', how)
    return change instanceof Uint8Array ? lines(change) : change
  }
  const newSpeed = ['Filter-Id = 100000']
  const own = { vlan: 120, hasOwnVlan: true }
  t.equal(follow(silent, 'ofLogin', own), 'nothing', 'this NAS hears of no VLAN')
  t.strictSame(follow(silent, 'ofTariff', { vlan: 120 }), newSpeed)
  t.equal(follow(bySignIn, 'ofLogin', own), null, 'a new sign-in tells it')
  t.equal(follow(bySignIn, 'ofTariff', { vlan: 120 }), null)
  t.strictSame(follow(bySignIn, 'ofTariff', own), newSpeed, 'the VLAN of the login stays')
  t.strictSame(follow(bySignIn, undefined, { vlan: 120 }), newSpeed)
  t.strictSame(follow(byCoa, 'ofLogin', own), [...newSpeed, 'Tunnel-Type = vlan', 'Tunnel-Private-Group-Id = 120'])
  t.equal(follow(byCoa, 'ofTariff', {}), null, 'attributes cannot say that there is none any more')
})

t.test('a session is left alone, changed or disconnected', async (t) => {
  let told: Uint8Array | 'nothing' | null = 'nothing'
  const { accounting, allNas, disconnects } = await startCoaFixture(t, shared, [{ type: 'juniper' }], {
    speedAttributes: (_, login, vlan) => (login === 'ivan' && vlan === 'ofLogin' ? told : null),
  })
  await accounting.send(packet('start'))
  const effect = { kind: 'speed', subscriberId: subscriberId(1), logins: ['ivan'], vlan: 'ofLogin' } as const
  const codes = async (id: number) => {
    await disconnects.handlers.speed(effect, id)
    return allNas[0]!.seen.map(({ code }) => code)
  }
  t.same(await codes(1), [])
  told = Buffer.from([11, 3, 0x31])
  t.same(await codes(2), [43])
  told = null
  t.same(await codes(3), [43, 40])
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { MovedRecord } from '../../../src/billing/moving-in/records.ts'
import { sources } from '../../../src/billing/moving-in/sources.ts'
import { parseRubles } from '../../../src/domain/money.ts'
import { emptyFolder } from '../../app/processes.ts'

/** A folder with these files. */
function folderOf(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

async function read(source: string, from: string, mapping: string | null = null): Promise<MovedRecord[]> {
  const order = { from, encoding: 'utf-8', mapping, now: new Date('2026-11-28T12:00:00Z') } as const
  return [...(await sources[source]!.read(order))]
}

const of = (records: readonly MovedRecord[], kind: MovedRecord['kind']) =>
  records.filter((record) => record.kind === kind)

t.test('FreeRADIUS: users and clients.conf', async (t) => {
  const folder = folderOf(t, {
    'mods-config/files/authorize': `# people
ivan   Cleartext-Password := "sec\\"ret, #1", Simultaneous-Use := 2   # a comment
	Framed-IP-Address = 10.0.0.5,
	Mikrotik-Rate-Limit = "10M/20M",
	Fall-Through = No

"Petr P" NT-Password := 878D8014606CDA29677A44EFA1353FC7, Calling-Station-Id == "aabb.ccdd.eeff"
gone	Auth-Type := Reject
late    Cleartext-Password := 'x', Expiration := "31 Jan 2020"
AA-BB-CC-00-00-01 Auth-Type := Accept
ivan    Cleartext-Password := "other"
$INCLUDE more
DEFAULT Framed-Protocol == PPP
	Framed-Protocol = PPP
`,
    'mods-config/files/more':
      'anna Crypt-Password := "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1"\n\tReply-Message += "%{User-Name}"\n',
    'clients.conf': `
client localhost {
  ipaddr = 127.0.0.1   # loopback
  secret = "test # 123"
  limit {
    max_connections = 16
  }
}
client bras { ipv4addr = 10.1.0.0
  netmask = 24
  secret = two
  shortname = north
  nas_type = cisco
}
client 10.2.0.1 { secret = three }
home_server other {
  secret = never
}
$INCLUDE clients.d
`,
    'clients.d': 'client six {\n ipv6addr = 2001:db8::1\n secret = six\n}\n',
  })
  const records = await read('freeradius_files', folder)
  t.match(of(records, 'nas'), [
    { name: 'localhost', address: '127.0.0.1', secret: 'test # 123', type: 'mikrotik', place: 'clients.conf line 2' },
    { name: 'north', address: '10.1.0.0/24', secret: 'two', type: 'cisco' },
    { name: '10.2.0.1', address: '10.2.0.1', secret: 'three' },
    { name: 'six', address: '2001:db8::1', secret: 'six', place: 'clients.d line 1' },
  ])
  t.equal(of(records, 'nas').length, 4)
  const login = (name: string) =>
    of(records, 'subscriber')
      .flatMap((one) => ('logins' in one ? one.logins : []))
      .find((one) => one.login === name)
  t.match(login('ivan'), {
    password: { kind: 'readable', stored: 'sec"ret, #1' },
    ...{ ip: '10.0.0.5', simultaneousUse: 2, reply: [{ name: 'Mikrotik-Rate-Limit', value: '10M/20M', op: '=' }] },
  })
  t.match(login('Petr P'), { mac: 'aa:bb:cc:dd:ee:ff', password: { stored: '{NT}878d8014606cda29677a44efa1353fc7' } })
  t.match(login('anna'), { password: { stored: '{CRYPT}$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1' }, reply: [] })
  t.match(login('AA-BB-CC-00-00-01'), { mac: 'aa:bb:cc:00:00:01', password: { kind: 'unreadable' } })
  const blocked = of(records, 'subscriber').filter((one) => 'blocked' in one && one.blocked === 'operator')
  t.strictSame(
    blocked.map((one) => 'name' in one && one.name),
    ['gone', 'late'],
  )
  t.strictSame(
    of(records, 'remark').map((one) => one.place),
    [
      'mods-config/files/authorize line 7',
      'mods-config/files/authorize line 11',
      'more line 1',
      'mods-config/files/authorize line 13',
    ],
  )
  const wrong: [files: Readonly<Record<string, string>>, why: RegExp][] = [
    [{}, /has neither users nor mods-config\/files\/authorize nor clients\.conf/],
    [{ users: '\tReply = 1\n' }, /users line 1: a reply stands behind no user/],
    [{ users: 'ivan Cleartext-Password "x"\n' }, /users line 1: "Cleartext-Password "x"" is not understood/],
    [{ users: 'ivan A := 1 B := 2\n' }, /there is no comma/],
    [{ users: '$INCLUDE users\n' }, /includes itself/],
    [{ users: '$INCLUDE none\n' }, /none cannot be read/],
    [{ 'clients.conf': 'client a {\n' }, /a section is not closed/],
    [{ 'clients.conf': '}\n' }, /line 1: a brace closes/],
    [{ 'clients.conf': 'client a {\n secret\n}\n' }, /line 2: "secret" is not understood/],
  ]
  for (const [files, why] of wrong) await t.rejects(read('freeradius_files', folderOf(t, files)), why)
})

t.test('CSV by a mapping', async (t) => {
  const mapping = {
    columns: {
      ...{ contract_number: 'Договор', name: ['Фамилия', 'Имя'], balance: 'Долг', tariff: 'Тариф', blocked: 'Статус' },
      ...{ login: 'Login', password: 'Hash', ip: 'IP', promise: 'Обещано', promise_until: 'До' },
    },
    values: { blocked: { Активен: 'no', Отключён: 'operator' } },
    ...{ passwords: 'SHA-Password', debts: true, tariffs: { Дом: { price: '500.50', down_mbit: 100, up_mbit: 50 } } },
  }
  const sha = '5en6G6MezRroT3XKqkdPOmY/BfQ='
  const csv = (status: string) => `Договор;Фамилия;Имя;Долг;Тариф;Статус;Login;Hash;IP;Обещано;До
7;Иванов;Иван;-1 234,56;Дом;${status};ivan;${sha};10.0.0.7;;
7;;;;;;ivan-dacha;${sha};;;
8;ООО;;10.5;;Отключён;;;;100;2026-12-05
`
  const folder = folderOf(t, { 'a.csv': csv('Активен'), 'b.csv': csv('?'), 'map.json': JSON.stringify(mapping) })
  const records = await read('csv', join(folder, 'a.csv'), join(folder, 'map.json'))
  t.match(of(records, 'tariff'), [
    { name: 'Дом', price: parseRubles('500.50'), speed: { downKbit: 100_000, upKbit: 50_000 } },
  ])
  t.match(of(records, 'subscriber'), [
    {
      ...{ contractNumber: '7', name: 'Иванов Иван', balance: parseRubles('1234.56'), tariff: 'Дом', blocked: null },
      logins: [
        { login: 'ivan', ip: '10.0.0.7', place: 'a.csv line 2', password: { stored: `{SHA}${sha}` } },
        { login: 'ivan-dacha', place: 'a.csv line 3' },
      ],
    },
    {
      ...{ contractNumber: '8', balance: parseRubles('-10.5'), blocked: 'operator', logins: [] },
      promise: { amount: parseRubles('100'), until: new Date('2026-12-05') },
    },
  ])
  await t.rejects(
    read('csv', join(folder, 'b.csv'), join(folder, 'map.json')),
    /b\.csv line 2: blocked "\?" is not operator/,
  )
  await t.rejects(read('csv', join(folder, 'a.csv')), /needs --mapping/)
  const wrong: [mapping: unknown, why: RegExp][] = [
    [{ columns: { name: 'Имя' } }, /columns lacks contract_number/],
    [{ columns: { contract_number: 'Номер' } }, /has no column "Номер"/],
    [{ columns: { contract_number: 'Договор', colour: 'x' } }, /columns has "colour"/],
    [{ columns: { contract_number: 'Договор' }, values: { blocked: { x: 1 } } }, /values\.blocked gives each word/],
    [{ columns: { contract_number: 'Договор' }, tariffs: { x: { price: 5 } } }, /tariffs\["x"\] has a price/],
    [{ columns: { contract_number: 'Договор' }, debt: true }, /has "debt"/],
  ]
  for (const [one, why] of wrong) {
    writeFileSync(join(folder, 'wrong.json'), JSON.stringify(one))
    await t.rejects(read('csv', join(folder, 'a.csv'), join(folder, 'wrong.json')), why)
  }
})

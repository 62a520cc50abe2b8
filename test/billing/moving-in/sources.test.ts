import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import type { MovedRecord } from '../../../src/billing/moving-in/records.ts'
import { momentOf } from '../../../src/billing/moving-in/moments.ts'
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

const presentIn = (zone: string) => ({ now: new Date('2026-11-28T12:00:00Z'), zone })

async function read(source: string, from: string, mapping: string | null = null): Promise<MovedRecord[]> {
  const order = { from, encoding: 'utf-8', mapping, present: presentIn('UTC') } as const
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

t.test('files of an unusual size are read, or refused, in a time that grows with them', async (t) => {
  const many = Array.from({ length: 200_000 }, (_, n) => `u${n} Cleartext-Password := "x"\n`).join('')
  const folder = folderOf(t, { users: '$INCLUDE more\n', more: many })
  t.equal((await read('freeradius_files', folder)).length, 200_000)
  const spaces = ' '.repeat(100_000)
  const blank = folderOf(t, { 'clients.conf': `client${spaces}x${spaces}}{\n` })
  await t.rejects(read('freeradius_files', blank), /line 1: "client" is not understood/)
  const chain = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => [n === 0 ? 'users' : `f${n}`, `$INCLUDE f${n + 1}\n`.repeat(10)]),
  )
  const nested = folderOf(t, { ...chain, f10: '' })
  await t.rejects(read('freeradius_files', nested), /includes more than 10000 files/)
})

t.test('secrets in clients.conf are what FreeRADIUS takes them for', async (t) => {
  const given = [`d'Artagnan`, 'ab#cd', 'a{b}c', `"a{b}c # d"`, `'it\\'s'`, `ab"cd   # a comment`, `"x}"`]
  const text = given.map((secret, at) => `client c${at} {\n ipaddr = 10.0.0.${at}\n secret = ${secret}\n}\n`).join('')
  const files = { users: '\ufeffivan Cleartext-Password := "x"\n', 'clients.conf': `\ufeff${text}` }
  const records = await read('freeradius_files', folderOf(t, files))
  t.strictSame(
    of(records, 'nas').map((nas) => 'secret' in nas && nas.secret),
    [`d'Artagnan`, 'ab#cd', 'a{b}c', 'a{b}c # d', `it's`, 'ab"cd', 'x}'],
  )
  t.match(of(records, 'subscriber'), [{ contractNumber: 'ivan' }], 'a byte order mark is no name')
  const variable = { 'clients.conf': `client a {\n ipaddr = 10.0.0.1\n secret = \${common}\n}\n` }
  await t.rejects(read('freeradius_files', folderOf(t, variable)), /line 3: secret names another setting/)
})

t.test('a database that cannot be read is told apart from our own', async (t) => {
  await t.rejects(read('freeradius_sql', 'postgres://u:secret@127.0.0.1:1/x'), {
    message: /^The PostgreSQL to be moved in from cannot be read: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
  })
  await t.rejects(read('freeradius_sql', 'mysql://u@h/x'), /read from a dump, which may be piped in/)
  await t.rejects(read('freeradius_sql', '/nowhere/dump.sql'), /cannot be read: ENOENT/)
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
  const order = {
    from: join(folder, 'b.csv'),
    encoding: 'utf-8',
    mapping: join(folder, 'map.json'),
    present: presentIn('UTC'),
  } as const
  const broken = await sources.csv!.read(order)
  t.throws(() => broken[Symbol.iterator]().next(), 'not even a tariff is told of a file with a broken line')
  await t.rejects(read('csv', join(folder, 'a.csv')), /needs --mapping/)
  const wrong: [mapping: unknown, why: RegExp][] = [
    [{ columns: { name: 'Имя' } }, /columns lacks contract_number/],
    [{ columns: { contract_number: 'Номер' } }, /has no column "Номер"/],
    [{ columns: { contract_number: 'Договор', colour: 'x' } }, /columns has "colour"/],
    [{ columns: { contract_number: 'Договор' }, values: { blocked: { x: 1 } } }, /values\.blocked gives each word/],
    [{ columns: { contract_number: 'Договор' }, tariffs: { x: { price: 5 } } }, /tariffs\["x"\] has a price/],
    [{ columns: { contract_number: 'Договор' }, tariffs: { x: { down_mbit: -1 } } }, /as numbers above 0/],
    [{ columns: { contract_number: 'Договор' }, debt: true }, /has "debt"/],
  ]
  for (const [one, why] of wrong) {
    writeFileSync(join(folder, 'wrong.json'), JSON.stringify(one))
    await t.rejects(read('csv', join(folder, 'a.csv'), join(folder, 'wrong.json')), why)
  }
})

const abillsDump = `-- MySQL dump 10.19
CREATE TABLE \`users\` (\`id\` varchar(20), \`uid\` int(11), \`credit\` double(10,2), \`credit_date\` date, \`reduction\` double(6,2), \`password\` blob,
  \`disable\` tinyint(2), \`company_id\` int(11), \`bill_id\` int(11), \`deleted\` tinyint(1), \`expire\` date, PRIMARY KEY (\`uid\`));
INSERT INTO \`users\` VALUES ('ivan',1,0.00,'0000-00-00',0.00,0xDEADBEEF,0,0,11,0,'0000-00-00'),
 ('petr',2,100.00,'2026-12-05',10.00,_binary '\\\\0x',0,0,12,0,'0000-00-00'),('anna',3,50.50,'0000-00-00',0.00,'',1,0,13,0,'0000-00-00'),
 ('gone',4,0.00,'0000-00-00',0.00,'',0,0,14,1,'0000-00-00'),('desk1',5,0,'0000-00-00',0,'',0,7,0,0,'0000-00-00'),('desk2',6,0,'0000-00-00',0,'',0,7,0,0,'0000-00-00');
INSERT INTO \`bills\` (\`id\`,\`deposit\`,\`uid\`) VALUES (11,12.345678,1),(12,-99.990000,2),(13,0.000000,3),(14,5.000000,4),(20,1000.500000,0);
INSERT INTO \`companies\` (\`id\`,\`name\`,\`bill_id\`,\`credit\`,\`credit_date\`,\`disable\`,\`contract_id\`) VALUES (7,'Romashka',20,0.00,'0000-00-00',0,'C-7');
INSERT INTO \`users_pi\` (\`uid\`,\`fio\`,\`fio2\`,\`contract_id\`,\`location_id\`,\`address_flat\`,\`phone\`) VALUES (1,'Ivanov','Ivan','A-1',5,'12',''),(2,'Petrov','','',0,'','+7'),(3,'X','','A-9',0,'',''),(6,'Y','','A-9',0,'','');
INSERT INTO \`users_contacts\` (\`uid\`,\`type_id\`,\`value\`) VALUES (1,9,'ivan@example.org'),(1,2,'+7 916'),(1,2,'+7 917');
INSERT INTO \`builds\` (\`id\`,\`street_id\`,\`number\`) VALUES (5,6,'3a');
INSERT INTO \`streets\` (\`id\`,\`name\`,\`district_id\`) VALUES (6,'Lenina',8);
INSERT INTO \`districts\` (\`id\`,\`name\`) VALUES (8,'Tver');
INSERT INTO \`internet_main\` (\`id\`,\`uid\`,\`tp_id\`,\`logins\`,\`ip\`,\`cid\`,\`disable\`,\`login\`,\`vlan\`,\`speed\`,\`expire\`) VALUES
 (1,1,3,2,167772165,'aa:bb:cc:dd:ee:ff',0,'',100,0,'0000-00-00'),(2,1,3,0,0,'any',0,'',0,0,'0000-00-00'),(3,2,4,0,0,'',5,'petr-net',0,0,'0000-00-00'),
 (4,3,4,0,0,'',3,'',0,0,'0000-00-00'),(5,5,3,0,0,'',0,'',0,0,'0000-00-00'),(6,6,4,0,0,'',1,'',0,512,'0000-00-00');
INSERT INTO \`tarif_plans\` (\`tp_id\`,\`id\`,\`name\`,\`module\`,\`month_fee\`,\`day_fee\`,\`credit\`) VALUES (3,1,'Home','Internet',500.00,0,0),(4,2,'Home','Internet',0,15,0),(5,3,'Unused','Internet',1,0,0);
INSERT INTO \`intervals\` (\`id\`,\`tp_id\`) VALUES (30,3);
INSERT INTO \`trafic_tarifs\` (\`id\`,\`interval_id\`,\`in_speed\`,\`out_speed\`) VALUES (0,30,10240,5120),(1,30,1,1);
INSERT INTO \`nas\` (\`id\`,\`name\`,\`ip\`,\`disable\`) VALUES (1,'bras',0,0);
INSERT INTO \`tollgate_passwords\` (\`uid\`,\`service_id\`,\`password\`) VALUES (1,0,'secret'),(2,0,'of the user'),(2,3,'of the service');
`

t.test('ABillS', async (t) => {
  const folder = folderOf(t, { 'dump.sql': abillsDump })
  const records = await read('abills', join(folder, 'dump.sql'))
  t.match(of(records, 'tariff'), [
    { name: 'Home (3)', price: parseRubles('500'), speed: { downKbit: 10_240, upKbit: 5_120 } },
    { name: 'Home (4)', price: 0n, speed: null },
  ])
  t.equal(of(records, 'tariff').length, 2)
  t.match(of(records, 'subscriber'), [
    {
      ...{
        contractNumber: 'A-1',
        name: 'Ivanov Ivan',
        balance: 123_456_780_000n,
        limit: null,
        promise: null,
        tariff: 'Home (3)',
      },
      ...{ email: 'ivan@example.org', phone: '+7 916', address: 'Tver, Lenina, 3a, 12', blocked: null },
      logins: [
        {
          login: 'ivan',
          password: { stored: 'secret' },
          ip: '10.0.0.5',
          mac: 'aa:bb:cc:dd:ee:ff',
          simultaneousUse: 2,
          vlan: 100,
        },
      ],
    },
    {
      ...{
        contractNumber: '2',
        name: 'Petrov',
        balance: parseRubles('-99.99'),
        limit: null,
        promise: { amount: parseRubles('100') },
      },
      logins: [{ login: 'petr-net', password: { stored: 'of the service' }, disabled: false }],
    },
    {
      contractNumber: '3',
      limit: parseRubles('-50.5'),
      blocked: 'operator',
      logins: [{ login: 'anna', password: { kind: 'unreadable' } }],
    },
    {
      ...{ contractNumber: 'C-7', name: 'Romashka', company: true, balance: parseRubles('1000.5'), tariff: 'Home (3)' },
      logins: [
        { login: 'desk1', disabled: false },
        { login: 'desk2', disabled: true },
      ],
    },
  ])
  t.strictSame(
    of(records, 'remark').map((one) => `${one.place}: ${'text' in one ? one.text : ''}`),
    [
      'nas "bras": the secrets of NAS stand in clients.conf: move them in by freeradius_files',
      'tariff 4: is charged by the day; the tariff has its monthly fee alone',
      'uid 4: is deleted there and not moved in',
      'uid 1 "ivan": a further service without a login of its own is not carried over',
      'uid 2: the reduction of prices is not carried over',
      'company 7: has services of several tariffs; the subscriber gets the first of them',
      'uid 6 "desk2": a speed of its own is not carried over: give it a tariff',
    ],
  )
})

t.test('an amount that cannot be read is never taken for nothing', async (t) => {
  const abills = (deposit: string, credit: string, fee: string) => `CREATE TABLE bills (id int, deposit double);
INSERT INTO bills VALUES (1,${deposit});
CREATE TABLE users (uid int, id text, bill_id int, credit text);
INSERT INTO users VALUES (1,'ivan',1,'${credit}');
CREATE TABLE tarif_plans (tp_id int, name text, month_fee text);
INSERT INTO tarif_plans VALUES (5,'Home','${fee}');
CREATE TABLE internet_main (id int, uid int, tp_id int);
INSERT INTO internet_main VALUES (1,1,5);
`
  const dalo = (
    paid: string,
    billed: string,
  ) => `CREATE TABLE radcheck (id int, username text, attribute text, op text, value text);
INSERT INTO radcheck VALUES (1,'ivan','Cleartext-Password',':=','x');
CREATE TABLE userbillinfo (id int, username text);
INSERT INTO userbillinfo VALUES (1,'ivan');
CREATE TABLE invoice (id int, user_id int);
INSERT INTO invoice VALUES (1,1);
CREATE TABLE payment (id int, invoice_id int, amount text);
INSERT INTO payment VALUES (3,1,'${paid}');
CREATE TABLE invoice_items (id int, invoice_id int, amount text, tax_amount text);
INSERT INTO invoice_items VALUES (4,1,'${billed}',NULL);
`
  const folder = folderOf(t, {
    'double.sql': abills('-12.340000000000001', '1e2', '1.5e+02'),
    'small.sql': abills('-1.5e-05', '', '0'),
    'huge.sql': abills('1e999', '0', '0'),
    'credit.sql': abills('1', '1 000', '0'),
    'below.sql': abills('1', '0', '-100'),
    'paid.sql': dalo('1 500.00', '1'),
    'billed.sql': dalo('1', '$20'),
    'right.sql': dalo('1500,5', '20.25'),
  })
  const dump = async (name: string) => await read('abills', join(folder, name))
  t.match(of(await dump('double.sql'), 'subscriber'), [
    { balance: parseRubles('-12.34'), limit: parseRubles('-100'), tariff: 'Home' },
  ])
  t.match(of(await dump('double.sql'), 'tariff'), [{ price: parseRubles('150') }])
  t.match(of(await dump('small.sql'), 'subscriber'), [{ balance: -150_000n }])
  await t.rejects(dump('huge.sql'), { message: 'bill 1: "1e999" is no amount.' })
  await t.rejects(dump('credit.sql'), { message: 'uid 1: "1 000" is no amount.' })
  const below = await dump('below.sql')
  t.match(of(below, 'tariff'), [{ price: 0n }])
  t.match(of(below, 'remark'), [{ place: 'tariff 5', text: /the tariff costs nothing/ }])
  const radius = async (name: string) => await read('freeradius_sql', join(folder, name))
  t.match(of(await radius('right.sql'), 'subscriber'), [{ balance: parseRubles('1480.25') }])
  await t.rejects(radius('paid.sql'), { message: 'payment 3: "1 500.00" is no amount.' })
  await t.rejects(radius('billed.sql'), { message: 'invoice_items 4: "$20" is no amount.' })
})

t.test('a dump in another encoding is refused, and not taken with broken names', async (t) => {
  const sql = `CREATE TABLE radcheck (id int, username text, attribute text, op text, value text);
INSERT INTO radcheck VALUES (1,'ivan','Cleartext-Password',':=','x');
CREATE TABLE blobs (id int, photo blob);
INSERT INTO blobs VALUES (1,'PHOTO');
CREATE TABLE userinfo (id int, username text, firstname text);
INSERT INTO userinfo VALUES (1,'ivan','NAME');
`
  const bytes = (photo: number[], name: number[]) => {
    const [start, middle, end] = sql.split(/PHOTO|NAME/).map((text) => Buffer.from(text))
    return Buffer.concat([start!, Buffer.from(photo), middle!, Buffer.from(name), end!])
  }
  const folder = folderOf(t, {})
  const file = (name: string, content: Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const petr1251 = [0xcf, 0xe5, 0xf2, 0xf0]
  const broken = file('1251.sql', bytes([0x78], petr1251))
  await t.rejects(read('freeradius_sql', broken), /column firstname has a character that is not in the encoding/)
  const order = { from: broken, encoding: 'windows-1251', mapping: null, present: presentIn('UTC') } as const
  t.match(of([...(await sources.freeradius_sql!.read(order))], 'subscriber'), [{ name: 'Петр' }])
  const blob = file('blob.sql', bytes([0xff, 0xfe, 0x80], [...Buffer.from('Пётр')]))
  t.match(
    of(await read('freeradius_sql', blob), 'subscriber'),
    [{ name: 'Пётр' }],
    'a table that is not read may be so',
  )
  const powerShell = file('16.sql', Buffer.from(`\ufeff${sql}`, 'utf16le'))
  await t.rejects(read('freeradius_sql', powerShell), /16\.sql is in UTF-16/)
})

t.test('the User Manager of RouterOS, 7 and 6', async (t) => {
  const seven = `# 2026-11-28 12:00:00 by RouterOS 7.16
/user-manager limitation
add name=L10 rate-limit-rx=5M rate-limit-tx=10M transfer-limit=100G
/user-manager profile
add name=Home name-for-users=Home price=500 starts-when=assigned validity=4w2d
/user-manager user
add attributes="Framed-IP-Address:10.0.0.5,Mikrotik-Group:vip" comment="it\\'s \\"his\\"" name=ivan password="a b\\\\c" \\
    shared-users=2
add caller-id=AA:BB:CC:00:00:01 disabled=yes name=petr
/user-manager profile-limitation
add limitation=L10 profile=Home
/user-manager router
add address=10.1.1.1 name=hap shared-secret="x y"
/user-manager user-profile
add profile=Home user=ivan
/ip address
add address=10.0.0.1/24 interface=ether1
`
  const six = `/tool user-manager profile limitation
add name=L rate-limit-rx=2097152B rate-limit-tx=4194304B
/tool user-manager user
add first-name=Anna last-name=B password=x username=anna
/tool user-manager router
add ip-address=10.1.1.2 name=old shared-secret=s
`
  const folder = folderOf(t, {
    '7.rsc': seven,
    '6.rsc': six,
    'other.rsc': '/ip address\nadd address=10.0.0.1/24\n',
    'broken.rsc': '/user-manager user\nadd what\n',
  })
  const records = await read('user_manager', join(folder, '7.rsc'))
  t.match(of(records, 'nas'), [{ name: 'hap', address: '10.1.1.1', secret: 'x y', type: 'mikrotik' }])
  t.match(of(records, 'tariff'), [
    { name: 'Home', price: parseRubles('500'), speed: { downKbit: 10_000, upKbit: 5_000 }, reply: [] },
  ])
  t.match(of(records, 'subscriber'), [
    {
      ...{ contractNumber: 'ivan', tariff: 'Home', comment: `it's "his"`, blocked: null },
      logins: [
        {
          password: { stored: 'a b\\c' },
          ip: '10.0.0.5',
          simultaneousUse: 2,
          reply: [{ name: 'Mikrotik-Group', value: 'vip' }],
        },
      ],
    },
    {
      contractNumber: 'petr',
      blocked: 'operator',
      logins: [{ mac: 'aa:bb:cc:00:00:01', password: { kind: 'unreadable' } }],
    },
  ])
  t.match(of(records, 'remark'), [{ text: 'transfer-limit is not carried over' }])
  const older = await read('user_manager', join(folder, '6.rsc'))
  t.match(of(older, 'subscriber'), [
    { contractNumber: 'anna', name: 'Anna B', logins: [{ password: { stored: 'x' } }] },
  ])
  t.match(of(older, 'nas'), [{ address: '10.1.1.2', secret: 's' }])
  await t.rejects(read('user_manager', join(folder, 'other.rsc')), /nothing of a User Manager/)
  await t.rejects(read('user_manager', join(folder, 'broken.rsc')), /line 2: "what" is not understood/)
})

t.test('what RouterOS escapes is text in the encoding of whoever has typed it', async (t) => {
  const folder = folderOf(t, {
    'utf8.rsc':
      '\ufeff/user-manager user\nadd comment="\\D0\\9F\\D1\\91\\D1\\82\\D1\\80" name=\u0420\u0451\u0420 password="\\24x\\D1\\8F"\n',
    '1251.rsc': '/user-manager user\nadd comment="\\CF\\E5\\F2\\F0" name=petr password=x\n',
    'cut.rsc': '/user-manager user\nadd name=petr password=x\nadd name=anna \\',
  })
  t.match(of(await read('user_manager', join(folder, 'utf8.rsc')), 'subscriber'), [
    { contractNumber: 'РёР', comment: 'Пётр', logins: [{ password: { stored: '$xя' } }] },
  ])
  const from = join(folder, '1251.rsc')
  await t.rejects(read('user_manager', from), { message: 'line 2 is not utf-8; name its encoding with --encoding.' })
  const order = { from, encoding: 'windows-1251', mapping: null, present: presentIn('UTC') } as const
  t.match(of([...(await sources.user_manager!.read(order))], 'subscriber'), [{ comment: 'Петр' }])
  await t.rejects(read('user_manager', join(folder, 'cut.rsc')), /cut\.rsc is cut off/)
})

t.test('customers and their services in two CSV files', async (t) => {
  const mapping = {
    columns: {
      ...{
        contract_number: 'ID',
        name: 'Full name',
        balance: 'Account balance',
        blocked: 'Status',
        tariff: 'service: Plan',
      },
      ...{ login: 'service: Login', password: 'service: Password', ip: 'service: IPv4' },
    },
    values: { blocked: { Active: 'no', Blocked: 'operator' } },
    with: { file: 'services.csv', name: 'service', column: 'Customer ID', is: 'ID' },
  }
  const folder = folderOf(t, {
    'customers.csv': 'ID,Full name,Account balance,Status\n1,Ivan,10.50,Active\n2,Petr,-3,Blocked\n',
    'services.csv': 'ID,Customer ID,Plan,Login,Password,IPv4\n7,1,Home,ivan,s1,10.0.0.1\n8,1,Home,ivan2,s2,\n',
    'map.json': JSON.stringify(mapping),
    'wrong.json': JSON.stringify({ ...mapping, with: { ...mapping.with, column: 'Client' } }),
  })
  const records = await read('csv', join(folder, 'customers.csv'), join(folder, 'map.json'))
  t.match(of(records, 'subscriber'), [
    {
      contractNumber: '1',
      balance: parseRubles('10.5'),
      tariff: 'Home',
      logins: [
        { login: 'ivan', ip: '10.0.0.1' },
        { login: 'ivan2', ip: null },
      ],
    },
    { contractNumber: '2', blocked: 'operator', tariff: null, logins: [] },
  ])
  await t.rejects(
    read('csv', join(folder, 'customers.csv'), join(folder, 'wrong.json')),
    /services\.csv has no column "Client"/,
  )
})

t.test('FreeRADIUS on MySQL: names that differ in case alone', async (t) => {
  const tables = `CREATE TABLE \`radcheck\` (
  \`username\` varchar(64),
  \`attribute\` varchar(64),
  \`op\` char(2),
  \`value\` varchar(253)
);
INSERT INTO \`radcheck\` VALUES ('ivan','Cleartext-Password',':=','one'),('petr','Cleartext-Password',':=','two'),('Petr','Cleartext-Password',':=','three');
CREATE TABLE \`radusergroup\` (
  \`username\` varchar(64),
  \`groupname\` varchar(64)
);
INSERT INTO \`radusergroup\` VALUES ('IVAN','GOLD'),('Petr','gold'),('pETR','gold');
CREATE TABLE \`radgroupreply\` (
  \`groupname\` varchar(64),
  \`attribute\` varchar(64),
  \`op\` char(2),
  \`value\` varchar(253)
);
INSERT INTO \`radgroupreply\` VALUES ('gold','Idle-Timeout','=','300');
`
  const folder = folderOf(t, {
    'mysql.sql': tables,
    'postgresql.sql': `-- PostgreSQL database dump\n${postgresOf(tables)}`,
  })
  const records = await read('freeradius_sql', join(folder, 'mysql.sql'))
  t.match(of(records, 'tariff'), [{ name: 'gold', reply: [{ name: 'Idle-Timeout', value: '300' }] }])
  const subscribers = of(records, 'subscriber').map(
    (one) => one.kind === 'subscriber' && [one.contractNumber, one.tariff],
  )
  t.same(subscribers, [
    ['ivan', 'gold'],
    ['petr', null],
    ['Petr', 'gold'],
    ['pETR', 'gold'],
  ])
  const remarks = of(records, 'remark').map(({ place }) => place)
  t.equal(remarks.filter((place) => place === 'user "Petr"').length, 1)
  const there = of(await read('freeradius_sql', join(folder, 'postgresql.sql')), 'subscriber')
  t.equal(there.length, 5, 'to PostgreSQL they are five users')
})

/** The same as pg_dump --inserts writes it. */
const postgresOf = (tables: string): string => tables.replaceAll('`', '')

t.test('times are those of the clock of the provider', async (t) => {
  const users = `ivan Cleartext-Password := "one", Expiration := "28 Nov 2026 16:00:00"\n`
  const folder = folderOf(t, { users, 'clients.conf': '', 'clients.csv': 'number;sum;until\n1;5;2026-12-10\n' })
  const columns = { contract_number: 'number', promise: 'sum', promise_until: 'until' }
  writeFileSync(join(folder, 'mapping.json'), JSON.stringify({ columns }))
  const told = async (zone: string) => {
    const order = { encoding: 'utf-8', present: presentIn(zone) } as const
    const files = await sources.freeradius_files!.read({ ...order, from: folder, mapping: null })
    const mapping = join(folder, 'mapping.json')
    const csv = await sources.csv!.read({ ...order, from: join(folder, 'clients.csv'), mapping })
    const subscribers = [...files, ...csv].filter((one) => one.kind === 'subscriber')
    return [subscribers[0]!.blocked, subscribers[1]!.promise?.until.toISOString()]
  }
  t.same(await told('UTC'), [null, '2026-12-10T00:00:00.000Z'])
  t.same(await told('Asia/Yekaterinburg'), ['operator', '2026-12-09T19:00:00.000Z'])
})

t.test('a time without a zone is read alike on machines in all zones', async (t) => {
  const { TZ } = process.env
  t.teardown(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  for (const machine of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    process.env.TZ = machine
    const told = (text: string, zone: string) => momentOf(text, zone)?.toISOString()
    t.equal(told('2026-07-01', 'Europe/Berlin'), '2026-06-30T22:00:00.000Z')
    t.equal(told('2026-12-01T23:59:59', 'Europe/Berlin'), '2026-12-01T22:59:59.000Z')
    t.equal(told('31 Jan 2027', 'Asia/Yekaterinburg'), '2027-01-30T19:00:00.000Z')
    t.equal(told('2026-03-29 03:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z', 'the clocks went forward')
    t.equal(told('2026-10-25 02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z', 'the first of the two')
    for (const zoned of ['2026-12-01T10:00:00Z', '2026-12-01 12:00:00+02:00', 'Tue, 01 Dec 2026 10:00:00 GMT'])
      t.equal(told(zoned, 'Asia/Yekaterinburg'), '2026-12-01T10:00:00.000Z')
    t.equal(told('soon', 'UTC'), undefined)
  }
})

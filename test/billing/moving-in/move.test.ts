import pg from 'pg'
import t from 'tap'
import { withPromises } from '../../../src/app/moved-promises.ts'
import { lineInOneChunk } from '../../../src/billing/importing/chunks.ts'
import type { Findings } from '../../../src/billing/moving-in/findings.ts'
import { moveIn } from '../../../src/billing/moving-in/move.ts'
import { type MovedRecord, plainLogin, plainSubscriber } from '../../../src/billing/moving-in/records.ts'
import { reportLines, reportRows } from '../../../src/billing/moving-in/report.ts'
import { type Money, parseRubles } from '../../../src/domain/money.ts'
import { encodeReplyAttributes } from '../../../src/network/radius/wire/dictionary.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import { violations } from '../../support/invariants.ts'

const secrets = new Secrets(Buffer.alloc(32, 7))
const silent = { begin() {}, at() {}, end() {} }
const rubles = (text: string) => parseRubles(text)!
const clear = (stored: string) => ({ kind: 'readable', stored }) as const

/** A run of its own, as the command makes one. */
async function move(url: string, records: readonly MovedRecord[], apply = true): Promise<Findings> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await withPromises(url, silentLog, (givePromise) =>
      moveIn({
        ...{ client, url, secrets, records, apply, progress: silent, now: new Date(), chargedFrom: null, sessions: 3 },
        givePromise,
        replyFault: (lines) => {
          const encoded = encodeReplyAttributes(lines)
          return 'fault' in encoded ? encoded.fault : null
        },
      }),
    )
  } finally {
    await client.end()
  }
}

const subscriber = (number: string, ...logins: readonly string[]) => ({
  ...plainSubscriber(`row ${number}`, number, `Name ${number}`),
  logins: logins.map((login) => plainLogin(`login ${login}`, login, clear('secret'))),
})

const tariff = {
  kind: 'tariff',
  place: 'plan Home',
  name: 'Home',
  price: rubles('500.50'),
  speed: { downKbit: 100_000, upKbit: 50_500 },
} as const
const nas = {
  kind: 'nas',
  place: 'nas 1',
  name: 'bras',
  address: '10.0.0.1',
  identifier: null,
  secret: 's',
  type: 'mikrotik',
  comment: null,
} as const

const until = new Date(Date.now() + 5 * 86_400_000)
const first = subscriber('1', 'ivan', 'ivan-dacha')
const records: readonly MovedRecord[] = [
  {
    ...tariff,
    reply: [
      { name: 'Idle-Timeout', value: '300', op: '=' },
      { name: 'No-Such', value: '1' },
      { name: 'Session-Timeout', value: '60', op: '+=' },
    ],
  },
  nas,
  { ...nas, place: 'nas 2', name: 'net', address: '10.1.2.3/24', identifier: 'x' },
  { ...nas, place: 'nas 3', address: 'bras.example.org' },
  { ...nas, place: 'nas 4', address: '10.0.0.9', secret: '' },
  {
    ...first,
    ...{
      tariff: 'Home',
      balance: rubles('100.01'),
      email: 'nobody',
      address: 'Lenina\n1',
      comment: 'x\ty',
      company: true,
    },
    logins: [
      {
        ...first.logins[0]!,
        ip: '10.9.0.1',
        mac: 'AABB.CCDD.EEFF',
        simultaneousUse: 2,
        reply: [{ name: 'Reply-Message', value: 'hi', op: '+=' }],
      },
      {
        ...first.logins[1]!,
        disabled: true,
        ipv6Prefix: '2001:db8::5/64',
        ip: 'what',
        password: { kind: 'unreadable', why: 'is lost' },
      },
    ],
  },
  { ...subscriber('2', 'petr'), balance: rubles('-0.02'), limit: rubles('-10') },
  { ...subscriber('3', 'anna'), balance: rubles('-20'), blocked: 'client' },
  { ...subscriber('9', 'credit'), balance: rubles('-50'), promise: { amount: rubles('80.5'), until } },
  { ...subscriber('4'), blocked: 'operator', balance: (rubles('0.01') / 2n) as Money },
  // Left out, with their money.
  { ...subscriber('5', 'with space'), balance: rubles('7') },
  { ...subscriber('6', 'good', 'ivan'), balance: rubles('5') },
  { ...subscriber('7', 'lost'), tariff: 'None', balance: rubles('3') },
  { ...subscriber('3', 'again'), balance: rubles('2') },
]

t.test('everything is in one column, and the balances are those of the accounts', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 1)
  const dry = await move(url, records, false)
  t.equal((await pool.query('SELECT FROM abonents')).rowCount, 0)
  const findings = await move(url, records)
  for (const one of [dry, findings]) {
    t.ok(one.addsUp)
    t.notOk(one.isWhole)
    t.match(one, {
      ...{
        tariffs: { there: 1, made: 1 },
        nas: { there: 4, made: 2, left: 2 },
        logins: { there: 10, made: 5, left: 5 },
      },
      subscribers: { there: 9, made: 5, same: 0, differing: 0, left: 4 },
      promises: { there: 1, made: 1, left: 0 },
      balances: { there: rubles('47'), made: rubles('30'), left: rubles('17') },
    })
  }
  t.strictSame(findings.opened, { count: 5, sum: rubles('30') })
  t.strictSame(await violations(pool, 'settled'), [])
  const left = findings.notes.filter(({ kind }) => kind === 'left').map(({ place, text }) => `${place}: ${text}`)
  t.match(left, [
    'nas 3: "bras.example.org" is neither an address nor a network; a NAS is known by its address here',
    'nas 4: has no secret',
    'login with space: login "with space" is not a login (without spaces, at most 253 bytes)',
    'login good: another login of the same subscriber cannot be moved in',
    'login ivan: login "ivan" stands in login ivan already',
    'login lost: tarif "None" is unknown',
    'login again: contract_number "3" stands in login anna already',
  ])
  const { rows } =
    await pool.query(`SELECT contract_number, abonents.enabled, company, address, comment, email, tarif_id, login, users.enabled AS on,
      disabled_by_hand, host(ip) AS ip, mac::text, ipv6_prefix::text AS v6, simultaneous_use AS sessions, radius_reply, b_negbal, b_admin, b_own
    FROM abonents LEFT JOIN users ON abonent_id = abonents.id LEFT JOIN abonents_block AS block ON block.abonent_id = abonents.id
    ORDER BY contract_number, login`)
  t.match(rows, [
    {
      ...{
        contract_number: '1',
        enabled: true,
        company: true,
        address: 'Lenina 1',
        comment: 'x y',
        email: null,
        login: 'ivan',
        on: true,
      },
      ...{
        ip: '10.9.0.1',
        mac: 'aa:bb:cc:dd:ee:ff',
        sessions: 2,
        radius_reply: [{ name: 'Reply-Message', value: 'hi', op: '+=' }],
      },
    },
    {
      contract_number: '1',
      login: 'ivan-dacha',
      on: false,
      disabled_by_hand: true,
      ip: null,
      v6: '2001:db8::/64',
      sessions: 3,
    },
    { contract_number: '2', enabled: true, on: true, b_negbal: null },
    {
      contract_number: '3',
      enabled: false,
      on: false,
      disabled_by_hand: false,
      b_negbal: true,
      b_admin: false,
      b_own: true,
    },
    { contract_number: '4', enabled: false, login: null, b_negbal: false, b_admin: true },
    { contract_number: '9', enabled: true, login: 'credit', on: true, b_negbal: null },
  ])
  const promised = await pool.query(`SELECT ostatok::text, promise_pay::text, promise_date_end,
      (SELECT count(*)::int4 FROM outbox WHERE kind = 'notify') AS told
    FROM abonents JOIN admin_accounts ON admin_accounts.id = account_id WHERE contract_number = '9'`)
  t.strictSame(promised.rows, [
    { ostatok: '305000000000', promise_pay: '805000000000', promise_date_end: until, told: 0 },
  ])
  const made = await pool.query(`SELECT price::text, speed_mbit::text, upload_mbit::text, radius_reply,
      (SELECT network::text FROM nas WHERE identifier = 'x') AS net, (SELECT count(*)::int4 FROM audit_operations WHERE user_name = 'import_from') AS audits
    FROM tarifs`)
  t.match(made.rows, [
    {
      ...{ price: '5005000000000', speed_mbit: '100.000', upload_mbit: '50.500', net: '10.1.2.0/24' },
      radius_reply: [
        { name: 'Idle-Timeout', value: '300' },
        { name: 'Session-Timeout', value: '60', op: '=' },
      ],
    },
  ])
  t.ok(made.rows[0].audits > 10, 'all of it is in the audit')

  // What is here stays, and what the source says otherwise by now is told.
  const later = records.map((record) => {
    if (record.kind === 'tariff') return { ...record, price: rubles('600') }
    if (record.kind === 'nas') return { ...record, secret: 'other' }
    return record.kind === 'subscriber' && record.contractNumber === '2'
      ? { ...record, balance: rubles('9.50'), name: 'New' }
      : record
  })
  const again = await move(url, later)
  t.ok(again.addsUp)
  t.match(again, {
    ...{ tariffs: { differing: 1, made: 0 }, nas: { made: 1, differing: 2, left: 1 } },
    subscribers: { made: 0, same: 4, differing: 1, left: 4 },
    promises: { there: 1, same: 1, made: 0 },
    balances: { there: rubles('56.52'), same: rubles('30.02'), differing: rubles('9.50') },
  })
  const told = again.notes.filter(({ kind }) => kind === 'differing').map(({ text }) => text)
  t.strictSame(told, [
    'tariff "Home" is here and stays as it is; price (500.50 here, 600.00 there) would differ',
    'NAS "bras" is here and stays as it is; secret would differ',
    'NAS "net" is here and stays as it is; secret would differ',
    'contract_number "2" is here and stays as it is; name, balance (-0.02 here at the beginning, 9.50 there) would differ',
  ])
  t.match([...reportLines(findings, true)].join('\n'), /balances, rubles +47\.00 +30\.00 +0\.00 +0\.00 +17\.00\n/)
  t.match([...reportRows(findings.notes)].join(''), 'left,login ivan,"login ""ivan"" stands in login ivan already"\r\n')
})

t.test('a number of sessions or a VLAN that none may have here is left out, and nobody with it', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 1)
  const given = [-3, 0, 99_999_999_999, 1.5, 7].map((number, at) => {
    const one = subscriber(`${at}`, `login${at}`)
    return { ...one, logins: [{ ...one.logins[0]!, simultaneousUse: number, vlan: number === 7 ? 7 : 1.5 }] }
  })
  const findings = await move(url, given)
  t.match(findings, { logins: { there: 5, made: 5, left: 0 } })
  const { rows } = await pool.query('SELECT simultaneous_use AS sessions, vlan FROM users ORDER BY login')
  t.strictSame(rows, [...Array(4).fill({ sessions: 3, vlan: null }), { sessions: 7, vlan: 7 }])
  t.equal(findings.notes.filter(({ text }) => text.startsWith('the number of sessions')).length, 4)
})

t.test('lines of one subscriber are in one chunk of an import', async (t) => {
  t.strictSame(
    [
      [1, 1],
      [5000, 1],
      [5000, 2],
      [4999, 2],
      [4990, 12],
      [5001, 5000],
    ].map(([next, count]) => lineInOneChunk(next!, count!)),
    [...[1, 5000, 5001, 4999, 5001, 5001]],
  )
})

t.test('what no table can hold is remarked on or made fit, and the rest is moved in', async (t) => {
  const url = await testDatabaseUrl(t)
  const pool = testPool(t, url, 1)
  const login = plainLogin('login ivan', 'ivan', clear('secret'))
  const findings = await move(url, [
    { ...tariff, speed: { downKbit: 10_000_000_001, upKbit: 1_000 }, reply: [{ name: 'Filter-Id', value: 'a\0b' }] },
    { ...tariff, place: 'plan Slow', name: 'Sl\0ow', speed: { downKbit: 0.1, upKbit: 0.1 }, reply: [] },
    { ...nas, name: 'br\0as', comment: 'x\0y' },
    { ...subscriber('1'), tariff: 'Home', logins: [{ ...login, reply: [{ name: 'Reply-Message', value: '\0' }] }] },
  ])
  t.same(
    findings.notes.filter(({ kind }) => kind === 'remark').map(({ place, text }) => `${place}: ${text}`),
    [
      'plan Home: the speed is not from 1 kbit/s to 1000000 Mbit/s and is left out',
      'plan Home: Filter-Id is not carried over. It has a character of the code 0.',
      'plan Slow: the speed is not from 1 kbit/s to 1000000 Mbit/s and is left out',
      'login ivan: Reply-Message is not carried over. It has a character of the code 0.',
    ],
  )
  const made = async (sql: string) => (await pool.query(sql)).rows
  t.same(await made('SELECT name, speed_mbit, radius_reply AS reply FROM tarifs ORDER BY id'), [
    { name: 'Home', speed_mbit: null, reply: [] },
    { name: 'Sl ow', speed_mbit: null, reply: [] },
  ])
  t.same(await made('SELECT name, comment FROM nas'), [{ name: 'br as', comment: 'x y' }])
  t.match(await made('SELECT login, radius_reply FROM users'), [{ login: 'ivan' }])
})

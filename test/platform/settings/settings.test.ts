import t, { type Test } from 'tap'
import type { Money } from '../../../src/domain/money.ts'
import { createLog } from '../../../src/platform/log.ts'
import { entryOf, settingNames } from '../../../src/platform/settings/catalog.ts'
import { loadSettings, type Settings } from '../../../src/platform/settings/settings.ts'
import type { Database } from '../../../src/platform/storage/database.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { SharedDatabase } from '../../support/database.ts'
import { localDestinations } from '../../support/local-http.ts'

const shared = await SharedDatabase.open(t)

const secrets = new Secrets(Buffer.alloc(32, 1))

async function load(t: Test, database: Database, first: Record<string, string> = {}) {
  const lines: string[] = []
  const log = createLog({ write: (line) => lines.push(line), pretty: false })
  const settings = await loadSettings({ database, secrets, log, destinations: localDestinations }, first)
  t.teardown(() => settings.stop())
  return { settings, lines }
}

const changed = (settings: Settings): Promise<string[]> =>
  new Promise((resolve) => {
    const end = settings.onChange((names) => {
      end()
      resolve([...names])
    })
  })

t.test('every setting is a row with its default from the first start', async (t) => {
  const database = await shared.anew()
  const { rows } = await database.pool.query('SELECT name, value FROM system_settings')
  const expected = settingNames.map((name) => [name, entryOf(name).kind.text(entryOf(name).default)])
  t.same(Object.fromEntries(rows.map(({ name, value }) => [name, value])), Object.fromEntries(expected))
})

t.test('values have the type of their setting', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  const interval: number = settings.get('RADIUS_INTERIM_INTERVAL')
  const mode: 'reject' | 'replace' = settings.get('RADIUS_SIMULTANEOUS')
  const readOnly: boolean = settings.get('READ_ONLY_MODE')
  const fee: Money = settings.get('PROMISE_PAY_OPERATOR_FEE')
  t.same([interval, mode, readOnly, fee], [300, 'reject', false, 900_000_000_000n])
  t.equal(settings.get('LK_PAYMENT_COMMISSION'), '0.045')
})

t.test('the list names value, default and type, and masks secrets', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  await settings.set({ LK_GWA_SECRET_KEY: 'live_abc', LK_PROMISE_PAY_DAILY_CHARGE: false, LK_PAYMENT_COMMISSION: 0.05 })
  const shown = Object.fromEntries(settings.list().map((setting) => [setting.name, setting]))
  t.match(shown.LK_PROMISE_PAY_DAILY_CHARGE, { value: false, default: true, type: 'boolean', secret: false })
  t.match(shown.PROMISE_PAY_OPERATOR_FEE, { value: 90, default: 90, type: 'decimal' })
  t.match(shown.LK_PAYMENT_COMMISSION, { value: 0.05, default: 0.045, type: 'decimal' })
  t.match(shown.LK_GWA_SECRET_KEY, { value: '***', default: '', secret: true })
  t.match(shown.LK_GWB_SECRET_KEY, { value: '', secret: true })
  t.match(shown.TARIFF_CHARGE_MODE, { choices: ['monthly', 'daily'] })
  t.equal(settings.list().length, settingNames.length)
})

t.test('a change takes effect at once and listeners are called', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  const heard = changed(settings)
  t.same(await settings.set({ RADIUS_INTERIM_INTERVAL: '60', READ_ONLY_MODE: 1, TIME_ZONE: 'Europe/Moscow' }), {
    changed: ['RADIUS_INTERIM_INTERVAL', 'READ_ONLY_MODE'],
  })
  t.same([settings.get('RADIUS_INTERIM_INTERVAL'), settings.get('READ_ONLY_MODE')], [60, true])
  t.same((await heard).sort(), ['RADIUS_INTERIM_INTERVAL', 'READ_ONLY_MODE'])
})

t.test('one wrong value and nothing is changed', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  const outcome = await settings.set({
    RADIUS_INTERIM_INTERVAL: 60,
    LK_GWA_VAT_CODE: 13,
    TIME_ZONE: 'Europe/Nowhere',
    NO_SUCH: 1,
  })
  t.match(outcome, {
    errors: {
      LK_GWA_VAT_CODE: 'It must be a whole number from 1 to 12.',
      TIME_ZONE: /name of a time zone/,
      NO_SUCH: 'There is no such setting.',
    },
  })
  t.equal(settings.get('RADIUS_INTERIM_INTERVAL'), 300)
})

const spellings: [string, unknown[], unknown[]][] = [
  ['READ_ONLY_MODE', [true, false, 1, 0, '1', '0', 'true', 'FALSE'], ['yes', 2, null, '', [], {}]],
  ['RADIUS_INTERIM_INTERVAL', [5, '5', 86_400], [4, 5.5, '5s', '', null, true, [5], 86_401, 1e300]],
  ['PROMISE_PAY_OPERATOR_FEE', [0, '0', 90.5, '90.50'], [-1, '90.555', 'ninety', null]],
  ['LK_PAYMENT_COMMISSION', [0, '0.045', 1], [-0.1, 1.01, '4.5%', null]],
  ['TARIFF_CHARGE_MODE', ['monthly', 'daily'], ['weekly', '', null]],
  ['TIME_ZONE', ['UTC', 'Asia/Yekaterinburg'], ['+03:00', 'Moscow time', '', null]],
  [
    'SYSTEM_API_ALLOW',
    ['', '10.0.0.1', '10.0.0.0/8, ::1/128'],
    ['10.0.0.0/33', 'localhost', '10.0.0.0/8/8', 'fe80::1%eth0'],
  ],
  [
    'LK_GWA_API_URL',
    ['', 'https://api.example', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080'],
    ['http://api.example', 'http://10.0.0.5', 'http://[fd00::1]', 'ftp://127.0.0.1', 'api'],
  ],
  ['LK_MOBILE_SCHEMES', ['', 'myisp', 'myisp, other+x'], ['My Isp', 'myisp://', 'a,,b']],
  ['LK_GWB_CURRENCY', ['643', 643], ['RUB', '64']],
  ['LK_GWA_SHOP_ID', ['', 'shop', 12_345], ['a\nb', 'x'.repeat(1001), null, {}]],
]

t.test('what a person, a form or a program writes is understood, and nothing else', async (t) => {
  for (const [name, good, bad] of spellings) {
    const { kind } = entryOf(name as 'TIME_ZONE')
    for (const input of good) {
      const value = kind.read(input)
      t.not(value, null, `${name}: ${JSON.stringify(input)} is good`)
      t.same(kind.read(kind.text(value)), value, `${name}: ${JSON.stringify(input)} survives the table`)
    }
    for (const input of bad) t.equal(kind.read(input), null, `${name}: ${JSON.stringify(input)} is refused`)
  }
})

t.test('secrets are sealed in the table, and a mask sent back keeps them', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  await settings.set({ SYSTEM_API_PASSWORD: 'open sesame, please' })
  await settings.set({ SYSTEM_API_PASSWORD: '***', TARIFF_CHANGE: 'next_period' })
  t.equal(settings.get('SYSTEM_API_PASSWORD'), 'open sesame, please')
  const { rows } = await database.pool.query(`SELECT value FROM system_settings WHERE name = 'SYSTEM_API_PASSWORD'`)
  t.match(rows[0].value, /^sealed2:/)
  await settings.set({ SYSTEM_API_PASSWORD: '' })
  t.equal(settings.get('SYSTEM_API_PASSWORD'), '')
})

t.test('the password of the System API has six characters; one from before is used until it is changed', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  for (const short of ['x', 'five5'])
    t.match(await settings.set({ SYSTEM_API_PASSWORD: short }), { errors: { SYSTEM_API_PASSWORD: /6 to/ } })
  t.equal(settings.get('SYSTEM_API_PASSWORD'), '')
  await settings.set({ SYSTEM_API_PASSWORD: 'secret' })
  t.equal(settings.get('SYSTEM_API_PASSWORD'), 'secret')
  const { rows } = await database.pool.query(`SELECT value FROM system_settings WHERE name = 'SOAP_HASH_SALT'`)
  t.equal(rows[0].value, '')
  await settings.set({ SOAP_HASH_SALT: 'short' })
  await database.pool.query(
    `UPDATE system_settings SET value = (SELECT value FROM system_settings WHERE name = 'SOAP_HASH_SALT')
      WHERE name = 'SYSTEM_API_PASSWORD'`,
  )
  const later = await load(t, database, { SYSTEM_API_PASSWORD: 'xyzzy' })
  t.equal(later.settings.get('SYSTEM_API_PASSWORD'), 'short')
  t.equal(later.lines.filter((line) => line.includes('breaks the rule of today')).length, 2)
  t.notMatch(later.lines.join(), /xyzzy/)
})

t.test(
  'a gateway is reached by http on this machine alone; a relay from before is used until it is changed',
  async (t) => {
    const database = await shared.anew()
    const { settings } = await load(t, database)
    const relay = 'http://10.0.0.5:8081'
    t.match(await settings.set({ LK_GWA_API_URL: relay }), { errors: { LK_GWA_API_URL: /only of this machine/ } })
    const store = (url: string) =>
      database.pool.query(`UPDATE system_settings SET value = $1, updated_at = now() WHERE name = 'LK_GWA_API_URL'`, [
        url,
      ])
    await store(relay)
    const later = await load(t, database)
    t.equal(later.settings.get('LK_GWA_API_URL'), relay)
    t.equal(later.lines.filter((line) => line.includes('breaks the rule of today')).length, 1)
    await store('http://gateway.example')
    t.equal((await load(t, database)).settings.get('LK_GWA_API_URL'), '', 'never in clear through foreign networks')
  },
)

t.test('a change made in the table by somebody else is noticed', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database)
  const heard = changed(settings)
  await database.pool.query(`UPDATE system_settings SET value = 'replace' WHERE name = 'RADIUS_SIMULTANEOUS'`)
  t.same(await heard, ['RADIUS_SIMULTANEOUS'])
  t.equal(settings.get('RADIUS_SIMULTANEOUS'), 'replace')
})

t.test('a damaged or unknown row falls back to the default and is logged without the value', async (t) => {
  const database = await shared.anew()
  await database.pool.query(`UPDATE system_settings SET value = 'often' WHERE name = 'RADIUS_INTERIM_INTERVAL'`)
  await database.pool.query(`UPDATE system_settings SET value = 'plain' WHERE name = 'SYSTEM_API_PASSWORD'`)
  await database.pool.query(`INSERT INTO system_settings (name, value) VALUES ('OF_ANOTHER_VERSION', 'x')`)
  const { settings, lines } = await load(t, database)
  t.equal(settings.get('RADIUS_INTERIM_INTERVAL'), 300)
  t.equal(settings.get('SYSTEM_API_PASSWORD'), '', 'closed rather than open with a password nobody sealed')
  t.equal(lines.filter((line) => line.includes('default is used')).length, 2)
  t.notMatch(lines.join(), /often|plain/)
})

t.test('the environment gives first values only', async (t) => {
  const database = await shared.anew()
  const { settings } = await load(t, database, { RADIUS_INTERIM_INTERVAL: '120', SOAP_HASH_SALT: 'salt' })
  t.equal(settings.get('RADIUS_INTERIM_INTERVAL'), 120)
  t.equal(settings.get('SOAP_HASH_SALT'), 'salt')
  await settings.set({ RADIUS_INTERIM_INTERVAL: 30 })
  const { settings: later } = await load(t, database, {
    RADIUS_INTERIM_INTERVAL: '120',
    PROMISE_PAY_OPERATOR_FEE: '50',
  })
  t.equal(later.get('RADIUS_INTERIM_INTERVAL'), 30)
  t.equal(later.get('PROMISE_PAY_OPERATOR_FEE'), 500_000_000_000n)
})

t.test('every wrong first value is named', async (t) => {
  const database = await shared.anew()
  const wrong = load(t, database, { RADIUS_INTERIM_INTERVAL: '1', NO_SUCH: 'x' })
  await t.rejects(wrong, /TOLLGATE_SETTING_RADIUS_INTERIM_INTERVAL: It must .*TOLLGATE_SETTING_NO_SUCH: There is no/)
})

t.test('a change that could not be read is read when the database answers again', async (t) => {
  const database = await shared.anew()
  let refusals = 0
  const pool = new Proxy(database.pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'query' || refusals === 0) return typeof value === 'function' ? value.bind(target) : value
      return () => {
        refusals--
        return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      }
    },
  })
  const { settings, lines } = await load(t, { ...database, pool })
  refusals = 1
  const heard = changed(settings)
  await database.pool.query(`UPDATE system_settings SET value = '600' WHERE name = 'RADIUS_INTERIM_INTERVAL'`)
  t.same(await heard, ['RADIUS_INTERIM_INTERVAL'])
  t.equal(refusals, 0)
  t.match(lines.join(''), /trying again/)
  t.equal(settings.get('RADIUS_INTERIM_INTERVAL'), 600)
})

import t from 'tap'
import { clientAuthor } from '../../../src/billing/clients/author.ts'
import { signInClient } from '../../../src/billing/clients/credentials.ts'
import { type HistoryQuery, periodStart, readHistory } from '../../../src/billing/clients/history.ts'
import { changePassword } from '../../../src/billing/clients/password.ts'
import { readVoluntaryBlock, switchVoluntaryBlock } from '../../../src/billing/clients/voluntary-block.ts'
import type { Day } from '../../../src/domain/calendar.ts'
import { loginId, subscriberId } from '../../../src/domain/ids.ts'
import { formatRubles, rubles } from '../../../src/domain/money.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { PasswordTries } from '../../../src/platform/passwords/tries.ts'
import { BillingFixture } from '../../support/billing.ts'
import { clientSecrets, plantClient } from '../../support/clients.ts'
import { SharedDatabase } from '../../support/database.ts'
import { isPassword } from '../../support/passwords.ts'
import { cryptHashes } from '../../platform/passwords/hashes.ts'

const shared = await SharedDatabase.open(t)

const id = subscriberId(1)
const author = clientAuthor('portal', id, '127.0.0.1')
const settings = { get: () => 'Europe/Moscow' } as never

t.test(
  'the history is the statement of the account, by days of the time zone, without the marks of the office',
  async (t) => {
    const fixture = await BillingFixture.open(t, shared, '2026-11-21T09:00:00Z')
    await fixture.subscriber(1)
    await fixture.subscriber(2)
    const post = (account: number, amount: number, description: string, movedAt: string) =>
      fixture.ask(account, {
        kind: 'post',
        typeId: amount > 0 ? 7 : 9,
        sign: amount > 0 ? 1 : -1,
        amount: rubles(Math.abs(amount)),
        subscriberId: null,
        movedAt: new Date(movedAt),
        description,
        details: {},
        keys: [],
      })
    await post(1, 300, 'Оплата онлайн [txn:17]', '2026-10-31T20:59:59Z')
    await post(1, 200, '[bank_op:5]', '2026-10-31T21:00:00Z')
    await post(1, -50, 'Выезд мастера', '2026-11-10T10:00:00Z')
    await post(1, 7, 'Ошибка', '2026-11-11T10:00:00Z')
    await fixture.ask(1, { kind: 'reverse', operationId: null })
    await post(2, 999, 'Чужой', '2026-11-11T10:00:00Z')
    const read = async (wish: Partial<HistoryQuery>) => {
      const usual = { kind: 'all', from: null, to: null, page: 1, perPage: 10 } as const
      const { items, total, sum } = await readHistory({ pool: fixture.database.pool, settings }, id, {
        ...usual,
        ...wish,
      })
      const lines = items.map(
        ({ amount, description, storno }) => `${formatRubles(amount)} ${description}${storno ? ' *' : ''}`,
      )
      return { lines, total, sum: formatRubles(sum) }
    }
    const [type7] = (await fixture.sql('SELECT op_name FROM fin_types WHERE type_id = 7')) as [{ op_name: string }]
    t.strictSame(await read({ kind: 'payments' }), {
      lines: ['7.00 Ошибка *', `200.00 ${type7.op_name}`, '300.00 Оплата онлайн'],
      total: 3,
      sum: '500.00',
    })
    t.strictSame((await read({ kind: 'charges' })).sum, '-50.00', 'what was reversed does not count')
    t.strictSame(
      (await read({ from: '2026-11-01' as Day, kind: 'payments' })).total,
      2,
      'a day begins where it begins there',
    )
    t.strictSame((await read({ to: '2026-10-31' as Day })).lines, ['300.00 Оплата онлайн'])
    t.match(await read({ page: 2, perPage: 2 }), { total: 5, sum: '450.00' })
    t.equal((await read({ page: 2, perPage: 2 })).lines.length, 2)
    t.strictSame(await read({ page: 9 }), { lines: [], total: 5, sum: '450.00' })
    const now = new Date('2026-05-31T22:00:00Z')
    t.strictSame(
      (['month', '3month', 'year'] as const).map((period) => periodStart(period, now, 'Europe/Moscow')),
      ['2026-05-01', '2026-03-01', '2025-06-01'],
    )
    t.equal(
      periodStart('3month', new Date('2026-05-31T12:00:00Z'), 'Europe/Moscow'),
      '2026-02-28',
      'a day that is not there',
    )
  },
)

t.test('a voluntary block: on, off, and not over another block', async (t) => {
  const fixture = await BillingFixture.open(t, shared, '2026-11-21T09:00:00Z')
  await fixture.subscriber(1)
  const parts = { pool: fixture.database.pool, subscribers: fixture.ledger.subscribers }
  const read = (of = id) => readVoluntaryBlock(parts, of)
  const turn = (on: boolean) => switchVoluntaryBlock(parts, id, on, author)
  t.strictSame(await read(), { enabled: false, since: null, canEnable: true, obstacle: null })
  t.strictSame(await turn(true), { kind: 'done', closedBy: 'client', wasOn: false })
  t.strictSame(await turn(true), { kind: 'done', closedBy: 'client', wasOn: true }, 'again')
  fixture.at('2026-11-22T09:00:00Z')
  await fixture.block(1, 'operator', true)
  const set = new Date('2026-11-21T09:00:00Z')
  t.strictSame(await read(), { enabled: true, since: set, canEnable: false, obstacle: null }, 'since it was set itself')
  t.strictSame(await turn(false), { kind: 'done', closedBy: 'operator', wasOn: true })
  t.strictSame(await turn(true), { kind: 'refused', reason: 'blockedOtherwise', obstacle: 'operator' })
  t.strictSame(await read(), { enabled: false, since: null, canEnable: false, obstacle: 'operator' })
  await fixture.block(1, 'operator', false)
  t.strictSame(await turn(false), { kind: 'done', closedBy: null, wasOn: false }, 'off what is off')
  t.equal(await read(subscriberId(77)), null)
  t.match(await switchVoluntaryBlock(parts, subscriberId(77), true, author), { reason: 'subscriberMissing' })
})

t.test('a change of password: sealed, audited, told at once, and the end of other sessions', async (t) => {
  const database = await shared.anew()
  const { subscriber, logins } = await plantClient(database, '000042', [['ivan', 'first-secret']])
  const told: unknown[] = []
  const ends = (door: string) => ({
    endOthers: async (login: number, but: string | null) => {
      told.push([door, login, but])
    },
  })
  const parts = {
    pool: database.pool,
    secrets: clientSecrets,
    isPassword,
    portal: ends('portal'),
    phones: ends('phones'),
    tries: new PasswordTries({ clock: systemClock }),
    changed: async (rows: unknown) => {
      told.push(rows)
    },
    log: silentLog,
  }
  const client = { subscriberId: subscriberId(subscriber), loginId: loginId(logins[0]!), session: 'here' }
  const ask = (current: string, wanted: string, again = wanted) =>
    changePassword(parts, client, { current, wanted, again }, author)
  for (const [wanted, fault] of [
    ['short', 'tooShort'],
    ['п'.repeat(65), 'tooLong'],
    ['with\nnewline', 'unprintable'],
  ] as const) {
    t.strictSame(await ask('first-secret', wanted), { kind: 'refused', fault })
  }
  t.strictSame(await ask('first-secret', 'second-secret', 'secnod-secret'), { kind: 'refused', fault: 'notRepeated' })
  t.strictSame(await ask('wrong', 'second-secret'), { kind: 'refused', fault: 'currentWrong' })
  t.strictSame(told, [])
  t.strictSame(await ask('first-secret', 'вторая секретная'), { kind: 'changed' })
  t.strictSame(told, [
    { table: 'users', ids: [logins[0]] },
    ['portal', logins[0], 'here'],
    ['phones', logins[0], 'here'],
  ])
  const signIn = (password: string) =>
    signInClient(parts, { entrance: 'portal', address: '127.0.0.1' }, 'ivan', password)
  t.match(await signIn('вторая секретная'), { kind: 'made', result: { loginId: logins[0] } })
  const { rows } = await database.pool.query(
    `SELECT user_name, table_name, object_id, action, diff, organization_id FROM audit_operations`,
  )
  t.strictSame(rows, [
    {
      user_name: 'portal 1',
      table_name: 'USERS',
      object_id: String(logins[0]),
      action: 'change',
      diff: { password: ['***', '***'] },
      organization_id: rows[0].organization_id,
    },
  ])
  const [, hash] = cryptHashes.find(([password]) => password === 'secret')!
  const store = (password: string) =>
    database.pool.query('UPDATE users SET password = $2 WHERE id = $1', [logins[0], clientSecrets.seal(password)])
  const stored = async () => {
    const { rows } = await database.pool.query('SELECT password FROM users WHERE id = $1', [logins[0]])
    return clientSecrets.open(rows[0].password)
  }
  await store(`{CRYPT}${hash}`)
  t.strictSame(await ask('secret', '{NT}is mine'), { kind: 'changed' }, 'in place of a hash')
  t.equal(await stored(), '{CLEAR}{NT}is mine', 'a clear password that begins like a hash stays one')
  t.strictSame(await ask('{NT}is mine', 'вторая секретная'), { kind: 'changed' })
  t.equal(await stored(), 'вторая секретная')
  for (let guess = 0; guess < 5; guess++) await ask(`guess ${guess}`, 'third-secret')
  t.match(await ask('вторая секретная', 'third-secret'), { kind: 'throttled' })
  t.match(await signIn('вторая секретная'), { kind: 'throttled' }, 'guesses count wherever they are made')
})

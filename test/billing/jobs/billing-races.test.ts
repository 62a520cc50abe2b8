import t from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { JobFailure } from '../../../src/billing/jobs/jobs.ts'
import { rubles } from '../../../src/domain/money.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { BillingFixture } from '../../support/billing.ts'
import { SharedDatabase } from '../../support/database.ts'
import { violations } from '../../support/invariants.ts'

const shared = await SharedDatabase.open(t)

const first = '2026-10-31T21:05:00Z'

async function provider(t: Parameters<typeof BillingFixture.open>[0], subscribers: number) {
  const fixture = await BillingFixture.open(t, shared, first)
  await fixture.sql(`INSERT INTO admin_accounts (id) SELECT generate_series(1, ${subscribers})`)
  await fixture.sql(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date)
    SELECT n, 'subscriber ' || n, n::text, n, 1, 1, '2020-01-01' FROM generate_series(1, ${subscribers}) AS n`)
  await fixture.sql(
    `INSERT INTO users (abonent_id, login, password) SELECT n, 'login' || n, '' FROM generate_series(1, ${subscribers}) AS n`,
  )
  /** How often each subscriber was charged, and how many there are of it. */
  const charges = async () => {
    const rows = await fixture.sql(`SELECT times::int, count(*)::int AS subscribers FROM
      (SELECT count(op_id) AS times FROM abonents LEFT JOIN finance_operations ON abonent_id = abonents.id AND op_type_id = 32
        GROUP BY abonents.id) AS counted GROUP BY times ORDER BY times`)
    return Object.fromEntries(rows.map((row) => [Number(row.times), Number(row.subscribers)]))
  }
  return { fixture, charges }
}

/** The accounts, with something done to each question. */
const through = (accounts: Accounts, ask: Accounts['ask']): Accounts => ({
  ask,
  moveSubscriber: (id, to, by) => accounts.moveSubscriber(id, to, by),
  invalidate: (id) => accounts.invalidate(id),
})

t.test('two programs that charge at the same time charge everybody once', async (t) => {
  const { fixture, charges } = await provider(t, 120)
  const other = await fixture.otherAccounts()
  const results = await Promise.all([fixture.run(), fixture.run(other)])
  t.same(await charges(), { 1: 120 })
  t.equal(
    results.reduce((sum, { charged }) => sum + Number(charged), 0),
    120,
  )
  t.same(await violations(fixture.database.pool, 'settled'), [])
})

t.test('an account that fails keeps no other from being charged, and is charged by the next run', async (t) => {
  const { fixture, charges } = await provider(t, 20)
  const failing = through(fixture.accounts, (id, command, by) =>
    id === 7 ? Promise.reject(new Error('broken')) : fixture.accounts.ask(id, command, by),
  )
  const failure = await fixture.run(failing).catch((error: unknown) => error)
  t.ok(failure instanceof JobFailure)
  t.match(failure, { message: /1 accounts could not be asked.*broken/, result: { charged: 19, failed: 1 } })
  t.same(await charges(), { 0: 1, 1: 19 })
  t.same(await fixture.sql('SELECT charged_through FROM charge_months'), [{ charged_through: null }])
  t.match(await fixture.run(), { charged: 1, failed: 0 })
})

t.test('an account that cannot hold another charge is counted and holds nobody up', async (t) => {
  const { fixture, charges } = await provider(t, 5)
  await fixture.sql(
    `UPDATE admin_accounts SET debit = 9223372036854775807, credit = 9223372036854775807, ostatok = 0 WHERE id = 3`,
  )
  t.match(await fixture.run(), { charged: 4, failed: 1 })
  t.same(await charges(), { 0: 1, 1: 4 })
})

t.test('with the database away the run gives up soon, and the next one makes it up', async (t) => {
  const { fixture, charges } = await provider(t, 2_100)
  let asked = 0
  const away = through(fixture.accounts, (id, command, by) => {
    asked++
    return asked > 100
      ? Promise.reject(new Unavailable('database', 'The database is away.'))
      : fixture.accounts.ask(id, command, by)
  })
  await t.rejects(fixture.run(away), Unavailable)
  t.ok(asked < 2_000, `${asked} were asked`)
  t.match(await fixture.run(), { charged: 2_000, failed: 0 })
  t.same(await charges(), { 1: 2_100 })
})

t.test('a stop ends the run early, and the next one goes on where it was', async (t) => {
  const { fixture, charges } = await provider(t, 1_000)
  const stop = new AbortController()
  let asked = 0
  const stopping = through(fixture.accounts, (id, command, by) => {
    if (++asked === 700) stop.abort(new Error('The program is stopping.'))
    return fixture.accounts.ask(id, command, by)
  })
  await t.rejects(fixture.run(stopping, stop.signal), /stopping/)
  const { 1: charged = 0 } = await charges()
  t.equal(charged, asked, 'what was under way has ended')
  t.ok(asked < 1_000)
  t.match(await fixture.run(), { charged: 1_000 - asked })
  t.same(await charges(), { 1: 1_000 })
})

t.test('a tariff that changes between the look and the turn is charged as what it is by then, once', async (t) => {
  const { fixture } = await provider(t, 40)
  const changing = through(fixture.accounts, async (id, command, by) => {
    if (command.kind === 'charge' && id % 4 === 0 && command.amount === rubles(600)) await fixture.tariff(id, 2)
    return fixture.accounts.ask(id, command, by)
  })
  t.match(await fixture.run(changing), { charged: 40, skipped: 0, failed: 0 })
  for (const id of [3, 4]) {
    const lines = (await fixture.lines(id)).filter((line) => !line.includes('Смена'))
    const [name, price] = id % 4 === 0 ? ['Fast', 900] : ['Home', 600]
    t.same(lines, [`-${price}.00 Абонплата ${name} за ноябрь 2026`])
  }
})

t.test('a tariff that somebody wrote beside the program is charged as what the tables say', async (t) => {
  const { fixture } = await provider(t, 1)
  await fixture.ask(1, { kind: 'sweep' })
  await fixture.set(1, { tarif_id: 2 })
  t.match(await fixture.run(), { charged: 1, amount: '900.00' })
})

t.test('a charge against a block of one’s own, a hundred times: charged or not, never half', async (t) => {
  const { fixture } = await provider(t, 0)
  const other = await fixture.otherAccounts()
  for (let id = 1; id <= 100; id++) {
    await fixture.subscriber(id)
    const block = () => fixture.block(id, 'client', true)
    // The run reads first, so a block that is asked for meanwhile comes before, between and after.
    const later = through(other, async (account, command, by) => {
      if (id % 3 === 0) await block()
      return other.ask(account, command, by)
    })
    const [result] = await Promise.all([fixture.run(later), id % 3 === 1 ? block() : null])
    if (id % 3 === 2) await block()
    const lines = await fixture.lines(id)
    t.equal(lines.length, Number(result.charged), `subscriber ${id}: ${lines}`)
    if (id % 3 === 0) t.same(lines, [], 'blocked before the turn')
    if (id % 3 === 2) t.equal(lines.length, 1, 'blocked after the turn')
  }
  t.same(await violations(fixture.database.pool, 'settled'), [])
  t.match(await fixture.run(), { charged: 0 }, 'whoever is blocked is not charged later')
})

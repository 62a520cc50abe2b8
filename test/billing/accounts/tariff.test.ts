import t from 'tap'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { SharedDatabase } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { openLedgerFixture, prepareFixture, throwingLog } from '../../support/fixture.ts'

const shared = await SharedDatabase.open(t)

const author = systemAuthor('test')

/** One subscriber on a tariff of 300 rubles; the 16th of November, 15 of 30 days to go in Moscow. */
async function open(t: Parameters<typeof prepareFixture>[0]) {
  const clock = new ManualClock(new Date('2026-11-16T09:00:00Z'))
  const { database, accounts, events } = await openLedgerFixture(
    await prepareFixture(t, { clock, log: throwingLog, shared }),
  )
  const { pool } = database
  await pool.query(
    `INSERT INTO tarifs (id, name, price) VALUES (1, 'Home', ${rubles(300)}), (2, 'Fast', ${rubles(600)}), (3, 'Free', 0)`,
  )
  await pool.query('INSERT INTO admin_accounts (id) VALUES (1)')
  await pool.query(
    `INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id) VALUES (1, 'Ivan', '1', 1, 1, 1)`,
  )
  await pool.query(`INSERT INTO users (abonent_id, login, password) VALUES (1, 'ivan', '')`)
  const effects: unknown[] = []
  events.on('accountCommitted', (event) => effects.push(...event.effects.map(({ effect }) => effect)))
  const charge = (key: string, amount = 300) =>
    accounts.ask(
      accountId(1),
      {
        kind: 'charge',
        subscriberId: subscriberId(1),
        typeId: 32,
        amount: rubles(amount),
        movedAt: null,
        description: '',
        details: {},
        key,
      },
      author,
    )
  const change = (tariffId: number | null) =>
    accounts.ask(accountId(1), { kind: 'changeTariff', subscriberId: subscriberId(1), tariffId }, author)
  const operations = async () =>
    (
      await pool.query(
        `SELECT op_type_id::int AS type, (op_summa / 10000000000)::float8 AS rubles, descr FROM finance_operations ORDER BY op_id`,
      )
    ).rows
  return { pool, charge, change, operations, effects }
}

t.test('a month that has been charged is settled for the days that remain, today included', async (t) => {
  const { charge, change, operations, effects, pool } = await open(t)
  await charge('charge:1:tariff:2026-11')
  await change(2)
  t.match(await operations(), [
    { type: 32, rubles: -300 },
    { type: 33, rubles: 0, descr: 'Смена тарифа: Home → Fast' },
    { type: 32, rubles: -150 },
  ])
  await change(1)
  t.match((await operations()).slice(3), [
    { type: 33, descr: 'Смена тарифа: Fast → Home' },
    { type: 41, rubles: 150 },
  ])
  t.match(
    effects.filter((effect) => (effect as { kind: string }).kind === 'speed'),
    [
      { kind: 'speed', logins: ['ivan'] },
      { kind: 'speed', logins: ['ivan'] },
    ],
  )
  t.match((await pool.query('SELECT tarif_id FROM abonents')).rows, [{ tarif_id: '1' }])
})

t.test('the network hears of it when the tariffs differ in their VLAN', async (t) => {
  const { change, effects, pool } = await open(t)
  await pool.query('UPDATE tarifs SET vlan = 120 WHERE id = 2')
  await change(2)
  await pool.query('UPDATE tarifs SET vlan = 120')
  await change(1)
  await change(null)
  const speeds = effects.filter((effect) => (effect as { kind: string }).kind === 'speed')
  t.strictSame(
    speeds.map((effect) => (effect as { vlan?: string }).vlan),
    ['ofTariff', undefined, 'ofTariff'],
  )
})

t.test('nothing is settled for what has not been charged, nor for a charge that was reversed', async (t) => {
  const { charge, change, operations, pool } = await open(t)
  await change(2)
  t.equal((await operations()).length, 1)
  await charge('charge:1:tariff:2026-11', 600)
  await pool.query('UPDATE finance_operations SET storno = true WHERE op_type_id = 32')
  await change(1)
  t.match((await operations()).slice(2), [{ type: 33 }])
  t.equal((await operations()).length, 3)
})

t.test('the same tariff again and an unknown one', async (t) => {
  const { change, operations } = await open(t)
  t.match(await change(1), { kind: 'done', operation: null })
  t.match(await change(77), { kind: 'refused', reason: 'tariffMissing' })
  t.strictSame(await operations(), [])
})

t.test('a planned change that is due is no longer planned; another stays', async (t) => {
  const { change, pool } = await open(t)
  await pool.query(`UPDATE abonents SET next_tarif_id = 3, next_tarif_date = '2026-12-01'`)
  await change(2)
  t.match((await pool.query('SELECT next_tarif_id FROM abonents')).rows, [{ next_tarif_id: '3' }])
  await pool.query(`UPDATE abonents SET next_tarif_date = '2026-11-16T08:00:00Z'`)
  await change(3)
  t.match((await pool.query('SELECT tarif_id, next_tarif_id, next_tarif_date FROM abonents')).rows, [
    { tarif_id: '3', next_tarif_id: null, next_tarif_date: null },
  ])
})

t.test('who had nothing to pay for is charged from the change on', async (t) => {
  const { change, pool } = await open(t)
  await pool.query('UPDATE abonents SET tarif_id = NULL')
  await change(1)
  t.match((await pool.query('SELECT charged_from FROM abonents')).rows, [
    { charged_from: new Date('2026-11-16T09:00:00Z') },
  ])
})

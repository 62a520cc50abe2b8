import t from 'tap'
import { Hdsk, HdskMessage } from '../../../src/platform/storage/entities/subscribers.ts'
import { IpPull } from '../../../src/platform/storage/entities/network.ts'
import { Tarif } from '../../../src/platform/storage/entities/services.ts'
import { columnList, columnNames } from '../../../src/platform/storage/entity.ts'
import { forUpdate } from '../../../src/platform/storage/for-update.ts'
import { persisting } from '../../../src/platform/storage/transactions.ts'
import { codeOf } from '../../../src/platform/storage/unavailability.ts'
import { SharedDatabase } from '../../support/database.ts'

const shared = await SharedDatabase.open(t)

async function scope() {
  const database = await shared.anew()
  return { database, timeZone: () => 'Europe/Moscow' }
}

t.test('what an EntityManager writes is committed and rolled back with the rest of the transaction', async (t) => {
  const transactions = await scope()
  const { pool } = transactions.database
  await persisting(transactions, async (client, manager) => {
    await client.query(`INSERT INTO tarifs (id, name, price) VALUES (70, 'by SQL', 1)`)
    const tariff = await manager.findOneOrFail(Tarif, { id: 70 })
    tariff.price = 9_223_372_036_854_775_807n
    await manager.flush()
  })
  t.same((await pool.query('SELECT price FROM tarifs')).rows, [{ price: '9223372036854775807' }])
  const failure = persisting(transactions, async (client, manager) => {
    await manager.insert(Tarif, { name: 'gone', price: 1n, radius_reply: [] })
    await client.query('SELECT 1/0')
  })
  await t.rejects(failure)
  t.same((await pool.query('SELECT name FROM tarifs')).rows, [{ name: 'by SQL' }])
})

t.test('the types of PostgreSQL are those of the entity', async (t) => {
  const transactions = await scope()
  const found = await persisting(transactions, async (client, manager) => {
    const name = `it's \\ "odd" ? $1 ?? :x`
    const id = await manager.insert(IpPull, { name, network: '10.1.2.3/24', gateway: null })
    const tariff = await manager.insert(Tarif, {
      name,
      price: 1n,
      speed_mbit: 0.5,
      radius_reply: [{ name: 'Filter-Id', value: 'a' }],
      // A moment without an offset is of the transaction's time zone.
      priced_from: '2026-11-30T00:00:00' as never,
    })
    const pools = await client.query('SELECT name, network FROM ip_pulls WHERE id = $1', [id])
    const tariffs = await client.query('SELECT name, radius_reply, speed_mbit, priced_from FROM tarifs WHERE id = $1', [
      tariff,
    ])
    return [pools.rows[0], tariffs.rows[0]]
  })
  const name = `it's \\ "odd" ? $1 ?? :x`
  t.same(found, [
    { name, network: '10.1.2.0/24' },
    {
      name,
      radius_reply: [{ name: 'Filter-Id', value: 'a' }],
      speed_mbit: '0.500',
      priced_from: new Date('2026-11-29T21:00:00Z'),
    },
  ])
})

t.test('a locked find waits, and what the database refuses has its code', async (t) => {
  const transactions = await scope()
  await transactions.database.pool.query(`INSERT INTO admin_accounts (id) VALUES (1);
    INSERT INTO abonents (id, name, contract_number, account_id) VALUES (5, 'Ivan', '5', 1);
    INSERT INTO hdsks (id, abonent_id, subject) VALUES (9, 5, 'No link')`)
  await persisting(transactions, async (_, manager) => {
    await manager.findOneOrFail(Hdsk, { id: 9 }, forUpdate)
    const other = transactions.database.pool.query('SELECT FROM hdsks WHERE id = 9 FOR UPDATE NOWAIT')
    await t.rejects(other, { code: '55P03' })
  })
  const orphan = persisting(transactions, (_, manager) =>
    manager.insert(HdskMessage, { hdsk_id: 10, author: 'client', body: 'x' }),
  )
  t.equal(codeOf(await orphan.catch((error: unknown) => error)), '23503')
})

t.test('columns for SQL come from the entity', async (t) => {
  t.equal(columnList(columnNames(IpPull), 'pool'), 'pool.id, pool.name, pool.network, pool.gateway, pool.enabled')
  t.equal(columnList(['limit']), '"limit"')
})

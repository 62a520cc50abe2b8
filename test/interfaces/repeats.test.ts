import t from 'tap'
import { Repeats } from '../../src/interfaces/mobile/repeats.ts'
import type { PhoneCall } from '../../src/interfaces/mobile/parts.ts'
import { json } from '../../src/platform/http/reply.ts'
import { writing } from '../../src/platform/storage/transactions.ts'
import { testDatabase } from '../support/database.ts'

t.test(
  'a request that another node took over is neither answered nor given up by the one that stood still',
  async (t) => {
    const { database } = await testDatabase(t)
    const { rows } = await database.pool.query<{ id: string }>(
      `WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
      INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Ivan', '1', id, 1 FROM account RETURNING id`,
    )
    const phone = (key: string) =>
      ({
        client: { subscriberId: Number(rows[0]!.id) },
        call: { header: () => key, method: 'POST', path: '/tickets' },
      }) as unknown as PhoneCall
    const repeats = new Repeats(database.pool)
    const takenOver = async (key: string, status: number | null) => {
      const work = async () => {
        await database.pool.query('UPDATE client_answers SET node = 2 WHERE key = $1', [key])
        if (status === null) throw new Error('lost')
        return json({}, status)
      }
      await repeats.once(phone(key), {}, work).catch(() => {})
      return (await database.pool.query('SELECT status, node FROM client_answers WHERE key = $1', [key])).rows
    }
    const ofTheOther = [{ status: null, node: 2 }]
    t.same(await takenOver('fails', null), ofTheOther)
    t.same(await takenOver('refused', 400), ofTheOther)
    t.same(await takenOver('done', 200), ofTheOther)
    const inTransaction = (key: string, taken: boolean) =>
      repeats.once(phone(key), {}, ({ keep }) =>
        writing({ database, timeZone: () => 'UTC' }, async (client) => {
          await client.query('INSERT INTO hdsks (abonent_id, subject, body) VALUES ($1, $2, $2)', [rows[0]!.id, key])
          if (taken) await database.pool.query('UPDATE client_answers SET node = 2 WHERE key = $1', [key])
          await keep(client, json({ of: 'us' }, 201))
          return json({ of: 'us' }, 201)
        }),
      )
    await t.rejects(inTransaction('taken', true), /taken over/)
    t.equal((await inTransaction('ours', false)).status, 201)
    t.same((await database.pool.query('SELECT subject FROM hdsks')).rows, [{ subject: 'ours' }])
    t.same(
      (
        await database.pool.query(
          `SELECT key, status, node FROM client_answers WHERE key IN ('taken', 'ours') ORDER BY key DESC`,
        )
      ).rows,
      [
        { key: 'taken', status: null, node: 2 },
        { key: 'ours', status: 201, node: null },
      ],
    )
    t.equal((await repeats.once(phone('own'), {}, async () => json({}, 200))).status, 200)
    t.match((await database.pool.query(`SELECT status FROM client_answers WHERE key = 'own'`)).rows, [{ status: 200 }])
  },
)

t.test('a request that failed, and may have been carried out, is a retry when it is asked again', async (t) => {
  const { database } = await testDatabase(t)
  const { pool } = database
  const { rows } = await pool.query<{ id: string }>(
    `WITH account AS (INSERT INTO admin_accounts DEFAULT VALUES RETURNING id)
      INSERT INTO abonents (name, contract_number, account_id, organization_id) SELECT 'Ivan', '1', id, 1 FROM account RETURNING id`,
  )
  const phone = {
    client: { subscriberId: Number(rows[0]!.id) },
    call: { header: () => 'key', method: 'POST', path: '/account/tariff' },
  } as unknown as PhoneCall
  const repeats = new Repeats(pool)
  const retries: boolean[] = []
  const ask = (answer: () => number) =>
    repeats.once(phone, {}, async ({ isRetry }) => {
      retries.push(isRetry)
      return json({}, answer())
    })
  const lost = () => {
    throw new Error('The connection was lost while it was committed.')
  }
  await t.rejects(ask(lost), /lost/)
  const state = async () => (await pool.query('SELECT status, node FROM client_answers')).rows
  t.same(await state(), [{ status: null, node: null }], 'of no node, so that none waits for another')
  t.equal((await ask(() => 200)).status, 200)
  t.same(retries, [false, true])
  t.match(await state(), [{ status: 200 }])
})

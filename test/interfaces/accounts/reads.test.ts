import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { base, type Json, openAccountsOffice } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const ruble = 10_000_000_000

t.test('the card shows the account, its clients, fifty operations and twenty notifications', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const first = await client('Первый')
  const second = await client('Второй', { account: first.account })
  await office.rows(
    `INSERT INTO finance_operations (op_type_id, op_summa, account_id, abonent_id, organization_id, descr)
      SELECT 7, n * 100000000, $1, $2, 1, 'n ' || n FROM generate_series(1::int8, 60) AS n`,
    [first.account, first.id],
  )
  await office.rows(
    `INSERT INTO notifications (account_id, subscriber_id, kind, channel, text)
      SELECT $1, $2, 'low_balance', 'sms', 'текст ' || n FROM generate_series(1, 25) AS n`,
    [first.account, second.id],
  )
  const { status, body } = await root.get(`${base}/accounts_get/${first.account}/`)
  t.equal(status, 200)
  t.match(body, { ok: true, account: { id: first.account, clients_count: 2 }, organization: { id: 1 } })
  t.match(body.clients, [
    { id: first.id, name: 'Первый', is_main: true, enabled: true, block: { b_negbal: false } },
    { id: second.id, is_main: false },
  ])
  t.equal(body.operations.length, 50)
  t.match(body.operations[0], { descr: 'n 60', op_summa: '0.60', op_type_name: 'Ручное зачисление', source: 'manual' })
  t.equal(body.notifications.length, 20)
  t.match(body.notifications[0], { text: 'текст 25', channel: 'sms', kind: 'low_balance', abonent_id: second.id })
  for (const id of ['987654', 'x', '0', '-1'])
    t.match(await root.get(`${base}/accounts_get/${id}/`), { status: 404, body: { ok: false } }, id)
})

t.test('the expected charge of a month: own price, else sum, else price; zero is free; times the count', async (t) => {
  const { root, client, made, office } = await openAccountsOffice(t, { shared })
  const tarif = await made('/rest_api/v2/Tarif/', { name: 'Домашний', price: 500 * ruble, speed_mbit: 100 })
  const usluga = (name: string, price: number, summa: number | null) =>
    made('/rest_api/v2/Usluga/', { name, price: price * ruble, summa: summa === null ? null : summa * ruble })
  const priced = await usluga('Цена', 10, null)
  const summed = await usluga('Сумма', 10, 20)
  const free = await usluga('Даром', 10, 0)
  const { id, account } = await client('Пётр', { tarif: tarif.id })
  const guest = await client('Гость', { account, tarif: tarif.id })
  const link = (usluga: number, summ: number | null, more: Json = {}) =>
    office.rows(
      `INSERT INTO users_uslugas (abonent_id, usluga_id, summ, countt, enabled, end_time, system_type) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        id,
        usluga,
        summ === null ? null : summ * ruble,
        more.countt ?? 1,
        more.enabled ?? true,
        more.end_time ?? null,
        more.system_type ?? null,
      ],
    )
  await link(priced.id, null)
  await link(priced.id, 7, { countt: 3 })
  await link(summed.id, null, { countt: 2 })
  await link(summed.id, 0)
  await link(free.id, null)
  await link(priced.id, null, { enabled: false })
  await link(priced.id, null, { end_time: '2020-01-01' })
  await link(-4, null)
  const show = async (): Promise<Json> => (await root.get(`${base}/accounts_services/${account}/`)).body
  const body = await show()
  t.match(body.services, [
    { name: 'Цена', price: '10.00', price_from: 'price', countt: 1, amount: '10.00', not_charged: null },
    { price: '7.00', price_from: 'summ', countt: 3, amount: '21.00' },
    { price: '20.00', price_from: 'summa', countt: 2, amount: '40.00' },
    { price: '0.00', price_from: 'summ', amount: '0.00', not_charged: null },
    { price: '0.00', price_from: 'summa', amount: '0.00' },
    { amount: '0.00', not_charged: 'disabled', month: '10.00' },
    { amount: '0.00', not_charged: 'ended' },
    { amount: '0.00', not_charged: 'promise' },
  ])
  t.match(body.tariffs, [
    { abonent_id: id, tarif: { id: tarif.id, name: 'Домашний' }, price: '500.00', amount: '500.00' },
    { abonent_id: guest.id, amount: '500.00' },
  ])
  t.match(body, { ok: true, tariff_sum: '1000.00', service_sum: '71.00', monthly_charge: '1071.00' })

  await root.delete(`/rest_api/v2/Abonents/${guest.id}/`)
  t.match(await show(), { tariff_sum: '500.00', tariffs: [{}, { not_charged: 'deleted', amount: '0.00' }] })
  await root.post(`${base}/accounts_crud/${account}/`, { sleep_date: '2099-01-01' })
  t.match(await show(), { monthly_charge: '0.00', services: [{ not_charged: 'frozen' }] })
  await root.post(`${base}/accounts_crud/${account}/`, { sleep_date: null })
  await office.rows('INSERT INTO abonents_block (abonent_id, b_own) VALUES ($1, true)', [id])
  t.match(await show(), { monthly_charge: '0.00', services: [{ not_charged: 'own_block' }] })
  await office.rows('UPDATE abonents_block SET b_own = false, b_negbal = true')
  t.match(await show(), { monthly_charge: '571.00' }, 'debtors are charged')
  t.equal((await root.get(`${base}/accounts_services/987654/`)).status, 404)
})

t.test('receipts of ninety days by channel and by what accounting and the cash register have', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const { account, id } = await client('Пётр')
  const other = await client('Иван')
  const operation = (type: number, rubles: number, more: Json = {}, to = account) =>
    office.rows(
      `INSERT INTO finance_operations (op_type_id, op_summa, account_id, abonent_id, organization_id, operator_name, descr, sync1c,
          kkm_printed, storno, isbuhdoc, op_date) VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, now() - make_interval(days => $11))`,
      [
        type,
        String(BigInt(Math.round(rubles * 100)) * 100_000_000n),
        to,
        to === account ? id : other.id,
        more.operator ?? null,
        more.descr ?? null,
        more.sync1c ?? false,
        more.kkm ?? false,
        more.storno ?? false,
        more.isbuhdoc ?? true,
        more.daysAgo ?? 0,
      ],
    )
  await operation(23, 100, { operator: 'gwa', kkm: true })
  await operation(23, 50.5, { descr: 'оплата [txn:77]', kkm: true, daysAgo: 89 })
  await operation(23, 1, { operator: 'gwa' })
  await operation(24, 30, { operator: 'gwb', sync1c: true })
  await operation(7, 5, { operator: 'bank', sync1c: true, descr: 'платёж' })
  await operation(7, 6, { descr: 'п/п 5 [bank_op:4711] за связь' })
  await operation(7, 9)
  await operation(9, -500)
  await operation(7, 1000, { daysAgo: 91 })
  await operation(7, 2000, { storno: true })
  await operation(7, 3000, { isbuhdoc: false })
  await operation(41, 3500)
  await operation(7, 4000, {}, other.account)
  const { body } = await root.get(`${base}/accounts_payments_summary/${account}/`)
  t.match(body, { ok: true, days: 90, count: 7, total: '201.50' })
  t.match(body.groups, [
    { channel: 'gwa', sync1c: false, kkm_printed: true, count: 2, sum: '150.50' },
    { channel: 'gwb', sync1c: true, kkm_printed: false, count: 1, sum: '30.00' },
    { channel: 'manual', sum: '9.00' },
    { channel: 'bank', sync1c: false, sum: '6.00' },
    { channel: 'bank', sync1c: true, sum: '5.00' },
    { channel: 'gwa', kkm_printed: false, sum: '1.00' },
  ])
  t.match((await root.get(`${base}/accounts_payments_summary/${other.account}/`)).body, { count: 1, total: '4000.00' })

  const rows = (await root.get(`${base}/accounts_bank_ops/${account}/`)).body
  t.match(rows, {
    ok: true,
    has_more: false,
    items: [
      { bank_op: '4711', op_summa: '6.00', source: 'bank' },
      { bank_op: null, op_summa: '5.00', operator_name: 'bank' },
    ],
  })
  const second = (await root.get(`${base}/accounts_bank_ops/${account}/?per_page=1&page=2`)).body
  t.match(second, { has_more: false, items: [{ op_summa: '5.00' }] })
  t.same((await root.get(`${base}/accounts_bank_ops/${other.account}/`)).body.items, [])
  for (const name of ['accounts_payments_summary', 'accounts_bank_ops'])
    t.equal((await root.get(`${base}/${name}/987654/`)).status, 404)
})

import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import type { Doors } from './door.ts'
import { newSubscriber, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

const rest = (id: number) => `/rest_api/v2/promise_pay/${id}/`
const operator = (id: number) => `/admin/Abonents/promise_pay/${id}/`
const account = (doors: Doors, id: number) => doors.get(`/rest_api/v2/AdminAccounts/${id}/`)

/** A contract of a year, so that no policy of age is in the way. */
async function oldSubscriber(doors: Doors, number = '1001') {
  const made = await newSubscriber(doors, 'Иванов', number)
  await doors.put(`/rest_api/v2/Abonents/${made.abonent.id}/`, { create_date: '2025-01-01' })
  return made
}

const spend = (doors: Doors, account: number, rubles: number) =>
  doors.post('/rest_api/v2/FinanceOperations/', { account, op_type: 9, op_summa: units(rubles) })

t.test('by REST a promise is made without policies, shown and cancelled', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  await spend(doors, abonent.account, 50)
  t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, { enabled: false, block: { b_negbal: true } })

  const made = await doors.post(rest(abonent.id), {})
  t.match(made, {
    status: 201,
    body: { status: 'ok', abonent_id: abonent.id, usluga_id: -4, type: 'prepay', limit: '90.00' },
  })
  const threeDays = Date.now() + 3 * 86_400_000
  t.ok(Math.abs(Date.parse(made.body.end_time) - threeDays) < 60_000, 'three days from now')
  t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, {
    enabled: true,
    promise_pay: units(90),
    block: { b_negbal: false },
  })
  t.match((await account(doors, abonent.account)).body, { ostatok: units(40), debit: units(90), credit: units(50) })
  t.match((await doors.get(rest(abonent.id))).body, {
    abonent_id: abonent.id,
    abonent_name: 'Иванов',
    promise_pay: '90.00',
    active_promises: [{ id: made.body.promise_id, usluga_id: -4, type: 'prepay', limit: '90.00', comment: null }],
  })
  t.match(await doors.post(rest(abonent.id), {}), { status: 400, body: { status: 'error', error: 'already_active' } })
  t.match(await doors.delete(`${rest(abonent.id)}?postpay=1`), { status: 404, body: { error: 'no_promise' } })
  t.match(await doors.delete(rest(abonent.id)), { status: 200, body: { status: 'ok', abonent_id: abonent.id } })
  t.match((await account(doors, abonent.account)).body, { ostatok: units(-50), debit: units(90), credit: units(140) })
  t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, {
    enabled: false,
    promise_pay: null,
    promise_date_end: null,
    block: { b_negbal: true },
  })
  t.strictSame((await doors.get(rest(abonent.id))).body.active_promises, [])
  const operations = (await doors.get(`/rest_api/v2/FinanceOperations/?account=${abonent.account}&ordering=op_id`)).body
  t.match(operations.results, [
    { op_type: 9 },
    { op_type: 31, op_summa: units(90), storno: true, usluga: -4 },
    { op_type: 31, op_summa: units(-90), storno: true, related_operation: operations.results[1].op_id },
  ])
  const audits = await doors.rows(`SELECT action, diff->>'reason' AS reason FROM audit_operations
    WHERE table_name = 'USERS_USLUGA' ORDER BY id`)
  t.strictSame(
    audits.map(({ action, reason }) => [action, reason]),
    [
      ['activate', null],
      ['end', 'cancelled'],
    ],
  )
})

t.test('postpay, an amount and a day of its own', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const made = await doors.post(rest(abonent.id), { limit: '150.50', end_time: '2099-12-31', postpay: true })
  t.match(made.body, { usluga_id: -3, type: 'postpay', limit: '150.50', end_time: '2099-12-31T20:59:59.000Z' })
  t.match(await doors.delete(rest(abonent.id)), { status: 404 }, 'the default ends a prepay promise')
  t.match(await doors.delete(`${rest(abonent.id)}?postpay=1`), { status: 200 })
})

t.test('what REST cannot take is refused in words', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const refusals: [unknown, string][] = [
    [{ limit: 10.001 }, 'bad_request'],
    [{ limit: 'many' }, 'bad_request'],
    [{ limit: 0 }, 'bad_limit'],
    [{ limit: -5 }, 'bad_limit'],
    [{ end_time: '2020-01-01' }, 'bad_end_time'],
    [{ end_time: '2026-02-31' }, 'bad_request'],
    [{ end_time: 5 }, 'bad_request'],
    [{ postpay: 'maybe' }, 'bad_request'],
    [[], 'bad_request'],
  ]
  for (const [body, error] of refusals) {
    t.match(
      await doors.post(rest(abonent.id), body),
      { status: 400, body: { status: 'error', error } },
      JSON.stringify(body),
    )
  }
  t.match(await doors.post(rest(999), {}), { status: 404, body: { status: 'error', error: 'not_found' } })
  t.match(await doors.get(rest(999)), { status: 404 })
  t.match(await doors.get('/rest_api/v2/promise_pay/x/'), { status: 404 })
  t.match(await doors.delete(rest(999)), { status: 404 })
})

t.test('an Idempotency-Key gets the first answer again, also after the promise has ended', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const sent = { headers: { 'idempotency-key': 'k1' } }
  const [first, second] = await Promise.all([
    doors.post(rest(abonent.id), { limit: 100 }, sent),
    doors.post(rest(abonent.id), { limit: 100 }, sent),
  ])
  t.same(first.body, second.body)
  t.equal(first.status, 201)
  await doors.delete(rest(abonent.id))
  t.same((await doors.post(rest(abonent.id), { limit: 100 }, sent)).body, first.body)
  t.match(await doors.post(rest(abonent.id), { limit: 101 }, sent), { status: 409 })
  t.match((await doors.get(rest(abonent.id))).body, { active_promises: [] }, 'and makes no other')
})

t.test('an operator is bound by the policies and charges a fee', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent: young } = await newSubscriber(doors, 'Петров', '2002')
  t.match(await doors.get(operator(young.id)), { status: 200, body: { offer: null, refusal: { code: 'min_age' } } })
  t.match(await doors.post(operator(young.id), {}), { status: 400, body: { ok: false, code: 'min_age' } })

  const { abonent } = await oldSubscriber(doors)
  await spend(doors, abonent.account, 700)
  t.match(await doors.get(operator(abonent.id)), {
    status: 200,
    body: {
      ok: true,
      offer: { limit: '701.00', days: 5, fee: '90.00' },
      refusal: null,
      active: null,
      cooldown_until: null,
    },
  })
  t.equal((await doors.get(operator(abonent.id), { organizations: [77] })).status, 404)
  const sent = { headers: { 'idempotency-key': 'o1' } }
  const [made, again] = await Promise.all([
    doors.post(operator(abonent.id), {}, sent),
    doors.post(operator(abonent.id), {}, sent),
  ])
  t.match(made, { status: 200, body: { ok: true, fee: '90.00', promise: { usluga_id: 30353, limit: '701.00' } } })
  t.same(again, made, 'the first answer again')
  t.equal((await doors.post(operator(abonent.id), { limit: 5 }, sent)).status, 409)
  const { body: standing } = await doors.get(operator(abonent.id))
  t.match(standing, {
    offer: null,
    refusal: { code: 'already_active' },
    active: { limit: '701.00', until: made.body.promise.end_time, operation_id: Number },
  })
  t.match((await account(doors, abonent.account)).body, { ostatok: units(-89) })
  t.match(
    (await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body,
    { enabled: false, block: { b_negbal: true } },
    'the fee leaves the account below its limit, so the block stays',
  )
  await doors.delete(rest(abonent.id))
  t.match(await doors.post(operator(abonent.id), {}), { status: 400, body: { code: 'cooldown' } })
  t.match(await doors.get(operator(abonent.id)), {
    body: { offer: null, refusal: { code: 'cooldown' }, cooldown_until: /^\d{4}-/ },
  })
  t.match(await doors.post(operator(abonent.id), {}, { organizations: [77] }), { status: 404 })
})

t.test('a bulk request names the debtors who may not have one; an invisible one refuses the whole', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent: old } = await oldSubscriber(doors)
  const { abonent: young } = await newSubscriber(doors, 'Петров', '2002')
  const bulk = '/admin/Abonents/promise_pay_bulk/'
  t.match(await doors.post(bulk, { ids: [old.id, 999] }), { status: 403 })
  t.match(await doors.post(bulk, { ids: [] }), { status: 400 })
  t.match(await doors.post(bulk, { ids: [old.id, young.id] }), {
    status: 200,
    body: { ok: true, changed: 1, skipped: [{ id: young.id, code: 'min_age' }] },
  })
})

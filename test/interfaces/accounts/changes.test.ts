import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { base, type Json, openAccountsOffice } from './fixture.ts'

const shared = await SharedDatabase.open(t)

const nothing = { kpi: { total: 0 } }

t.test('an account is opened, changed and shown', async (t) => {
  const { root, made, audit, client } = await openAccountsOffice(t, { shared })
  t.match((await root.get(`${base}/accounts_json/`)).body, nothing)
  const { account } = await made(`${base}/accounts_crud/`, { limit: '-100', comment: 'первый', warn: 50 })
  t.match(account, { balance: '0.00', limit: '-100.00', warn: '50.00', comment: 'первый', unlimited: false })
  const path = `${base}/accounts_crud/${account.id}/`
  const changed = await root.post(path, {
    limit: 25.5,
    warn: null,
    unlimited: true,
    unlimited_date: '2030-01-01T00:00:00+03:00',
    sleep_date: '',
    bonus_score: '7.00',
    comment: '',
  })
  t.match(changed.body.account, {
    limit: '25.50',
    warn: null,
    unlimited: true,
    unlimited_date: '2030-01-01T00:00:00+03:00',
    sleep_date: null,
    bonus_score: '7.00',
  })
  const rows = await audit(account.id)
  t.equal(rows[0].action, 'create')
  const diffs = Object.assign({}, ...rows.filter(({ action }) => action === 'change').map(({ diff }) => diff))
  t.match(diffs, {
    limit: ['-100.00', '25.50'],
    warn: ['50.00', null],
    unlimited: [false, true],
    bonus_score: ['0.00', '7.00'],
  })
  const before = (await audit(account.id)).length
  t.equal((await root.post(path, { limit: '25.50' })).status, 200)
  t.equal((await audit(account.id)).length, before, 'what changes nothing leaves no trace')

  for (const [body, error] of [
    [{ ostatok: '5.00' }, /^ostatok/],
    [{ debit: 5 }, /^debit/],
    [{ credit: 5 }, /^credit/],
    [{ limit: '1.005' }, /^limit: .*two decimal places/],
    [{ limit: '' }, /^limit/],
    [{ warn: 'x' }, /^warn/],
    [{ unlimited: 'maybe' }, /^unlimited/],
    [{ sleep_date: 'tomorrow' }, /^sleep_date/],
    [{ currency_id: 99 }, /^currency_id/],
  ] as const)
    t.match(await root.post(path, body), { status: 400, body: { ok: false, error } }, JSON.stringify(body))
  t.equal((await root.post(`${base}/accounts_crud/987654/`, {})).status, 404)
  t.equal((await root.post(`${base}/accounts_crud/x/`, {})).status, 404)

  const ivan = await client('Иван')
  const blocked = await root.post(`${base}/accounts_crud/${ivan.account}/`, { limit: 10 })
  t.match(blocked.body.account.client, { enabled: false }, 'debt is judged at once by the new limit')
  t.match((await audit(ivan.account)).at(-1), { action: 'change', organization: 1 })
})

t.test('the client can be warned about a low balance again', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const { account } = await client('Пётр')
  await office.rows('UPDATE admin_accounts SET last_notification_date = now() WHERE id = $1', [account])
  const path = `${base}/accounts_crud/${account}/`
  t.not((await root.post(path, { comment: 'x' })).body.account.last_notification_date, null)
  t.equal((await root.post(path, { reset_notification: 1 })).body.account.last_notification_date, null)
})

t.test('an account is deleted only when nothing refers to it', async (t) => {
  const { root, client, move, made, audit, office } = await openAccountsOffice(t, { shared })
  const { account, id } = await client('Пётр')
  await move(account, 5)
  await move(account, -5)
  const camera = await made('/admin/dictionary/video_objects_crud/', { name: 'Ворота', account })
  const remove = () => root.post(`${base}/accounts_crud/${account}/`, { _delete: 1 })
  const refused = await remove()
  t.match(refused, { status: 400, body: { ok: false, code: 'in_use', clients: 1, operations: 2, video_objects: 1 } })
  t.match(refused.body.error, /subscribers \(1\); unlink them first.*finance operations \(2\).*video objects \(1\)/)

  await root.post(`${base}/accounts_unlink/${account}/${id}/`)
  t.match(
    (await remove()).body.error,
    /^The account has finance operations \(2\)\. The account has video objects \(1\)\.$/,
  )
  await root.delete(`/admin/dictionary/video_objects_crud/${camera.id}/`)
  for (const { op_id } of await office.rows('SELECT op_id FROM finance_operations'))
    await root.delete(`/rest_api/v2/FinanceOperations/${op_id}/`)
  t.same(await remove(), { status: 200, body: { ok: true, deleted: account } })
  t.match((await audit(account)).at(-1), { action: 'delete', diff: { ostatok: ['0.00', null] } }, 'with its balance')
  t.equal((await remove()).status, 404)
  t.equal((await root.get(`${base}/accounts_get/${account}/`)).status, 404)
  t.equal((await root.post(`${base}/accounts_crud/`, { _delete: 1 })).status, 400)

  const other = await client('Анна')
  t.match(await root.delete(`${base}/accounts_crud/${other.account}/`), {
    status: 400,
    body: { code: 'in_use', clients: 1 },
  })
  const { account: orphan } = await made(`${base}/accounts_crud/`, {})
  t.same(await root.delete(`${base}/accounts_crud/${orphan.id}/`), {
    status: 200,
    body: { ok: true, deleted: orphan.id },
  })
  t.equal((await root.delete(`${base}/accounts_crud/${orphan.id}/`)).status, 404)
})

t.test('a client moves only by force, and its access with it', async (t) => {
  const { root, client, move, audit, office } = await openAccountsOffice(t, { shared })
  const ivan = await client('Иван')
  const maria = await client('Мария')
  await move(ivan.account, -10)
  const link = (body: object) => root.post(`${base}/accounts_link/${maria.account}/`, body)
  t.match(await link({ abonent_id: ivan.id }), {
    status: 400,
    body: { ok: false, code: 'linked_elsewhere', linked_account_id: ivan.account },
  })
  t.match(await link({ abonent_id: ivan.id, force: 0 }), { status: 400 })
  t.match(await link({ abonent_id: maria.id, force: 1 }), {
    status: 400,
    body: { code: 'already_linked', linked_account_id: maria.account },
  })
  t.match(await link({}), { status: 400, body: { error: /^abonent_id/ } })
  t.equal((await link({ abonent_id: 987_654, force: 1 })).status, 404)

  t.match(await link({ abonent_id: ivan.id, force: 1 }), {
    status: 200,
    body: { ok: true, account: { id: maria.account, clients_count: 2, client: { id: ivan.id, enabled: true } } },
  })
  t.match((await audit(maria.account)).at(-1), { action: 'link', diff: { abonent_id: ivan.id } })
  t.match((await audit(ivan.account)).at(-1), { action: 'unlink', diff: { abonent_id: ivan.id } })

  const unlinked = await root.post(`${base}/accounts_unlink/${maria.account}/${ivan.id}/`)
  t.match(unlinked, { status: 200, body: { ok: true, account: { id: maria.account, clients_count: 1 } } })
  const own = unlinked.body.new_account_id
  t.notOk([ivan.account, maria.account].includes(own), 'a fresh account of its own')
  t.match((await root.get(`${base}/accounts_get/${own}/`)).body, {
    account: { balance: '0.00', client: { id: ivan.id } },
    operations: [],
  })
  t.match(await root.post(`${base}/accounts_unlink/${maria.account}/${ivan.id}/`), {
    status: 400,
    body: { code: 'subscriberNotOnAccount' },
  })
  t.equal((await root.post(`${base}/accounts_unlink/${maria.account}/987654/`)).status, 404)
  t.same(await office.rows('SELECT count(*)::int AS n FROM admin_accounts'), [{ n: 3 }], 'nothing is left behind')

  const race = await Promise.all(
    Array.from({ length: 8 }, () => root.post(`${base}/accounts_unlink/${maria.account}/${maria.id}/`)),
  )
  t.equal(race.filter(({ status }) => status === 200).length, 1)
  t.equal(race.filter(({ status }) => status === 400).length, 7)
  t.same(
    await office.rows('SELECT count(*)::int AS n FROM admin_accounts'),
    [{ n: 4 }],
    'and none of the losers leaves an account',
  )
})

t.test('payments and moves by force at once lose no money', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const ivan = await client('Иван')
  const maria = await client('Мария')
  const deeds: Promise<Json>[] = []
  for (let round = 0; round < 20; round++) {
    const [one, other] = round % 2 === 0 ? [maria, ivan] : [ivan, maria]
    deeds.push(root.post(`${base}/accounts_link/${one.account}/`, { abonent_id: ivan.id, force: 1 }))
    deeds.push(root.post(`${base}/accounts_payment/${one.account}/`, { amount: 1 }))
    deeds.push(root.post(`${base}/accounts_payment/${other.account}/`, { amount: 2 }))
  }
  const answers = await Promise.all(deeds)
  t.ok(
    answers.every(
      ({ status, body }) => status === 200 || ['already_linked', 'subscriberNotOnAccount'].includes(body.code),
    ),
  )
  const paid = answers.filter(({ status, body }) => status === 200 && body.operation)
  const [{ sum, ok }] = await office.rows(
    `SELECT (sum(ostatok) / 10000000000)::int AS sum, bool_and(ostatok = debit - credit) AS ok FROM admin_accounts`,
  )
  t.equal(
    sum,
    paid.reduce((total, { body }) => total + Number(body.operation.op_summa), 0),
  )
  t.ok(ok)
  t.same(
    await office.rows(
      `SELECT FROM abonents JOIN admin_accounts AS a ON a.id = account_id WHERE enabled <> (a.ostatok >= a."limit")`,
    ),
    [],
    'access follows the account each client is on',
  )
})

t.test('a bulk request changes what it can and gives the reason for the rest', async (t) => {
  const { root, client, move, made, office, audit } = await openAccountsOffice(t, { shared })
  const debtor = await client('Должник')
  await move(debtor.account, -20)
  const linked = await client('Пётр')
  const orphan = (await made(`${base}/accounts_crud/`, {})).account.id
  const worked = (await made(`${base}/accounts_crud/`, {})).account.id
  await move(worked, 5)
  const filmed = (await made(`${base}/accounts_crud/`, {})).account.id
  await made('/admin/dictionary/video_objects_crud/', { name: 'Ворота', account: filmed })
  const bulk = (body: object) => root.post(`${base}/accounts_bulk/`, body)

  const limits = { action: 'set_limits', ids: [debtor.account, linked.account], limit: '-50', warn: '10' }
  t.same((await bulk(limits)).body, { ok: true, changed: 2, skipped: [] })
  t.match((await root.get(`${base}/accounts_get/${debtor.account}/`)).body, {
    account: { limit: '-50.00', warn: '10.00', client: { enabled: true } },
  })
  t.match((await audit(linked.account)).at(-1), {
    action: 'change',
    diff: { limit: ['0.00', '-50.00'], warn: [null, '10.00'] },
  })
  t.match((await bulk({ ...limits, ids: `${debtor.account},${orphan}` })).body, {
    changed: 1,
    skipped: [{ id: debtor.account, reason: 'It has these limits already.', code: 'same_limits' }],
  })
  t.match((await bulk({ action: 'set_limits', ids: [orphan], unlimited: 1, unlimited_date: '2030-01-01' })).body, {
    changed: 1,
  })
  t.match((await bulk({ action: 'set_limits', ids: [orphan], unlimited_date: null, warn: null })).body, { changed: 1 })
  t.match((await root.get(`${base}/accounts_get/${orphan}/`)).body.account, {
    unlimited: true,
    unlimited_date: null,
    warn: null,
    limit: '-50.00',
  })

  const euro = await made('/admin/dictionary/currencies_crud/', { code: 'EUR', name: 'Euro' })
  const currency = { action: 'set_currency', currency_id: euro.id }
  t.same((await bulk({ ...currency, ids: [orphan, worked, orphan] })).body, { ok: true, changed: 2, skipped: [] })
  t.match((await bulk({ ...currency, ids: [worked, filmed] })).body, {
    changed: 1,
    skipped: [{ id: worked, reason: /already/, code: 'same_currency' }],
  })
  t.match((await audit(worked)).at(-1), { action: 'change', diff: { currency: [1, euro.id] } })

  const orphans = await bulk({ action: 'delete_orphans', ids: [filmed, worked, orphan, linked.account] })
  t.match(orphans.body, {
    ok: true,
    changed: 1,
    skipped: [
      { id: linked.account, reason: /subscribers \(1\)/, code: 'in_use' },
      { id: worked, reason: /finance operations \(1\)/ },
      { id: filmed, reason: /video objects \(1\)/ },
    ],
  })
  t.same(await office.rows('SELECT id FROM admin_accounts WHERE id = $1', [orphan]), [])
  t.match((await audit(orphan)).at(-1), { action: 'delete', diff: { ostatok: ['0.00', null] } })

  const ids = [linked.account]
  for (const [body, error] of [
    [{ ids: [], action: 'set_limits', limit: 1 }, /^ids/],
    [{ action: 'set_limits', limit: 1 }, /^ids/],
    [{ ids: Array(1001).fill(1), action: 'set_limits', limit: 1 }, /^ids/],
    [{ ids, action: 'explode' }, /^action/],
    [{ ids, action: 'toString' }, /^action/],
    [{ ids, action: 'set_limits' }, /^limit/],
    [{ ids, action: 'set_limits', limit: 'x' }, /^limit/],
    [{ ids, action: 'set_limits', warn: '0.001' }, /^warn/],
    [{ ids, action: 'set_limits', unlimited_date: 'x' }, /^unlimited_date/],
    [{ ids, action: 'set_currency', currency_id: 99 }, /^currency_id/],
    [{ ids, action: 'set_currency' }, /^currency_id/],
  ] as const)
    t.match(await bulk(body), { status: 400, body: { ok: false, error } }, JSON.stringify(body).slice(0, 80))
})

t.test('a bulk request with one missing or invisible account is refused as a whole', async (t) => {
  const { office, client, root } = await openAccountsOffice(t, { shared })
  const mine = await client('Мой')
  const foreign = await client('Чужой')
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [mine.id])
  const north = await office.staff('north', 'operator', [2])
  const bulk = (caller: typeof root, ids: unknown[]) =>
    caller.post(`${base}/accounts_bulk/`, { ids, action: 'set_limits', limit: 5 })
  const refused = await bulk(north, [mine.account, foreign.account])
  t.match(refused, { status: 403, body: { ok: false } })
  t.same(await bulk(north, [mine.account, 987_654]), refused)
  t.same(await bulk(root, [mine.account, 987_654]), refused)
  t.same(await bulk(root, [mine.account, 'x']), refused)
  t.same(await office.rows('SELECT id FROM admin_accounts WHERE "limit" <> 0'), [])
  t.match((await bulk(north, [mine.account])).body, { changed: 1 })

  t.equal(
    (await north.post(`${base}/accounts_link/${mine.account}/`, { abonent_id: foreign.id, force: 1 })).status,
    404,
  )
  t.equal((await north.post(`${base}/accounts_unlink/${mine.account}/${foreign.id}/`)).status, 404)
})

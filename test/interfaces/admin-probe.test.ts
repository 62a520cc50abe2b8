import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { type Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const north = await office.staff('north', 'admin', [2])
const stranger = (await office.rows(`SELECT id FROM staff WHERE username = 'root'`))[0].id

const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const folder = await made('/admin/dictionary/folders_crud/', { name: 'Southern street', organization: 3 })
const abonent = await made('/rest_api/v2/Abonents/', { name: 'Southerner', contract_number: '1', parent: folder.id })
const login = await made('/rest_api/v2/Users/', { abonent: abonent.id, login: 'southern-line', password: 'x' })
const device = await made('/rest_api/v2/Switch/', { name: 'sw', ip: '10.9.9.9', ports_count: 4 })
const camera = await made('/admin/dictionary/video_objects_crud/', { name: 'Southern gate', account: abonent.account })
const fiscal = await made('/admin/dictionary/fiscal_configs_crud/', {
  name: 'Southern cash registers',
  organization: 3,
  url: 'https://receipts.example/v4',
  login: 'south',
  password: 'x',
  group_code: 'south',
  inn: '7701234567',
  payment_address: 'https://south.example',
  company_email: 'receipts@south.example',
  tax_system: 'osn',
})
const usluga = await made('/rest_api/v2/Usluga/', { name: 'Television', price: 0 })
const { id: service } = await made('/admin/Abonents/users_usluga_crud/', {
  abonent_id: abonent.id,
  usluga_id: usluga.id,
})
const token = await made('/admin/settings/tokens/', {
  current_password: 'root-password',
  name: 'of root',
  scopes: ['read'],
})
const ticket = await made('/rest_api/v2/Hdsk/', { abonent: abonent.id, subject: 'No line in the south' })
const operation = await made('/rest_api/v2/FinanceOperations/', {
  account: abonent.account,
  op_type: 7,
  op_summa: 10_000_000_000,
})
const [problem] = await office.rows(
  `INSERT INTO payment_problems (gateway, protocol, reason, detail, organization_id, notice, fingerprint)
    VALUES ('gwb', 'form', 'doubled', 'of Southerner', 3, '', 'x') RETURNING id`,
)

const message = Number(
  (
    await office.rows(
      `INSERT INTO notifications (subscriber_id, kind, text) VALUES ($1, 'x', 'To a southern client') RETURNING id`,
      [abonent.id],
    )
  )[0].id,
)

const [run] = await office.rows(
  `INSERT INTO staff_runs (kind, lock, staff_id, user_name, asked, state) VALUES ('import', 'x', $1, 'of root', '{}', 'done') RETURNING id`,
  [stranger],
)

const [shift] = await office.rows('INSERT INTO cash_shifts (staff_id) VALUES ($1) RETURNING id', [stranger])
const [refund] = await office.rows(
  `INSERT INTO payment_refunds (gateway, payment_id, amount, paid, organization_id, idempotence_key, request, state, staff_name)
    VALUES ('gwa', 'x', 1, 1, 3, 'x', '{}', 'failed', 'root') RETURNING id`,
)
const [mailing] = await office.rows(
  `INSERT INTO mailings (staff_id, user_name, asked, channel, title, text, starts_at)
    VALUES ($1, 'of root', '{}', 'auto', 'x', 'x', now()) RETURNING id`,
  [stranger],
)

const endpoint = await made('/admin/webhooks/endpoints/', {
  url: 'https://southern.example/hook',
  events: ['session.ended'],
  organizations: [3],
})
const [delivery] = await office.rows(
  `INSERT INTO webhook_deliveries (endpoint_id, message_id, event, organization_id, body)
    VALUES ($1, 'msg_1', 'session.ended', 3, '{}') RETURNING id`,
  [endpoint.endpoint.id],
)

/** A record of the south that each door with an id could be asked for; global: what all organizations share. */
const foreign: Readonly<Record<string, number | 'global'>> = {
  '/admin/abonents/block/:id': abonent.id,
  '/admin/abonents/unblock/:id': abonent.id,
  '/admin/abonents/reconnect/:id': abonent.id,
  '/admin/Abonents/restore/:id': abonent.id,
  '/admin/Abonents/log/:id': abonent.id,
  '/admin/Abonents/tickets/:id': abonent.id,
  '/admin/Abonents/ticket/:id': ticket.id,
  '/admin/Abonents/ticket_read/:id': ticket.id,
  '/admin/Abonents/subscribers/:id': abonent.id,
  '/admin/Abonents/logins_crud/:id': login.id,
  '/admin/Abonents/logins_password/:id': login.id,
  '/admin/Abonents/why/:id': abonent.id,
  '/admin/Abonents/accounts_get/:id': abonent.account,
  '/admin/Abonents/accounts_services/:id': abonent.account,
  '/admin/Abonents/accounts_payments_summary/:id': abonent.account,
  '/admin/Abonents/accounts_bank_ops/:id': abonent.account,
  '/admin/Abonents/accounts_crud/:id': abonent.account,
  '/admin/Abonents/accounts_link/:id': abonent.account,
  '/admin/Abonents/accounts_payment/:id': abonent.account,
  '/admin/Abonents/accounts_storno/:id': abonent.account,
  // Two ids: see below.
  '/admin/Abonents/accounts_unlink/:id/:abonent_id': 'global',
  '/admin/Abonents/promise_pay/:id': abonent.id,
  '/admin/Abonents/service_offer/:id': abonent.id,
  '/admin/Abonents/services/:id': abonent.id,
  '/admin/Abonents/as_client/:id': abonent.id,
  '/admin/Abonents/tariff/:id': abonent.id,
  '/admin/Abonents/tariff_cancel/:id': abonent.id,
  '/admin/Abonents/users_usluga_crud/:id': service,
  '/admin/dictionary/organizations_crud/:id': 3,
  '/admin/dictionary/folders_crud/:id': folder.id,
  '/admin/dictionary/staff_crud/:id': Number(stranger),
  '/admin/dictionary/video_objects_crud/:id': camera.id,
  '/admin/dictionary/fiscal_configs_crud/:id': fiscal.id,
  '/admin/Abonents/finops_detail/:op_id': operation.op_id,
  '/admin/Abonents/finops_crud/:op_id': operation.op_id,
  '/admin/Abonents/finops_reverse/:op_id': operation.op_id,
  '/admin/Abonents/finops_fiscalize/:op_id': operation.op_id,
  '/admin/Abonents/finops_fiscal_retry/:op_id': operation.op_id,
  // Two ids: the foreign one is asked for below.
  '/admin/getpdf/:abonent_id/:item_id': 'global',
  // No id, a name.
  '/admin/assets/:name': 'global',
  '/admin/Abonents/get_bills/:filename': 'global',
  '/admin/dictionary/fin_types_crud/:id': 'global',
  '/admin/dictionary/nas_templates_crud/:id': 'global',
  '/admin/dictionary/nas_crud/:id': 'global',
  '/admin/dictionary/ip_pulls_crud/:id': 'global',
  '/admin/dictionary/currencies_crud/:id': 'global',
  '/admin/dictionary/cards_crud/:id': 'global',
  '/admin/dictionary/tarifs_crud/:id': 'global',
  '/admin/dictionary/uslugas_crud/:id': 'global',
  '/admin/dictionary/switches_crud/:id': 'global',
  '/admin/dictionary/switches/:id/ports': 'global',
  '/admin/dictionary/homes_crud/:id': 'global',
  '/admin/dictionary/ticket_templates_crud/:id': 'global',
  '/admin/dictionary/user_attributes_crud/:id': 'global',
  '/admin/settings/tokens/:id': token.id,
  // A key of one user: test/interfaces/portal/view.test.ts.
  '/admin/as_client/:key': 'global',
  '/admin/as_client/:key/payments': 'global',
  '/admin/as_client/:key/payments/pay': 'global',
  '/admin/as_client/:key/promise': 'global',
  '/admin/as_client/:key/block': 'global',
  '/admin/as_client/:key/tariff': 'global',
  '/admin/as_client/:key/services': 'global',
  '/admin/as_client/:key/tickets': 'global',
  '/admin/as_client/:key/password': 'global',
  '/admin/as_client/:key/mailings': 'global',
  // With the password of the caller: see below.
  '/admin/account/passkeys/:id': 'global',
  '/admin/cash/shifts/:id': Number(shift.id),
  '/admin/cash/shifts/:id/paper': Number(shift.id),
  '/admin/imports/:id': Number(run.id),
  '/admin/imports/:id/rest': 'global',
  '/admin/runs/:id': Number(run.id),
  '/admin/runs/:id/rest': Number(run.id),
  '/admin/runs/:id/faults': Number(run.id),
  '/admin/runs/:id/faults_csv': Number(run.id),
  '/admin/jobs/:name/runs': 'global',
  '/admin/jobs/:name/run': 'global',
  '/admin/nodes/:name/drain': 'global',
  '/admin/messages/:id/retry': message,
  '/admin/messages/mailing/:id': Number(mailing.id),
  '/admin/messages/mailing/:id/stop': Number(mailing.id),
  '/admin/messages/mailing/:id/left_out': Number(mailing.id),
  '/admin/messages/opt_out/:id': abonent.id,
  '/admin/messages/template/:name': 'global',
  '/admin/messages/template/:name/preview': 'global',
  '/admin/payments/problems/:id': Number(problem.id),
  '/admin/payments/problems/:id/credit': Number(problem.id),
  '/admin/payments/refunds/:id': Number(refund.id),
  '/admin/staff/roles/:name': 'global',
  '/admin/ajax/ippull_get/:pool_id': 'global',
  '/admin/radius/nas/:id/test': 'global',
  '/admin/radius/pools/:id': 'global',
  '/admin/radius/pools/:id/holders': 'global',
  '/admin/radius/pools/:id/free': 'global',
  '/admin/Users/resolve_dns/:ip': 'global',
  '/admin/webhooks/endpoints/:id': endpoint.endpoint.id,
  '/admin/webhooks/endpoints/:id/rotate_secret': endpoint.endpoint.id,
  '/admin/webhooks/endpoints/:id/replay': endpoint.endpoint.id,
  '/admin/webhooks/endpoints/:id/test': endpoint.endpoint.id,
  '/admin/webhooks/deliveries/:id': Number(delivery.id),
  '/admin/webhooks/deliveries/:id/replay': Number(delivery.id),
  '/admin/webhooks/deliveries/:id/give_up': Number(delivery.id),
}

/** Addresses that name a record elsewhere than in the path. */
const asked: readonly (readonly [method: string, address: (id: number) => string, id: number])[] = [
  ['GET', (id) => `/admin/ajax/user_getinfo/?cmd=GetMac&user_id=${id}`, login.id],
  ['POST', (id) => `/admin/Abonents/accounts_unlink/${id}/${abonent.id}/`, abonent.account],
  ['GET', (id) => `/admin/getpdf/${id}/${operation.op_id}/`, abonent.id],
  ['POST', (id) => `/admin/getpdf/${id}/${operation.op_id}/`, abonent.id],
  ['GET', (id) => `/admin/getpdf/${abonent.id}/${id}/`, operation.op_id],
  ['GET', (id) => `/admin/Abonents/get_bills/bill-${id}-2026-01.pdf`, abonent.id],
  ['GET', (id) => `/admin/radius/usage/?abonent=${id}`, abonent.id],
  ['GET', (id) => `/admin/ajax/user_get_switch_port_list/?switch_id=${device.id}&user_id=${id}`, login.id],
]

const nobody = 987_654

/** The answer with the id taken out, so that only what differs otherwise is left. */
async function answer(caller: Caller, method: string, address: (id: number) => string, id: number): Promise<Json> {
  const { status, body } = await caller.call(method, address(id), method === 'GET' ? undefined : { name: 'mine now' })
  return { status, body: JSON.stringify(body).replaceAll(String(id), '#') }
}

const south = () =>
  office.rows(
    `SELECT to_json(abonents) AS subscriber, to_json(block) AS block, to_json(account) AS account, to_json(folder) AS folder,
        to_json(login) AS login, (SELECT json_agg(staff ORDER BY id) FROM staff) AS staff,
        (SELECT json_agg(organizations ORDER BY id) FROM organizations) AS organizations,
        (SELECT json_agg(video_objects) FROM video_objects) AS cameras, (SELECT count(*) FROM api_tokens) AS tokens,
        (SELECT json_agg(fiscal_configs) FROM fiscal_configs) AS registers,
        (SELECT json_agg(finance_operations) FROM finance_operations) AS operations, (SELECT count(*) FROM outbox) AS effects,
        (SELECT json_agg(webhook_endpoints) FROM webhook_endpoints) AS endpoints,
        (SELECT json_agg(webhook_deliveries) FROM webhook_deliveries) AS deliveries
      FROM abonents JOIN admin_accounts AS account ON account.id = account_id JOIN abonent_folders AS folder ON folder.id = abonents.parent_id
        JOIN users AS login ON login.abonent_id = abonents.id LEFT JOIN abonents_block AS block ON block.abonent_id = abonents.id`,
  )

t.test('no route of the web admin distinguishes an id of another organization from a missing one', async (t) => {
  const before = await south()
  for (const { method, path } of office.routes.filter(({ path }) => path.startsWith('/admin') && path.includes(':'))) {
    const id = foreign[path]
    if (id === undefined) t.fail(`${method} ${path} takes an id and is not probed`)
    if (typeof id !== 'number') continue
    const address = (one: number) => `${path.replace(/:\w+/, String(one))}/`
    const seen = await answer(north, method, address, id)
    t.same(seen, await answer(north, method, address, nobody), `${method} ${path}`)
    t.equal(seen.status, 404, `${method} ${path}`)
  }
  for (const [method, address, id] of asked) {
    const seen = await answer(north, method, address, id)
    t.same(seen, await answer(north, method, address, nobody), address(id))
    t.equal(seen.status, 404, address(id))
  }
  t.same(await south(), before, 'and nothing of it changes')
})

t.test('the passkey of somebody else is none', async (t) => {
  const [passkey] = await office.rows(
    `INSERT INTO staff_passkeys (staff_id, name, credential_id, public_key, counter, transports, created_at)
      VALUES ($1, 'of root', 'x', '', 0, '{}', now()) RETURNING id`,
    [stranger],
  )
  const deleted = (id: number) =>
    north.call('DELETE', `/admin/account/passkeys/${id}/`, { current_password: 'north-password' })
  const seen = await deleted(Number(passkey.id))
  t.equal(seen.status, 404)
  t.same(seen, await deleted(nobody))
  t.equal((await office.rows('SELECT id FROM staff_passkeys')).length, 1)
  await office.rows('DELETE FROM staff_passkeys')
})

t.test('no list of the web admin shows records of another organization', async (t) => {
  for (const { path } of office.routes.filter(
    // The way out would end the session that asks.
    ({ method, path }) => method === 'GET' && /^\/admin\/[^:]+$/.test(path) && path !== '/admin/logout',
  )) {
    const { body } = await north.get(path)
    t.notMatch(JSON.stringify(body), /South|southern|of root/, path)
  }
  t.match(
    (await root.get('/admin/dictionary/folders_crud/')).body.items,
    [{ name: 'Southern street' }],
    'who may, sees it',
  )
})

t.test('a subscriber without an organization is of the default one', async (t) => {
  const first = await office.staff('first', 'operator', [1])
  await office.rows('UPDATE abonents SET organization_id = NULL')
  t.equal((await north.post(`/admin/abonents/block/${abonent.id}/`)).status, 404)
  t.equal((await first.post(`/admin/abonents/block/${abonent.id}/`)).status, 302)
  const saved = await root.put(`/rest_api/v2/Abonents/${abonent.id}/`, { comment: 'seen' })
  t.equal(saved.body.organization, 3, 'and gets that of its folder when it is saved')
})

t.test('every route of the web admin is in the program, and so in the probe', async (t) => {
  const composed = ['provider/routes.ts', 'payments/routes.ts', 'account/routes.ts', 'webhooks/routes.ts'].map(
    (file) => `src/interfaces/admin/${file}`,
  )
  const joined = ['src/app/routes.ts', ...composed].map((file) => readFileSync(file, 'utf8')).join('')
  for (const file of globSync('src/interfaces/admin/**/*.ts')) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^export (?:const|function) (\w+Routes)\b/gm))
      t.ok(joined.includes(`${name}(`), `${name} of ${file}`)
  }
})

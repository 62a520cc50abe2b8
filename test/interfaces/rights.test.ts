import t from 'tap'
import { openOffice } from './admin-office.ts'
import { fetch } from '../support/published.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await root.post('/admin/dictionary/organizations_crud/', { name: 'North' })
const chief = await office.staff('chief', 'admin', [1])
const operator = await office.staff('operator', 'operator', [1])
const cashier = await office.staff('cashier', 'cashier', [1])
const viewer = await office.staff('viewer', 'viewer', [1])
const integration = await office.staff('integration', 'integration', [1])
const { body: subscriber } = await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })

const given = async (username: string, rights: object) => {
  const [{ id }] = await office.rows('SELECT id FROM staff WHERE username = $1', [username])
  return root.post(`/admin/dictionary/staff_crud/${id}/`, rights)
}
const operation = async (): Promise<number> => {
  const posted = { account: subscriber.account, op_type: 7, op_summa: 10_000_000_000 }
  return (await root.post('/rest_api/v2/FinanceOperations/', posted)).body.op_id
}

t.test('REST is open to the roles that have the right, and to whom it was given', async (t) => {
  const asked = [
    ['GET', '/rest_api/v2/Abonents/'],
    ['GET', `/rest_api/v2/Abonents/${subscriber.id}/`],
    ['OPTIONS', '/rest_api/v2/Abonents/'],
    ['GET', '/rest_api/Abonents/?format=xml'],
    ['GET', `/rest_api/v2/promise_pay/${subscriber.id}/`],
    ['GET', '/rest_api/v2/openapi.json'],
  ] as const
  for (const [method, path] of asked) {
    for (const caller of [root, chief, operator, integration])
      t.equal((await caller.call(method, path)).status, 200, `${method} ${path}`)
    for (const caller of [cashier, viewer]) {
      const { status, body } = await caller.call(method, path)
      t.equal(status, 403, `${method} ${path}`)
      t.match(path.endsWith('xml') ? body : body.detail, /the right ("|&quot;)rest/)
    }
  }
  const posted = { account: subscriber.account, op_type: 7, op_summa: 10_000_000_000 }
  t.equal((await cashier.post('/rest_api/v2/FinanceOperations/', posted)).status, 403)
  t.match((await given('viewer', { rest: true })).body, { ok: true, rest: true })
  t.equal((await viewer.get('/rest_api/v2/Abonents/')).status, 200)
  t.equal((await viewer.post('/rest_api/v2/Abonents/', {})).status, 403, 'nothing beyond the role')
  t.match((await given('viewer', { rest: false })).body, { ok: true, rest: false })
  t.equal((await viewer.get('/rest_api/v2/Abonents/')).status, 403)
  t.equal((await viewer.get('/admin/Abonents/accounts_json/')).status, 200, 'the web admin is another door')
  const again = await office.signedIn('viewer', 'viewer-password')
  t.equal((await again.post('/rest_api/logout/')).status, 200, 'everybody may sign out')
})

t.test('an operation needs the same rights at REST and in the web admin', async (t) => {
  await given('cashier', { rest: true })
  await given('viewer', { rest: true })
  const callers = { root, operator, integration, cashier, viewer }
  const expected = {
    root: [201, 200, 204],
    operator: [201, 200, 204],
    integration: [201, 200, 204],
    cashier: [201, 403, 403],
    viewer: [403, 403, 403],
  }
  for (const [name, caller] of Object.entries(callers)) {
    const id = await operation()
    const posted = { account: subscriber.account, op_type: 7, op_summa: 10_000_000_000 }
    const wanted = expected[name as keyof typeof expected]
    for (const base of ['/rest_api/v2', '/rest_api']) {
      const one = `${base}/FinanceOperations/${base === '/rest_api' ? await operation() : id}/`
      const answers = [
        await caller.post(`${base}/FinanceOperations/`, posted),
        await caller.put(one, { descr: 'Changed' }),
        await caller.delete(one),
      ]
      t.same(
        answers.map(({ status }) => status),
        wanted,
        `${name} ${base}`,
      )
      t.equal((await caller.call('PATCH', `${base}/FinanceOperations/${await operation()}/`, {})).status, wanted[1])
    }
    const admin = `/admin/Abonents/finops_crud/${await operation()}/`
    const inAdmin = [
      await caller.post('/admin/Abonents/finops_crud/', {
        account_id: subscriber.account,
        op_type_id: 7,
        amount: 1,
      }),
      await caller.post(admin, { descr: 'Changed' }),
      await caller.post(admin, { _delete: 1 }),
    ]
    t.same(
      inAdmin.map(({ status }) => (status === 200 ? 2 : status)),
      wanted.map((status) => (status < 300 ? 2 : status)),
      `${name} in the web admin`,
    )
  }
  await given('cashier', { rest: false })
  await given('viewer', { rest: false })
})

t.test('what the gate refuses of REST v1 has the format that is asked for', async (t) => {
  const asked = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(office.base + path, { headers })
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  const detail = 'Authentication credentials were not provided.'
  t.same(await asked('/rest_api/Abonents/?format=xml'), [
    401,
    'application/xml; charset=utf-8',
    `<?xml version="1.0" encoding="utf-8"?>\n<response><detail>${detail}</detail></response>\n`,
  ])
  t.match(await asked('/rest_api/Abonents/', { ...viewer.headers, Accept: 'text/xml' }), [
    403,
    'application/xml; charset=utf-8',
    /<response><detail>You do not have permission/,
  ])
  t.same(await asked('/rest_api/Abonents/'), [401, 'application/json; charset=utf-8', JSON.stringify({ detail })])
})

t.test('a token leads to REST only while its owner may use REST', async (t) => {
  const { body } = await chief.post('/admin/settings/tokens/', {
    name: 'reader',
    scopes: ['read'],
    current_password: 'chief-password',
  })
  const read = async () =>
    (await fetch(`${office.base}/rest_api/v2/Abonents/`, { headers: { Authorization: `Bearer ${body.token}` } })).status
  t.equal(await read(), 200)
  await given('chief', { role: 'viewer' })
  t.equal(await read(), 403)
  await given('chief', { role: 'admin' })
})

t.test('what concerns all organizations is changed by staff who see all of them', async (t) => {
  const changes = [
    ['/admin/settings/system/', { SYSTEM_API_PASSWORD: 'mine from now on' }],
    ['/admin/settings/payment/', { LK_GWA_SHOP_ID: '1' }],
    ['/admin/settings/payment/', { check: 'gwa' }],
    ['/admin/jobs/process_blocks/run/', {}],
    ['/admin/dictionary/nas_templates_crud/', { name: 'Mine', nas_type: 'mikrotik' }],
    ['/admin/dictionary/fin_types_crud/', { op_name: 'Mine', op_sign: 1 }],
    ['/admin/dictionary/fin_types_crud/33/', { enabled: false }],
    ['/admin/dictionary/currencies_crud/', { code: 'EUR', name: 'Euro' }],
    ['/admin/dictionary/user_attributes_crud/', { name: 'Mine' }],
    ['/admin/dictionary/organizations_crud/', { name: 'Mine' }],
  ] as const
  for (const [path, body] of changes) {
    t.match(await chief.post(path, body), { status: 403 }, path)
    t.equal((await chief.delete('/admin/dictionary/currencies_crud/1/')).status, 403)
  }
  t.match(await chief.post('/admin/settings/system/', {}), { body: { error: /every organization/ } })
  t.equal(office.settings.get('SYSTEM_API_PASSWORD'), '')
  t.equal((await chief.get('/admin/settings/system/')).status, 200, 'reading changes nothing')
  t.match(
    await chief.post('/admin/dictionary/staff_crud/', {
      username: 'x',
      password: 'long enough 1',
      all_organizations: true,
    }),
    { status: 403 },
    'nobody gives more than they have',
  )
  t.match((await given('chief', { all_organizations: true })).body, { ok: true, all_organizations: true })
  for (const [path, body] of changes) t.match((await chief.post(path, body)).body, { ok: true }, path)
  t.equal(office.settings.get('SYSTEM_API_PASSWORD'), 'mine from now on')
  await given('chief', { all_organizations: false })
  t.equal((await chief.post('/admin/settings/system/', {})).status, 403)
})

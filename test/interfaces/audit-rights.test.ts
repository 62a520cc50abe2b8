import t from 'tap'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await root.post('/admin/dictionary/fin_types_crud/', { op_name: 'Bonus', op_sign: 1 })
await root.post('/admin/settings/system/', { RADIUS_INTERIM_INTERVAL: 120 })
const chief = await office.staff('chief', 'admin', [1])
const operator = await office.staff('operator', 'operator', [1])
const cashier = await office.staff('cashier', 'cashier', [1])
const viewer = await office.staff('viewer', 'viewer', [1])
const { body: subscriber } = await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })

const given = async (username: string, rights: object) => {
  const [{ id }] = await office.rows('SELECT id FROM staff WHERE username = $1', [username])
  return root.post(`/admin/dictionary/staff_crud/${id}/`, rights)
}

t.test('rows of the audit that belong to no organization are shown only to staff who see all', async (t) => {
  const seen = async (caller: typeof root): Promise<string[]> => [
    ...new Set(
      (await caller.get('/admin/audit/?per_page=500')).body.items.map(
        ({ table_name }: { table_name: string }) => table_name,
      ) as string[],
    ),
  ]
  await office.rows(`INSERT INTO audit_operations (table_name, object_id, action) VALUES
    ('API_TOKENS', '1', 'create'), ('STAFF', '1', 'change')`)
  await root.post('/rest_api/v2/Nas/', { name: 'bras', ip: '192.0.2.1', secret: 'secret' })
  const all = await seen(root)
  for (const table of ['STAFF', 'SYSTEM_SETTINGS', 'API_TOKENS', 'NAS', 'FIN_TYPES', 'ABONENTS'])
    t.ok(all.includes(table))
  for (const caller of [chief, operator, cashier, viewer]) {
    const own = await seen(caller)
    t.ok(own.includes('ABONENTS'))
    for (const table of ['STAFF', 'SYSTEM_SETTINGS', 'API_TOKENS', 'NAS', 'FIN_TYPES', 'CURRENCIES'])
      t.notOk(own.includes(table), table)
  }
  await given('viewer', { all_organizations: true })
  const wide = await seen(viewer)
  t.ok(wide.includes('NAS'))
  for (const table of ['STAFF', 'SYSTEM_SETTINGS', 'API_TOKENS']) t.notOk(wide.includes(table), table)
  t.match((await viewer.get('/admin/audit/?table_name=STAFF')).body, { total: 0, items: [] })
  await given('viewer', { all_organizations: false })
})

t.test('what needs a right to be read needs it in the audit too', async (t) => {
  const guarded = {
    CASH_SHIFTS: 'money',
    PAYMENT_PROBLEMS: 'money',
    NAS_TEMPLATES: 'settings',
    FISCAL_CONFIGS: 'settings',
    WEBHOOK_ENDPOINTS: 'settings',
  }
  for (const table of Object.keys(guarded))
    await office.rows(
      `INSERT INTO audit_operations (table_name, object_id, action, diff, organization_id)
        VALUES ($1, '1', 'change', '{"counted_cash": [null, "90.00"]}', 1)`,
      [table],
    )
  const seen = async (caller: typeof root) => {
    const counts = Object.keys(guarded).map(async (table) => {
      const { body } = await caller.get(`/admin/audit/?table_name=${table}`)
      return [table, body.total] as const
    })
    return (await Promise.all(counts)).flatMap(([table, total]) => (total > 0 ? [table] : []))
  }
  t.same(await seen(viewer), [])
  t.same(await seen(cashier), ['CASH_SHIFTS', 'PAYMENT_PROBLEMS'])
  t.same(await seen(chief), Object.keys(guarded))
})

t.test('the audit shows personal documents only with their right', async (t) => {
  const birth = { passport_series_number: '4509 123456', birth_date: '1980-02-03', comment: 'Likes tea' }
  await root.put(`/rest_api/v2/Abonents/${subscriber.id}/`, birth)
  const path = `/admin/audit/?table_name=ABONENTS&object_id=${subscriber.id}`
  const newest = async (caller: typeof root) => (await caller.get(path)).body.items[0].diff
  t.match(await newest(chief), { passport_series_number: [null, '4509 123456'], comment: [null, 'Likes tea'] })
  const masked = { passport_series_number: ['***', '***'], birth_date: ['***', '***'], comment: [null, 'Likes tea'] }
  t.match(await newest(viewer), masked)
  await given('viewer', { personal_data: true })
  t.match(await newest(viewer), { birth_date: [null, '1980-02-03'] })
  await given('viewer', { personal_data: false })
})

import t from 'tap'
import { fetch } from '../support/published.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
const dictionary = (name: string, id: number | string = '') => `/admin/dictionary/${name}_crud/${id ? `${id}/` : ''}`
const audits = (table: string) =>
  office.rows('SELECT action, object_id, diff, user_name FROM audit_operations WHERE table_name = $1 ORDER BY id', [
    table,
  ])

t.test('a dictionary is read, filled, changed and emptied', async (t) => {
  const path = dictionary('fin_types')
  const made = await root.post(path, { op_name: 'Refund', op_sign: -1, op_descr: '', is_common: '1' })
  t.match(made, {
    status: 200,
    body: { ok: true, op_name: 'Refund', op_sign: -1, op_descr: null, is_common: true, enabled: true },
  })
  const { id } = made.body
  t.equal(id, made.body.type_id)
  t.ok(id >= 100, 'the fixed numbers stay free')
  t.same((await root.get(dictionary('fin_types', id))).body, made.body)
  t.match((await root.post(dictionary('fin_types', id), { op_name: 'Refund in cash' })).body, {
    ok: true,
    op_name: 'Refund in cash',
    op_sign: -1,
  })
  const found = await root.get(`${path}?q=REFUND`)
  t.match(found.body, { ok: true, total: 1, has_more: false, items: [{ id }] })
  t.same(await root.get('/admin/dictionary/FinTypes/?q=REFUND'), found, 'the address of specification 4.12')
  t.match((await root.get(`${path}?per_page=1`)).body, { total: 11, has_more: true, items: { length: 1 } })
  const { items } = (await root.get(path)).body
  for (const [page, length] of [4, 4, 3, 0].entries()) {
    const { body } = await root.get(`${path}?per_page=4&page=${page + 1}`)
    t.match(body, { total: 11, has_more: page < 2, items: { length } })
    t.same(body.items, items.slice(page * 4, page * 4 + 4), 'pages follow one another')
  }
  t.equal((await root.get(`${path}?page=0`)).status, 400)
  t.equal((await root.post(dictionary('fin_types', id), { op_name: 'Refund in cash' })).status, 200)
  t.same(await root.delete(dictionary('fin_types', id)), { status: 200, body: { ok: true } })
  t.same(await root.get(dictionary('fin_types', id)), {
    status: 404,
    body: { ok: false, error: 'Not found.', code: 'not_found' },
  })
  t.match(await audits('FIN_TYPES'), [
    { action: 'create', object_id: String(id), user_name: 'root', diff: { op_name: [null, 'Refund'] } },
    { action: 'change', diff: { op_name: ['Refund', 'Refund in cash'] } },
    { action: 'delete', diff: { op_name: ['Refund in cash', null] } },
  ])
  t.equal((await audits('FIN_TYPES')).length, 3, 'a save that changes nothing leaves no trace')
})

t.test('every wrong field is named at once', async (t) => {
  const { status, body } = await root.post(dictionary('fin_types'), {
    op_name: 'x'.repeat(257),
    op_sign: 2,
    enabled: 'x',
  })
  t.equal(status, 400)
  t.match(body, { ok: false, error: /op_name.*op_sign.*enabled/, errors: { op_sign: 'It must be -1, 0, 1.' } })
  t.match(body, { code: 'wrong_field', codes: { op_name: 'too_long', op_sign: 'wrong', enabled: 'wrong' } })
  t.match(await root.post(dictionary('fin_types'), {}), {
    status: 400,
    body: {
      errors: { op_name: 'This field is required.', op_sign: 'This field is required.' },
      codes: { op_sign: 'required' },
    },
  })
  t.equal((await root.post(dictionary('fin_types'), [])).status, 400)
  t.equal((await root.post(dictionary('fin_types', 'x'), {})).status, 404)
})

t.test('a type in use or with a fixed number stays', async (t) => {
  const { body: type } = await root.post(dictionary('fin_types'), { op_name: 'Bonus', op_sign: 1 })
  const subscriber = await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })
  const posted = { account: subscriber.body.account, op_type: type.id, op_summa: 10_000_000_000 }
  for (let n = 0; n < 2; n++) t.equal((await root.post('/rest_api/v2/FinanceOperations/', posted)).status, 201)
  t.match(await root.delete(dictionary('fin_types', type.id)), {
    status: 400,
    body: { ok: false, code: 'record_in_use', error: /in use.*operations: 2/ },
  })
  t.match((await root.post(dictionary('fin_types', type.id), { op_sign: -1 })).body, { ok: false, error: /sign/ })
  t.match((await root.post(dictionary('fin_types', 7), { op_sign: -1 })).body, { ok: false, error: /fixed/ })
  t.match((await root.delete(dictionary('fin_types', 33))).body, { ok: false, error: /fixed/ })
  t.match((await root.post(dictionary('fin_types', 33), { enabled: false })).body, { ok: true, enabled: false })
})

t.test('just one currency is the default one', async (t) => {
  const made = await root.post(dictionary('currencies'), { code: 'EUR', name: 'Euro', is_default: true })
  t.match(made.body, { ok: true, is_default: true })
  t.match((await root.get(dictionary('currencies', 1))).body, { is_default: false })
  t.match((await root.post(dictionary('currencies', made.body.id), { is_default: false })).status, 400)
  t.match((await root.delete(dictionary('currencies', made.body.id))).body, { error: /default/ })
  t.match((await root.post(dictionary('currencies'), { code: 'EUR', name: 'Again' })).body, {
    ok: false,
    error: /Another record/,
    codes: { code: 'taken' },
  })
  t.match((await root.delete(dictionary('currencies', 1))).body, { error: /accounts: 1/ })
})

t.test('_delete=1 deletes as DELETE does, and a form too', async (t) => {
  const path = dictionary('currencies')
  const made = async (code: string) => (await root.post(path, { code, name: code })).body.id
  t.match(await root.post(dictionary('currencies', await made('XAA')), { _delete: 1 }), {
    status: 200,
    body: { ok: true, code: 'XAA' },
  })
  const id = await made('XBB')
  const form = { ...root.headers, 'Content-Type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', headers: form, body: '_delete=1' }
  t.equal((await fetch(root.base + dictionary('currencies', id), sent)).status, 200)
  t.equal((await root.get(dictionary('currencies', id))).status, 404)
  t.match(await root.post(dictionary('currencies', 1), { _delete: true }), {
    status: 400,
    body: { error: /accounts: 1/ },
  })
  t.match(await root.post(dictionary('fin_types', 7), { _delete: 1 }), { status: 400, body: { code: 'fixed_type' } })
  t.match(await root.post(dictionary('currencies', 1), { _delete: 0 }), { status: 200, body: { code: 'RUB' } })
  t.match(await root.post(path, { code: 'XCC', name: 'x', _delete: 1 }), { status: 400, body: { error: /address/ } })
})

t.test('folders are a tree, and take the organization of their parent', async (t) => {
  const path = dictionary('folders')
  const { body: city } = await root.post(path, { name: 'City', organization_id: 2 })
  t.match(city, { ok: true, organization: 2, organization_id: 2, parent: null, parent_id: null })
  const { body: street } = await root.post(path, { name: 'Street', parent: city.id })
  t.match(street, { parent: city.id, organization: 2 })
  t.match((await root.post(path, { name: 'Root' })).body, { organization: 1 })
  t.match((await root.post(dictionary('folders', city.id), { parent: street.id })).body, {
    ok: false,
    error: /in itself/,
  })
  t.match((await root.post(dictionary('folders', city.id), { parent: city.id })).body, {
    ok: false,
    error: /in itself/,
  })
  t.match((await root.delete(dictionary('folders', city.id))).body, { ok: false, error: /folders: 1/ })
  t.match((await root.post(path, { name: 'x', parent: 999 })).body, {
    errors: { parent: 'There is no such record.' },
    codes: { parent: 'missing' },
  })
})

t.test('staff of one organization get the same answers for records of another one as for missing ones', async (t) => {
  const north = await office.staff('north', 'admin', [2])
  const { body: foreign } = await root.post(dictionary('folders'), { name: 'South folder', organization: 3 })
  const { body: account } = await root.post('/rest_api/v2/Abonents/', {
    name: 'Southerner',
    contract_number: 's1',
    parent: foreign.id,
  })
  const { body: camera } = await root.post(dictionary('video_objects'), { name: 'Gate', account: account.account })
  t.match(camera, { ok: true, account_id: account.account })
  const alike = async (name: string, id: number) => {
    for (const [method, body] of [['GET'], ['POST', { name: 'mine now' }], ['DELETE']] as const) {
      const seen = await north.call(method, dictionary(name, id), body)
      t.same(seen, await north.call(method, dictionary(name, 99_999), body), `${method} ${name}`)
      t.equal(seen.status, 404)
    }
  }
  await alike('folders', foreign.id)
  await alike('organizations', 3)
  await alike('video_objects', camera.id)
  await alike('staff', 1)
  t.match((await north.get(dictionary('organizations'))).body, { items: [{ id: 2, name: 'North' }], total: 1 })
  t.notMatch(JSON.stringify((await north.get(dictionary('folders'))).body), /South/)
  t.same((await north.get(dictionary('video_objects'))).body.total, 0)

  const naming = (id: number) => [
    north.post(dictionary('folders'), { name: 'x', organization: id }),
    north.post(dictionary('video_objects'), { name: 'x', account: id === 3 ? account.account : id }),
    north.post(dictionary('staff'), { username: 'x', password: 'y', role: 'viewer', organizations: [id] }),
  ]
  const [theirs, nobodys] = [await Promise.all(naming(3)), await Promise.all(naming(99_999))]
  t.same(theirs, nobodys, 'nor by a relation')
  for (const { status } of theirs) t.equal(status, 400)
  t.match((await north.post(dictionary('folders'), { name: 'Ours' })).body, { ok: true, organization: 2 })
  t.equal((await north.post(dictionary('organizations'), { name: 'Mine' })).status, 403)
  t.match((await north.post(dictionary('video_objects'), { name: 'Nobody pays' })).body, {
    ok: false,
    error: /account/,
  })
})

t.test('a template of answers is tried when it is saved, and its NAS follow it', async (t) => {
  const path = dictionary('nas_templates')
  t.match((await root.get(path)).body, { total: 2, items: [{ name: 'Juniper, policies' }, { nas_type: 'juniper' }] })
  const accept = [{ name: 'Mikrotik-Rate-Limit', value: '{up_rate}/{down_rate}' }]
  const made = await root.post(path, { name: 'Hotspot', nas_type: 'mikrotik', accept })
  t.match(made.body, { ok: true, accept, coa: [], garden: [], comment: null })
  const { id } = made.body
  const good = { name: 'Filter-Id', value: '{list}' }
  const faults: [object, RegExp, object?][] = [
    [
      { accept: [{ name: 'No-Such', value: 1 }] },
      /There is no RADIUS attribute "No-Such"/,
      { part: 'accept', line: 0 },
    ],
    [{ coa: [good, { name: 'Filter-Id', value: '{speed}' }] }, /\{speed\} is no place/, { part: 'coa', line: 1 }],
    [
      { garden: [good, good, { name: 'Mikrotik-Rate-Limit', value: '1M/1M' }] },
      /Mikrotik-Rate-Limit stands once/,
      { part: 'garden', line: 2 },
    ],
    [{ accept: [{ name: 'Framed-IP-Address', value: '10.0.0.1' }] }, /is written by the program itself/],
    [{ accept: 'x' }, /It must be a list of/],
  ]
  for (const [change, error, where] of faults) {
    const refused = { status: 400, body: { ok: false, error, ...where } }
    t.match(await root.post(dictionary('nas_templates', id), change), refused)
  }
  const nas = { name: 'bras', ip: '10.7.7.7', secret: 'x', nas_type: 'mikrotik', template: id }
  const bras = await root.post('/rest_api/v2/Nas/', nas)
  t.match(bras, { status: 201, body: { template: id } })
  t.match((await root.delete(dictionary('nas_templates', id))).body, { ok: false, error: /in use.*NAS: 1/ })
  await root.delete(`/rest_api/v2/Nas/${bras.body.id}/`)
  t.same((await root.delete(dictionary('nas_templates', id))).body, { ok: true })
})

t.test('a template of answers shows what it tells a NAS before it is saved', async (t) => {
  const preview = (body: object, caller = root) => caller.post('/admin/radius/templates_preview/', body)
  const accept = [
    { name: 'Mikrotik-Rate-Limit', value: '{up_rate}/{down_rate}' },
    { name: 'Tunnel-Private-Group-Id', value: '{vlan}' },
    { name: 'Session-Timeout:1', value: 5 },
  ]
  const wrong = await preview({ accept })
  const about = { code: 'untagged', about: { attribute: 'Session-Timeout' } }
  t.match(wrong, {
    status: 200,
    body: { wrong: { part: 'accept', line: 2, fault: /Session-Timeout/, ...about }, accept: [] },
  })
  accept.pop()
  const garden = [{ name: 'Mikrotik-Address-List', value: '{list}' }]
  t.same((await preview({ accept, garden, down_kbit: 100_000, up_kbit: 512, vlan: 120 })).body, {
    ok: true,
    wrong: null,
    accept: [
      { name: 'Mikrotik-Rate-Limit', value: '512k/100M' },
      { name: 'Tunnel-Private-Group-Id', value: '120' },
    ],
    garden: [
      { name: 'Mikrotik-Rate-Limit', value: '512k/100M' },
      { name: 'Tunnel-Private-Group-Id', value: '120' },
      { name: 'Mikrotik-Address-List', value: 'debtors' },
    ],
    coa: [],
  })
  t.same((await preview({ accept, garden })).body.accept, [], 'without a limit and a VLAN there is nothing to tell')
  for (const body of [{ accept: 'x' }, { coa: [{ name: 1 }] }, { down_kbit: -1 }, { vlan: 4095 }, { up_kbit: '1' }])
    t.match(await preview(body), { status: 400, body: { ok: false, code: 'wrong_field' } }, JSON.stringify(body))
  t.equal((await preview({ accept }, await office.staff('clerk', 'operator', [1]))).status, 403)
})

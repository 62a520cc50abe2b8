import t from 'tap'
import { sormRoutes } from '../../src/interfaces/admin/provider/sorm.ts'
import { userAttributeRoutes } from '../../src/interfaces/admin/provider/user-attributes.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startServer } from '../platform/http/parts.ts'
import { fetch } from '../support/published.ts'
import { Caller, type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const scope = { database: office.database, timeZone: () => 'Europe/Moscow' }
const log = silentLog
const parts = { ...scope, log, secrets: { seal: (clear: string) => clear }, changed: async () => {} }
const { server, base } = await startServer([...sormRoutes({ ...scope, log }), ...userAttributeRoutes(parts)], {
  signIn: office.signIn,
})
t.teardown(() => server.stop())
const at = (caller: Caller) => new Caller(base, caller.headers)

const root = await office.staff('root')
const admin = at(root)
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
await office.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (1, 2, 'North')`)

const crud = (id: number | string = '') => `/admin/dictionary/user_attributes_crud/${id ? `${id}/` : ''}`
const validate = '/admin/equipment/sorm_list/validate/'
const exported = (report: string) => `/admin/equipment/sorm_list/export/?report=${report}`

let number = 100
async function abonent(fields: object): Promise<number> {
  const made = await root.post('/rest_api/v2/Abonents/', {
    name: 'Somebody',
    contract_number: `${++number}`,
    ...fields,
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.id
}

async function attribute(fields: object): Promise<Json> {
  const made = await admin.post(crud(), fields)
  if (made.status !== 200) throw new Error(JSON.stringify(made.body))
  return made.body
}

t.test('a field of subscribers is made, read, changed, used and deleted', async (t) => {
  const made = await admin.post(crud(), {
    name: 'ИНН',
    type_id: 2,
    is_sorm: true,
    sorm_field_code: 'inn',
    sorm_report_types: ' ABONENT_LEGAL , ABONENT',
    sorm_required: false,
    sorm_alt_names: 'Tax number',
  })
  t.match(made, { status: 200, body: { ok: true, sorm_report_types: 'ABONENT_LEGAL,ABONENT', use_count: 0 } })
  t.notOk('warning' in made.body)
  const { id } = made.body
  t.strictSame(await admin.get(crud(id)), made)
  t.match((await admin.get(crud())).body, { ok: true, items: [{ id, name: 'ИНН' }], total: 1 })

  const holder = await abonent({ attributes: { inn: '7707083893' } })
  t.match((await admin.get(crud(id))).body, { use_count: 1 })
  t.match(await admin.delete(crud(id)), { status: 400, body: { ok: false, error: /subscribers with a value: 1/ } })
  t.match(await admin.post(crud(id), { type_id: 3 }), { status: 400, body: { ok: false, error: /type.*\(1\)/ } })
  t.match(await admin.post(crud(id), { type_id: 1 }), { status: 200, body: { type_id: 1 } })
  await root.put(`/rest_api/v2/Abonents/${holder}/`, { attributes: { inn: null } })
  t.strictSame(await admin.delete(crud(id)), { status: 200, body: { ok: true } })
  t.match(await admin.get(crud(id)), { status: 404, body: { ok: false, error: 'Not found.' } })

  for (const wrong of [{}, { name: ' ' }, { name: 'x', type_id: 5 }, { name: 'x', sorm_report_types: 'abonent;x' }]) {
    t.match(await admin.post(crud(), wrong), { status: 400, body: { ok: false, error: String } })
  }
  t.match(
    await office.rows(`SELECT action, diff FROM audit_operations WHERE table_name = 'USER_ATTRIBUTES' ORDER BY id`),
    [{ action: 'create' }, { action: 'change', diff: { type_id: [2, 1] } }, { action: 'delete' }],
  )
})

t.test('an exported field is renamed on purpose only', async (t) => {
  const { id } = await attribute({ name: 'Passport', is_sorm: true, sorm_field_code: 'passport' })
  const refused = await admin.post(crud(id), { name: 'Паспорт', sorm_alt_names: 'p' })
  t.match(refused, {
    status: 400,
    body: { ok: false, error: String, code: 'sorm_rename_blocked', sorm_rename_blocked: true },
  })
  t.match((await admin.get(crud(id))).body, { name: 'Passport', sorm_alt_names: '' }, 'nothing of it was taken')
  t.match(await admin.post(crud(id), { name: 'Passport', sorm_required: true }), { status: 200 })
  t.match(await admin.post(crud(id), { name: 'Паспорт', force_sorm_rename: false }), { status: 400 })
  t.match(await admin.post(crud(id), { name: 'Паспорт', force_sorm_rename: true }), { body: { name: 'Паспорт' } })
  const plain = await attribute({ name: 'Colour' })
  t.match(await admin.post(crud(plain.id), { name: 'Hue' }), { status: 200, body: { name: 'Hue' } })
  await office.rows('DELETE FROM user_attributes')
})

t.test('a doubtful code is kept with a warning, and the check reports it', async (t) => {
  const sorm = { is_sorm: true, sorm_report_types: 'ABONENT' }
  t.match(await attribute({ ...sorm, name: 'A', sorm_field_code: 'Bad-Code' }), {
    sorm_field_code: 'Bad-Code',
    warning: /Bad-Code/,
  })
  t.match(await attribute({ ...sorm, name: 'B', sorm_field_code: '' }), { warning: /no field code/ })
  t.notOk('warning' in (await attribute({ ...sorm, name: 'C', sorm_field_code: 'same' })))
  t.match(await attribute({ ...sorm, name: 'D', sorm_field_code: 'same' }), { warning: /"C", "D".*ABONENT/ })
  const elsewhere = { ...sorm, name: 'E', sorm_field_code: 'same', sorm_report_types: 'ABONENT_IDENT' }
  t.notOk('warning' in (await attribute(elsewhere)), 'another report')
  t.notOk('warning' in (await attribute({ name: 'F', sorm_field_code: 'No Sorm' })))
  const { body } = await admin.get(validate)
  t.match(body, {
    ok: true,
    has_problems: true,
    data_issues: [],
    meta_issues: [
      { kind: 'invalid_field_code', attribute_id: Number, attribute_name: 'A', message: String },
      { kind: 'missing_field_code', attribute_id: Number, attribute_name: 'B', message: String },
      {
        kind: 'duplicate_field_code',
        report_type: 'ABONENT',
        sorm_field_code: 'same',
        attribute_ids: [Number, Number],
        attribute_names: ['C', 'D'],
      },
    ],
  })
  t.equal(body.meta_issues.length, 3)
  await office.rows('DELETE FROM user_attributes')
  t.strictSame((await admin.get(validate)).body, { ok: true, has_problems: false, meta_issues: [], data_issues: [] })
})

t.test('missing values are counted where they can be', async (t) => {
  await office.rows('UPDATE abonents SET deleted = true')
  const required = { is_sorm: true, sorm_required: true }
  const inn = await attribute({
    ...required,
    name: 'ИНН',
    sorm_field_code: 'inn',
    sorm_report_types: 'ABONENT_LEGAL',
  })
  const passport = await attribute({
    ...required,
    name: 'Passport',
    sorm_field_code: 'passport_series_number',
    sorm_report_types: 'ABONENT',
  })
  const address = await attribute({
    ...required,
    name: 'Address',
    sorm_field_code: 'addr',
    sorm_report_types: 'ABONENT,ABONENT_IDENT',
  })
  await attribute({ is_sorm: true, name: 'Optional', sorm_field_code: 'opt', sorm_report_types: 'ABONENT' })
  await abonent({ company: true, attributes: { inn: '1', addr: 'Moscow' } })
  await abonent({ company: true, contract_number: '"5;5"', passport_series_number: 'not asked' })
  await abonent({ company: true, parent: 1, name: 'of another organization' })
  const person = await abonent({ attributes: { addr: 'Tver', inn: '9' } })
  await abonent({ passport_series_number: '4509 123456', attributes: { addr: ' Ufa' } })
  await abonent({ attributes: { passport_series_number: '4510 000000' } })
  await abonent({ enabled: false })
  await root.delete(`/rest_api/v2/Abonents/${await abonent({})}/`)

  const issue = (report_type: string, { sorm_field_code, name, id }: Json, missing: number) => ({
    report_type,
    field_code: sorm_field_code,
    attribute_name: name,
    attribute_id: id,
    missing,
  })
  t.strictSame((await admin.get(validate)).body, {
    ok: true,
    has_problems: true,
    meta_issues: [],
    data_issues: [
      issue('ABONENT_LEGAL', inn, 2),
      issue('ABONENT', passport, 1),
      issue('ABONENT', address, 3),
      issue('ABONENT_IDENT', address, 3),
    ],
  })
  const north = at(await office.staff('north', 'viewer', [2]))
  t.strictSame(
    (await north.get(validate)).body.data_issues.map(({ missing }: Json) => missing),
    [1, 1, 1],
    'others are not counted, and any role may ask',
  )
  t.equal((await north.post(crud(), { name: 'x' })).status, 403)
  t.equal((await fetch(base + validate)).status, 401)
  await root.put(`/rest_api/v2/Abonents/${person}/`, { passport_series_number: '1' })
  t.notOk((await admin.get(validate)).body.data_issues.some(({ attribute_id }: Json) => attribute_id === passport.id))
})

async function lines(caller: Caller, report: string) {
  const response = await fetch(base + exported(report), { headers: caller.headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  const rows = bytes.subarray(3).toString().trimEnd().split('\r\n')
  return {
    status: response.status,
    mark: bytes.subarray(0, 3).toString('hex'),
    fallback: response.headers.get('x-sorm-fallback'),
    type: response.headers.get('content-type'),
    // Ids depend on the order of the tests.
    head: rows[0],
    rows: rows.slice(1).map((row) => row.replace(/^\d+;/, '')),
  }
}

t.test('a report is exported from the fields, or from the legacy query where it cannot be built', async (t) => {
  const viewer = at(await office.staff('north1', 'viewer', [2]))
  t.match(await viewer.get(exported('ABONENT')), { status: 403, body: { error: /"personal_data"/ } })
  const north = at(await office.staff('north2', 'admin', [2]))
  const legal = await lines(admin, 'ABONENT_LEGAL')
  t.match(legal, { status: 200, mark: 'efbbbf', fallback: null, type: 'text/csv; charset=utf-8' })
  t.equal(legal.head, 'abonent_id;contract_number;inn')
  t.match(legal.rows, [/^\d+;1$/, /^"""5;5""";$/, /^\d+;$/])
  t.match((await lines(north, 'ABONENT_LEGAL')).rows, { length: 1 })
  const audited = `SELECT user_name, object_id, diff, organization_id FROM audit_operations WHERE action = 'export' ORDER BY id`
  t.match(await office.rows(audited), [
    { user_name: 'root', object_id: 'ABONENT_LEGAL', diff: { subscribers: [null, 3], organizations: [null, 'all'] } },
    { user_name: 'north2', diff: { subscribers: [null, 1], organizations: [null, [2]] }, organization_id: '2' },
  ])
  const [evil] = await office.rows(`UPDATE abonents SET contract_number = '=HYPERLINK("http://evil")'
    WHERE id = (SELECT max(id) FROM abonents WHERE company) RETURNING contract_number, id`)
  t.match((await lines(admin, 'ABONENT_LEGAL')).rows.join(), `"'=HYPERLINK(""http://evil"")"`, 'no formula')
  await office.rows('UPDATE abonents SET contract_number = id::text WHERE id = $1', [evil.id])

  const all = await lines(admin, 'ABONENT')
  t.equal(all.head, 'abonent_id;contract_number;passport_series_number;addr;opt')
  t.equal(all.rows.length, 6)
  t.match(all.rows[1], /^"""5;5""";;;$/, 'a company has no passport')
  t.match(all.rows[4], /^\d+;4509 123456;" Ufa";$/)
  t.match(all.rows[5], /^\d+;4510 000000;;$/)

  const unknown = await lines(admin, 'PAYMENTS')
  t.match(unknown, { status: 200, fallback: 'unsupportedReportType' })
  t.match(unknown.head, /^abonent_id;contract_number;name;company;passport_series_number;birth_date/)
  t.equal(unknown.rows.length, 6)
  await attribute({ name: 'Nameless', is_sorm: true, sorm_report_types: 'ABONENT' })
  t.match(await lines(admin, 'ABONENT'), { status: 200, fallback: 'emptyCode' })
  await office.rows('DELETE FROM user_attribute_values')
  await office.rows('DELETE FROM user_attributes')
  t.match(await lines(admin, 'ABONENT_IDENT'), { status: 200, fallback: 'noAttributes' })
})

t.test('a check that fails is reported among its findings', async (t) => {
  await office.rows('ALTER TABLE user_attributes RENAME sorm_required TO something_else')
  t.match(await admin.get(validate), {
    status: 200,
    body: {
      ok: true,
      has_problems: true,
      meta_issues: [{ kind: 'exception', message: /sorm_required/ }],
      data_issues: [],
    },
  })
  await office.rows('ALTER TABLE user_attributes RENAME something_else TO sorm_required')
})

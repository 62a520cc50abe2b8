import t from 'tap'
import { dayOf, monthOf } from '../../src/domain/calendar.ts'
import { readPdf } from '../support/documents.ts'
import { zoneOfNoon } from '../support/noon.ts'
import { fetch } from '../support/published.ts'
import { type Caller, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const timeZone = zoneOfNoon()
await office.settings.set({ TIME_ZONE: timeZone })
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])
const ruble = 10_000_000_000

type Printed = { status: number; name: string; type: string; bytes: Buffer; text: string }

async function fetchPaper(caller: Caller, path: string, method = 'GET'): Promise<Printed> {
  const response = await fetch(caller.base + path, { method, headers: caller.headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    status: response.status,
    name: response.headers.get('content-disposition') ?? '',
    type: response.headers.get('content-type') ?? '',
    bytes,
    text: bytes.toString('utf8'),
  }
}

const made = async (path: string, body: object) => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const client = await made('/rest_api/v2/Abonents/', { name: 'Ёлкин', contract_number: '12/А 7' })
const neighbour = await made('/rest_api/v2/Abonents/', { name: 'Сосед', contract_number: '000002' })
const operation = (body: object) =>
  made('/rest_api/v2/FinanceOperations/', { account: client.account, abonent: client.id, ...body })
const kept = async (id: number): Promise<Buffer | null> =>
  (await office.rows('SELECT print_form FROM finance_operations WHERE op_id = $1', [id]))[0].print_form

t.test('a receipt is printed, kept and served again', async (t) => {
  const { op_id: id } = await operation({ op_type: 7, op_summa: 600 * ruble })
  await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`)
  t.equal(await kept(id), null, 'looking at it keeps nothing')
  const first = await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`, 'POST')
  t.match(first, { status: 200, type: 'application/pdf' })
  t.equal(
    first.name,
    `inline; filename="receipt-12_7-${id}.pdf"; filename*=UTF-8''receipt-12_%D0%90%207-${id}.pdf`,
    'a name that is one on every system',
  )
  t.equal(readPdf(first.bytes).pages, 1)
  t.ok((await kept(id))?.equals(first.bytes))
  await office.rows(`UPDATE abonents SET name = 'Ель' WHERE id = $1`, [client.id])
  t.ok((await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`)).bytes.equals(first.bytes), 'the same again')
  const again = await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`, 'POST')
  t.equal(again.status, 200)
  t.notOk(again.bytes.equals(first.bytes), 'printed anew')
  t.ok((await kept(id))?.equals(again.bytes), 'and kept in its place')
  t.match(await office.rows(`SELECT object_id, user_name FROM audit_operations WHERE action = 'print'`), [
    { object_id: String(id), user_name: 'root' },
    { object_id: String(id), user_name: 'root' },
  ])
  const viewer = await office.staff('viewer', 'viewer', [1])
  t.equal((await fetchPaper(viewer, `/admin/getpdf/${client.id}/${id}/`)).status, 200)
  t.equal((await fetchPaper(viewer, `/admin/getpdf/${client.id}/${id}/`, 'POST')).status, 403)
})

t.test('of two users who print at once one is kept, and both get it from then on', async (t) => {
  const { op_id: id } = await operation({ op_type: 7, op_summa: ruble })
  const path = `/admin/getpdf/${client.id}/${id}/`
  const print = () => fetchPaper(root, path, 'POST')
  const printed = await Promise.all([print(), print(), print()])
  const form = await kept(id)
  t.ok(printed.some(({ bytes }) => form?.equals(bytes)))
  const shown = await Promise.all([fetchPaper(root, path), fetchPaper(root, path)])
  for (const { bytes } of shown) t.ok(form?.equals(bytes))
})

t.test('an expense and a promise ask for money, a reversal is a note', async (t) => {
  const { op_id: charge } = await operation({ op_type: 9, op_summa: 90 * ruble })
  t.match((await fetchPaper(root, `/admin/getpdf/${client.id}/${charge}/`)).name, /filename="invoice-/)
  const { op_id: promise } = await operation({ op_type: 31, op_summa: 90 * ruble })
  t.match((await fetchPaper(root, `/admin/getpdf/${client.id}/${promise}/`)).name, /filename="invoice-/)
  const { op_id: remark } = await operation({ op_type: 33, op_summa: 0 })
  t.match(await fetchPaper(root, `/admin/getpdf/${client.id}/${remark}/`), { status: 400, text: /nothing to print/ })
  const { op_id: paid } = await operation({ op_type: 7, op_summa: ruble })
  const { body } = await root.post(`/admin/Abonents/accounts_storno/${client.account}/`, { op_id: paid })
  const reversal = `/admin/getpdf/${client.id}/${body.operation.op_id}/`
  t.match((await fetchPaper(root, reversal)).name, /filename="note-/)
  await root.post(`/admin/Abonents/finops_crud/${paid}/`, { _delete: 1 })
  t.match((await fetchPaper(root, reversal)).name, /filename="note-/, 'also of a payment whose record is gone')
})

t.test('a reversed operation is not handed out as if it counted', async (t) => {
  const { op_id: id } = await operation({ op_type: 7, op_summa: 5 * ruble })
  const path = `/admin/getpdf/${client.id}/${id}/`
  const first = await fetchPaper(root, path, 'POST')
  await office.rows('UPDATE finance_operations SET storno = true WHERE op_id = $1', [id])
  const after = await fetchPaper(root, path)
  t.notOk(after.bytes.equals(first.bytes))
  t.ok(readPdf(after.bytes).glyphs > readPdf(first.bytes).glyphs, 'it is stamped')
  t.ok((await kept(id))?.equals(first.bytes), 'what the client was given is still known')
})

t.test('subscriber and operation must belong together and be visible', async (t) => {
  const { op_id: id } = await operation({ op_type: 7, op_summa: ruble })
  const addresses = [
    `/admin/getpdf/${neighbour.id}/${id}/`,
    `/admin/getpdf/${client.id}/987654/`,
    `/admin/getpdf/${client.id}/x/`,
    `/admin/getpdf/0/${id}/`,
  ]
  for (const address of addresses) t.equal((await fetchPaper(root, address)).status, 404, address)
  t.equal((await fetchPaper(north, `/admin/getpdf/${client.id}/${id}/`)).status, 404)
  t.equal((await fetchPaper(north, `/admin/getpdf/${client.id}/${id}/`, 'POST')).status, 404)
  const ofAccount = await made('/rest_api/v2/FinanceOperations/', {
    account: client.account,
    op_type: 7,
    op_summa: ruble,
  })
  t.equal((await fetchPaper(root, `/admin/getpdf/${client.id}/${ofAccount.op_id}/`)).status, 200, 'of nobody else')
  t.equal((await fetchPaper(root, `/admin/getpdf/${neighbour.id}/${ofAccount.op_id}/`)).status, 404)
})

t.test('in READ_ONLY_MODE a document is printed and not stored', async (t) => {
  const { op_id: id } = await operation({ op_type: 7, op_summa: ruble })
  await office.settings.set({ READ_ONLY_MODE: true })
  t.equal((await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`)).status, 200)
  t.equal((await fetchPaper(root, `/admin/getpdf/${client.id}/${id}/`, 'POST')).status, 403)
  t.equal(await kept(id), null)
  await office.settings.set({ READ_ONLY_MODE: false })
})

t.test('the bill of a month is made when it is asked for', async (t) => {
  const month = monthOf(dayOf(new Date(), timeZone))
  for (const name of [`bill-${encodeURIComponent('12/А 7')}-${month}.pdf`, `bill-${client.id}-${month}.pdf`]) {
    const isPath = name.includes('%2F')
    const { status, bytes, name: shown } = await fetchPaper(root, `/admin/Abonents/get_bills/${name}`)
    t.equal(status, isPath ? 404 : 200, isPath ? 'a contract with a slash is asked for by the id' : name)
    if (isPath) continue
    t.equal(readPdf(bytes).pages, 1)
    t.match(shown, `filename="${name}"`)
  }
  t.equal((await fetchPaper(root, `/admin/Abonents/get_bills/bill-000002-${month}.pdf`)).status, 200, 'no operations')
  t.equal((await fetchPaper(root, '/admin/Abonents/get_bills/bill-000002-2031-01.pdf')).status, 404, 'to come')
  t.equal((await fetchPaper(north, `/admin/Abonents/get_bills/bill-000002-${month}.pdf`)).status, 404, 'not theirs')
})

t.test('a bill is of the subscriber who is named, whoever else has such a contract number', async (t) => {
  const month = monthOf(dayOf(new Date(), timeZone))
  const namesake = await made('/rest_api/v2/Abonents/', { name: 'Тёзка', contract_number: String(client.id) })
  const billOf = (abonent: number, name: string | number = client.id) =>
    fetchPaper(root, `/admin/Abonents/get_bills/bill-${name}-${month}.pdf?abonent=${abonent}`)
  const [of, ofNamesake] = [readPdf((await billOf(client.id)).bytes), readPdf((await billOf(namesake.id)).bytes)]
  t.ok(of.glyphs > ofNamesake.glyphs, 'only the first has operations')
  t.equal((await billOf(neighbour.id)).status, 404, 'the name is of somebody else')
  t.equal((await billOf(neighbour.id, '000002')).status, 200)
  t.equal((await fetchPaper(root, `/admin/Abonents/get_bills/bill-000002-${month}.pdf?abonent=x`)).status, 400)
})

t.test('nothing of the file system is reached by a name', async (t) => {
  const names = [
    'bill-../../../../etc/passwd-2026-01.pdf',
    'bill-..%2F..%2Fetc%2Fpasswd-2026-01.pdf',
    '..%2Fpackage.json',
    'package.json',
    'bill-000002-2026-13.pdf',
    'bill-000002-2026-1.pdf',
    'bill-000002-2026-01.pdf.exe',
    'bill--2026-01.pdf',
    'bill-%5C..%5C000002-2026-01.pdf',
    'bill-000002%0d%0aX-Evil:1-2026-01.pdf',
    'BILL-000002-2026-01.PDF',
    `bill-${'9'.repeat(101)}-2026-01.pdf`,
  ]
  for (const name of names) {
    const { status, text } = await fetchPaper(root, `/admin/Abonents/get_bills/${name}`)
    t.equal(status, 404, name)
    t.notMatch(text, /root:|tollgate"/, name)
  }
})

import t from 'tap'
import { ClientViews } from '../../../src/billing/clients/client-views.ts'
import { staffId, subscriberId } from '../../../src/domain/ids.ts'
import { fetch } from '../../support/published.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { openOffice } from '../admin-office.ts'
import { password, plantIvan } from './fixture.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const viewer = await office.staff('viewer', 'viewer', [1])
const operator = await office.staff('operator', 'operator', [1])
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'admin', [2])
const { id, account } = await plantIvan(office)
await root.post('/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: 12_340_000_000_000 })

const begin = async (caller = operator) => caller.post(`/admin/Abonents/as_client/${id}/`)
const begun = async (caller = operator): Promise<string> => (await begin(caller)).body.path
const look = async (address: string, { headers }: { headers: Readonly<Record<string, string>> } = operator) => {
  const response = await fetch(office.base + address, { redirect: 'manual', headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const pages = ['', 'payments/', 'payments/pay/', 'promise/', 'block/', 'tariff/', 'services/', 'tickets/', 'password/']

t.test('staff see every page as the client does, and can only look', async (t) => {
  const path = await begun()
  for (const page of pages) {
    const { status, headers, text } = await look(path + page)
    t.equal(status, 200, page)
    t.match(text, /Здесь можно только смотреть/, page)
    t.match(headers.get('content-security-policy'), "form-action 'none'", page)
    t.equal(headers.get('cache-control'), 'no-store')
    t.equal(headers.get('set-cookie'), null, 'no cookie, of the client or another')
    t.notMatch(text, /action=|csrfmiddlewaretoken|<script|href="\/lk\/(?!portal\.css)/, page)
    for (const [form] of text.matchAll(/<form[^>]*>/g)) t.match(form, / inert/, page)
    for (const [, address = ''] of text.matchAll(/href="(\/admin[^"]*)"/g))
      t.equal((await look(address.replaceAll('&amp;', '&'))).status, 200, address)
  }
  const first = await look(path)
  t.match(first.text, '<data value="1234.00">')
  t.match(first.text, 'Иванов &quot;Ваня&quot; &lt;Иван&gt;')
  t.match((await look(`${path}payments/`)).text, '<data value="1234.00">')
  t.match((await look(`${path}password/`)).text, 'value="ivan"')
  const english = await look(`${path}?lang=en`)
  t.match(english.text, /You can only look, until/)
  t.match(english.text, `href="${path}promise/?lang=en"`, 'the language is kept without a cookie')

  const [seen] = await office.rows(
    `SELECT user_name, object_id, organization_id FROM audit_operations WHERE action = 'as_client'`,
  )
  t.match(seen, { user_name: 'operator', object_id: String(id) })
  t.match((await root.get(`/admin/Abonents/log/${id}/`)).body.items[0], {
    ...{ user: 'operator', kind: 'subscriber', action: 'as_client' },
  })
})

t.test('nothing is written, paid or signed in by a view, whatever is sent', async (t) => {
  const path = await begun()
  const facts = async () => ({
    orders: await office.rows('SELECT * FROM payment_orders'),
    operations: await office.rows('SELECT * FROM finance_operations'),
    services: await office.rows('SELECT * FROM users_uslugas'),
    blocks: await office.rows('SELECT * FROM abonents_block'),
    logins: await office.rows('SELECT * FROM users'),
    sessions: await office.rows('SELECT * FROM client_sessions'),
    phones: await office.rows('SELECT * FROM phone_sessions'),
    tickets: await office.rows('SELECT * FROM hdsk_messages'),
    client: await office.rows('SELECT * FROM abonents'),
    audits: await office.rows('SELECT * FROM audit_operations'),
  })
  await office.rows(`INSERT INTO hdsks (id, abonent_id, subject) VALUES (7, ${id}, 'Нет связи')`)
  await office.rows(`INSERT INTO hdsk_messages (hdsk_id, author, body) VALUES (7, 'staff', 'Уже чиним')`)
  const before = await facts()
  t.match((await look(`${path}tickets/?id=7`)).text, 'Уже чиним', 'and the reply stays unread')
  const bodies: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    '': {},
    'login/': { contract: '000042', password },
    'logout/': {},
    'payments/': {},
    'payments/pay/': { amount: '100' },
    'payments/result/': { order: '1' },
    'promise/': { deed: 'activate', limit: '600.00' },
    'block/': { enable: '1' },
    'tariff/': { tariff_id: '9' },
    'services/': { service_id: '9', enable: '1' },
    'tickets/': { subject: 'Подмена', body: 'Не я' },
    'password/': { current_password: password, new_password: 'another-secret', confirm_password: 'another-secret' },
  }
  for (const [page, body] of Object.entries(bodies))
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const query of ['', '?amount=100&confirm=1&deed=activate&enable=1']) {
        const response = await fetch(`${office.base}${path}${page}${query}`, {
          method,
          redirect: 'manual',
          headers: { ...operator.headers, Origin: office.base, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(body),
        })
        t.ok([404, 405].includes(response.status), `${method} ${page}: ${response.status}`)
        t.equal(response.headers.get('set-cookie'), null)
      }
    }
  for (const query of ['amount=100', 'amount=100&system=gwa', 'deed=activate', 'enable=1', 'next=/lk/'])
    for (const page of pages) t.equal((await look(`${path}${page}?${query}`)).status, 200, `${page}?${query}`)

  // The key of a view opens no door of the client.
  const [, key] = /as_client\/([^/]+)/.exec(path)!
  for (const cookie of [`lksession=${key}`, `lksession=${operator.key}`, `__Host-lksession=${key}`]) {
    const portal = await look('/lk/', { headers: { ...operator.headers, Cookie: cookie } })
    t.match(portal.headers.get('location'), '/lk/login/')
    const paid = await fetch(`${office.base}/lk/payments/pay/`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie, Origin: office.base },
      body: new URLSearchParams({ amount: '100' }),
    })
    t.ok(paid.status === 302 || paid.status === 403)
  }
  t.equal((await look('/mobile-api/v1/services/list/', { headers: { Authorization: `Bearer ${key}` } })).status, 401)
  t.same(await facts(), before)
})

t.test('a view is of one user and one client, for a while', async (t) => {
  const path = await begun()
  for (const other of [root, north]) {
    const { status, text } = await look(path, other)
    t.equal(status, 404)
    t.notMatch(text, /Ваня/)
  }
  t.equal((await look(path, viewer)).status, 403)
  t.match((await look(path, { headers: {} })).headers.get('location'), /^\/admin\/\?next=/)
  for (const forged of [path.replace(`/${id}-`, `/${id + 1}-`), path.replace(/-(\d+)-/, '-9$1-'), `${path}x/`])
    t.equal((await look(forged)).status, 404, forged)
  t.equal((await begin(viewer)).status, 403)
  t.equal((await begin(north)).status, 404)
  const audits = () => office.rows(`SELECT FROM audit_operations WHERE action = 'as_client'`)
  const audited = (await audits()).length

  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [id])
  t.equal((await look(path)).status, 404, 'the client has gone to another organization')
  await office.rows('UPDATE abonents SET organization_id = 1 WHERE id = $1', [id])
  t.equal((await look(path)).status, 200)
  await root.delete(`/rest_api/v2/Abonents/${id}/`)
  t.match(await begin(), { status: 400, body: { code: 'deleted' } })
  t.equal((await audits()).length, audited, 'what is refused was no look')

  const clock = new ManualClock(new Date('2026-05-05T10:00:00Z'))
  const views = new ClientViews({ secrets: { derive: () => Buffer.from('key') }, clock })
  const [mine, client] = [staffId(3), subscriberId(5)]
  const { key, until } = views.begin(mine, client)
  t.same(views.find(key, mine), { subscriberId: client, until })
  t.equal(views.find(key, staffId(4)), null)
  clock.advance(14 * 60_000)
  t.ok(views.find(key, mine))
  clock.advance(61_000)
  t.equal(views.find(key, mine), null)
  const other = new ClientViews({ secrets: { derive: () => Buffer.from('another key') }, clock })
  t.equal(other.find(views.begin(mine, client).key, mine), null)
})

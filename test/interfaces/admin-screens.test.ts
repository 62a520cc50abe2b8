import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t from 'tap'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const client = (await root.post('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1' })).body
const receipt = { account: client.account, op_type: 7, op_summa: 10_000_000_000 }
const { op_id } = (await root.post('/rest_api/v2/FinanceOperations/', receipt)).body

const browser = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Sec-Fetch-Mode': 'navigate',
}

/** The global fetch sends a Sec-Fetch-Mode of its own. */
async function open(path: string, headers: Record<string, string>, method = 'GET') {
  const asked = request(office.base + path, { method, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  const { statusCode: status, headers: answered } = answer
  return { status, location: answered.location ?? '', contentType: answered['content-type'] ?? '' }
}

const accounts = '/admin/money/accounts/'
const operations = '/admin/money/operations/'
const led: readonly (readonly [door: string, screen: string])[] = [
  ['/admin/Abonents/accounts_json/', accounts],
  ['/admin/Abonents/accounts_json/?q=Ivan&chip=plus', `${accounts}?q=Ivan&chip=plus`],
  [`/admin/Abonents/accounts_get/${client.account}/`, `${accounts}${client.account}/`],
  [`/admin/Abonents/accounts_services/${client.account}/`, `${accounts}${client.account}/`],
  [`/admin/Abonents/accounts_payments_summary/${client.account}/`, `${accounts}${client.account}/`],
  [`/admin/Abonents/accounts_bank_ops/${client.account}/`, `${accounts}${client.account}/`],
  ['/admin/Abonents/accounts_json/?sort=-id&page=2&q=', `${accounts}?sort=-id`],
  ['/admin/Abonents/finops_json/?op_type=7', `${operations}?op_type=7`],
  [`/admin/Abonents/finops_detail/${op_id}/`, `${operations}${op_id}/`],
  ['/admin/payments/problems/?resolved=0', '/admin/money/not-credited/?resolved=0'],
  ['/admin/dictionary/FinTypes/', '/admin/dictionaries/operation-types/'],
  ['/admin/jobs/', '/admin/system/jobs/'],
  ['/admin/settings/tokens/', '/admin/system/tokens/'],
  ['/admin/audit/?table_name=STAFF', '/admin/system/audit/?table_name=STAFF'],
  ['/admin/settings/system/', '/admin/system/settings/'],
  ['/admin/settings/payment/', '/admin/system/payments/'],
  ['/admin/messages/?state=failed', '/admin/messages/sent/?state=failed'],
  ['/admin/messages/mailing/', '/admin/messages/mailings/'],
  ['/admin/messages/template/', '/admin/messages/templates/'],
  ['/admin/radius/templates_json/', '/admin/network/templates/'],
  ['/admin/dictionary/nas_templates_crud/', '/admin/network/templates/'],
  ['/admin/dictionary/nas_templates_crud/1/', '/admin/network/templates/1/'],
]

t.test('JSON that is opened in a window leads to its screen, and programs get it as it is', async (t) => {
  for (const [door, screen] of led) {
    const opened = await open(door, { ...root.headers, ...browser })
    t.same([opened.status, opened.location], [302, screen], door)
    t.equal((await open(screen, { ...root.headers, ...browser })).status, 200, `${screen} is a page`)
    const others: Record<string, string>[] = [
      { Accept: '*/*' },
      { Accept: 'application/json' },
      { Accept: 'application/json, text/html', 'Sec-Fetch-Mode': 'navigate' },
      { Accept: 'text/html, image/gif, *; q=.2' },
      { ...browser, 'Sec-Fetch-Mode': 'cors' },
    ]
    for (const headers of others) {
      const { status, contentType } = await open(door, { ...root.headers, ...headers })
      t.match([status, contentType], [200, /^application\/json/], `${door} ${headers.Accept}`)
    }
  }
})

t.test('whoever is not signed in comes to the sign-in and from there to the screen', async (t) => {
  const opened = await open('/admin/Abonents/accounts_get/1/', browser)
  const page = await open(opened.location, browser)
  t.equal(page.status, 302)
  t.equal(page.location, `/admin/?next=${encodeURIComponent(`${accounts}1/`)}`)
  t.equal((await open('/admin/Abonents/accounts_get/1/', { Accept: '*/*' })).status, 401, 'a program does not')
})

t.test('a door without a screen shows its JSON, and what follows an address is only a part of it', async (t) => {
  const { status, contentType } = await open('/admin/Abonents/finops_search/', { ...root.headers, ...browser })
  t.match([status, contentType], [200, /^application\/json/])
  const strange = await open('/admin/Abonents/accounts_get/%2F%2Fevil.example%3F&/', browser)
  t.equal(strange.location, `${accounts}${encodeURIComponent('//evil.example?&')}/`)
  t.equal((await open('/admin/Abonents/accounts_json/', browser, 'POST')).status, 401)
})

t.test('the addresses of pages that are screens of the console lead there with their filters', async (t) => {
  const former = '/admin/Abonents/AdminAccounts/'
  for (const [page, screen] of [
    [former, accounts],
    ['/admin/Abonents/AdminAccounts', accounts],
    [
      `${former}?q=%D0%98%D0%B2%D0%B0%D0%BD&chip=debtors&sort=-balance`,
      `${accounts}?q=%D0%98%D0%B2%D0%B0%D0%BD&chip=debtors&sort=-balance`,
    ],
    [`${former}?chip=&q=&other=1`, accounts],
    [`${former}?edit=${client.account}&q=Ivan`, `${accounts}${client.account}/`],
    [`${former}?edit=..%2F..%2F%2Fevil.example`, `${accounts}..%2F..%2F%2Fevil.example/`],
    ['/admin/watch/', '/admin/network/now/'],
    ['/admin/payments/', '/admin/money/not-credited/?resolved=0'],
    ['/admin/api/', '/admin/system/api/'],
    ['/admin/radius/templates/', '/admin/network/templates/'],
    ['/admin/radius/templates/?edit=1', '/admin/network/templates/1/'],
    ['/admin/radius/templates/?edit=mikrotik', '/admin/network/templates/built-in/mikrotik/'],
    ['/admin/Abonents/FinanceOperations/', operations],
    ['/admin/Abonents/FinanceOperations/?account_id=5&date_from=&other=1', `${operations}?account_id=5`],
    [`/admin/Abonents/FinanceOperations/?edit=${op_id}`, `${operations}${op_id}/`],
  ] as const) {
    const opened = await open(page, { ...root.headers, ...browser })
    t.same([opened.status, opened.location], [302, screen], page)
    t.match((await open(page, browser)).location, /^\/admin\/\?next=/, `${page} asks who is there`)
  }
  const payLog = await open('/admin/reports/PayLog/?source=gwa&format=', { ...root.headers, ...browser })
  t.same([payLog.status, payLog.location], [302, '/admin/money/payments/?source=gwa'])
  t.same(await open('/admin/reports/PayLog/?format=html', browser), {
    status: 302,
    location: '/admin/money/payments/',
    contentType: '',
  })
  t.match(await open('/admin/reports/PayLog/?format=csv', { ...root.headers, ...browser }), {
    status: 200,
    contentType: /^text\/csv/,
  })
  t.equal((await open('/admin/reports/PayLog/?format=csv', browser)).status, 401, 'a file is no page')
  t.equal((await open(`${former}accounts.js`, root.headers)).status, 404, 'its scripts are gone')
})

import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { testEvent, webhookEvents } from '../../src/domain/webhook-events.ts'
import { addressOf } from '../../src/platform/http/openapi.ts'
import { openFixture } from '../support/fixture.ts'
import { openProgram } from '../support/opened-program.ts'
import { fetch, publishedByProgram } from '../support/published.ts'

t.test('every JSON route is described in one document, and the document is valid', async (t) => {
  const program = await openProgram(t)
  const { http } = program.address
  for (const path of ['/admin/api/openapi.json', '/rest_api/v2/openapi.json']) {
    const { status, body } = await program.rest('GET', path)
    t.equal(status, 200)
    const { valid, errors } = await new Validator().validate(body)
    t.ok(valid, `${path}: ${JSON.stringify(errors)?.slice(0, 2000)}`)
    const names = operations(body).map(({ operationId }) => operationId)
    t.same(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
      'no operationId twice',
    )
    t.same(brokenReferences(body), [], 'every reference leads somewhere')
  }
  const { body: whole } = await program.rest('GET', '/admin/api/openapi.json')
  t.same(whole['x-undescribed'] ?? [], [], 'no route is left out')
  t.same(Object.keys(whole.webhooks), [...webhookEvents, testEvent], 'nor an event of webhooks')
  for (const path of [
    '/rest_api/v2/Abonents/',
    '/rest_api/Abonents/{id}/',
    '/admin/audit/',
    '/system_api/status/',
    '/readyz/',
  ]) {
    t.ok(path in whole.paths, path)
  }

  t.equal((await fetch(`${http}/admin/api/openapi.json`)).status, 401)
})

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into
const operations = (document: any): { operationId: string }[] =>
  Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
    Object.entries(item)
      .filter(([name]) => name !== 'parameters')
      .map(([, operation]) => operation),
  )

function brokenReferences(document: unknown): string[] {
  const found = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)
  const leads = (way: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: any member may be a step
    way.split('/').reduce((here: any, step) => here?.[step], document) !== undefined
  return [...new Set([...found].map(([, way]) => way!))].filter((way) => !leads(way))
}

/**
 * Pages of browsers, with what they are made of; what takes every address that no door is for; SOAP, which has its
 * WSDL.
 */
const undocumented = [
  ...['DELETE', 'GET', 'PATCH', 'POST', 'PUT'].map((method) => `${method} /system_api/*operation`),
  ...['', '1c/', 'cabinet/', 'collector/', 'fiscal/', 'userside/', 'v2/'].flatMap((name) => [
    `GET /api/${name}`,
    `POST /api/${name}`,
  ]),
  'GET /',
  'POST /admin',
  'GET /admin/Abonents/AdminAccounts',
  'GET /admin/Abonents/FinanceOperations',
  'GET /admin/account',
  'GET /admin/account/*rest',
  'POST /admin/second_factor',
  'GET /admin/api',
  ...[
    ...['', '/block', '/mailings', '/password', '/payments', '/payments/pay', '/promise'],
    ...['/services', '/tariff', '/tickets'],
  ].map((page) => `GET /admin/as_client/:key${page}`),
  'GET /admin/logout',
  'POST /admin/logout',
  'GET /admin/passkey.js',
  'GET /admin/payments',
  'GET /admin/radius/templates',
  'GET /admin/watch',
  'GET /lk',
  'GET /lk/portal.css',
  'GET /lk/submit.js',
  ...[
    ...[
      'block',
      'login',
      'logout',
      'mailings',
      'password',
      'payments/pay',
      'payments/result',
      'promise',
      'services',
      'tariff',
      'tickets',
      'unsubscribe',
    ],
  ].flatMap((name) => [`GET /lk/${name}`, `POST /lk/${name}`]),
  'GET /lk/payments',
  'GET /admin/assets/:name',
  'GET /admin/messages/*rest',
  ...['subscribers', 'money', 'network', 'tickets', 'dictionaries', 'system'].flatMap((wing) => [
    `GET /admin/${wing}`,
    `GET /admin/${wing}/*rest`,
  ]),
].sort()

t.test('every other route is a page, a file of one, or SOAP', async (t) => {
  const { routes } = await openFixture(t)
  const { document } = publishedByProgram(routes)
  const without = routes.filter(
    ({ method, path, doc }) => !doc && !document.paths[addressOf(path)]?.[method.toLowerCase()],
  )
  t.same(without.map(({ method, path }) => `${method} ${path}`).sort(), undocumented)
})

import t from 'tap'
import type { Route } from '../../../src/platform/http/call.ts'
import { allowOf, compileRoutes } from '../../../src/platform/http/routes.ts'

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  door: 'public',
  handler: () => ({ status: 200 }),
})

const router = compileRoutes([
  route('GET', '/'),
  route('GET', '/rest_api/v2/:model'),
  route('POST', '/rest_api/v2/:model'),
  route('GET', '/rest_api/v2/:model/:id'),
  route('GET', '/rest_api/v2/openapi.json'),
  route('POST', '/rest_api/v2/Hdsk/:id/messages'),
  route('GET', '/assets/*file'),
])

const seen = (path: string) => {
  const found = router.find(path)
  return typeof found === 'string' ? found : [found.methods.values().next().value!.path, found.params]
}

t.test('a path leads to its route, with or without a trailing slash', async (t) => {
  t.same(seen('/'), ['/', {}])
  t.same(seen('/rest_api/v2/Tarif'), ['/rest_api/v2/:model', { model: 'Tarif' }])
  t.same(seen('/rest_api/v2/Tarif/'), ['/rest_api/v2/:model', { model: 'Tarif' }])
  t.same(seen('/rest_api/v2/Tarif/7/'), ['/rest_api/v2/:model/:id', { model: 'Tarif', id: '7' }])
  t.same(seen('/rest_api/v2/openapi.json'), ['/rest_api/v2/openapi.json', {}], 'a literal segment wins')
  t.same(seen('/rest_api/v2/Hdsk/5/messages/'), ['/rest_api/v2/Hdsk/:id/messages', { id: '5' }])
  t.same(
    seen('/rest_api/v2/Hdsk/5'),
    ['/rest_api/v2/:model/:id', { model: 'Hdsk', id: '5' }],
    'and gives way where it ends',
  )
  t.same(seen('/assets/js/app.js'), ['/assets/*file', { file: 'js/app.js' }])
})

t.test('segments are percent-decoded one by one', async (t) => {
  t.same(seen('/rest_api/v2/%D0%98/a%2Fb'), ['/rest_api/v2/:model/:id', { model: 'И', id: 'a/b' }])
  t.equal(seen('/rest_api/v2/%zz'), 'malformed')
  t.equal(seen('/rest_api/v2/%ff'), 'malformed')
  t.equal(seen('/rest_api/v2/a%00b'), 'malformed')
})

t.test('other paths have no route', async (t) => {
  for (const path of [
    '/nope',
    '/rest_api',
    '/rest_api/v2',
    '/rest_api/v2//',
    '//',
    '/rest_api/v2/a/b/c',
    '/assets/../x',
    '/assets/%2e%2e/x',
  ]) {
    t.equal(seen(path), 'notFound', path)
  }
})

t.test('the methods of a path are known for an Allow header', async (t) => {
  const found = router.find('/rest_api/v2/Tarif')
  t.equal(typeof found !== 'string' && allowOf(found.methods), 'GET, HEAD, OPTIONS, POST')
})

t.test('two routes for one method and path are a bug seen at the start', async (t) => {
  t.throws(() => compileRoutes([route('GET', '/a/:id'), route('GET', '/a/:id')]), /two routes/)
  t.throws(() => compileRoutes([route('GET', '/a/:id'), route('POST', '/a/:key')]), /other names/)
})

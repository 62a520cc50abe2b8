import t from 'tap'
import type { Handler, Route } from '../../../src/platform/http/call.ts'
import { json, text } from '../../../src/platform/http/reply.ts'
import { startServer } from './parts.ts'

const route = (path: string, handler: Handler): Route => ({
  ...{ method: 'GET', path, door: 'public', isConditional: true, handler },
})
let said = 'once'
const { server, base } = await startServer([
  route('/said', () => text(said, 200, [['X-One', '1']])),
  route('/missing', () => json({}, 404)),
  route('/long', () => ({
    status: 200,
    body: (async function* () {
      yield 'made while it is sent'
    })(),
  })),
])
t.teardown(() => server.stop())

const get = (path: string, held?: string, method = 'GET') =>
  fetch(base + path, { method, headers: held === undefined ? {} : { 'If-None-Match': held } })

t.test('a body that the client holds is not sent again', async (t) => {
  const first = await get('/said')
  const tag = first.headers.get('etag')!
  t.match(tag, /^"[\w-]{22}"$/)
  t.equal(first.headers.get('cache-control'), 'private, no-cache')
  for (const held of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const same = await get('/said', held)
    t.same([same.status, await same.text()], [304, ''], held)
    t.equal(same.headers.get('etag'), tag, 'RFC 9110 section 15.4.5: what the 200 would have said')
    t.equal(same.headers.get('x-one'), '1')
    t.equal(same.headers.get('content-type'), null)
  }
  for (const held of ['"other"', tag.slice(1, -1), '']) t.equal((await get('/said', held)).status, 200, held)
  said = 'twice'
  const changed = await get('/said', tag)
  t.same([changed.status, await changed.text()], [200, 'twice'])
  t.not(changed.headers.get('etag'), tag)
})

t.test('HEAD has the ETag of the GET', async (t) => {
  const tag = (await get('/said')).headers.get('etag')!
  const head = await get('/said', undefined, 'HEAD')
  t.same([head.status, head.headers.get('etag'), head.headers.get('content-length')], [200, tag, String(said.length)])
  t.equal((await get('/said', tag, 'HEAD')).status, 304)
})

t.test('a refusal and a body made while it is sent have no tag', async (t) => {
  const missing = await get('/missing', '*')
  t.same([missing.status, missing.headers.get('etag')], [404, null])
  const long = await get('/long', '*')
  t.same([long.status, await long.text(), long.headers.get('etag')], [200, 'made while it is sent', null])
})

import t from 'tap'
import type { Door } from '../../../src/platform/http/call.ts'
import { type CsrfCase, csrfFault } from '../../../src/platform/http/csrf.ts'

const token = 'a'.repeat(64)
const cookieToken = 'b'.repeat(64)
const own = 'http://tollgate.test:8080'

function fault(headers: Record<string, string>, over: Partial<CsrfCase> = {}, body = '', secure = false) {
  const all: Record<string, string> = { host: 'tollgate.test:8080', ...headers }
  const call = { header: (name: string) => all[name] ?? '', body: Buffer.from(body), secure }
  return csrfFault({
    call,
    door: 'admin',
    via: 'cookie',
    sessionToken: token,
    publicOrigin: 'https://billing.test',
    ...over,
  })
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

t.test('a write by cookie needs a token and an Origin or Referer of our own', async (t) => {
  t.equal(fault({ origin: own, 'x-csrftoken': token }), null)
  t.equal(fault({ referer: `${own}/admin/`, 'x-csrftoken': token }), null)
  t.equal(fault({ referer: `${own}/admin/`, ...form }, {}, `a=1&csrfmiddlewaretoken=${token}`), null)
  t.equal(fault({ origin: own, 'x-csrftoken': cookieToken, cookie: `x=1; csrftoken=${cookieToken}` }), null)
  t.equal(fault({ 'x-csrftoken': token }), 'noOrigin')
  t.equal(fault({ origin: own }), 'tokenMissing')
  t.equal(fault({ origin: own, 'x-csrftoken': cookieToken }), 'tokenWrong')
  t.equal(fault({ origin: own }, {}, `csrfmiddlewaretoken=${token}`), 'tokenMissing', 'the body is no form')
})

t.test('an empty or short cookie is no token', async (t) => {
  t.equal(fault({ origin: own, 'x-csrftoken': 'x', cookie: 'csrftoken=x' }, { sessionToken: null }), 'tokenWrong')
  t.equal(fault({ origin: own, cookie: 'csrftoken=' }, { sessionToken: null }), 'tokenMissing')
  t.equal(fault({ origin: own, 'x-csrftoken': 'é'.repeat(64) }), 'tokenWrong')
})

t.test('the Origin or Referer of another site is refused at every door, for every way to sign in', async (t) => {
  const foreign = [
    { origin: 'https://evil.test' },
    { referer: 'https://evil.test/x' },
    { origin: 'null' },
    { origin: own, referer: 'https://evil.test/' },
    { referer: 'nonsense' },
    { origin: 'https://tollgate.test:8080' },
    { origin: 'http://tollgate.test' },
    { referer: `${own}.evil.test/` },
  ]
  for (const headers of foreign) {
    for (const door of ['rest', 'admin', 'page'] as const satisfies readonly Door[]) {
      for (const via of ['cookie', 'header'] as const) {
        t.equal(
          fault({ ...headers, 'x-csrftoken': token }, { door, via }),
          'crossSite',
          `${JSON.stringify(headers)} ${door} ${via}`,
        )
      }
    }
  }
})

t.test('a program at the REST door, and X-Session-Hash anywhere, need no token', async (t) => {
  t.equal(fault({}, { door: 'rest' }), null)
  t.equal(fault({ origin: own }, { door: 'rest' }), 'tokenMissing', 'but a browser does')
  t.equal(fault({}, { via: 'header' }), null)
  t.equal(fault({ origin: own }, { via: 'header' }), null)
})

t.test('our own origin is the Host as sent, or the public one', async (t) => {
  t.equal(fault({ origin: 'https://billing.test', 'x-csrftoken': token }), null)
  t.equal(fault({ host: 'tollgate.test', origin: 'https://tollgate.test', 'x-csrftoken': token }, {}, '', true), null)
  t.equal(
    fault({ host: 'tollgate.test:443', origin: 'https://tollgate.test', 'x-csrftoken': token }, {}, '', true),
    null,
  )
})

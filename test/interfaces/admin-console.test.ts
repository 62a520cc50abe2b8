import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { basename } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { faultOfBuild, readBuilt } from '../../src/interfaces/admin/console/built.ts'
import { consoleRoutes, homePage } from '../../src/interfaces/admin/console/shell.ts'
import type { Call, Reply } from '../../src/platform/http/call.ts'
import { fetch } from '../support/published.ts'
import { openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
const cookie = `sessionid=${root.key}`

const open = (path: string, headers: Record<string, string> = { cookie }) =>
  fetch(office.base + path, { headers, redirect: 'manual' })

t.test('every address of the console is the one document, for whoever is signed in', async (t) => {
  for (const path of [
    '/admin/',
    '/admin/subscribers/',
    '/admin/subscribers/5/money/payment/',
    '/admin/messages/sent/',
    '/admin/account/',
    '/admin/account/new-password/',
  ]) {
    const shown = await open(path)
    t.equal(shown.status, 200, path)
    t.match(await shown.text(), /<div id="root">/, path)
    t.equal(shown.headers.get('cache-control'), 'no-store')
  }
  const led = await open('/admin/subscribers/?show=debtors', {})
  t.same([led.status, led.headers.get('location')], [302, '/admin/?next=%2Fadmin%2Fsubscribers%2F%3Fshow%3Ddebtors'])
  t.match(await (await open('/admin/', {})).text(), /name="password"/, 'the sign-in stays at its address')
  const meanwhile = await open('/admin/?next=/admin/tickets/?show=mine')
  t.same([meanwhile.status, meanwhile.headers.get('location')], [302, '/admin/tickets/?show=mine'])
  t.equal((await open('/admin/?next=//evil.example/')).headers.get('location'), '/admin/')
})

t.test(
  'the policy lets nothing run or be shown that is not ours, and each answer has a nonce of its own',
  async (t) => {
    const [one, two] = await Promise.all([open('/admin/'), open('/admin/')])
    const policy = one.headers.get('content-security-policy') ?? ''
    t.match(policy, /^default-src 'self'; style-src 'self' 'nonce-[\w+/=]{24}';/)
    t.notMatch(policy, /unsafe|http|data:|\*/)
    t.not(policy, two.headers.get('content-security-policy'))
    const page = await one.text()
    t.ok(page.includes(`nonce="${/'nonce-([^']+)'/.exec(policy)![1]}"`))
    t.notMatch(page, /<script>|<style|\sstyle=|\son\w+=|https?:/)
  },
)

t.test('a lost token of forms is given again, one that is there stays', async (t) => {
  t.match((await open('/admin/subscribers/')).headers.getSetCookie(), [/^csrftoken=[0-9a-f]{64}/])
  const kept = await open('/admin/subscribers/', { cookie: `${cookie}; csrftoken=${'a'.repeat(64)}` })
  t.same(kept.headers.getSetCookie(), [])
})

t.test('files are sent compressed and may be kept for ever', async (t) => {
  const page = await (await open('/admin/')).text()
  const [script] = /\/admin\/assets\/main-[\w-]+\.js/.exec(page)!
  const raw = await fetchRaw(script, 'identity')
  t.match(raw.headers['cache-control'], /immutable/)
  t.equal(raw.headers['content-encoding'], undefined)
  const forms = [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
  ] as const
  for (const [accepted, coding, read] of forms) {
    const sent = await fetchRaw(script, accepted)
    t.equal(sent.headers['content-encoding'], coding)
    t.equal(sent.headers.vary, 'Accept-Encoding')
    t.equal(sent.headers['content-type'], 'text/javascript; charset=utf-8')
    t.ok(read(sent.body).equals(raw.body), `${coding} has the same bytes`)
    t.ok(sent.body.length < raw.body.length / 2)
  }
  for (const name of ['missing.js', '..%2f..%2fbuilt.json', 'built.json', `${script.split('/').at(-1)}.br`])
    t.equal((await open(`/admin/assets/${name}`)).status, 404, name)
})

t.test('the first screen is less than 300 KB of compressed script', async (t) => {
  const page = await (await open('/admin/')).text()
  const first = [...page.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]+\.js)"/g)].map((match) => match[1]!)
  const summary = await Promise.all(first.map(async (path) => (await fetchRaw(path, 'br')).body.length))
  t.ok(summary.length >= 2)
  t.ok(summary.reduce((sum, bytes) => sum + bytes, 0) < 300_000, `${summary.join(' + ')} bytes`)
})

t.test('the styles of Mantine are those of the components in the scripts, all of them and no others', (t) => {
  const folder = 'node_modules/@mantine/core'
  const whole = readFileSync(`${folder}/styles.css`, 'utf8')
  const scripts = globSync('build/console/assets/*.js').map((file) => readFileSync(file, 'utf8'))
  const worn = new Set(scripts.join('\n').match(/\bm_[0-9a-f]+\b/g))
  const needed = globSync(`${folder}/styles/*.css`)
    .filter((file) => !file.endsWith('.layer.css'))
    .map((file) => ({ name: basename(file), styles: readFileSync(file, 'utf8').trim() }))
    .filter(({ styles }) => {
      const classes = [...styles.matchAll(/\.(m_[0-9a-f]+)\b/g)].map(([, name]) => name!)
      return classes.length === 0 || classes.some((name) => worn.has(name))
    })
    // What comes later wins over what is as strong, so the order is Mantine's own.
    .toSorted((one, other) => whole.indexOf(one.styles) - whole.indexOf(other.styles))
    .map(({ name }) => name)
  const taken = readFileSync('src/console/mantine.css', 'utf8').matchAll(/@import "@mantine\/core\/styles\/(.*)";/g)
  t.ok(needed.includes('Button.css'))
  t.same(
    [...taken].map(([, name]) => name),
    needed,
  )
  t.end()
})

t.test('the console learns who is signed in, what they may do and see', async (t) => {
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
  const cashier = await office.staff('cashier', 'cashier', [2])
  const { status, body } = await cashier.get('/admin/me/')
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    user: { username: 'cashier', is_superuser: false, rights: ['view', 'money'] },
    organizations: [{ id: 2, name: 'North' }],
    currency: 'RUB',
    time_zone: 'Europe/Moscow',
    read_only: false,
    must_enrol: false,
  })
  t.equal((await root.get('/admin/me/')).body.organizations.length, 2)
  t.equal((await open('/admin/me/', {})).status, 401)
})

t.test('without a build everything else works, and what to do is said', async (t) => {
  t.match(faultOfBuild(null), /npm run console/)
  t.match(faultOfBuild({ ...readBuilt()!, source: 'of another' }), /older than its source/)
  t.equal(faultOfBuild(readBuilt()), null)
  const call = { params: { name: 'main.js' }, header: () => '' } as unknown as Call
  const replies = consoleRoutes(null).map((route) => route.handler(call) as Reply)
  t.same(new Set(replies.map(({ status }) => status)), new Set([404, 503]))
  t.match(homePage(null)([]), { status: 503, body: /npm run console/ })
})

/** The bytes as they come: fetch would decompress them. */
async function fetchRaw(path: string, accepted: string) {
  const asked = request(office.base + path, { headers: { 'Accept-Encoding': accepted } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { headers: answer.headers, body: Buffer.concat(chunks) }
}

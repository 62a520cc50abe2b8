import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { fetch } from '../support/published.ts'

const office = await openOffice(t)
const url = office.base
const cookie = `sessionid=${(await office.staff('admin')).key}`

t.test('the page loads nothing from elsewhere and runs nothing inline', async (t) => {
  const reply = await fetch(`${url}/admin/watch/`, { headers: { cookie } })
  t.equal(reply.status, 200)
  t.match(reply.headers.get('content-security-policy'), /default-src 'self'/)
  const page = await reply.text()
  t.match(page, /<span>admin<\/span>/)
  t.notMatch(page, /https?:|\son\w+=|javascript:|<script>|<style|\sstyle=|\{\{/i)
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  t.ok(links.length >= 3)
  for (const link of links.filter((one) => one.startsWith('/admin/watch'))) {
    const asset = await fetch(`${url}${link}`, { headers: { cookie } })
    t.equal(asset.status, 200, link)
    const again = await fetch(`${url}${link}`, {
      headers: { cookie, 'if-none-match': asset.headers.get('etag') ?? '' },
    })
    t.equal(again.status, 304, link)
  }
})

t.test('every element the script asks for is on the page', async (t) => {
  const [page, script] = await Promise.all(
    ['', 'watch.js'].map(async (path) => (await fetch(`${url}/admin/watch/${path}`, { headers: { cookie } })).text()),
  )
  const ids = new Set([...page!.matchAll(/id="([^"]+)"/g)].map((match) => match[1]!))
  const asked = [...script!.matchAll(/(?:byId|prepend|fill)\('([\w-]+)'/g)].map((match) => match[1]!)
  t.ok(asked.length > 10)
  for (const id of asked) t.ok(ids.has(id), id)
  t.notMatch(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/)
})

t.test('without a session the page leads to the sign-in', async (t) => {
  const reply = await fetch(`${url}/admin/watch/`, { redirect: 'manual' })
  t.equal(reply.status, 302)
  t.match(reply.headers.get('location'), /^\/admin\/\?next=/)
})

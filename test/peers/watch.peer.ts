// needs chromium from chromium
import t, { type Test } from 'tap'
import { noBlocks, withBlock } from '../../src/domain/block.ts'
import { accountId, nasId, operationId, organizationId, subscriberId } from '../../src/domain/ids.ts'
import { rubles, zero } from '../../src/domain/money.ts'
import { openOffice } from '../interfaces/admin-office.ts'
import { aSession } from '../live/a-session.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import { anAccount, aSubscriber } from '../support/account.ts'
import { visit } from '../support/chromium.ts'

const nasName = '<i>bras</i>'

/** The program with one session, three blocked subscribers and a NAS that asks without end, and the page of it. */
async function opened(t: Test) {
  const office = await openOffice(t)
  const admin = await office.staff('admin')
  for (const n of [1, 2, 3, 4])
    await admin.post('/rest_api/v2/Abonents/', { name: `subscriber ${n}`, contract_number: `${n}` })
  await admin.post('/rest_api/v2/Users/', { abonent: 1, login: 'asked', password: 'password' })
  await admin.post('/rest_api/v2/Nas/', { name: nasName, ip: '127.0.0.1', secret, nas_type: 'generic' })
  await office.rows('INSERT INTO abonents_block (abonent_id, b_admin) VALUES (2, true), (3, true), (4, true)')
  await office.radius.start()
  const nas = await Client.open(office.radius, '127.0.0.1')
  t.teardown(() => nas.close())
  const start = { 'Acct-Status-Type': 'Start', 'Acct-Session-Id': '1', 'User-Name': 'first' }
  await nas.exchange(nas.accounting(Object.entries(start)), 'acct')
  let isAsking = true
  const ask = async () => {
    while (isAsking) await nas.pap('asked', 'password')
  }
  const asking = ask()
  t.teardown(async () => {
    isAsking = false
    await asking
  })
  const visitor = await visit(t, { viewport: { width: 1280, height: 900 } })
  await visitor.context.addCookies([{ name: 'sessionid', value: admin.key, url: office.base }])
  await visitor.page.goto(`${office.base}/admin/watch/`)
  return { ...office, ...visitor }
}

t.test('a browser shows what happens, as text', async (t) => {
  const { page, complaints, events, live } = await opened(t)
  const shows = (selector: string, text: string) => page.locator(selector, { hasText: text }).first().waitFor()

  await shows('#connection', 'соединено')
  await shows('#sessions tr', 'first')
  await shows('#blocked-total', '3')

  const at = new Date()
  const evil = '<img src=x onerror="window.caught = true">'
  const common = { at, login: evil, subscriberId: subscriberId(10), organizationId: organizationId(1), nasId: nasId(1) }
  events.publish({ kind: 'sessionStarted', at, session: aSession({ id: '2', login: evil, startedAt: at }) })
  events.publish({ kind: 'accessRejected', ...common, reason: evil, station: evil })
  events.publish({ kind: 'coaAnswered', ...common, request: 'disconnect', result: 'nak', errorCause: 503, tookMs: 3 })
  const login = { ...aSubscriber().logins[0]!, name: evil }
  const blocked = aSubscriber({ blocks: withBlock(noBlocks, 'debt', true), enabled: false, logins: [login] })
  const before = anAccount({ balance: rubles(-20), receipts: zero, writeOffs: rubles(20), subscribers: [blocked] })
  const after = anAccount({ balance: rubles(30), receipts: rubles(50), writeOffs: rubles(20) })
  const operation = {
    ...{ id: operationId(1), accountId: accountId(1), subscriberId: subscriberId(10), typeId: 7, amount: rubles(50) },
    ...{ organizationId: organizationId(1), movedAt: at, recordedAt: at, ownerId: null, description: '' },
    ...{ reversed: false, reversalOf: null, details: {} },
    snapshot: { ...before, warnBelow: null },
    link: null,
  }
  events.publish({ kind: 'accountCommitted', at, before: after, after: before, operations: [], effects: [] })
  events.publish({ kind: 'accountCommitted', at, before, after, operations: [operation], effects: [] })

  await shows('#sessions tr', evil)
  await shows('#feed-rejections li', evil)
  await shows('#feed-coa li', 'NAK')
  await shows('#feed-payments li', '+50.00 ₽')
  await shows('#feed-blocks li', 'закрыт')
  await shows('#feed-blocks li', 'открыт')
  await shows('#sessions-total', '2')
  await shows('#nas tr', nasName)
  t.equal(await page.locator('#feed-blocks li').first().locator('strong').textContent(), 'открыт')
  t.equal(await page.evaluate('window.caught'), undefined)
  t.equal(await page.locator('main img').count(), 0)
  if (process.env.WATCH_PICTURE) await page.screenshot({ path: process.env.WATCH_PICTURE })

  events.publish({ kind: 'sessionStopped', at, session: aSession({ id: '2', login: evil }) })
  await shows('#sessions-total', '1')
  t.strictSame(complaints, [])

  // It may be back before anybody looks.
  await page.evaluate(`window.said = []
    new MutationObserver(() => said.push(document.getElementById('connection').textContent))
      .observe(document.getElementById('connection'), { childList: true })`)
  live.stop()
  // A function, because the page's policy forbids to evaluate a text again and again.
  await page.waitForFunction(() =>
    (globalThis as unknown as { said: string[] }).said.some((text) => text.includes('связь потеряна')),
  )
  await shows('#connection', 'соединено')
})

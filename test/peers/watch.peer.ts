// needs chromium from chromium
import t, { type Test } from 'tap'
import { noBlocks, withBlock } from '../../src/domain/block.ts'
import { accountId, nasId, operationId, organizationId, subscriberId } from '../../src/domain/ids.ts'
import { rubles, zero } from '../../src/domain/money.ts'
import { watchRoutes } from '../../src/interfaces/admin/network/watch.ts'
import { homeRoutes } from '../../src/interfaces/admin/provider/home.ts'
import { aSession } from '../live/a-session.ts'
import { keys, served } from '../live/served.ts'
import { anAccount, aSubscriber } from '../support/account.ts'
import { type Visit, visit } from '../support/chromium.ts'

async function opened(t: Test, url: string): Promise<Visit> {
  const visitor = await visit(t, { viewport: { width: 1280, height: 900 } })
  await visitor.context.addCookies([{ name: 'sessionid', value: keys.admin, url }])
  await visitor.page.goto(`${url}/admin/watch/`)
  return visitor
}

t.test('a browser shows what happens, as text', async (t) => {
  let accepted = 0
  const { url, events, live, server } = await served(t, [...homeRoutes(), ...watchRoutes()], {
    radius: () => {
      accepted += 5
      return [{ nas: '<i>bras</i>', result: 'accept', count: accepted }]
    },
    sessions: { all: () => [aSession({ id: '1', login: 'first' })], ofSubscriber: () => [] },
    blockCounts: async () => ({ b_negbal: 2, b_admin: 1, b_own: 0, b_sys: 0, blocked: 3 }),
  })
  const { page, complaints } = await opened(t, url)
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
  await shows('#nas tr', '<i>bras</i>')
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
  await page.waitForFunction(`said.some((text) => text.includes('связь потеряна'))`)
  await shows('#connection', 'соединено')
  await server.stop()
})

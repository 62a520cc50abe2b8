// needs chromium from chromium
import t from 'tap'
import { noBlocks, withBlock } from '../../src/domain/block.ts'
import { accountId, nasId, operationId, organizationId, subscriberId } from '../../src/domain/ids.ts'
import { rubles, zero } from '../../src/domain/money.ts'
import { openOffice } from '../interfaces/admin-office.ts'
import { aSession } from '../live/a-session.ts'
import { anAccount, aSubscriber } from '../support/account.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone, untilSo } from '../support/console.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
await root.post('/rest_api/v2/Abonents/', { name: 'Анна Ли', contract_number: '1' })
await root.post('/rest_api/v2/Nas/', { name: '<i>bras</i>', ip: '10.0.0.1', secret: 'secret', nas_type: 'generic' })
const { events, live } = office

const at = new Date()
const evil = '<img src=x onerror="window.caught = true">'
const common = { at, subscriberId: subscriberId(1), organizationId: organizationId(1), nasId: nasId(1) }
const wrong = { reason: 'unknown login or wrong password', code: 'wrong_password' } as const
const reject = (login: string) =>
  events.publish({ kind: 'accessRejected', ...common, ...wrong, login, station: '00-11-22' })

/** A payment of 50 rubles that lifts the block for debt. */
function pay(): void {
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
}

t.test('what happens is shown as it comes, as text, with links; it is filtered and paused', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/watch/')
  await page.waitForURL(/\/admin\/network\/now\/$/)
  const lines = page.getByRole('region', { name: 'События' }).getByRole('listitem')
  const line = (text: string) => lines.filter({ hasText: text }).first()
  await page.getByText('Пока ничего не произошло').waitFor()

  events.publish({ kind: 'sessionStarted', at, session: aSession({ id: '2', login: evil, startedAt: at }) })
  reject('guessed')
  const coa = { request: 'disconnect', result: 'nak', errorCause: 503, tookMs: 3 } as const
  events.publish({ kind: 'coaAnswered', ...common, login: 'first', ...coa })
  for (const id of [1, 2]) events.publish({ kind: 'coaAnswered', ...common, nasId: nasId(id), login: 'both', ...coa })
  pay()
  await line('Вошёл').getByText(evil).waitFor()
  await line('Disconnect').getByText('503').waitFor()
  await line('Disconnect').getByText('такой сессии нет').waitFor()
  // Of each NAS, although they answered at once.
  await lines.filter({ hasText: 'both' }).nth(1).waitFor()
  await line('guessed').getByText('Неверный пароль').waitFor()
  await line('Платёж').getByText(/50,00/).first().waitFor()
  await line('Доступ закрыт').waitFor()
  await line('Доступ открыт').waitFor()
  t.match(await line('guessed').getByRole('link', { name: '<i>bras</i>' }).getAttribute('href'), /\/network\/nas\/1\/$/)
  t.match(await line('guessed').getByRole('link', { name: 'guessed' }).getAttribute('href'), /\/subscribers\/1\/$/)
  t.equal(await page.evaluate('window.caught'), undefined)
  t.same(await seriousFaults(page), [])

  await page.getByRole('button', { name: 'Отказы', exact: true }).click()
  await line('Платёж').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Пауза' }).click()
  reject('later')
  await page.getByRole('button', { name: 'Продолжить (новых: 1)' }).waitFor()
  t.equal(await line('later').count(), 0)
  await page.getByRole('button', { name: /^Продолжить/ }).click()
  await line('later').waitFor()
  await page.getByLabel('Логин, адрес, MAC').fill('guessed')
  await line('later').waitFor({ state: 'detached' })
  t.same(complaints, [])

  const blocked = page.locator('dl > div').filter({ hasText: 'Заблокировано' }).locator('dd')
  await blocked.getByText('0', { exact: true }).waitFor()
  await root.post('/admin/abonents/block/1/')
  await blocked.getByText('1', { exact: true }).waitFor()
  await root.post('/admin/abonents/unblock/1/')
  await blocked.getByText('0', { exact: true }).waitFor()

  // What happened while the connection was away comes with the snapshots of the next one, and nothing comes twice.
  await page.getByLabel('Логин, адрес, MAC').fill('')
  live.stop()
  reject('meanwhile')
  await line('meanwhile').waitFor()
  t.equal(await lines.filter({ hasText: 'guessed' }).count(), 1)
})

t.test('it fits a telephone, and the list of subscribers follows those who are shown', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/network/now/', { ...telephone, colorScheme: 'dark' })
  await page.getByRole('listitem').filter({ hasText: 'Отказ' }).first().waitFor()
  t.ok((await overflow(page)) <= 0)
  t.same(await seriousFaults(page), [])
  await follow(page, '/subscribers/')
  await page.getByText('Анна Ли').waitFor()
  const asked = page.waitForRequest(/\/admin\/Abonents\/subscribers\//)
  await root.post('/admin/abonents/block/1/')
  await asked
  await page.getByText('Оператором', { exact: true }).waitFor()

  // What happened while the connection was away is shown when it is back.
  await page.locator('[role=status][data-state=open]').waitFor()
  live.stop()
  await root.post('/admin/abonents/unblock/1/')
  await page.getByText('Открыт', { exact: true }).waitFor()
  t.same(complaints, [])
})

t.test('where nothing happens nothing is asked for again', async (t) => {
  const { page } = await openScreen(t, root, '/subscribers/1/connection/')
  // The next socket is that of the page that is loaded anew.
  await page.locator('[role=status][data-state=open]').waitFor()
  const opened = page.waitForEvent('websocket')
  // The last panel of the tab asks last, which on a busy machine is after half a second without a request.
  const asksLast = page.waitForResponse(/radius\/sessions\/\?.*state=ended/)
  await page.reload()
  const socket = await opened
  await asksLast
  const answered = () => socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes('"pong"'))
  await answered()
  await page.getByText('Логинов нет').waitFor()
  await untilSo(page, `!document.querySelector('main [aria-busy=true]')`)
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  // An answer to a ping comes every second and a half; what followed the first would be asked before the fourth.
  for (let pings = 0; pings < 4; pings++) await answered()
  t.same(asked, [])
})

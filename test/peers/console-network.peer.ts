// needs chromium from chromium
import t from 'tap'
import type { Page } from 'playwright-core'
import { Caller } from '../interfaces/admin-office.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import { pagePort } from '../support/chromium.ts'
import { follow, openScreen, overflow, seriousFaults, telephone, desk, isRefusal, untilSo } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { enterInDialog, isFocused } from '../support/keyboard.ts'
import { FakeNas } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { until } from '../support/until.ts'

const program = await openProgram(t, { TOLLGATE_HTTP_PORT: String(await pagePort()) })
const { http, authPort, acctPort } = program.address
const root = new Caller(http, { 'X-Session-Hash': program.session })
const tarif = await program.create('Tarif', { name: 'usual', price: 0, speed_mbit: 100 })
for (const login of ['ivan', 'petr', 'olga', 'nina']) await program.createLogin(login, tarif)

/** A NAS that answers Disconnect on a port of its own. */
async function fakeNas(number: number) {
  const fake = await FakeNas.start({ id: number, ip: `127.0.0.${number}` })
  t.teardown(() => fake.close())
  fake.entry.secret = secret
  return fake
}
const known = await fakeNas(2)
const fields = { secret, nas_type: 'mikrotik', coa_port: known.entry.coaPort }
await program.create('Nas', { name: 'Центр', ip: '127.0.0.2', ...fields })
const lost = await program.create('Nas', { name: 'Окраина', ip: '127.0.0.3', ...fields })
await program.create('Nas', { name: 'Новый район', ip: '127.0.0.5', ...fields })
await program.parts.database.pool.query(`UPDATE nas SET last_packet_at = now() - interval '3 hours' WHERE id = $1`, [
  lost.id,
])
await program.parts.nasHealth.start()

const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, '127.0.0.2')
t.teardown(() => client.close())
const startOf = (login: string, place: number) => [
  ['User-Name', login],
  ['Acct-Session-Id', `of-${login}`],
  ['Acct-Status-Type', 'Start'],
  ['Framed-IP-Address', `10.0.0.${place}`],
  ['Calling-Station-Id', `AA-BB-CC-00-00-0${place}`],
]
for (const [at, login] of ['ivan', 'petr', 'olga'].entries())
  await client.exchange(client.accounting(startOf(login, at + 1)), 'acct')

const rail = (page: Page) => page.getByRole('navigation')

t.test('the health of every NAS is one click away, the silent ones first', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  const hand = new Hand()
  await hand.click(rail(page).getByRole('link', { name: 'Сеть' }))
  await page.getByRole('link', { name: 'Окраина' }).waitFor()
  hand.did(t, 'task 31')
  const rows = page.locator('tbody tr[data-index]')
  t.match(await rows.nth(0).textContent(), /Окраина.*Молчит/)
  t.match(await rows.nth(1).textContent(), /Новый район.*Не обращался/)
  t.match(await rows.nth(2).textContent(), /Центр.*Работает/)
  t.same(await seriousFaults(page), [])
  await page.getByRole('link', { name: 'Центр' }).click()
  const card = page.getByRole('dialog')
  const ports = `authentication-port=${authPort} accounting-port=${acctPort}`
  await card.getByText(ports).waitFor()
  await card.getByText(`/radius incoming set accept=yes port=${known.entry.coaPort}`).waitFor()
  t.equal(await rows.count(), 3, 'the list stays behind the card')
  await card.getByText('accel-ppp').click()
  await card.getByText(`auth-port=${authPort},acct-port=${acctPort}`).waitFor()
  await card.getByText(`dae-server=0.0.0.0:${known.entry.coaPort},`).waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('an address that asks and has no record is one click away from having one', async (t) => {
  const stranger = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, '127.0.0.8')
  t.teardown(() => stranger.close())
  const asked = [
    ['User-Name', 'ivan'],
    ['User-Password', 'word'],
  ]
  stranger.send(stranger.access(asked))
  await until(async () => (await root.get('/admin/radius/nas/')).body.unknown.length === 1)
  const { page } = await openScreen(t, root, '/network/nas/')
  await page.getByRole('link', { name: 'Добавить NAS: 127.0.0.8' }).click()
  const form = page.getByRole('dialog')
  t.equal(await form.getByLabel('Адрес или сеть').inputValue(), '127.0.0.8')
})

t.test('a NAS is added and tested in six clicks', async (t) => {
  const added = await fakeNas(4)
  added.answer = () => ({ nak: 503 })
  const { page, complaints } = await openScreen(t, root, '/', desk, isRefusal)
  const hand = new Hand()
  await hand.click(rail(page).getByRole('link', { name: 'Сеть' }))
  await hand.click(page.getByRole('button', { name: 'Добавить NAS' }))
  const form = page.getByRole('dialog')
  await form.getByRole('button', { name: 'Добавить' }).waitFor()
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'name'`)
  await page.keyboard.press('Enter')
  await form.getByText('Укажите название').waitFor()
  await page.keyboard.type('Восток')
  await page.keyboard.press('Tab')
  await page.keyboard.type('127.0.0.300')
  await form.getByLabel('Общий секрет').focus()
  await page.keyboard.type(secret)
  await form.getByLabel('Порт Disconnect и CoA').focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(String(added.entry.coaPort))
  await page.keyboard.press('Enter')
  await form.getByText('Это не адрес и не сеть').waitFor()
  await form.getByLabel('Адрес или сеть').fill('127.0.0.2')
  await page.keyboard.press('Enter')
  await form.getByRole('alert').getByText('Проверьте поля').waitFor()
  await form.getByText('Уже занято').waitFor()
  t.equal(await form.getByLabel('Название').inputValue(), 'Восток', 'what was typed outlives a refusal')
  await form.getByLabel('Адрес или сеть').fill('127.0.0.4')
  await hand.click(form.getByRole('button', { name: 'Добавить' }))
  await page.getByText('NAS добавлен').waitFor()
  const card = page.getByRole('dialog', { name: 'Восток' })
  await hand.click(card.getByRole('button', { name: 'Проверить' }))
  const test = page.getByRole('dialog', { name: 'Проверка: Восток' })
  await test.getByLabel('Логин').fill('nina')
  await hand.click(test.getByRole('button', { name: 'Проверить' }))
  await test.getByText('Отвечает, секрет верный').waitFor()
  await test.getByText('Mikrotik-Rate-Limit').waitFor()
  await test.getByText('100M/100M').waitFor()
  hand.did(t, 'task 12')
  await until(() => isFocused(test.getByRole('button', { name: 'Проверить' })))
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('rows of live sessions do not move under a hand that is about to press', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/network/sessions/')
  const cut = (login: string) => page.getByRole('button', { name: `Отключить ${login}` })
  // The next socket is that of the page that is loaded anew, and is heard from its first frame on: what is waited for
  // may come before the page has loaded.
  await page.locator('[role=status][data-state=open]').waitFor()
  let isTold = false
  page.once('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => (isTold ||= /"snapshot".*"sessions"/.test(String(payload)))),
  )
  await page.reload()
  await until(() => isTold)
  // The hand is over the rows and at no button: the list would have been asked for with the second look after the event.
  await page.locator('[data-index]', { hasText: 'olga' }).hover({ position: { x: 120, y: 10 } })
  const looked = page.evaluate(`new Promise((done) => {
    const look = document.querySelector.bind(document)
    let times = 0
    document.querySelector = (what) => {
      if (what.includes(':hover') && ++times > 1) done()
      return look(what)
    }
  })`)
  await client.exchange(client.accounting(startOf('nina', 4)), 'acct')
  await Promise.race([looked, cut('nina').waitFor()])
  t.notOk(await cut('nina').isVisible())
  await page.mouse.move(0, 0)
  await cut('nina').waitFor()
  t.same(complaints, [])
})

t.test('one live session, and many, are disconnected in three clicks', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/')
  const hand = new Hand()
  await hand.click(rail(page).getByRole('link', { name: 'Сеть' }))
  await hand.click(rail(page).getByRole('link', { name: 'Сессии' }))
  await hand.click(page.getByRole('button', { name: 'Отключить olga' }))
  await page.getByRole('dialog').getByText('Отключить olga?').waitFor()
  await enterInDialog(page)
  await page.getByText('Отправлен 1 Disconnect').waitFor()
  hand.did(t, 'task 30')
  await page.getByRole('button', { name: 'Отключить olga' }).waitFor({ state: 'detached' })
  // The row that had the focus is gone, so the one in its place has it.
  await page.locator('[data-index] [data-row-link]:focus').waitFor()
  t.equal((await known.received(1))[0]!.text(44), 'of-olga')

  await page.keyboard.press('g')
  await page.keyboard.press('l')
  for (const login of ['ivan', 'petr']) await hand.click(page.getByLabel(`Отметить: ${login}`))
  t.same(await seriousFaults(page), [])
  await hand.click(page.getByRole('button', { name: 'Отключить', exact: true }).last())
  await page.getByRole('dialog').getByText('Отключить 2 сессии?').waitFor()
  await enterInDialog(page)
  await page.getByText('Отправлено 2 Disconnect').waitFor()
  hand.did(t, 'task 30')
  t.same(
    (await known.received(3))
      .slice(1)
      .map((request) => request.text(44))
      .sort(),
    ['of-ivan', 'of-petr'],
  )

  await page.getByText('Завершённые').click()
  await page.getByText('Disconnect-ACK').first().waitFor()
  await page.getByLabel('Найти').fill('aabb.cc00.0003')
  await page.getByRole('link', { name: 'ivan' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'olga' }).waitFor()
  await page.getByLabel('По какой день').fill('2020-01-01')
  await page.getByRole('link', { name: 'olga' }).waitFor({ state: 'detached' })
  await rail(page).getByRole('link', { name: 'Disconnect и CoA' }).click()
  await page.getByText('Выполнено').nth(1).waitFor()
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('a template of answers is copied from what is built in, shown as packets, mended and deleted', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/network/templates/')
  await page.getByRole('link', { name: 'Juniper, policies' }).waitFor()
  t.same(await seriousFaults(page), [])
  await page.getByRole('link', { name: 'mikrotik' }).click()
  const builtIn = page.getByRole('dialog', { name: 'Шаблон: mikrotik' })
  await builtIn.getByText('Кто использует: Восток, Новый район, Окраина, Центр').waitFor()
  await builtIn.getByText('100M/100M').first().waitFor()
  await builtIn.getByRole('link', { name: 'Скопировать' }).click()
  const form = page.getByRole('dialog', { name: 'Новый шаблон' })
  await form.getByLabel('Название').fill('Хотспот')
  const accept = form.getByRole('textbox', { name: 'Access-Accept' })
  t.match(await accept.inputValue(), /^Mikrotik-Rate-Limit = \{up_rate\}\/\{down_rate\}\n/)
  const lines = (await accept.inputValue()).split('\n')
  const written = (last: string) => accept.fill([...lines, '', last].join('\n'))
  await written('Reply-Message')
  await form.getByRole('button', { name: 'Создать' }).click()
  await form.getByText(`Строка ${lines.length + 2}: нужно «Атрибут = значение»`).waitFor()
  await written('Reply-Mesage = <b>{down_kbit}</b>')
  await form.getByRole('status').getByText('Атрибута «Reply-Mesage» в словаре RADIUS нет').waitFor()
  await form.getByRole('button', { name: 'Создать' }).click()
  await form
    .getByText(`Строка ${lines.length + 2}: Атрибута «Reply-Mesage» в словаре RADIUS нет`)
    .first()
    .waitFor()
  await untilSo(page, `document.activeElement?.getAttribute('name') === 'accept'`)
  await written('Reply-Message = <b>{down_kbit}</b>')
  await form.getByLabel('К абоненту, Мбит/с').fill('20')
  await form.getByText('100M/20M').first().waitFor()
  await form.getByText('<b>20000</b>').first().waitFor()
  t.same(await seriousFaults(page), [])
  await form.getByRole('button', { name: 'Создать' }).click()
  await page.getByRole('link', { name: 'Хотспот' }).click()
  const saved = page.getByRole('dialog', { name: 'Шаблон: Хотспот' })
  t.match(await saved.getByRole('textbox', { name: 'Access-Accept' }).inputValue(), /Reply-Message = <b>/)
  await saved.getByRole('button', { name: 'Удалить' }).click()
  await page.getByRole('dialog', { name: 'Удалить «Хотспот»?' }).getByRole('button', { name: 'Удалить' }).click()
  await page.getByRole('link', { name: 'Хотспот' }).waitFor({ state: 'detached' })
  t.same(complaints, [])
})

t.test('a telephone shows cards, and nothing is wider than its screen', async (t) => {
  const { page } = await openScreen(t, root, '/network/nas/', { ...telephone, colorScheme: 'dark' })
  for (const [path, word] of [
    ['/network/nas/', 'Центр'],
    [`/network/nas/${lost.id}/`, 'accel-ppp'],
    ['/network/nas/new/', 'Общий секрет'],
    ['/network/sessions/?state=ended', 'Disconnect-ACK'],
    ['/network/coa/', 'Выполнено'],
    ['/network/templates/', 'Juniper, policies'],
    ['/network/templates/1/', 'Примечание'],
    ['/network/templates/built-in/cisco/', 'rate-limit input'],
  ] as const) {
    await follow(page, path)
    await page.locator('main, [role=dialog]').getByText(word).first().waitFor()
    await untilSo(page, `!document.querySelector('[aria-busy=true]')`)
    t.equal(await overflow(page), 0, path)
    t.same(await seriousFaults(page), [], path)
  }
  // What was legible is looked at again when no more than the ground around it has changed.
  await page.evaluate(`document.querySelector('main').style.backgroundColor = 'white'`)
  t.match((await seriousFaults(page))[0], /^color-contrast: /)
})

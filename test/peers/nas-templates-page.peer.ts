// needs chromium from chromium
import type { Page } from 'playwright-core'
import t from 'tap'
import { openOffice } from '../interfaces/admin-office.ts'
import { pagePort, visit } from '../support/chromium.ts'
import { FakeNas } from '../support/nas.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
await office.disconnects.start()
t.teardown(() => office.disconnects.stop(0))
const root = await office.staff('root')
const fake = await FakeNas.start({ id: 1, ip: '127.0.0.1', answer: () => ({ nak: 503 }) })
t.teardown(() => fake.close())
const made = async (model: string, body: object) => {
  const { status, body: record } = await root.post(`/rest_api/v2/${model}/`, body)
  if (status !== 201) throw new Error(JSON.stringify(record))
  return record
}
const { ip, secret, coaPort } = fake.entry
const nas = await made('Nas', { name: 'bras <1>', ip, secret, coa_port: coaPort, nas_type: 'mikrotik' })
const tarif = await made('Tarif', { name: 'fast', price: 0, speed_mbit: 100, upload_mbit: 50, vlan: 120 })
const abonent = await made('Abonents', { name: 'Ivan', contract_number: '1', tarif: tarif.id })
await made('Users', { abonent: abonent.id, login: 'ivan', password: 'x', ip: '10.9.0.7' })

const path = '/admin/radius/templates/'
const wide = { width: 1280, height: 900 }
/** Where pictures of the page are wanted, the beginning of their names. */
const pictures = process.env.TEMPLATES_PICTURE
async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of pictures ? (['light', 'dark'] as const) : []) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${pictures}-${name}-${colorScheme}.png`, fullPage: true })
  }
}
const isRefusal = (complaint: string) => /status of 400/.test(complaint)

async function opened(query: string, options: object = {}, username = 'root') {
  const visited = await visit(t, { viewport: wide, locale: 'en-US', ...options }, isRefusal)
  const { page } = visited
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`${office.base}${path}${query}`)
  await page.fill('input[name=username]', username)
  await page.fill('input[name=password]', `${username}-password`)
  await page.click('button')
  return visited
}

const line = (page: Page, part: string, at: number) => page.locator(`[data-part="${part}"] ol > li`).nth(at)

t.test('an operator copies a template, corrects what is refused, tries it and deletes it', async (t) => {
  const { page, complaints } = await opened('')
  await page.locator('#own a', { hasText: 'Juniper, policies' }).waitFor()
  t.equal(await page.locator('#built-in .badge', { hasText: 'built in' }).count(), 6)

  await page.locator('#built-in a', { hasText: 'mikrotik' }).click()
  await page.locator('#editor-title', { hasText: 'mikrotik' }).waitFor()
  t.equal(await line(page, 'accept', 0).locator('.value').inputValue(), '{up_rate}/{down_rate}')
  t.notOk(await line(page, 'accept', 0).locator('.value').isEditable(), 'what is built in is only read')
  t.notOk(await page.getByRole('button', { name: 'Save' }).isVisible())
  t.equal(await page.textContent('#used'), 'Used by: bras <1>')

  await page.getByRole('link', { name: 'Copy' }).click()
  await page.fill('[name=name]', 'Hotspot')
  // By keyboard: a new line, its name, its value, and Enter.
  await page.locator('[data-part=accept] [data-add]').focus()
  for (const keys of ['Enter', 'Reply-Mesage', 'Tab', 'VLAN {vlan}, <b>{down_kbit}</b>', 'Enter']) {
    if (keys === 'Enter' || keys === 'Tab') await page.keyboard.press(keys)
    else await page.keyboard.insertText(keys)
  }
  const added = line(page, 'accept', 4)
  await added.locator('.fault', { hasText: 'no RADIUS attribute "Reply-Mesage"' }).waitFor()
  t.equal(await page.evaluate('document.activeElement.value'), 'Reply-Mesage', 'the line that is wrong has the focus')
  await picture(page, 'refused')
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('Reply-Message')
  await page.keyboard.press('Enter')
  await page.locator('#result', { hasText: 'Saved' }).waitFor()
  t.equal(await added.locator('.fault').textContent(), '')
  const [{ id }] = await office.rows(`SELECT id FROM nas_templates WHERE name = 'Hotspot'`)
  t.match(page.url(), new RegExp(`\\?edit=${id}$`))
  await page.locator('#own a[aria-current]', { hasText: 'Hotspot' }).waitFor()

  await root.call('PATCH', `/rest_api/v2/Nas/${nas.id}/`, { template: Number(id) })
  await page.fill('[name=login]', 'ivan')
  await page.getByRole('button', { name: 'Try' }).click()
  await page.locator('#answer .good', { hasText: 'knows the secret. (Error-Cause 503)' }).waitFor()
  const cells = await page.locator('#answer tbody tr').allTextContents()
  t.ok(cells.includes('Mikrotik-Rate-Limit50M/100M'))
  t.ok(cells.includes('Tunnel-Private-Group-Id120'))
  t.ok(cells.includes('Reply-MessageVLAN 120, <b>100000</b>'), 'as it was saved just now')
  await picture(page, 'tried')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('#result', { hasText: 'in use' }).waitFor()
  await page.locator('[data-part=accept] ol > li').last().getByRole('button').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#used', { hasText: 'Used by: bras <1>' }).waitFor()
  await page.getByRole('button', { name: 'Try' }).click()
  await page.locator('#answer', { hasText: 'Accepted' }).waitFor()
  t.notMatch(await page.textContent('#answer'), /Reply-Message/)
  await root.call('PATCH', `/rest_api/v2/Nas/${nas.id}/`, { template: null })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${office.base}${path}`)
  await page.locator('#own a', { hasText: 'Juniper' }).first().waitFor()
  t.equal(await page.locator('#own a', { hasText: 'Hotspot' }).count(), 0)
  t.equal(await page.locator('b, img').count(), 0, 'names and values are words, not markup')
  t.strictSame(complaints, [])
})

t.test('a new template begins with nothing, and its name stands once', async (t) => {
  const { page, complaints } = await opened('?copy=')
  await page.fill('[name=name]', 'Juniper, service')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-fault', { hasText: 'Another record has this name' }).waitFor()
  await page.fill('[name=name]', ' ')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#name-fault', { hasText: '1 to 200 characters' }).waitFor()
  await page.goto(`${office.base}${path}?edit=999`)
  await page.locator('#state', { hasText: 'There is no such template' }).waitFor()
  t.strictSame(complaints, [])
})

t.test('whoever may not change settings tries NAS only', async (t) => {
  await office.staff('helper', 'operator', [1])
  const { page, complaints } = await opened('', {}, 'helper')
  await page.locator('#question option', { hasText: 'bras <1> · mikrotik' }).waitFor({ state: 'attached' })
  t.notOk(await page.locator('#list').isVisible())
  t.notOk(await page.locator('#editor').isVisible())
  t.ok(await page.locator('#question').isVisible())
  t.strictSame(complaints, [])
})

t.test('it fits a phone and speaks Russian', async (t) => {
  const options = { viewport: { width: 390, height: 800 }, locale: 'ru-RU' }
  const { page, complaints } = await opened('?edit=1', options)
  await page.locator('#editor-title', { hasText: 'Juniper, policies' }).waitFor()
  await page.getByRole('heading', { name: 'Проверка NAS' }).waitFor()
  t.equal(await page.getAttribute('html', 'lang'), 'ru')
  await page.fill('[name=login]', 'ivan')
  await page.getByRole('button', { name: 'Проверить' }).click()
  await page.locator('#answer', { hasText: 'Доступ открыт' }).waitFor()
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  await picture(page, 'phone')
  t.strictSame(complaints, [])
})

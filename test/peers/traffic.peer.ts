// needs chromium from chromium
import t from 'tap'
import { packet } from '../support/accounting.ts'
import { type Json, openOffice } from '../interfaces/admin-office.ts'
import { pagePort } from '../support/chromium.ts'
import { desk, follow, openScreen, overflow, seriousFaults, telephone, untilSo } from '../support/console.ts'
import { Hand } from '../support/hand.ts'
import { batchOf } from '../support/nas.ts'
import { until } from '../support/until.ts'

const office = await openOffice(t, { httpPort: await pagePort() })
const root = await office.staff('root')
const made = async (model: string, fields: object): Promise<Json> =>
  (await root.post(`/rest_api/v2/${model}/`, fields)).body

const nas = await made('Nas', { name: 'bras-1', ip: '127.0.0.9', secret: 'secret' })
const ivanov = await made('Abonents', { name: 'Иванов Иван', contract_number: '100001' })
await made('Users', { abonent: ivanov.id, login: 'ivan', password: 'x' })
const idle = await made('Abonents', { name: 'Тихий', contract_number: '100002' })
await made('Users', { abonent: idle.id, login: 'quiet', password: 'x' })

const hour = 3_600
const report = (...packets: Buffer[]) =>
  office.accounting.sink(batchOf(packets.map((one) => ({ nas: nas.id, packet: one }))))
await report(
  packet('stop', { id: 'past', time: 50 * hour, input: 200_000_000, output: 2_000_000_000, delay: 5 * hour, cause: 1 }),
  packet('interim', { id: 'now', time: 2 * hour, input: 90_000_000, output: 900_000_000, ip: '10.0.0.7' }),
)
/** Has what was reported told: it stands in the tables when all of it is counted, after an outage from the sessions. */
async function tellTraffic(): Promise<void> {
  const { counter } = office.traffic
  await until(() => counter.isSettled)
  await counter.flush()
}
await tellTraffic()

const chart = 'section[data-chart]'
const isDrawn = `(() => {
  const canvas = document.querySelector('${chart} canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const colours = new Set()
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0) colours.add(data[at] + '.' + data[at + 1] + '.' + data[at + 2])
  return colours.size > 3
})()`

t.test('sessions and traffic of a client are three clicks away', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/')
  const hand = new Hand()
  await hand.click(page.getByRole('link', { name: 'Иванов Иван' }))
  await hand.click(page.getByRole('link', { name: 'Подключение' }))
  await page.locator(chart).waitFor()
  await untilSo(page, isDrawn)
  const main = page.locator('main')
  const live = main.locator('section', { has: page.getByRole('heading', { name: 'Сессии сейчас' }) })
  await live.getByText('10.0.0.7').waitFor()
  await live.getByText('900 МБ').waitFor()
  const past = main.locator('section', { has: page.getByRole('heading', { name: 'Прошлые сессии' }) })
  await past.getByText('50:00:00').waitFor()
  await past.getByText('User-Request').waitFor()
  await hand.click(page.getByText('Неделя'))
  await main.getByText('2,9 ГБ').waitFor()
  hand.did(t, 'task 4')
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
})

t.test('the chart is walked by keys, and told in a table', async (t) => {
  const { page, complaints } = await openScreen(t, root, `/subscribers/${ivanov.id}/connection/`)
  await page.locator(`${chart} canvas`).waitFor()
  await untilSo(page, isDrawn)
  await page.locator('main').getByText('10.0.0.7').nth(1).waitFor()
  await page.locator(chart).press('End')
  const step = page.locator('main output')
  await step.filter({ hasText: /Скачано .*бит\/. · Отправлено/ }).waitFor()
  // The last step or two may have begun after the report.
  for (let steps = 0; steps < 3; steps++) await page.locator(chart).press('ArrowLeft')
  await step.filter({ hasText: /Скачано 1 Мбит\/. · Отправлено 100 кбит\/./ }).waitFor()
  await page.getByRole('button', { name: 'Показать таблицей' }).click()
  const table = page.locator('main section[aria-label="Трафик"]')
  await table.getByText('450 МБ').first().waitFor()
  t.ok((await table.locator('tbody tr').count()) >= 24)
  await page.getByRole('link', { name: 'Обзор' }).click()
  await page.getByText(/^↓ [\d,]+\s[МГ]Б ↑ [\d,]+\s[кМГ]Б$/).waitFor()
  t.same(complaints, [])
})

t.test('what a live session does follows its reports', async (t) => {
  const { page } = await openScreen(t, root, `/subscribers/${ivanov.id}/connection/`)
  await page.locator('main').getByText('900 МБ').waitFor()
  await page.locator('[role=status][data-state=open]').waitFor()
  await report(
    packet('interim', { id: 'now', time: 2 * hour + 60, input: 95_000_000, output: 950_000_000, ip: '10.0.0.7' }),
  )
  await page.locator('main').getByText('950 МБ').waitFor()
})

t.test('nobody is shown an empty frame, and the chart comes with what is told later', async (t) => {
  const { page, complaints } = await openScreen(t, root, '/subscribers/', { ...desk, isOwn: true })
  await page.clock.install()
  await follow(page, `/subscribers/${idle.id}/connection/`)
  await page.getByText('За это время трафика не было').waitFor()
  await page.getByText('Прошлых сессий нет').waitFor()
  await report(packet('interim', { id: 'later', login: 'quiet', time: hour, input: 1_000_000, output: 9_000_000 }))
  await tellTraffic()
  await page.clock.fastForward(61_000)
  await page.locator(chart).waitFor()
  t.same(complaints, [])
})

t.test('it fits a telephone, in the dark and in English', async (t) => {
  const { page, context, complaints } = await openScreen(t, root, `/subscribers/${ivanov.id}/connection/`, {
    ...telephone,
    colorScheme: 'dark',
    locale: 'en-GB',
  })
  await page.locator(`${chart} canvas`).waitFor()
  await page.getByText('Downloaded').first().waitFor()
  t.equal(await overflow(page), 0)
  t.same(await seriousFaults(page), [])
  t.same(complaints, [])
  const folder = process.env.PICTURES
  if (folder === undefined) return
  await page.screenshot({ path: `${folder}/phone.png`, fullPage: true })
  await context.close()
  for (const colorScheme of ['light', 'dark'] as const) {
    const other = await openScreen(t, root, `/subscribers/${ivanov.id}/connection/`, { ...desk, colorScheme })
    await untilSo(other.page, isDrawn)
    await other.page.locator(chart).focus()
    await other.page.keyboard.press('End')
    await other.page.screenshot({ path: `${folder}/desk-${colorScheme}.png`, fullPage: true })
  }
})

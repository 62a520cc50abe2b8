import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { fiscalConfig } from '../support/fiscal-receiver.ts'
import { launchProgram } from '../support/opened-program.ts'
import { fetch } from '../support/published.ts'
import { until } from '../support/until.ts'
import { openOffice } from './admin-office.ts'

const shared = await SharedDatabase.open(t)

/** A listener of somebody else, which keeps what it hears. */
const heard: string[] = []
const thief = createServer((asked, response) => {
  heard.push(String(asked.headers.authorization))
  response.writeHead(400, { 'Content-Type': 'application/json' })
  response.end('{"code": "inside", "description": "words of another server"}')
})
await once(thief.listen(0, '127.0.0.1'), 'listening')
t.teardown(() => {
  thief.closeAllConnections()
  thief.close()
})
const port = (thief.address() as AddressInfo).port
const away = `http://127.0.0.1:${port}`

const paths = { payment: '/admin/settings/payment/', system: '/admin/settings/system/' } as const
const fiscalPath = '/admin/dictionary/fiscal_configs_crud/'
const register = { ...fiscalConfig, url: 'https://receiver.example/v4' }

t.test('a secret does not follow the address of its service', async (t) => {
  const office = await openOffice(t, { shared })
  const root = await office.staff('root')
  const gateway = {
    LK_GWA_API_URL: 'https://gate.example',
    LK_GWA_SHOP_ID: '7',
    LK_GWA_SECRET_KEY: 'live_key_of_the_shop',
    LK_GWB_SECRET_KEY: 'key of the other',
  }
  t.match(await root.post(paths.payment, gateway), { status: 200 })
  const again = { status: 400, body: { ok: false, errors: { LK_GWA_SECRET_KEY: /Enter it again/ } } }
  t.match(await root.post(paths.payment, { LK_GWA_API_URL: away, check: 'gwa' }), again)
  t.match(await root.post(paths.payment, { LK_GWA_API_URL: away, LK_GWA_SECRET_KEY: '***', check: 'gwa' }), again)
  t.match(await root.post(paths.system, { LK_GWA_API_URL: away }), again, 'at the door of all settings too')
  t.match(await root.post(paths.payment, { LK_GWA_FORM_URL: away }), again)
  t.match(await root.post(paths.payment, { LK_GWB_FORM_URL: away }), {
    status: 400,
    body: { errors: { LK_GWB_SECRET_KEY: /Enter it again/ } },
  })
  t.equal(office.settings.get('LK_GWA_API_URL'), 'https://gate.example')
  t.match(await root.post(paths.payment, { LK_GWA_API_URL: '' }), { status: 200 }, 'no address needs none')
  t.match(await root.post(paths.payment, { LK_GWA_API_URL: away }), again, 'and is no way around')
  t.same(heard, [])

  const own = { LK_GWA_API_URL: away, LK_GWA_SECRET_KEY: 'live_other', check: 'gwa' }
  const { status, body } = await root.post(paths.payment, own)
  t.equal(status, 200)
  t.same(heard, [`Basic ${Buffer.from('7:live_other').toString('base64')}`], 'what was typed in goes there')
  t.match(body.connection, { ok: false, message: 'The gateway answered 400.' })
  t.notMatch(JSON.stringify(body), /words of another server|inside/)
  const whole = { LK_GWA_API_URL: away, LK_GWA_SECRET_KEY: '***', LK_GWA_SHOP_ID: '8' }
  t.match(await root.post(paths.payment, whole), { status: 200 }, 'a form that repeats the address needs no secret')

  const form = await fetch(office.base + paths.payment, {
    method: 'POST',
    headers: { 'X-Session-Hash': root.key, Accept: 'text/html' },
    body: new URLSearchParams({ LK_GWA_API_URL: 'https://gate.example', LK_GWA_SECRET_KEY: '***' }),
  })
  t.equal(form.status, 400)
  t.match(await form.json(), { codes: { LK_GWA_SECRET_KEY: 'secret_missing' } }, 'what a form sends is JSON too')
})

t.test('nor does the password of a fiscal configuration', async (t) => {
  const office = await openOffice(t, { shared })
  const root = await office.staff('root')
  const made = await root.post(fiscalPath, register)
  t.equal(made.status, 200)
  const one = `${fiscalPath}${made.body.id}/`
  const again = { status: 400, body: { ok: false, errors: { password: /Enter it again/ } } }
  t.match(await root.post(one, { url: away }), again)
  t.match(await root.post(one, { url: 'https://other.example/v4' }), again)
  t.match(await root.post(one, { url: register.url, name: 'Registers' }), { status: 200 }, 'the same address is none')
  t.match(await root.post(one, { url: away, password: 'another' }), { status: 200 })
})

t.test('addresses of private networks are refused, and the refusal says what lists them', async (t) => {
  const office = await openOffice(t, { shared, env: { TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '' } })
  const root = await office.staff('root')
  const sentence = /private network that TOLLGATE_ALLOW_PRIVATE_ADDRESSES does not list/
  const hosts = ['127.0.0.1', 'localhost', '10.0.0.5', '169.254.169.254', '[::1]', '[fd00::1]', '[::ffff:127.0.0.1]']
  const ofThisMachine = new Set(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])
  for (const host of [...hosts, '[64:ff9b::a00:1]', '0.0.0.0', '2130706433', '224.0.0.1', '203.0.113.1']) {
    for (const url of [`http://${host}:${port}`, `https://${host}:${port}/v3`]) {
      const isInClear = url.startsWith('http:') && !ofThisMachine.has(host)
      const error = { status: 400, body: { errors: { LK_GWA_API_URL: isInClear ? /only of this machine/ : sentence } } }
      t.match(await root.post(paths.payment, { LK_GWA_API_URL: url }), error, url)
      t.match(
        await root.post(fiscalPath, { ...register, url }),
        { status: 400, body: { errors: { url: sentence } } },
        url,
      )
    }
  }
  // As an installation has it that was set up before.
  await office.rows(`UPDATE system_settings SET value = $1, updated_at = now() WHERE name = 'LK_GWA_API_URL'`, [away])
  await office.settings.reload()
  const heardBefore = heard.length
  const values = { LK_GWA_SHOP_ID: '7', LK_GWA_SECRET_KEY: 'live_key', check: 'gwa' }
  t.match(await root.post(paths.payment, values), {
    status: 200,
    body: { connection: { ok: false, message: sentence } },
  })
  t.equal(heard.length, heardBefore, 'nothing was sent')
})

t.test('a start says which addresses in use are private and not listed', async (t) => {
  const env = {
    TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '10.0.0.0/8',
    TOLLGATE_SMS_URL: `${away}/?password=hunter2&to={phone}`,
    TOLLGATE_SMTP_URL: 'smtp://u:hunter2@10.0.0.25:25',
    TOLLGATE_MAIL_FROM: 'billing@isp.example',
    TOLLGATE_SETTING_LK_GWB_FORM_URL: 'https://192.168.0.9/form',
  }
  const program = await launchProgram(t, env)
  const words = /private address; list it in TOLLGATE_ALLOW_PRIVATE_ADDRESSES/
  const told = () => program.log.filter(({ message }) => words.test(message))
  await until(() => told().some(({ name }) => name === 'LK_GWB_FORM_URL'))
  t.match(told(), [
    { level: 'warn', name: 'TOLLGATE_SMS_URL', host: '127.0.0.1' },
    { level: 'warn', name: 'LK_GWB_FORM_URL', host: '192.168.0.9' },
  ])
  t.equal(told().length, 2, 'and of no others')
  t.notMatch(JSON.stringify(told()), /hunter2/)
})

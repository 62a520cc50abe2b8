import t from 'tap'
import { openProgram } from '../support/opened-program.ts'
import { ownServer } from '../support/postgres.ts'
import type { Json } from '../support/program.ts'
import { linePassword, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { until, untilAnswer } from '../support/until.ts'

t.test('the System API lists and disconnects sessions while the database is away', async (t) => {
  const server = await ownServer(t)
  const program = await openProgram(t, {
    DATABASE_URL: server.url,
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: 'tell-nobody-of-this',
  })
  const [client] = await signUp(program, 1)
  const cut: string[] = []
  const nas = await simulateNas(program, '127.0.0.42', (login) => cut.push(login))
  t.teardown(async () => {
    await nas.stop()
  })
  t.match(await nas.signIn(client!.login, linePassword, 'AA-BB-CC-00-00-01'), { kind: 'accepted' })
  const system = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${program.address.http}/system_api/${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'X-System-Password': 'tell-nobody-of-this' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Json }
  }

  await server.stop()
  const status = async () => (await system('GET', 'status/')).body
  t.match(await untilAnswer(status, ({ database }) => !database.up), {
    status: 'ok',
    ready: false,
    reason: 'The database is away.',
    database: { up: false, outbox_waiting: null },
    radius: { ready: true },
    sessions: { live: 1 },
    versions: { tollgate: String, postgresql: null },
  })
  t.match(await system('GET', 'sessions/'), { status: 200, body: { sessions: [{ login: client!.login }] } })
  const away = { status: 503, body: { status: 'error', error: 'unavailable', message: String } }
  t.match(await system('GET', 'sessions/?all=1'), away)
  t.match(await system('POST', 'sms/', { phone: '+79001234567', text: 'ВЫКЛ' }), away)
  t.match(await system('POST', 'read_only/', { enable: true }), away)
  t.match(await system('POST', 'sessions/disconnect/', { login: client!.login }), { status: 200, body: { sent: 1 } })
  await until(() => cut.length > 0)
  t.strictSame(cut, [client!.login])

  await server.start()
  const again = await untilAnswer(status, ({ ready, versions }) => ready && versions.postgresql !== null)
  t.equal(again.read_only, false)
})

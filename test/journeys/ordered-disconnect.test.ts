import pg from 'pg'
import t from 'tap'
import { testDatabaseUrl } from '../support/database.ts'
import { FakeNas } from '../support/nas.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram } from '../support/program.ts'
import { signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { until } from '../support/until.ts'

const password = 'tell-nobody-of-this'
const userName = 1

t.test('a line cut by the System API is cut after kill -9, when its NAS had not answered', async (t) => {
  const url = await testDatabaseUrl(t)
  const program = await new RunningProgram({
    DATABASE_URL: url,
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: password,
  }).start()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const nas = await FakeNas.start({ ip: '127.0.0.38', answer: () => 'silence' })
  t.teardown(async () => {
    await nas.close()
    await database.end()
    await program.stop()
    program.remove()
  })
  const { name, ip, secret, coaPort } = nas.entry
  t.match(await program.rest('POST', '/rest_api/v2/Nas/', { name, ip, secret, coa_port: coaPort }), { status: 201 })
  const [client] = await signUp(program, 1)

  const response = await fetch(`${program.address.http}/system_api/sessions/disconnect/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-System-Password': password },
    body: JSON.stringify({ login: client!.login }),
  })
  t.same(await response.json(), { status: 'ok', sent: 1 }, 'told before the silent NAS is given up')
  await nas.received(1)
  await program.kill()
  const before = nas.seen.length

  nas.answer = () => 'ack'
  await reopenProgram(t, program)
  const seen = await nas.received(before + 1)
  t.equal(seen.at(-1)!.text(userName), client!.login)
  const kept = async () =>
    (await database.query("SELECT done_at, result FROM outbox WHERE kind = 'disconnect' ORDER BY id")).rows
  await until(async () => (await kept()).every(({ done_at }) => done_at !== null))
  t.match(await kept(), [{ result: { ack: 1 } }])
})

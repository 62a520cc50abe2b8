import pg from 'pg'
import t from 'tap'
import { testDatabaseUrl } from '../support/database.ts'
import { openProgram } from '../support/opened-program.ts'
import { linePassword, signUp, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'

t.test('a live session gets another VLAN by a new sign-in, and where a template says so by CoA', async (t) => {
  const url = await testDatabaseUrl(t)
  const program = await openProgram(t, { DATABASE_URL: url })
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const nas = await simulateNas(program, '127.0.0.41')
  t.teardown(async () => {
    await nas.stop()
    await database.end()
  })
  const [client] = await signUp(program, 1)
  const login = (await program.rest('GET', '/rest_api/v2/Users/')).body.results[0]
  const setVlan = async (vlan: number | null) => {
    const { status } = await program.rest('PATCH', `/rest_api/v2/Users/${login.id}/`, { vlan })
    t.equal(status, 200)
  }
  const begin = async () => {
    const signedIn = await nas.signIn(client!.login, linePassword, 'station')
    if (signedIn.kind !== 'accepted') throw new Error(`${client!.login} was not let in.`)
    t.equal(await nas.account('start', signedIn.session), true)
  }
  const asked = async () =>
    (await database.query(`SELECT request, result FROM coa_requests WHERE session_id IS NOT NULL ORDER BY id`)).rows
  const askedTimes = (times: number) => until(async () => (await asked()).length === times)

  await setVlan(120)
  await begin()
  await setVlan(121)
  await askedTimes(1)
  t.match(await asked(), [{ request: 'disconnect', result: 'ack' }])

  const vlan = [{ name: 'Tunnel-Private-Group-Id', value: '{vlan}' }]
  const template = await program.rest('POST', '/admin/dictionary/nas_templates_crud/', {
    ...{ name: 'by CoA', nas_type: 'mikrotik', accept: vlan, coa: vlan },
  })
  const [{ id }] = (await program.rest('GET', '/rest_api/v2/Nas/')).body.results
  await program.rest('PATCH', `/rest_api/v2/Nas/${id}/`, { template: template.body.id })
  await begin()
  await setVlan(122)
  await askedTimes(2)
  t.match((await asked()).slice(1), [{ request: 'coa', result: 'ack' }])
  await setVlan(null)
  await askedTimes(3)
  t.match((await asked()).slice(2), [{ request: 'disconnect', result: 'ack' }])
})

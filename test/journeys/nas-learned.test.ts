import t from 'tap'
import { openProgram } from '../support/opened-program.ts'
import { linePassword, signUp, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'

t.test('what a NAS teaches is shown in its record and in the audit, and is not learned twice', async (t) => {
  const program = await openProgram(t)
  const nas = await simulateNas(program, '127.0.0.43')
  t.teardown(() => nas.stop())
  const [client] = await signUp(program, 1)
  const record = async () => (await program.rest('GET', '/rest_api/v2/Nas/')).body.results[0]
  t.match(await record(), { require_message_authenticator: 'auto', learned_message_authenticator: null })

  for (const station of ['one', 'two']) await nas.signIn(client!.login, linePassword, station)
  await until(async () => (await record()).learned_message_authenticator === true)
  const { rows } = await program.parts.database.pool.query(
    `SELECT user_name, action, diff FROM audit_operations WHERE table_name = 'NAS' AND action <> 'create'`,
  )
  t.match(rows, [{ user_name: 'radius', action: 'change', diff: { learned_message_authenticator: [null, true] } }])
  t.equal(rows.length, 1)
})

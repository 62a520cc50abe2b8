import pg from 'pg'
import t from 'tap'
import { testDatabaseUrl } from '../support/database.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram } from '../support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { until, untilAnswer } from '../support/until.ts'

t.test('a line that a lost Disconnect left in the garden is disconnected when its NAS reports it', async (t) => {
  const url = await testDatabaseUrl(t)
  // The NAS goes on sending to the same ports.
  const ports = {
    TOLLGATE_RADIUS_AUTH_PORT: String(await freeUdpPort()),
    TOLLGATE_RADIUS_ACCT_PORT: String(await freeUdpPort()),
  }
  const program = await new RunningProgram({ DATABASE_URL: url, ...ports }).start()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  const cut: string[] = []
  const nas = await simulateNas(program, '127.0.0.39', (login) => cut.push(login))
  t.teardown(async () => {
    await nas.stop()
    await database.end()
    await program.stop()
    program.remove()
  })
  const [client] = await signUp(program, 1)
  await database.query('UPDATE tarifs SET walled_garden = true')
  await program.create('FinanceOperations', { account: client!.account, op_type: 9, op_summa: ruble })
  // The Disconnect of the block has come and gone before there is a session that it could cut.
  const answered = `SELECT FROM coa_requests WHERE request = 'disconnect' AND result = 'nak'`
  await until(async () => (await database.query(answered)).rowCount === 1)
  // The tariff's change is on its way to the access table.
  const debtor = await untilAnswer(
    () => nas.signIn(client!.login, linePassword, 'station'),
    ({ kind }) => kind === 'accepted',
  )
  if (debtor.kind !== 'accepted') throw new Error('Access-Accept expected')
  t.match(debtor.session.className, /\/garden$/)
  t.strictSame(cut, [])
  await program.kill()

  // The debt is gone, and nobody has told the NAS.
  await database.query(`
    UPDATE admin_accounts SET ostatok = 0, credit = debit, version = version + 1;
    UPDATE abonents SET enabled = true; UPDATE users SET enabled = true; UPDATE abonents_block SET b_negbal = false`)
  await reopenProgram(t, program)
  t.equal(await nas.account('interim', debtor.session), true)
  await until(() => cut.length > 0)
  t.match(await nas.signIn(client!.login, linePassword, 'station'), {
    kind: 'accepted',
    session: { className: /^tg2\/\d+(\/[0-9a-f]+)+$/ },
  })
})

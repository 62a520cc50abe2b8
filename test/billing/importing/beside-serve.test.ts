import t from 'tap'
import { migratedDataDir } from '../../support/data-folder.ts'
import { type LogLine, RunningProgram } from '../../support/program.ts'
import { ruble, simulateNas } from '../../support/provider.ts'
import { ImportRun } from './import-run.ts'
import { until } from '../../support/until.ts'

const count = 1_200

t.test('what is imported beside a running program may use the network at once', async (t) => {
  const program = await new RunningProgram({}, migratedDataDir()).start()
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  const nas = await simulateNas(program, '127.0.0.51')
  t.teardown(() => nas.stop())
  await program.create('Tarif', { name: 'Home', price: 600 * ruble, speed_mbit: 100 })
  const receipt = (account: number) =>
    program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: 500 * ruble })
  t.equal((await receipt(1)).status, 400, 'there is no account 1 yet, and the program has looked')

  // Every third is in debt; more than a notice can name at once.
  const rows = Array.from(
    { length: count },
    (_, n) => `${n},Subscriber ${n},line${n},pass${n},Home,${n % 3 === 0 ? -100 : 100}`,
  )
  const importing = new ImportRun(t, program.dataDir)
  const told = await importing.apply(['contract_number,name,login,password,tarif,balance', ...rows].join('\n'))
  t.match(told, { status: 0, text: '1,200 lines: 1,200 imported, 0 known, 0 bad.' })

  const signIn = (n: number) => nas.signIn(`line${n}`, `pass${n}`, `AA-BB-CC-00-00-${n}`)
  // A line is let in as soon as the program has read it. What was imported comes in several notices.
  for (const n of [1, count - 2]) await until(async () => (await signIn(n)).kind === 'accepted')
  const inDebt = async () => {
    const answer = await signIn(600)
    return answer.kind === 'rejected' && /negative balance/.test(answer.reason ?? '')
  }
  await until(inDebt)

  const found = await program.rest('GET', '/rest_api/v2/Abonents/?contract_number=600')
  const { account } = found.body.results[0]
  t.equal((await receipt(account)).status, 201)
  t.match(await signIn(600), { kind: 'accepted' }, 'a payment opens the line of who was imported in debt')
  const first = await program.rest('GET', '/rest_api/v2/AdminAccounts/1/')
  t.equal(first.body.ostatok, -100 * ruble)
  t.equal((await receipt(1)).status, 201, 'the account that was not there is')
  t.strictSame(
    program.log.filter((line) => (line.level === 'error' || line.level === 'warn') && !isBusyDatabase(line)),
    [],
  )
})

/** On a machine that does much else somebody may wait too long for a connection; it says so and tries again. */
const isBusyDatabase = ({ level, error }: LogLine): boolean =>
  level === 'warn' &&
  /connection timeout|timeout exceeded when trying to connect|Query read timeout/.test(JSON.stringify(error))

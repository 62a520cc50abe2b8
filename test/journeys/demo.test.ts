import t from 'tap'
import { readConfig } from '../../src/app/config.ts'
import { verifyLedger } from '../../src/billing/jobs/ledger/verification.ts'
import { refusalCodes } from '../../src/domain/access.ts'
import { fillDemo } from '../../src/demo/fill.ts'
import { demoPeople, ownAddress } from '../../src/demo/people.ts'
import { silentLog } from '../../src/platform/log.ts'
import { workingUrlOf } from '../../src/platform/postgres/working-role.ts'
import { patientLimits, testDatabaseUrl } from '../support/database.ts'
import { OpenedProgram } from '../support/opened-program.ts'

t.test('the demo fills every list, and its ledger verifies', async (t) => {
  const url = await testDatabaseUrl(t)
  const program = new OpenedProgram({ DATABASE_URL: url })
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  const reading = readConfig(program.env)
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  const order = {
    config: reading.config,
    log: silentLog,
    databaseUrl: workingUrlOf(url),
    ownerUrl: url,
    databaseLimits: patientLimits,
  }
  // One hundred have one of each lot.
  const own = demoPeople().filter(({ logins }) => logins.some(({ address }) => address === 'own'))
  t.equal(new Set(own.map(ownAddress)).size, own.length, 'nobody has the address of somebody else')
  const people = demoPeople().slice(0, 100)
  const stopped = {
    ...people[2]!,
    get contract(): string {
      throw new Error('cut off')
    },
  }
  await t.rejects(fillDemo(order, [people[0]!, people[1]!, stopped], new Date()), /cut off/)
  const online = await fillDemo(order, people, new Date())
  t.ok(online.size > 50)
  t.equal((await fillDemo(order, people, new Date())).size, 0, 'it is filled once')
  await program.start()

  const { pool } = program.parts.database
  const client = await pool.connect()
  const { accounts, operations, broken, unsettled } = await verifyLedger(client).finally(() => client.release())
  t.strictSame({ accounts, broken, unsettled }, { accounts: 100, broken: 0, unsettled: 0 })
  t.ok(operations > 400)

  const list = async (path: string) => (await program.rest('GET', path)).body
  const doors = ['Abonents/subscribers/', 'radius/nas/', 'radius/pools/', 'radius/sessions/?state=ended', 'radius/coa/']
  for (const door of [...doors, 'Abonents/subscribers/?show=promised', 'Abonents/subscribers/?show=deleted'])
    t.not((await list(`/admin/${door}`)).items?.length ?? 0, 0, door)
  const states = (await list('/admin/radius/nas/')).items.map(({ state }: { state: string }) => state)
  t.ok(states.includes('silent'))

  const { rows } = await pool.query(`SELECT
    (SELECT array_agg(DISTINCT reason) FROM radius_auth_log) AS reasons,
    (SELECT array_agg(DISTINCT state) FROM notifications) AS messages,
    (SELECT array_agg(DISTINCT status) FROM hdsks) AS tickets,
    (SELECT array_agg(DISTINCT op_type_id::int4) FROM finance_operations) AS types,
    (SELECT count(*)::int4 FROM finance_operations WHERE storno) AS reversed,
    (SELECT count(*)::int4 FROM payment_problems) AS problems,
    (SELECT max(now() - op_date) > interval '80 days' FROM finance_operations) AS is_long`)
  const found = rows[0]
  for (const reason of Object.values(refusalCodes)) t.ok(found.reasons.includes(reason), reason)
  t.ok(found.messages.includes('sent') && found.messages.includes('failed'))
  t.strictSame(found.tickets.sort(), ['closed', 'in_progress', 'open'])
  for (const type of [7, 9, 23, 24, 31, 32, 40]) t.ok(found.types.includes(type), `operations of type ${type}`)
  t.ok(found.reversed > 0 && found.problems > 0 && found.is_long)

  const to = new Date()
  const query = new URLSearchParams({
    login: 'demo001',
    from: new Date(to.getTime() - 40 * 86_400_000).toISOString(),
    to: to.toISOString(),
    step: 'day',
  })
  const { points } = await list(`/admin/radius/usage?${query}`)
  t.ok(points.filter(({ out }: { out: number }) => out > 0).length > 20, 'traffic by day')
})

import t from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { OpenedProgram, reopenProgram } from '../support/opened-program.ts'
import { type Json, RunningProgram, type TestProgram } from '../support/program.ts'
import { untilAnswer } from '../support/until.ts'

/** What the program tells of one of its jobs, once it is as expected. */
const shown = (program: TestProgram, name: string, is: (job: Json) => boolean): Promise<Json> =>
  untilAnswer(async () => {
    const { body } = await program.rest('GET', '/admin/jobs/')
    return body.jobs.find((one: Json) => one.name === name)
  }, is)

t.test('a job that was killed with its program is shown as interrupted and made up at once', async (t) => {
  const url = await testDatabaseUrl(t)
  const database = await openDatabase({ url, log: silentLog, pool: { general: 1, ledger: 1 } })
  const env = { DATABASE_URL: url, TOLLGATE_SECRET_KEY: 'the key of both programs' }
  const program = await new RunningProgram(env).start()
  const other = new OpenedProgram(env)
  t.teardown(async () => {
    await program.stop()
    await other.stop()
    await database.close()
    program.remove()
    other.remove()
  })
  for (const name of ['billing_worker', 'check_expired_promises', 'verify_ledger', 'retention'])
    t.match(await shown(program, name, ({ last }) => last !== null), { last: { ok: true } }, `${name} runs by itself`)

  // The job waits for what a stranger holds, and in that moment the power goes.
  const stranger = await database.ledger.connect()
  await stranger.query('BEGIN; LOCK TABLE money_keys IN ACCESS EXCLUSIVE MODE')
  const cutOff = program.rest('POST', '/admin/jobs/verify_ledger/run/').catch(() => null)
  await shown(program, 'verify_ledger', ({ running }) => running)
  await other.start()
  t.match(await other.rest('POST', '/system_api/jobs/verify_ledger/run/'), { status: 403 })
  t.match(
    await other.rest('POST', '/admin/jobs/verify_ledger/run/'),
    { status: 409 },
    'another program leaves it alone',
  )
  await program.kill()
  t.equal(await cutOff, null)
  t.match(await shown(other, 'verify_ledger', ({ running }) => !running), {
    last: { ok: false, ended_at: null, result: { error: /^Interrupted/ } },
  })
  await other.stop()
  await stranger.query('COMMIT')
  stranger.release()

  const again = await reopenProgram(t, program)
  const made = await shown(again, 'verify_ledger', ({ running, last }) => !running && last.ok)
  t.match(made.last.result, { broken: 0 })
  const { body } = await again.rest('GET', '/admin/jobs/verify_ledger/runs/')
  t.strictSame(
    body.items.map(({ ok }: Json) => ok),
    [true, false, true],
    'once',
  )
})

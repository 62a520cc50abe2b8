// needs git from git
// needs the release before this one
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { emptyFolder } from '../app/processes.ts'
import { previousReleaseFile } from '../runner/chosen-files.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { RunningProgram, type TestProgram } from '../support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { until, untilAnswer } from '../support/until.ts'

const nasIp = '127.0.0.34'

t.test('this release takes the place of the one before while that serves', async (t) => {
  const url = await testDatabaseUrl(t, { migrated: false })
  const env = { DATABASE_URL: url, TOLLGATE_SECRET_KEY: 'the key of both releases', TOLLGATE_RADIUS_WORKERS: '1' }
  const old = await running(t, { ...env, TOLLGATE_NODE: 'old' }, previousRelease(t))
  const [client] = await signUp(old, 1)
  const { login, account } = client!
  let [balance, moves] = [0, 0]
  /** A database that is slow or being migrated is asked again under the same key, by which it may have been done. */
  const move = async (at: TestProgram, op_type: number, rubles: number) => {
    const body = { account, op_type, op_summa: rubles * ruble, txn: `move-${moves++}` }
    const { status } = await untilAnswer(
      () => at.rest('POST', '/rest_api/v2/FinanceOperations/', body),
      (answer) => answer.status !== 503,
    )
    const isDone = status === 201 || status === 200
    if (isDone) balance += op_type === 7 ? rubles : -rubles
    return isDone
  }
  t.ok(await move(old, 7, 10))

  // While it migrates the tables, the old one goes on.
  const starting = running(t, { ...env, TOLLGATE_NODE: 'new' })
  let isStarted = false
  void starting.finally(() => {
    isStarted = true
  })
  const answers: boolean[] = []
  while (!isStarted) {
    answers.push(await move(old, 7, 1))
    await pause(10)
  }
  const now = await starting
  t.ok(answers.length > 0)
  t.ok(answers.every(Boolean), 'each payment is answered')

  const atOld = await simulateNas(old, nasIp, () => {})
  const { authPort, acctPort } = now.address
  const server = { host: '127.0.0.1', authPort, acctPort }
  const coaPort = await freeUdpPort(nasIp)
  const atNew = new SimulatedNas({ ip: nasIp, secret: 'testing123', coaPort, server, onDisconnected: () => {} })
  await atNew.start()
  t.teardown(() => Promise.all([atOld.stop(), atNew.stop()]))
  const becomes = (nas: SimulatedNas, kind: 'accepted' | 'rejected') =>
    until(async () => (await nas.signIn(login, linePassword, login)).kind === kind)

  await becomes(atOld, 'accepted')
  await becomes(atNew, 'accepted')
  t.ok(await move(old, 9, balance + 1))
  await becomes(atNew, 'rejected')
  t.ok(await move(now, 7, 100))
  await becomes(atOld, 'accepted')
  t.ok(await move(now, 9, balance + 1))
  await becomes(atOld, 'rejected')
  t.ok(await move(old, 7, 100))
  await becomes(atNew, 'accepted')
  const states = async () => (await now.rest('GET', '/admin/nodes/')).body.nodes
  t.match(await states(), [
    { name: 'new', state: 'alive' },
    { name: 'old', state: 'alive' },
  ])

  t.equal((await now.rest('POST', '/admin/nodes/old/drain/', {})).status, 200)
  await untilAnswer(
    () => old.rest('GET', '/readyz'),
    ({ status }) => status === 503,
  )
  t.equal(await old.stop(), 0)
  t.ok(await move(now, 7, 5))
  await becomes(atNew, 'accepted')
  t.match(await states(), [{ name: 'new', state: 'alive' }, { state: 'gone' }])
  const { rows } = await withConnection(url, (db) =>
    db.query('SELECT ostatok FROM admin_accounts WHERE id = $1', [account]),
  )
  t.equal(Number(rows[0].ostatok) / ruble, balance, 'what was answered counts once')
  t.strictSame(
    [...old.log, ...now.log].filter(({ level }) => level === 'error'),
    [],
  )
})

async function running(t: Test, env: NodeJS.ProcessEnv, folder?: string): Promise<RunningProgram> {
  const program = new RunningProgram(env, undefined, folder)
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  return program.start()
}

/** The source of the release before, with the packages of this one. */
function previousRelease(t: Test): string {
  const folder = join(emptyFolder(t), 'release')
  mkdirSync(folder)
  const commit = readFileSync(previousReleaseFile, 'utf8').trim()
  const archive = execFileSync('git', ['archive', commit, 'bin', 'src', 'migrations', 'package.json'], {
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return folder
}

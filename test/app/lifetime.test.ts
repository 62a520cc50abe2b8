import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isAlive, lockHolder, takeLock } from '../../src/platform/postgres/process-lock.ts'
import { migratedDataDir } from '../support/data-folder.ts'
import { bareEnv, Process, postmasterPid, query } from './processes.ts'

const serve = (t: Test, dataDir: string, how = 'prompt') =>
  new Process(t, ['test/app/fixtures/serve-nothing.ts', how], {
    env: { ...bareEnv, TOLLGATE_DATA_DIR: dataDir, TOLLGATE_SETTING_TIME_ZONE: 'Asia/Tomsk' },
  })

t.test('a serving process', async (t) => {
  const dataDir = migratedDataDir()
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))

  await t.test('is ready, and ends with status 0 and its database on SIGTERM', async (t) => {
    const first = serve(t, dataDir)
    const addresses = JSON.parse(await first.line(/"ready"/)) as { databaseUrl: string }
    t.match(addresses, { databaseUrl: /^postgres:/ })
    t.strictSame(
      await query(addresses.databaseUrl, 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user'),
      [{ rolsuper: false }],
      'the program works as no superuser',
    )
    const pid = postmasterPid(dataDir)

    const second = serve(t, dataDir)
    t.match(await second.ended, { status: 1 })
    t.match(second.text, /Another Tollgate \(process \d+\) already serves the data folder .*TOLLGATE_DATA_DIR/)
    t.ok(isAlive(pid), 'the refused second one leaves the first alone')

    first.child.kill('SIGTERM')
    t.strictSame(await first.ended, { status: 0, signal: null })
    t.notOk(isAlive(pid))
    t.notOk(existsSync(join(dataDir, 'serve.lock')))
  })

  await t.test('leaves the database down that was signalled together with it, as systemd does', async (t) => {
    const signalled = serve(t, dataDir)
    await signalled.line(/"ready"/)
    const pid = postmasterPid(dataDir)
    signalled.child.kill('SIGTERM')
    process.kill(pid, 'SIGTERM')
    t.strictSame(await signalled.ended, { status: 0, signal: null })
    t.notMatch(signalled.text, /started again/)
    t.notOk(isAlive(pid))
  })

  await t.test('takes over the lock of a process that was killed', async (t) => {
    const killed = serve(t, dataDir)
    await killed.line(/"ready"/)
    killed.child.kill('SIGKILL')
    await killed.ended
    t.ok(existsSync(join(dataDir, 'serve.lock')))
    const next = serve(t, dataDir)
    await next.line(/"ready"/)
    next.child.kill('SIGINT')
    // Passed on once more by npm, as Ctrl-C in a terminal is.
    next.child.kill('SIGINT')
    t.strictSame(await next.ended, { status: 0, signal: null })
  })

  await t.test('takes over a lock whose pid now belongs to another process', async (t) => {
    writeFileSync(join(dataDir, 'serve.lock'), JSON.stringify({ pid: process.pid, bornAt: 'another boot:1' }))
    const next = serve(t, dataDir)
    await next.line(/"ready"/)
    next.child.kill('SIGTERM')
    t.strictSame(await next.ended, { status: 0, signal: null })
  })

  await t.test('knows the lock of a process that is shown another boot, and not one of before that boot', async (t) => {
    const path = join(dataDir, 'other.lock')
    const taken = takeLock(path)
    if (taken.kind !== 'taken') throw new Error('It was free.')
    const { pid, bornAt } = JSON.parse(readFileSync(path, 'utf8')) as { pid: number; bornAt: string }
    writeFileSync(path, JSON.stringify({ pid, bornAt: bornAt.replace(/^[^:]*/, 'another boot') }))
    t.strictSame(takeLock(path), { kind: 'held', pid: process.pid })
    t.equal(lockHolder(path), process.pid)
    utimesSync(path, 0, 0)
    t.equal(lockHolder(path), null)
    t.equal(takeLock(path).kind, 'taken')
  })

  await t.test('gives a database that is slow to stop what the program has left of the time', async (t) => {
    const slow = serve(t, dataDir)
    await slow.line(/"ready"/)
    const pid = postmasterPid(dataDir)
    process.kill(pid, 'SIGSTOP')
    slow.child.kill('SIGTERM')
    const given = /has not stopped within (\d+) ms/.exec(await slow.line(/has not stopped/))
    process.kill(pid, 'SIGCONT')
    t.ok(Number(given?.[1]) > 6_000, 'less than that repairs of the next start take on a busy disk')
    t.strictSame(await slow.ended, { status: 0, signal: null })
    t.notOk(isAlive(pid))
  })

  await t.test('stops the database also when the program does not end, and logs it', async (t) => {
    const stuck = serve(t, dataDir, 'never')
    await stuck.line(/"ready"/)
    const pid = postmasterPid(dataDir)
    stuck.child.kill('SIGTERM')
    t.strictSame(await stuck.ended, { status: 1, signal: null })
    t.match(stuck.text, /has not stopped within 6 s/)
    t.notOk(isAlive(pid))
  })
})

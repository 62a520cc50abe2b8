import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createLog, silentLog } from '../../../src/platform/log.ts'
import { isAlive } from '../../../src/platform/postgres/process-lock.ts'
import { startPostgres } from '../../../src/platform/postgres/server.ts'
import { emptyFolder, holdPostgres, isRoot, postmasterPid, query, withoutSetpriv } from '../../app/processes.ts'
import { until } from '../../support/until.ts'

const log = silentLog

t.test('one data folder through many lives', async (t) => {
  const dataDir = join(emptyFolder(t), 'new', 'data')
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')

  await t.test('a new folder gets a cluster, and a second start keeps the data', async (t) => {
    const first = await startPostgres({ dataDir, log })
    await query(first.url, 'create table kept (value int)')
    await query(first.url, 'insert into kept values (42)')
    const [settings] = await query(
      first.url,
      `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, current_setting('jit') as jit,
              current_setting('listen_addresses') as listens, lower('ЁЖ') as lowered`,
    )
    t.strictSame(settings, { encoding: 'UTF8', fsync: 'on', jit: 'off', listens: '127.0.0.1', lowered: 'ёж' })
    await first.stop()
    t.notOk(existsSync(pidFile), 'the server has stopped cleanly')
    await first.stop()

    const second = await startPostgres({ dataDir, log })
    t.equal(second.url, first.url, 'under the same address')
    t.strictSame(await query(second.url, 'select value from kept'), [{ value: 42 }])
    await second.stop()
  })

  await t.test('a password is asked of everybody', async (t) => {
    const server = await startPostgres({ dataDir, log })
    t.teardown(() => server.stop())
    const url = new URL(server.url)
    url.password = 'guess'
    await t.rejects(query(url.href, 'select 1'), { code: '28P01' })
  })

  await t.test(
    'the server ends with a process that is killed hard',
    { skip: !existsSync('/usr/bin/setpriv') },
    async () => {
      const holder = holdPostgres(t, dataDir)
      await holder.line(/^postgres:/)
      const pid = postmasterPid(dataDir)
      holder.child.kill('SIGKILL')
      await until(() => !isAlive(pid))
    },
  )

  await t.test('a server that outlived its killed starter is adopted, and ends with the adopter', async (t) => {
    const holder = holdPostgres(t, dataDir, withoutSetpriv)
    const url = await holder.line(/^postgres:/)
    const pid = postmasterPid(dataDir)
    holder.child.kill('SIGKILL')
    await holder.ended
    t.ok(isAlive(pid))
    const adopter = await startPostgres({ dataDir, log })
    t.equal(adopter.url, url)
    t.equal(postmasterPid(dataDir), pid)
    await adopter.stop()
    t.notOk(isAlive(pid))
  })

  await t.test('a pid file that names another living process does not prevent the start', async (t) => {
    writeFileSync(pidFile, `${process.pid}\n${dataDir}/postgres\n1\n5432\n\n127.0.0.1\n\nready\n`)
    const server = await startPostgres({ dataDir, log })
    t.strictSame(await query(server.url, 'select value from kept'), [{ value: 42 }])
    await server.stop()
  })

  await t.test('a server that dies while we run comes back under its address, with its data', async (t) => {
    const server = await startPostgres({ dataDir, log })
    t.teardown(() => server.stop())
    const pid = postmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await until(() => !isAlive(pid))
    await until(() =>
      query(server.url, 'select 1').then(
        () => true,
        () => false,
      ),
    )
    t.strictSame(await query(server.url, 'select value from kept'), [{ value: 42 }])
  })

  await t.test('another process is a guest, and takes over when the owner has gone', async (t) => {
    const owner = holdPostgres(t, dataDir)
    const url = await owner.line(/^postgres:/)
    const pid = postmasterPid(dataDir)

    const passing = await startPostgres({ dataDir, log })
    t.equal(passing.url, url)
    await passing.stop()
    t.ok(isAlive(pid), 'a guest that leaves does not end the server')

    const guest = await startPostgres({ dataDir, log })
    t.teardown(() => guest.stop())
    owner.child.stdin!.end()
    t.strictSame(await owner.ended, { status: 0, signal: null })
    t.notOk(isAlive(pid))
    await until(() =>
      query(guest.url, 'select 1').then(
        () => true,
        () => false,
      ),
    )
    t.strictSame(await query(url, 'select value from kept'), [{ value: 42 }])
    await guest.stop()
    t.notOk(existsSync(pidFile))
  })

  await t.test('many at once agree on one server', async (t) => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => startPostgres({ dataDir, log })))
    t.equal(new Set(servers.map((server) => server.url)).size, 1)
    await Promise.all(servers.map((server) => server.stop()))
    t.notOk(existsSync(pidFile))
  })

  await t.test(
    'a server that will not stop is told to stop at once, then killed, and the next start repairs its files',
    async (t) => {
      const lines: string[] = []
      const server = await startPostgres({
        dataDir,
        log: createLog({ write: (line) => lines.push(line), pretty: true }),
      })
      const [backend] = await query(server.url, `select pid from pg_stat_activity where backend_type = 'checkpointer'`)
      // A frozen process neither hears nor heeds.
      process.kill(Number(backend!.pid), 'SIGSTOP')
      await server.stop(1_800)
      t.match(lines.join(''), /has not stopped within 300 ms; it is told to stop at once[\s\S]*is killed/)
      t.notOk(isAlive(Number(backend!.pid)), 'with all its processes')
      const next = await startPostgres({ dataDir, log })
      t.strictSame(await query(next.url, 'select value from kept'), [{ value: 42 }])
      await next.stop()
    },
  )

  await t.test('a start can be given up', async (t) => {
    await t.rejects(startPostgres({ dataDir, log, signal: AbortSignal.abort() }))
    t.notOk(existsSync(pidFile))
  })

  await t.test('the refusal contains the output of a PostgreSQL that cannot start', async (t) => {
    const settings = { shared_buffers: 'plenty' }
    await t.rejects(startPostgres({ dataDir, log, settings }), {
      name: 'StartRefusal',
      message: /"shared_buffers": "plenty"/,
    })
  })

  await t.test('a cluster of another PostgreSQL is refused', async (t) => {
    const file = join(dataDir, 'postgres', 'PG_VERSION')
    const before = readFileSync(file)
    writeFileSync(file, '15\n')
    t.teardown(() => writeFileSync(file, before))
    await t.rejects(startPostgres({ dataDir, log }), {
      name: 'StartRefusal',
      message: /made by PostgreSQL 15.*upgrade_database/,
    })
  })

  await t.test('a lost password file is named', async (t) => {
    rmSync(join(dataDir, 'postgres.json'))
    await t.rejects(startPostgres({ dataDir, log }), { name: 'StartRefusal', message: /postgres\.json.*backup/ })
  })
})

t.test(
  'run by root, a folder the database user may not pass is named with what to do',
  { skip: !isRoot },
  async (t) => {
    const closed = join(emptyFolder(t), 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const dataDir = join(closed, 'data')
    await t.rejects(startPostgres({ dataDir, log }), {
      name: 'StartRefusal',
      message: new RegExp(
        `may not pass through the folder ${closed} .*chmod o\\+x ${closed}.*TOLLGATE_DATA_DIR.*DATABASE_URL`,
      ),
    })
    chmodSync(closed, 0o711)
    const server = await startPostgres({ dataDir, log })
    await server.stop()
  },
)

t.test('an ordinary user runs the database as itself', { skip: !isRoot }, async (t) => {
  const dataDir = emptyFolder(t)
  chmodSync(dataDir, 0o700)
  chownSync(dataDir, 65534, 65534)
  const holder = holdPostgres(t, dataDir, { uid: 65534, gid: 65534 })
  const url = await holder.line(/^postgres:|refused/)
  t.strictSame(await query(url, 'select 1 as one'), [{ one: 1 }])
  holder.child.stdin!.end()
  t.strictSame(await holder.ended, { status: 0, signal: null })
})

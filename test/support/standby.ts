import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { withConnection } from '../../src/platform/storage/connection.ts'
import { newDataDir } from './data-folder.ts'
import type { OwnServer } from './own-server.ts'

/**
 * A streaming standby of a test's own server, made from a copy of its files while it is stopped. It keeps its address
 * over a stop.
 */
export async function standbyOf(t: { teardown(deed: () => unknown): unknown }, primary: OwnServer) {
  const dataDir = newDataDir()
  await primary.stop()
  execFileSync('cp', ['-a', '--reflink=auto', `${primary.dataDir}/.`, dataDir])
  await primary.start()
  const { hostname, port, username, password } = new URL(primary.url)
  const conninfo = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  appendFileSync(join(dataDir, 'postgres', 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
  writeFileSync(join(dataDir, 'postgres', 'standby.signal'), '')
  const start = () => startPostgres({ dataDir, log: silentLog, settings: { fsync: 'off' } })
  let running = await start()
  t.teardown(async () => {
    await running.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const ask = (text: string) => withConnection(running.url, (client) => client.query(text))
  return {
    url: running.url,
    stop: () => running.stop(),
    start: async () => {
      running = await start()
    },
    /** It replays nothing until `resume`. */
    pause: () => ask('SELECT pg_wal_replay_pause()'),
    resume: () => ask('SELECT pg_wal_replay_resume()'),
    promote: () => ask('SELECT pg_promote()'),
  }
}

// needs /usr/sbin/pgbouncer from pgbouncer
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, isRoot, Process } from '../app/processes.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeTcpPort } from '../support/free-port.ts'
import { openProgram } from '../support/opened-program.ts'

t.test('a start through PgBouncer is refused with a sentence, whatever it pools by', async (t) => {
  const folder = emptyFolder(t)
  const url = await testDatabaseUrl(t)
  const refusals = {
    transaction: /do not reach PostgreSQL.*\nStatements of one connection reach several connections of PostgreSQL/,
    session: /do not reach PostgreSQL \(jit is off, tollgate\.writer unset\): a pooler before it does not pass/,
    strict: /do not reach PostgreSQL \(unsupported startup parameter: options\): a pooler.* such as HAProxy\.$/,
  }
  for (const [mode, refusal] of Object.entries(refusals)) {
    const pooled = await throughPgBouncer(t, url, join(folder, `${mode}.ini`), mode)
    await t.rejects(openProgram(t, { DATABASE_URL: pooled }), { name: 'StartRefusal', message: refusal })
  }
})

/** The address of the same database behind a pooler; `strict` does not even leave out what it does not know. */
async function throughPgBouncer(t: Test, url: string, file: string, mode: string) {
  const { hostname, port, pathname, username, password } = new URL(url)
  const pooled = new URL(url)
  pooled.port = String(await freeTcpPort())
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: pooled.port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode === 'transaction' ? mode : 'session',
    ...(mode !== 'strict' && { ignore_startup_parameters: 'options' }),
  }
  const ofDatabase = { host: hostname, port, user: username, password: decodeURIComponent(password) }
  const database = Object.entries(ofDatabase).map(([name, value]) => `${name}=${value}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const text = ['[databases]', `${pathname.slice(1)} = ${database.join(' ')}`, '[pgbouncer]', ...lines].join('\n')
  writeFileSync(file, text)
  const user = isRoot ? ['--user', 'nobody'] : []
  await new Process(t, [...user, file], {}, '/usr/sbin/pgbouncer').line(/process up/)
  return pooled.href
}

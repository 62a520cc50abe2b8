import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { startPostgres } from '../../src/platform/postgres/server.ts'
import { migratedDataDir } from '../support/data-folder.ts'
import { runAsProcess, runCommand } from './processes.ts'

t.test('the help of serve names every variable', async (t) => {
  const { text } = await runCommand(['serve', '--help'])
  for (const name of ['DATABASE_URL', 'TOLLGATE_HTTP_PORT', 'TOLLGATE_TRUST_PROXY', 'TOLLGATE_SETTING_<NAME>'])
    t.match(text, new RegExp(`^  ${name} +\\S`, 'm'))
  t.match(text, '(default 8080)')
})

t.test('on one data folder', async (t) => {
  const dataDir = migratedDataDir()
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = { TOLLGATE_DATA_DIR: dataDir }

  await t.test('serve that cannot have a port or read its certificate ends with one sentence', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.teardown(() => taken.close())
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const free = {
      ...env,
      TOLLGATE_LOG_LEVEL: 'warn',
      TOLLGATE_ADMIN_PASSWORD: 'long enough',
      TOLLGATE_HTTP_PORT: '0',
      TOLLGATE_RADIUS_HOST: '127.0.0.1',
      TOLLGATE_RADIUS_AUTH_PORT: '0',
      TOLLGATE_RADIUS_ACCT_PORT: '0',
      TOLLGATE_METRICS_PORT: '0',
    }
    const refused: [variables: NodeJS.ProcessEnv, sentence: RegExp][] = [
      [{ TOLLGATE_HTTP_PORT: port }, /^Cannot listen for HTTP on .* in use .* TOLLGATE_HTTP_PORT\.$/m],
      [{ TOLLGATE_RADIUS_HOST: '192.0.2.1' }, /^192\.0\.2\.1 is not an address of this machine; .*$/m],
      [{ TOLLGATE_DICTIONARY_DIR: '/none' }, /^The RADIUS dictionaries cannot be used\. .*\/none cannot be read.*$/m],
      [{ TOLLGATE_TLS_CERT: '/none', TOLLGATE_TLS_KEY: '/none' }, /^The TLS file \/none cannot be read \(ENOENT\)\.$/m],
    ]
    for (const [index, [variables, sentence]] of refused.entries()) {
      const all = { ...free, ...variables }
      // The first one as a process, which ends although half of the program was open.
      const { status, text } = await (index === 0 ? runAsProcess(t, ['serve'], all) : runCommand(['serve'], all))
      t.equal(status, 1)
      t.match(text, sentence)
      t.notMatch(text, /stack/)
    }
  })

  await t.test('a database that refuses its address is a sentence without the password', async (t) => {
    const server = await startPostgres({ dataDir, log: silentLog })
    t.teardown(() => server.stop())
    const address = new URL(server.url)
    address.pathname = '/none'
    const { status, text } = await runCommand(['migrate'], { DATABASE_URL: address.href })
    t.equal(status, 1)
    t.match(text, /^PostgreSQL refuses: database "none" does not exist\. Correct DATABASE_URL\.$/)
  })
})

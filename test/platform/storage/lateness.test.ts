import { spawnSync } from 'node:child_process'
import t from 'tap'
import { testDatabaseUrl } from '../../support/database.ts'

/** Starts as the program does on a migrated database, asks once, and prints which modules of MikroORM were loaded. */
const start = (url: string) => `
  import { registerHooks } from 'node:module'
  const loaded = new Set()
  registerHooks({
    load: (url, context, next) => {
      if (url.includes('@mikro-orm')) loaded.add(url)
      return next(url, context)
    },
  })
  const storage = '${new URL('../../../src/platform/storage/', import.meta.url).href}'
  const { silentLog } = await import(new URL('../log.ts', storage).href)
  const { migrate } = await import(new URL('migrate.ts', storage).href)
  await import(new URL('entities/index.ts', storage).href)
  const { openDatabase } = await import(new URL('database.ts', storage).href)
  const url = '${url}'
  await migrate({ url, log: silentLog })
  const database = await openDatabase({ url, log: silentLog })
  await database.pool.query('SELECT 1')
  const before = loaded.size
  const client = await database.pool.connect()
  const [one, other] = await Promise.all([database.manager(client), database.manager(client)])
  client.release()
  const isOne = one !== other && one.getMetadata() === other.getMetadata()
  console.log(JSON.stringify({ before, after: loaded.size, isOne }))
  await database.close()`

t.test(
  'MikroORM is loaded and opened at its first use, once, and not by a start with nothing to migrate',
  async (t) => {
    const url = await testDatabaseUrl(t)
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', start(url)], {
      encoding: 'utf8',
    })
    t.equal(stderr, '')
    const { before, after, isOne } = JSON.parse(stdout)
    t.equal(before, 0)
    t.ok(after > 0)
    t.equal(isOne, true)
  },
)

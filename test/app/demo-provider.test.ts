import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { insertProvider } from '../../src/demo/provider.ts'
import { Secrets } from '../../src/platform/secrets/secrets.ts'

t.test('a demo that cannot be filled tells what failed first, and nothing else fails unheard', async (t) => {
  const pool = new pg.Pool()
  await pool.end()
  await t.rejects(insertProvider(pool, new Secrets(Buffer.alloc(32, 1)), [], new Date()), /after calling end/)
  // A rejection that nobody has caught by now ends the test.
  await setImmediate()
})

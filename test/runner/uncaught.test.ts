import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runRoom } from './room-process.ts'

async function run(t: Test, source: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-room-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'some.test.ts')
  writeFileSync(file, source)
  const files = [file]
  const { passed, failed, failures } = await runRoom(
    () => files.shift() ?? null,
    process.env,
    () => {},
  )
  return { passed, failed, failures: failures.map(({ title }) => title.replace(file, 'file')) }
}

t.test('an error that nobody caught fails the test that was running, and the others run', async (t) => {
  const source = `import t from 'tap'
    t.test('outer', async (t) => {
      await t.test('timer', (t) => void setTimeout(() => { throw new Error('by a timer') }))
      await t.test('promise', (t) => void Promise.reject(new Error('by a promise')))
      await t.test('later', async (t) => t.pass('goes on'))
    })
    t.test('next', async (t) => t.pass('goes on'))`
  t.strictSame(await run(t, source), {
    passed: 2,
    failed: 2,
    failures: ['file: outer > timer > by a timer', 'file: outer > promise > by a promise'],
  })
})

t.test('one that comes after all tests fails the process', async (t) => {
  const source = `import t from 'tap'
    t.test('fine', async (t) => t.pass('fine'))
    process.once('beforeExit', () => setImmediate(() => { throw new Error('expected by test/runner/uncaught.test.ts') }))`
  t.match(await run(t, source), { passed: 1, failed: 1 })
})

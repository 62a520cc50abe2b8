import t from 'tap'
import { SealedPasswords } from '../../../src/network/access/sealed-passwords.ts'
import { AccessTable } from '../../../src/network/access/table.ts'
import { createLog } from '../../../src/platform/log.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { fieldsOf } from './entries.ts'

const secrets = new Secrets(Buffer.alloc(32, 7))

function sealedTable(t: { teardown(action: () => unknown): unknown }, count: number) {
  const table = new AccessTable()
  t.teardown(() => table.close())
  const lines: string[] = []
  const log = createLog({ pretty: false, write: (line) => lines.push(line) })
  const passwords = new SealedPasswords({ table, secrets, log })
  t.teardown(() => passwords.close())
  const put = (id: number, password: string, isSealed = true) => table.put(fieldsOf(id, { password, isSealed }))
  for (let id = 1; id <= count; id++) {
    put(id, secrets.seal(`word ${id}`))
    passwords.add(id)
  }
  const stored = (id: number) => table.get(id)?.passwordText()
  return { table, passwords, lines, put, stored }
}

t.test('passwords are opened, but for those that changed while they were', async (t) => {
  const { table, passwords, lines, put, stored } = sealedTable(t, 3)
  put(4, new Secrets(Buffer.alloc(32, 8)).seal('lost'))
  passwords.add(4)
  const opened = passwords.open()
  put(1, 'changed', false)
  const changed = secrets.seal('changed, sealed')
  put(2, changed)
  await opened
  t.strictSame([1, 2, 3, 4].map(stored), ['changed', changed, 'word 3', ''])
  t.equal(lines.length, 1)
  t.match(lines[0], /The password of a login cannot be read.*"loginId":"4"/)
  passwords.add(2)
  table.remove(3)
  passwords.add(3)
  await passwords.open()
  t.strictSame([1, 2, 3].map(stored), ['changed', 'changed, sealed', undefined])
})

t.test('more than are opened at once, in two calls', async (t) => {
  const { passwords, put, stored } = sealedTable(t, 1201)
  const opened = passwords.open()
  put(1202, secrets.seal('word 1202'))
  passwords.add(1202)
  await Promise.all([opened, passwords.open()])
  for (let id = 1; id <= 1202; id++) if (stored(id) !== `word ${id}`) t.fail(`${id} is not opened`)
})

t.test('one that ends in the middle leaves passwords sealed and complains of nothing', async (t) => {
  const { table, passwords, lines } = sealedTable(t, 2000)
  const opened = passwords.open()
  await passwords.close()
  await opened
  t.ok(table.sealedPassword(1))
  t.strictSame(lines, [])
})

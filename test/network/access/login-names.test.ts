import fc from 'fast-check'
import t from 'tap'
import { RealmList } from '../../../src/domain/realms.ts'
import { findByName } from '../../../src/network/access/login-names.ts'
import { AccessReader } from '../../../src/network/access/reader.ts'
import { AccessTable } from '../../../src/network/access/table.ts'
import { fieldsOf } from './entries.ts'

/** A table of these logins, and what a User-Name means there: a login, or why there is none. */
function tableOf(t: { teardown(action: () => unknown): unknown }, ...logins: string[]) {
  const table = new AccessTable()
  t.teardown(() => table.close())
  for (const [at, login] of logins.entries()) table.put(fieldsOf(at + 1, { login }))
  const reader = new AccessReader(table.handle())
  const find = (name: string, list = '', ignoresCase = false) => {
    // A User-Name lies within a datagram.
    const bytes = Buffer.from(`@\\${name}/@`)
    const rules = { realms: RealmList.parse(list)!, ignoresCase }
    const found = findByName(reader, bytes, 2, bytes.length - 2, rules)
    return found === 'found' ? reader.record.login() : found
  }
  return { table, reader, find }
}

t.test('a realm is stripped where it is listed, and a login stored with it comes first', async (t) => {
  const { find } = tableOf(t, 'u3', 'u4', 'u4@isp.ru', 'a/b', 'b')
  for (const name of ['u3@isp.ru', 'isp.ru\\u3', 'isp.ru/u3', 'u3@ISP.ru']) {
    t.equal(find(name), 'unknown', `${name} without a list`)
    t.equal(find(name, 'isp.ru'), 'u3', name)
    t.equal(find(name, '*'), 'u3', `${name} with all`)
    t.equal(find(name, 'other.ru'), 'unknown', `${name} with another`)
    t.equal(find(name, '*, =isp.ru'), 'unknown', `${name} kept`)
    t.equal(find(name, '*, !isp.ru'), 'refusedRealm', `${name} refused`)
  }
  t.equal(find('u4@isp.ru', 'isp.ru'), 'u4@isp.ru')
  t.equal(find('u4@isp.ru', '!isp.ru'), 'refusedRealm', 'refused even when stored')
  t.equal(find('a/b', '*'), 'a/b')
  t.equal(find('u3', '!isp.ru'), 'u3', 'no realm, nothing to refuse')
  for (const name of ['u3@', '@isp.ru', '\\u3', 'isp.ru\\', '@', '\\', '/', ''])
    t.equal(find(name, '*'), 'unknown', `${name} has no realm or no user`)
  t.equal(find('isp\\u3@elsewhere', 'isp'), 'unknown', 'one realm is stripped, not two')
  t.equal(find('u3@a@isp.ru', '*'), 'unknown')
})

t.test('case is ignored where it may be, and nothing is guessed', async (t) => {
  const { table, reader, find } = tableOf(t, 'u3', 'Ivan', 'ivan', 'Petr@isp.ru', 'PETR', 'Ё')
  t.equal(find('U3'), 'unknown')
  t.equal(find('U3', '', true), 'u3')
  t.equal(find('U3@ISP.RU', 'isp.ru', true), 'u3')
  t.equal(find('Ivan', '', true), 'Ivan', 'the exact one wins')
  t.equal(find('ivan', '', true), 'ivan')
  t.equal(find('IVAN', '', true), 'unknown', 'else neither')
  t.equal(find('petr@isp.ru', '*', true), 'Petr@isp.ru', 'the whole name before the stripped one')
  t.equal(find('petr@other', '*', true), 'PETR')
  t.equal(find('IVAN@isp.ru', '*', true), 'unknown')
  t.equal(find('U3\0', '', true), 'unknown')
  table.remove(2)
  t.equal(find('IVAN', '', true), 'ivan')
  table.put(fieldsOf(3, { login: 'renamed' }))
  t.equal(find('IVAN', '', true), 'unknown')
  t.equal(find('RENAMED', '', true), 'renamed')
  t.notOk(reader.findLogin(Buffer.from('RENAMED')), 'an exact lookup stays exact')
})

t.test('the writer of the table finds the same as its readers', async (t) => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', '@', '`', '['), minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(fc.uniqueArray(letters, { maxLength: 30 }), letters, (logins, name) => {
      const table = new AccessTable()
      for (const [at, login] of logins.entries()) table.put(fieldsOf(at + 1, { login }))
      const reader = new AccessReader(table.handle())
      const alike = logins.filter((login) => login.toLowerCase() === name.toLowerCase())
      const expected = alike.length === 1 ? 'one' : alike.length === 0 ? 'none' : 'several'
      const here = table.findLoginAnyCase(Buffer.from(name))
      const there = reader.findLoginAnyCase(Buffer.from(name))
      const isSame = here === there && (here !== 'one' || table.record.loginId === reader.record.loginId)
      const isExact = reader.findLogin(Buffer.from(name)) === logins.includes(name)
      table.close()
      return isSame && there === expected && isExact
    }),
  )
  t.pass()
})

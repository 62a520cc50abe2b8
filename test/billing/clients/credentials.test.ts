import t from 'tap'
import { findByCredentials, hasPassword } from '../../../src/billing/clients/credentials.ts'
import { loginId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { clientSecrets, plantClient } from '../../support/clients.ts'
import { testDatabase } from '../../support/database.ts'
import { isPassword } from '../../support/passwords.ts'
import { cryptHashes } from '../../platform/passwords/hashes.ts'

t.test(
  'a client is found by contract, with or without leading zeros, or by login, and only by the right password',
  async (t) => {
    const { database } = await testDatabase(t)
    const parts = { pool: database.pool, secrets: clientSecrets, isPassword, log: silentLog }
    const ivan = await plantClient(database, '000042', [
      ['ivan', 'first'],
      ['ivan-tv', 'second'],
    ])
    const anna = await plantClient(database, '0042', [['anna', 'anna-password']])
    const olga = await plantClient(database, '77', [['000042', 'olga-password']])
    const find = async (name: string, password: string) => {
      const found = await findByCredentials(parts, name, password)
      return found && [found.subscriberId, found.loginId]
    }
    t.strictSame(await find('000042', 'first'), [ivan.subscriber, ivan.logins[0]], 'the first login by id')
    t.equal(await find('000042', 'second'), null, 'and not another one')
    t.strictSame(await find('ivan-tv', 'second'), [ivan.subscriber, ivan.logins[1]])
    t.strictSame(await find('0042', 'anna-password'), [anna.subscriber, anna.logins[0]], 'exactly comes first')
    t.equal(await find('42', 'first'), null, 'two contracts without their zeros are nobody')
    t.strictSame(await find('0077', 'olga-password'), [olga.subscriber, olga.logins[0]], 'leading zeros too many')
    t.strictSame(
      await find('000042', 'olga-password'),
      [olga.subscriber, olga.logins[0]],
      'a login that looks like a contract',
    )
    for (const [name, password] of [
      ['', ''],
      ['ivan', ''],
      ['nobody', 'x'],
      ['0', 'x'],
      ['000', 'x'],
      ['ivan', 'wrong'],
      ['iv\0an', 'first'],
      ['x'.repeat(200), 'x'],
    ] as const) {
      t.equal(await find(name, password), null, JSON.stringify([name.slice(0, 10), password]))
    }
    await database.pool.query('UPDATE abonents SET deleted = true WHERE id = $1', [anna.subscriber])
    t.equal(await find('anna', 'anna-password'), null, 'a deleted subscriber is nobody')
    t.strictSame(await find('42', 'first'), [ivan.subscriber, ivan.logins[0]], 'and takes no number away')
    t.equal(await hasPassword(parts, loginId(ivan.logins[0]!), 'first'), true)
    t.equal(await hasPassword(parts, loginId(ivan.logins[0]!), 'second'), false)
  },
)

t.test('a client signs in by the password of a login whose hash is stored', async (t) => {
  const { database } = await testDatabase(t)
  const parts = { pool: database.pool, secrets: clientSecrets, isPassword, log: silentLog }
  const [, crypt] = cryptHashes.find(([password]) => password === 'secret')!
  const stored = [
    '{NT}878d8014606cda29677a44efa1353fc7',
    '{SSHA}5YzOHZsMGqSgmLhnNWf1OlJIZ4QBI6vN',
    `{CRYPT}${crypt}`,
    '{CLEAR}secret',
  ]
  for (const [index, password] of stored.entries()) {
    const { logins } = await plantClient(database, `10${index}`, [[`login${index}`, password]])
    t.equal((await findByCredentials(parts, `login${index}`, 'secret'))?.loginId, logins[0], password)
    t.equal(await hasPassword(parts, loginId(logins[0]!), 'secret'), true)
    for (const wrong of ['Secret', password]) t.equal(await findByCredentials(parts, `login${index}`, wrong), null)
  }
})

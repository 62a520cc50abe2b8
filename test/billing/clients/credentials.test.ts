import t from 'tap'
import {
  confirmPassword,
  type CredentialParts,
  type KnownLogin,
  signInClient,
} from '../../../src/billing/clients/credentials.ts'
import { loginId, subscriberId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { PasswordTries } from '../../../src/platform/passwords/tries.ts'
import { clientSecrets, plantClient } from '../../support/clients.ts'
import { SharedDatabase } from '../../support/database.ts'
import { isPassword } from '../../support/passwords.ts'
import { cryptHashes } from '../../platform/passwords/hashes.ts'

const shared = await SharedDatabase.open(t)

type Parts = Omit<CredentialParts, 'tries'>

const partsOf = (pool: Parts['pool']): Parts => ({ pool, secrets: clientSecrets, isPassword, log: silentLog })

/** Nothing has been tried before. */
const fresh = (parts: Parts) => ({ ...parts, tries: new PasswordTries({ clock: systemClock }) })

async function findLogin(parts: Parts, name: string, password: string): Promise<KnownLogin | null> {
  const attempt = await signInClient(fresh(parts), { entrance: 'portal', address: '192.0.2.1' }, name, password)
  if (attempt.kind === 'throttled') throw new Error('The first try was refused.')
  return attempt.result
}

async function isCurrent(parts: Parts, { subscriber, logins }: { subscriber: number; logins: number[] }, sent: string) {
  const client = { subscriberId: subscriberId(subscriber), loginId: loginId(logins[0]!) }
  const attempt = await confirmPassword(fresh(parts), client, '192.0.2.1', sent)
  return attempt.kind === 'made' && attempt.result && attempt.result.loginId === client.loginId
}

t.test(
  'a client is found by contract, with or without leading zeros, or by login, and only by the right password',
  async (t) => {
    const database = await shared.anew()
    const parts = partsOf(database.pool)
    const ivan = await plantClient(database, '000042', [
      ['ivan', 'first'],
      ['ivan-tv', 'second'],
    ])
    const anna = await plantClient(database, '0042', [['anna', 'anna-password']])
    const olga = await plantClient(database, '77', [['000042', 'olga-password']])
    const find = async (name: string, password: string) => {
      const found = await findLogin(parts, name, password)
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
    t.equal(await isCurrent(parts, ivan, 'first'), true)
    t.equal(await isCurrent(parts, ivan, 'second'), null)
  },
)

t.test('a client signs in by the password of a login whose hash is stored', async (t) => {
  const database = await shared.anew()
  const parts = partsOf(database.pool)
  const [, crypt] = cryptHashes.find(([password]) => password === 'secret')!
  const stored = [
    '{NT}878d8014606cda29677a44efa1353fc7',
    '{SSHA}5YzOHZsMGqSgmLhnNWf1OlJIZ4QBI6vN',
    `{CRYPT}${crypt}`,
    '{CLEAR}secret',
  ]
  for (const [index, password] of stored.entries()) {
    const planted = await plantClient(database, `10${index}`, [[`login${index}`, password]])
    t.equal((await findLogin(parts, `login${index}`, 'secret'))?.loginId, planted.logins[0], password)
    t.equal(await isCurrent(parts, planted, 'secret'), true)
    for (const wrong of ['Secret', password]) t.equal(await findLogin(parts, `login${index}`, wrong), null)
  }
})

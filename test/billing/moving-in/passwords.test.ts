import { createHash } from 'node:crypto'
import t from 'tap'
import { passwordOf } from '../../../src/billing/moving-in/passwords.ts'
import { ntPasswordHash } from '../../../src/network/radius/wire/ms-chap.ts'
import { isCryptOf } from '../../../src/platform/passwords/crypt.ts'
import { passwordCheck } from '../../../src/platform/passwords/login-passwords.ts'

const clear = 'geheim ☂'
const check = passwordCheck({
  cryptVerifier: { verify: async (hash, password) => isCryptOf(hash, password) },
  ntHashOf: ntPasswordHash,
})

const salt = Buffer.from('salz')
const digest = (algorithm: string, isSalted = false): Buffer => {
  const hash = createHash(algorithm).update(clear)
  return isSalted ? Buffer.concat([hash.update(salt).digest(), salt]) : hash.digest()
}
const nt = Buffer.from(ntPasswordHash(clear)).toString('hex')

t.test('passwords of FreeRADIUS open the login that they opened there', async (t) => {
  const values: [attribute: string, value: string][] = [
    ['Cleartext-Password', clear],
    ['User-Password', clear],
    ['NT-Password', nt],
    ['NT-Password', `0x${nt.toUpperCase()}`],
    ['MD5-Password', digest('md5').toString('hex')],
    ['MD5-Password', digest('md5').toString('base64')],
    ['SMD5-Password', digest('md5', true).toString('base64')],
    ['SHA-Password', digest('sha1').toString('hex')],
    ['SHA1-Password', digest('sha1').toString('base64')],
    ['SSHA-Password', digest('sha1', true).toString('base64')],
    ['SSHA-Password', digest('sha1', true).toString('hex')],
    ['SHA2-Password', digest('sha256').toString('hex')],
    ['SHA2-Password', digest('sha512').toString('base64')],
    ['SSHA2-256-Password', digest('sha256', true).toString('base64')],
    ['SSHA2-512-Password', digest('sha512', true).toString('base64')],
    ['Password-With-Header', `{SSHA}${digest('sha1', true).toString('base64')}`],
    ['Password-With-Header', `{md5}${digest('md5').toString('base64')}`],
    ['Password-With-Header', `{sha256}${digest('sha256').toString('base64')}`],
    ['Password-With-Header', Buffer.from(`{SHA}${digest('sha1').toString('base64')}`).toString('base64')],
    ['Password-With-Header', `{cleartext}${clear}`],
    ['Password-With-Header', `{x-nthash}${nt}`],
    ['User-Password', `{SSHA}${digest('sha1', true).toString('base64')}`],
  ]
  for (const [attribute, value] of values) {
    const found = passwordOf(attribute, value)
    if (found?.kind !== 'readable') {
      t.fail(`${attribute} ${value}: ${found?.why}`)
      continue
    }
    t.ok(await check(found.stored, clear), `${attribute} ${value}`)
    t.notOk(await check(found.stored, 'another'), `${attribute} refuses another one`)
  }
  for (const hash of ['$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/', 'abNANd1rDfiNc'])
    t.strictSame(passwordOf('Crypt-Password', hash), { kind: 'readable', stored: `{CRYPT}${hash}` })
})

t.test('a clear password that looks like a hash stays a clear one', async (t) => {
  t.strictSame(passwordOf('Cleartext-Password', '{SHA}x'), { kind: 'readable', stored: '{CLEAR}{SHA}x' })
})

t.test('what cannot be read is said', async (t) => {
  const told: [attribute: string, value: string, why: RegExp][] = [
    ['Crypt-Password', '_J9..salt.uICaZl6J6U', /crypt\(3\) that is not understood/],
    ['Crypt-Password', '$y$j9T$abc', /begins with \$y\$/],
    ['NT-Password', 'abcd', /wrong length/],
    ['SHA2-Password', 'abcd', /length that is not understood/],
    ['SSHA-Password', digest('sha1').toString('base64'), /SSHA of a wrong length/],
    ['LM-Password', nt, /LM-Password, which is not understood/],
    ['Password-With-Header', '{what}x', /\{what\}/],
    ['Cleartext-Password', '', /is empty/],
  ]
  for (const [attribute, value, why] of told)
    t.match(passwordOf(attribute, value), { kind: 'unreadable', why }, attribute)
  t.equal(passwordOf('Simultaneous-Use', '1'), null)
})

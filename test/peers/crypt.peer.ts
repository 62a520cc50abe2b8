// needs perl from perl-base
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import t from 'tap'
import { isLoginPassword } from '../../src/domain/login-password.ts'
import { isCryptOf } from '../../src/platform/passwords/crypt.ts'

/** What crypt(3) of this system makes of each password with its salt. */
function hashesOf(asked: readonly { readonly password: string; readonly salt: string }[]): string[] {
  const program =
    'while (<STDIN>) { my ($password, $salt) = /^(.*)\\t(.*)$/; print crypt(pack("H*", $password), $salt), "\\n" }'
  const input = asked.map(({ password, salt }) => `${Buffer.from(password).toString('hex')}\t${salt}\n`).join('')
  const { status, stdout, stderr } = spawnSync('perl', ['-e', program], { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.trimEnd().split('\n')
}

const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const salt = (length: number): string => Array.from({ length }, () => letters[randomInt(64)]).join('')
/** Letters of one to three bytes, so that a hash is made of all kinds of octets. */
const word = (length: number): string =>
  Array.from({ length }, () => String.fromCodePoint([33, 0x430, 0x2600][randomInt(3)]! + randomInt(90))).join('')

const kinds = [
  { name: 'DES crypt', times: 200, salted: () => salt(2) },
  { name: 'MD5-crypt', times: 20, salted: () => `$1$${salt(randomInt(1, 9))}` },
  { name: 'SHA-256-crypt', times: 5, salted: () => `$5$${salt(randomInt(1, 17))}` },
  { name: 'SHA-512-crypt', times: 5, salted: () => `$6$rounds=${randomInt(1_000, 2_000)}$${salt(randomInt(1, 17))}` },
  // Bcrypt has two bits of the salt in its last letter, which crypt(3) wants to be those that it writes.
  { name: 'bcrypt', times: 5, salted: () => `$2b$04$${salt(21)}.` },
]

for (const { name, times, salted } of kinds)
  t.test(`passwords by ${name} of this system's crypt(3)`, async (t) => {
    const asked = Array.from({ length: times }, (_, at) => ({ password: word(at % 12), salt: salted() }))
    const hashes = hashesOf(asked)
    t.equal(hashes.length, times)
    for (const [at, { password }] of asked.entries()) {
      const hash = hashes[at]!
      const why = `${hash} of ${password}`
      t.ok(isLoginPassword(`{CRYPT}${hash}`) && isCryptOf(hash, password), why)
      t.notOk(isCryptOf(hash, `~${password}`), `not ${why}`)
    }
  })

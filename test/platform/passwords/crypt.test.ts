import t from 'tap'
import { isLoginPassword } from '../../../src/domain/login-password.ts'
import { isCryptOf } from '../../../src/platform/passwords/crypt.ts'
import { CryptVerifier } from '../../../src/platform/passwords/crypt-verifier.ts'
import { isPassword } from '../../support/passwords.ts'
import { cryptHashes } from './hashes.ts'

t.test('hashes of another implementation are understood', async (t) => {
  for (const [password, hash] of cryptHashes) {
    t.ok(isLoginPassword(`{CRYPT}${hash}`), hash)
    t.ok(isCryptOf(hash, password), hash)
    t.notOk(isCryptOf(hash, `${password}x`), hash)
  }
})

t.test('DES crypt knows seven bits of eight bytes, as it always did', async (t) => {
  const hash = './Xo7mZbMYe.Q'
  t.ok(isCryptOf(hash, 'пароль'))
  t.ok(isCryptOf(hash, 'парольный'), 'what follows the eighth byte does not count')
  t.notOk(isCryptOf(hash, 'пара'))
})

t.test('a password is checked by what is stored of it', async (t) => {
  const [, hash] = cryptHashes.find(([password]) => password === 'secret')!
  const stored = [
    'secret',
    '{CLEAR}secret',
    '{NT}878d8014606cda29677a44efa1353fc7',
    `{CRYPT}${hash}`,
    '{MD5}Xr4ilOzQ4PCOq3aQ0qbuaQ==',
    '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    '{SSHA}5YzOHZsMGqSgmLhnNWf1OlJIZ4QBI6vN',
    '{SSHA512}3yf+X/PPxi/s9epWWT95EKIzmEGMvsao1Qz6ldRClUxav7No0qreTZJcHCiiM1VKq/+kR5rCpxsfUsu3ymtDfQEjq80=',
  ]
  for (const one of stored) {
    t.equal(await isPassword(one, 'secret'), true, one)
    t.equal(await isPassword(one, 'Secret'), false, one)
    if (one !== 'secret') t.equal(await isPassword(one, one), false, 'the hash itself is not the password')
  }
  t.equal(await isPassword('{NT}of an earlier Tollgate', '{NT}of an earlier Tollgate'), true)
})

t.test('a pair is compared once, and of one hash one password at a time', async (t) => {
  const verifier = new CryptVerifier({ threads: 1, waitingMax: 1 })
  t.teardown(() => verifier.stop())
  const [[, one], [, two], [, three]] = cryptHashes.filter(([password]) => password === 'secret') as [
    [string, string],
    [string, string],
    [string, string],
  ]
  const first = verifier.verify(one, 'secret')
  const same = verifier.verify(one, 'secret')
  await t.rejects(verifier.verify(one, 'a guess'), { name: 'Unavailable', message: /Another password/ })
  const waiting = verifier.verify(two, 'secret')
  await t.rejects(verifier.verify(three, 'secret'), { name: 'Unavailable', message: /Too many/ })
  t.strictSame(await Promise.all([first, same, waiting]), [true, true, true])
  t.equal(await verifier.verify(one, 'a guess'), false)
  await verifier.stop()
  // The threads are gone, and what was compared is still known.
  t.equal(await verifier.verify(one, 'secret'), true)
  t.equal(await verifier.verify(one, 'a guess'), false)
  await t.rejects(verifier.verify(three, 'secret'), { name: 'Unavailable', reason: 'stopping' })
})

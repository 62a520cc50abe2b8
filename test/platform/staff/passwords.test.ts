import t from 'tap'
import { hashPassword, verifyPassword } from '../../../src/platform/staff/passwords.ts'

t.test('a password verifies against its own hash only', async (t) => {
  const stored = await hashPassword('Пароль 1')
  t.match(stored, /^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  t.equal(await verifyPassword('Пароль 1', stored), true)
  t.equal(await verifyPassword('Пароль 2', stored), false)
  t.equal(await verifyPassword('', stored), false)
  t.not(await hashPassword('Пароль 1'), stored, 'salted')
})

t.test('an unknown user, a damaged row and an endless password verify as false', async (t) => {
  t.equal(await verifyPassword('', null), false)
  t.equal(await verifyPassword('x', null), false)
  const stored = await hashPassword('x')
  for (const damaged of [
    '',
    'x',
    stored.slice(0, 30),
    stored.replace('ln=15', 'ln=30'),
    stored.replace('scrypt', 'argon2id'),
  ]) {
    t.equal(await verifyPassword('x', damaged), false, damaged)
  }
  t.equal(await verifyPassword('x'.repeat(1_000_000), stored), false)
})

t.test('scrypt agrees with RFC 7914 section 12 (N=16384, r=8, p=1)', async (t) => {
  const salt = Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '')
  const expected =
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887'
  const stored = `$scrypt$ln=14,r=8,p=1$${salt}$${Buffer.from(expected, 'hex').toString('base64').replace(/=+$/, '')}`
  t.equal(await verifyPassword('pleaseletmein', stored), true)
})

t.test('a flood is refused instead of queued without end', async (t) => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 80 }, () =>
      verifyPassword('x', '$scrypt$ln=1,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA'),
    ),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  t.ok(refused.length >= 10 && refused.length < 80)
  for (const { reason } of refused) t.match(reason, { name: 'Unavailable' })
  t.equal(await verifyPassword('x', null), false, 'and afterwards there is room again')
})

import t from 'tap'
import { isLoginPassword, loginPasswordOf, storedClearPassword } from '../../src/domain/login-password.ts'

t.test('a password without a scheme is clear, whatever it looks like', async (t) => {
  for (const text of ['secret', '{secret}', '{nt}x', '$6$salt$hash', '{CRYPT', '{ARGON2}x', ' {NT}', '{}']) {
    t.strictSame(loginPasswordOf(text), { kind: 'clear', text })
    t.ok(isLoginPassword(text))
    t.equal(storedClearPassword(text), text)
  }
})

t.test('a clear password that begins like a hash is stored behind {CLEAR}', async (t) => {
  for (const text of ['{NT}mine', '{CLEAR}x', '{SSHA}', '{NT}878d8014606cda29677a44efa1353fc7']) {
    const stored = storedClearPassword(text)
    t.not(stored, text)
    t.ok(isLoginPassword(stored))
    t.strictSame(loginPasswordOf(stored), { kind: 'clear', text })
  }
})

t.test('what begins like a hash and is none is a mistake', async (t) => {
  const salt = 'abcdefgh'
  const wrong = [
    '{CLEAR}',
    '{NT}',
    `{NT}${'0'.repeat(31)}`,
    `{NT}${'g'.repeat(32)}`,
    '{CRYPT}',
    '{CRYPT}secret',
    '{CRYPT}ab01FAX.bQRSV',
    '{CRYPT}ab01FAX.bQRS',
    '{CRYPT}ab01FAX.bQRSU\n',
    '{CRYPT}a$01FAX.bQRSU',
    '{CRYPT}_J9..salt.uICaZl6J6U',
    `{CRYPT}$1$${salt}$${'a'.repeat(21)}`,
    `{CRYPT}$1$toolongsalt$${'a'.repeat(22)}`,
    `{CRYPT}$5$${salt}$${'a'.repeat(86)}`,
    `{CRYPT}$6$${salt}$${'a'.repeat(43)}`,
    `{CRYPT}$6$rounds=999999999$${salt}$${'a'.repeat(86)}`,
    `{CRYPT}$6$rounds=10$${salt}$${'a'.repeat(86)}`,
    `{CRYPT}$6$${salt}$${'a'.repeat(86)}\n`,
    `{CRYPT}$2b$31$${'a'.repeat(53)}`,
    `{CRYPT}$2b$03$${'a'.repeat(53)}`,
    `{CRYPT}$y$j9T$${salt}$${'a'.repeat(43)}`,
    '{SHA}',
    '{SHA}secret',
    '{SHA}5en6G6MezRroT3XKqkdPOmY/BfR5',
    '{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    '{SSHA}not base64!',
  ]
  for (const text of wrong) {
    t.notOk(isLoginPassword(text), text)
    // Stored by a Tollgate that knew no hashes.
    t.strictSame(loginPasswordOf(text), { kind: 'clear', text })
  }
})

t.test('hostile texts are read without a failure', async (t) => {
  const parts = [
    '{CRYPT}',
    '{NT}',
    '{SSHA}',
    '{CLEAR}',
    '$6$',
    '$2b$10$',
    'rounds=',
    '5000',
    '$',
    'a'.repeat(86),
    '=',
    '\0',
    'я',
  ]
  for (let seed = 1; seed <= 2_000; seed++) {
    let state = seed
    const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
    const text = Array.from({ length: next() % 7 }, () => parts[(next() >> 8) % parts.length]).join('')
    const read = loginPasswordOf(text)
    t.ok(read.kind !== 'clear' || text.endsWith(read.text), JSON.stringify(text))
  }
})

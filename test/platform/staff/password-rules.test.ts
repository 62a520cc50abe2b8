import t from 'tap'
import { passwordFault } from '../../../src/platform/staff/password-rules.ts'

t.test('passwords that are short or that everybody tries are refused', (t) => {
  for (const short of ['', 'x', 'Tr0ub4dor', 'девять-зн']) t.equal(passwordFault(short), 'short', short)
  t.equal(passwordFault('long enough '.repeat(30)), 'long')
  const common = [
    ...['1234567890', '0987654321', 'qwertyuiop', 'QWERTYUIOP', 'йцукенгшщз', 'abcdefghij', 'asdfghjkl;'],
    ...['password12', 'P@ssw0rd123', 'Password2026!', '!!!admin!!!', 'administrator', 'qwerty12345', 'Пароль2026'],
    ...['aaaaaaaaaa', '1212121212', 'abcabcabcabc', 'adminadmin', 'rootrootroot', '1q2w3e4r5t', '1qaz2wsx3edc'],
  ]
  for (const one of common) t.equal(passwordFault(one), 'common', one)
  t.end()
})

t.test('others are taken', (t) => {
  for (const good of [
    'correct-horse-battery',
    'root-password',
    'demo-operator',
    'двадцать ежей',
    'Xk3-9fTq2m',
    'n4rwhal-tusk',
  ])
    t.equal(passwordFault(good), null, good)
  t.end()
})

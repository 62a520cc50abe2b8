import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { loadOrCreateSecretKey, Secrets, SecretUnreadable } from '../../../src/platform/storage/secrets.ts'

const key = Buffer.alloc(32, 7)
const folder = () => mkdtempSync(join(tmpdir(), 'tollgate-secrets-'))

t.test('a sealed text opens again and looks different each time', async (t) => {
  const secrets = new Secrets(key)
  for (const text of ['', 'пароль', 'x'.repeat(1000)]) t.equal(secrets.open(secrets.seal(text)), text)
  t.not(secrets.seal('same'), secrets.seal('same'))
  t.notMatch(secrets.seal('visible'), /visible/)
})

t.test('a text sealed by an earlier program still opens', async (t) => {
  const sealed = 'sealed1:oSrLkLQsxUXUSWTC1sagTspOGuKYjaXTB6+lFx3je+GB'
  t.equal(new Secrets(key).open(sealed), 'hello')
})

t.test('another key, a changed letter and a plain text are refused with a sentence', async (t) => {
  const sealed = new Secrets(key).seal('hello')
  t.throws(() => new Secrets(Buffer.alloc(32, 8)).open(sealed), SecretUnreadable)
  t.throws(() => new Secrets(Buffer.alloc(32, 8)).open(sealed), /another key.*TOLLGATE_SECRET_KEY/)
  const last = sealed.at(-3) === 'A' ? 'B' : 'A'
  t.throws(() => new Secrets(key).open(`${sealed.slice(0, -3)}${last}${sealed.slice(-2)}`), SecretUnreadable)
  t.throws(() => new Secrets(key).open('hello'), /not sealed/)
  t.throws(() => new Secrets(key).open('sealed1:AAAA'), /cut short/)
})

t.test('each purpose has a key of its own', async (t) => {
  const secrets = new Secrets(key)
  t.equal(secrets.derive('jwt').length, 32)
  t.same(secrets.derive('jwt'), new Secrets(key).derive('jwt'))
  t.notSame(secrets.derive('jwt'), secrets.derive('cookie'))
})

t.test('the key is made once, readable by nobody else, and found again', async (t) => {
  const dataDir = folder()
  const made = loadOrCreateSecretKey(dataDir)
  t.equal(made.length, 32)
  t.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  t.same(loadOrCreateSecretKey(dataDir), made)
  t.notSame(loadOrCreateSecretKey(folder()), made)
})

t.test('a key given by the environment is the same on every node and leaves no file', async (t) => {
  const dataDir = folder()
  t.same(loadOrCreateSecretKey(dataDir, 'a long passphrase'), loadOrCreateSecretKey(folder(), 'a long passphrase'))
  t.notSame(loadOrCreateSecretKey(dataDir, 'a long passphrase'), loadOrCreateSecretKey(dataDir, 'another passphrase'))
  t.throws(() => statSync(join(dataDir, 'secret.key')))
})

t.test('a damaged key file stops the start instead of being replaced', async (t) => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'secret.key'), 'half a ke')
  t.throws(() => loadOrCreateSecretKey(dataDir), /does not hold a key/)
})

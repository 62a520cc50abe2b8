import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createKeyFile, readKeySource } from '../../../src/platform/storage/key-source.ts'
import { Secrets, SecretUnreadable } from '../../../src/platform/secrets/secrets.ts'

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

t.test('a sealed value names its key, and values of old keys open too', async (t) => {
  const old = new Secrets(key)
  const secrets = new Secrets(Buffer.alloc(32, 8), [key])
  t.match(old.seal('x'), new RegExp(`^sealed2:${old.keyId}:`))
  t.match(old.keyId, /^[0-9a-f]{8}$/)
  t.not(old.keyId, secrets.keyId)
  t.strictSame(secrets.keyIds, [secrets.keyId, old.keyId])
  for (const sealed of [old.seal('hello'), 'sealed1:oSrLkLQsxUXUSWTC1sagTspOGuKYjaXTB6+lFx3je+GB']) {
    t.equal(secrets.open(sealed), 'hello')
    t.equal(secrets.openerOf(sealed), old.keyId)
    t.notOk(secrets.isSealedAnew(sealed))
  }
  t.equal(secrets.openerOf(secrets.seal('')), secrets.keyId)
  t.ok(secrets.isSealedAnew(secrets.seal('')))
})

t.test('another key, a changed letter and a plain text are refused with a sentence', async (t) => {
  const sealed = new Secrets(key).seal('hello')
  const other = new Secrets(Buffer.alloc(32, 8))
  t.throws(() => other.open(sealed), SecretUnreadable)
  t.throws(() => other.open(sealed), new RegExp(`another key, ${new Secrets(key).keyId}`))
  t.equal(other.openerOf(sealed), null)
  const last = sealed.at(-3) === 'A' ? 'B' : 'A'
  t.throws(() => new Secrets(key).open(`${sealed.slice(0, -3)}${last}${sealed.slice(-2)}`), SecretUnreadable)
  t.throws(() => new Secrets(key).open('hello'), /not sealed/)
  for (const short of ['sealed1:AAAA', 'sealed2:', 'sealed2:0', `sealed2:${new Secrets(key).keyId}:AAAA`])
    t.throws(() => new Secrets(key).open(short), /cut short/)
})

t.test('each purpose has a key of its own', async (t) => {
  const secrets = new Secrets(key)
  t.equal(secrets.derive('jwt').length, 32)
  t.same(secrets.derive('jwt'), new Secrets(key).derive('jwt'))
  t.notSame(secrets.derive('jwt'), secrets.derive('cookie'))
})

const config = (dataDir: string, secretKey: string | null = null, oldSecretKey: string | null = null) => ({
  dataDir,
  secretKey,
  oldSecretKey,
})

t.test('the key is made once, readable by nobody else, and found again', async (t) => {
  const dataDir = folder()
  t.match(readKeySource(config(dataDir)), { kind: 'file', keys: { length: 0 } })
  const made = createKeyFile(config(dataDir))
  t.equal(made.length, 32)
  t.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  t.same(createKeyFile(config(dataDir)), made, 'another program that makes one at the same time has this one')
  t.same(readKeySource(config(dataDir)).keys, [made])
  t.notSame(createKeyFile(config(folder())), made)
})

t.test('a key given by the environment is the same on every node and leaves no file', async (t) => {
  const dataDir = folder()
  const given = readKeySource(config(dataDir, 'a long passphrase'))
  t.same(readKeySource(config(folder(), 'a long passphrase')), given)
  const [other] = readKeySource(config(dataDir, 'another passphrase')).keys
  t.notSame(other, given.keys[0])
  t.throws(() => statSync(join(dataDir, 'secret.key')))
  const kept = createKeyFile(config(dataDir))
  const all = readKeySource(config(dataDir, 'another passphrase', 'a long passphrase'))
  t.same(all.keys, [other, given.keys[0], kept], 'what was used before opens too')
})

t.test('a damaged key file stops the start instead of being replaced', async (t) => {
  const dataDir = folder()
  for (const text of ['half a ke', '', `${'0'.repeat(64)}\nhalf`]) {
    writeFileSync(join(dataDir, 'secret.key'), text)
    t.throws(() => readKeySource(config(dataDir)), /does not hold a key/)
  }
})

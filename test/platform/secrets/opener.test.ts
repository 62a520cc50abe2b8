import t from 'tap'
import { SecretOpener } from '../../../src/platform/secrets/opener.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'

const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer]

t.test('values open beside the main thread as they do in it', async (t) => {
  const secrets = new Secrets(keys[0], [keys[1]])
  const opener = new SecretOpener(secrets)
  t.teardown(() => opener.close())
  const [old, unknown] = [new Secrets(keys[1]), new Secrets(keys[2])]
  const sealed = [secrets.seal('present'), old.seal('old'), unknown.seal('lost'), 'hello', secrets.seal('')]
  t.strictSame(await opener.open(sealed), ['present', 'old', null, null, ''])
  t.strictSame(await opener.open([secrets.seal('пароль')]), ['пароль'])
})

t.test('an opener that opened nothing closes', async (t) => {
  await t.resolves(new SecretOpener(new Secrets(keys[0])).close())
})

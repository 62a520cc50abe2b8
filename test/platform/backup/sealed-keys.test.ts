import t from 'tap'
import { openKeys, sealKeys } from '../../../src/platform/backup/sealed-keys.ts'
import type { KeptKeys } from '../../../src/platform/storage/key-source.ts'

t.test('sealed keys with a part of their proof alone are not opened', async (t) => {
  const keys = { kept: 'as they are' } as unknown as KeptKeys
  const [passphrase, manifest] = ['correct horse battery staple', Buffer.from('manifest')]
  const sealed = JSON.parse(JSON.stringify(await sealKeys(keys, passphrase, manifest)))
  t.strictSame(await openKeys(JSON.stringify(sealed), passphrase, manifest), keys)
  const tag = Buffer.from(sealed.tag, 'base64').subarray(0, 4).toString('base64')
  await t.rejects(openKeys(JSON.stringify({ ...sealed, tag }), passphrase, manifest), /altered the archive/)
})

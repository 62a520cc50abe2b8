import fc from 'fast-check'
import t from 'tap'
import { RealmList } from '../../src/domain/realms.ts'

const useOf = (list: string, realm: string) => {
  const bytes = Buffer.from(`x@${realm}y`)
  return RealmList.parse(list)?.useOf(bytes, 2, bytes.length - 1)
}

t.test('the most exact entry decides about a realm, whatever its place and case', async (t) => {
  const list = '*, =*.corp.isp.ru, !bad.ru *.isp.ru;!*.bad.ru,=isp.ru'
  for (const [realm, use] of [
    ['other', 'stripped'],
    ['isp.ru', 'kept'],
    ['ISP.RU', 'kept'],
    ['north.isp.ru', 'stripped'],
    ['a.Corp.isp.ru', 'kept'],
    ['corp.isp.ru', 'stripped'],
    ['BAD.ru', 'refused'],
    ['very.bad.ru', 'refused'],
    ['notbad.ru', 'stripped'],
    ['', null],
  ] as const)
    t.equal(useOf(list, realm), use, realm || 'an empty realm is none')
  t.equal(useOf('isp.ru', 'isp.r'), null)
  t.equal(useOf('isp.ru', 'xisp.ru'), null)
  t.equal(useOf('*.isp.ru', '.isp.ru'), null, 'an ending stands behind something')
  t.equal(useOf('', 'isp.ru'), null)
  t.equal(useOf('исп', 'исп'), 'stripped')
})

t.test('a text that is no list of realms is refused', async (t) => {
  for (const list of ['a@b', 'isp\\', 'a/b', '**', '*isp.ru', '=', '!', '!=isp.ru', 'isp.*', 'isp.ru, @'])
    t.equal(RealmList.parse(list), null, list)
  for (const list of ['', ' , ;', '*', '!*', 'isp']) t.ok(RealmList.parse(list), list)
  t.equal(RealmList.parse('isp.ru')?.refuses, false)
  t.equal(RealmList.parse('isp.ru !bad.ru')?.refuses, true)
  t.ok(RealmList.parse('a,'.repeat(2_000)))
  t.equal(RealmList.parse('a,'.repeat(2_001)), null, 'a list that every sign-in would look through')
})

t.test('any text is read or refused, and any octets may be a realm', async (t) => {
  fc.assert(
    fc.property(fc.string(), fc.uint8Array({ maxLength: 40 }), fc.nat(40), fc.nat(40), (list, name, from, to) => {
      RealmList.parse(list)?.useOf(name, Math.min(from, name.length), Math.min(to, name.length))
    }),
  )
  t.pass()
})

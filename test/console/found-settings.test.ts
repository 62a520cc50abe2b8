import t from 'tap'
import { catalog } from '../../src/platform/settings/catalog.ts'

type Described = { readonly name: string; readonly description: string }

/** It is a script of browsers, so its types are not those of this program. */
const { foundByChapter } = (await import(
  new URL('../../src/console/screens/settings/found.ts', import.meta.url).href
)) as {
  readonly foundByChapter: (
    all: readonly Described[],
    typed: string,
    said: { readonly language: 'ru' | 'en'; readonly titles: Readonly<Record<string, string>> },
  ) => readonly { readonly name: string; readonly rows: readonly Described[] }[]
}

const all = Object.entries(catalog).map(([name, { description }]) => ({ name, description }))
const found = (typed: string, language: 'ru' | 'en') =>
  foundByChapter(all, typed, { language, titles: { gatewayA: 'Шлюз A' } }).flatMap(({ rows }) =>
    rows.map(({ name }) => name),
  )

t.test('a setting is found by parts of its name or of its meaning, in either language', (t) => {
  t.same(found('up_fold', 'ru'), ['BACKUP_FOLDER'])
  t.same(found('Ещё раб android', 'ru'), ['MOBILE_ANDROID_VERSION_MIN'], 'е is as good as ё')
  t.same(found('еще раб android', 'ru'), ['MOBILE_ANDROID_VERSION_MIN'])
  t.same(found('фраза резерв', 'ru'), [])
  t.same(found('фраза копи', 'ru'), ['BACKUP_PASSPHRASE'])
  t.ok(found('time zone', 'en').includes('TIME_ZONE'))
  t.ok(found('шлюз a', 'ru').includes('LK_GWA_SHOP_ID'), 'by its chapter as well')
  t.same(found('', 'en').length, all.length)
  t.end()
})

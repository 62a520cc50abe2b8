import t from 'tap'

type Way = { readonly search: string; readonly steps: number | null; readonly isOpenedThere: boolean }

type Script = {
  readonly noteShown: (location: { readonly href: string; readonly state: object }) => void
  readonly openedFrom: (own: string, at: number) => string | null
  readonly wayBack: (list: string, at: number, own?: string) => Way | null
}

/** It is a script of browsers, so its types are not those of this program. */
const address = new URL('../../src/console/patterns/way-back.ts', import.meta.url).href
/** Of a page that was loaded anew. */
const loaded = async (name = '') => (await import(address + name)) as Script
const { noteShown, openedFrom, wayBack } = await loaded()

/** Shows one address after another, and returns the place of the last in the history. */
function shown(...addresses: readonly string[]): number {
  for (const [at, address] of addresses.entries()) {
    const [path, search] = address.split(' ')
    noteShown({ href: `/admin${path}`, state: { __TSR_index: at, ...(search === 'found' && { isFound: true }) } })
  }
  return addresses.length - 1
}

t.test('a card leads back to the list of subscribers that it was opened from, as it was left', (t) => {
  const at = shown('/subscribers/?show=debtors', '/subscribers/7/', '/subscribers/7/money/')
  t.same(wayBack('/subscribers/', at), { search: '?show=debtors', steps: -2, isOpenedThere: true })
  t.equal(openedFrom('/subscribers/7/', at), '/subscribers/')
  t.end()
})

t.test('a card that the search has opened is of no list', (t) => {
  const at = shown('/subscribers/?show=debtors', '/subscribers/7/ found', '/subscribers/7/money/')
  t.match(wayBack('/subscribers/', at), { steps: -2, isOpenedThere: false })
  const later = shown('/subscribers/?show=online', '/tickets/', '/subscribers/7/')
  t.match(wayBack('/subscribers/', later), { search: '?show=online', steps: null, isOpenedThere: false })
  t.end()
})

t.test('a card that was opened from the sessions leads back to them', (t) => {
  const at = shown('/subscribers/', '/network/sessions/?nas=2', '/subscribers/7/', '/subscribers/7/money/')
  t.equal(openedFrom('/subscribers/7/', at), '/network/sessions/')
  t.match(wayBack('/network/sessions/', at, '/subscribers/7/'), { search: '?nas=2', steps: -2 })
  t.match(wayBack('/network/sessions/', at), { steps: null }, 'what lies between is of elsewhere')
  t.equal(openedFrom('/subscribers/7/', shown('/subscribers/7/')), null)
  t.end()
})

t.test('after a reload of the page a card leads back as before it, and not where the history is another', async (t) => {
  const kept = new Map<string, string>()
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  }
  t.teardown(Object.assign.bind(null, globalThis, { sessionStorage: globalThis.sessionStorage }))
  Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true, writable: true })
  const show = (page: Script, path: string, at: number, key: string) =>
    page.noteShown({ href: `/admin${path}`, state: { __TSR_index: at, __TSR_key: key } })
  const before = await loaded('?before')
  show(before, '/subscribers/?show=debtors', 0, 'a')
  show(before, '/subscribers/7/', 1, 'b')
  const after = await loaded('?after')
  show(after, '/subscribers/7/', 1, 'b')
  t.same(after.wayBack('/subscribers/', 1), { search: '?show=debtors', steps: -1, isOpenedThere: true })
  const another = await loaded('?another')
  show(another, '/subscribers/7/', 1, 'c')
  t.equal(another.wayBack('/subscribers/', 1), null, 'the tab has begun anew meanwhile')
})

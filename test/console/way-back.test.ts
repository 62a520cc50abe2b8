import t from 'tap'

type Way = { readonly search: string; readonly steps: number | null; readonly isOpenedThere: boolean }

/** It is a script of browsers, so its types are not those of this program. */
const { noteShown, openedFrom, wayBack } = (await import(
  new URL('../../src/console/patterns/way-back.ts', import.meta.url).href
)) as {
  readonly noteShown: (location: { readonly href: string; readonly state: object }) => void
  readonly openedFrom: (own: string, at: number) => string | null
  readonly wayBack: (list: string, at: number, own?: string) => Way | null
}

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

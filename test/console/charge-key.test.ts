import t from 'tap'

/** It is a script of browsers, so its types are not those of this program. */
const { chargeKey } = (await import(
  new URL('../../src/console/screens/subscriber/services/charge-key.ts', import.meta.url).href
)) as { chargeKey(charge: object): string }

t.test('what is charged twice in one night, for the old month and for the new one, has a row each', (t) => {
  const what = { kind: 'service', link_id: 7, name: 'Antivirus', day: '2026-12-01', times: 1 }
  const keys = [
    chargeKey({ ...what, from: '2026-11-30', to: '2026-11-30', amount: '3.30' }),
    chargeKey({ ...what, from: '2026-12-01', to: '2026-12-31', amount: '99.00' }),
    chargeKey({ ...what, from: null, to: null, amount: '99.00' }),
    chargeKey({ ...what, link_id: 8, from: '2026-11-30', to: '2026-11-30', amount: '3.30' }),
  ]
  t.equal(new Set(keys).size, keys.length)
  t.end()
})

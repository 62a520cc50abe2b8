import t from 'tap'

/** It is a script of browsers, so its types are not those of this program. */
const { outdatedByAccount } = (await import(
  new URL('../../src/console/screens/accounts/use-account.ts', import.meta.url).href
)) as { readonly outdatedByAccount: readonly string[] }

t.test('a change of an account, as a reversal is, has every list of operations asked for anew', (t) => {
  const lists = ['GET /admin/Abonents/finops_json/', 'GET /admin/reports/PayLog/']
  t.same(
    lists.filter((endpoint) => !outdatedByAccount.includes(endpoint)),
    [],
  )
  t.end()
})

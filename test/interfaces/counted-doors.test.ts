import t from 'tap'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'
import { openOffice } from './admin-office.ts'

/** What takes long over a million rows keeps no screen waiting: it is asked again until it is there. */
const office = await openOffice(t)
const root = await office.staff('root')
const { body: client } = await root.post('/rest_api/v2/Abonents/', { name: 'Anna', contract_number: '1' })
const headers = { ...root.headers, Prefer: 'respond-async' }
const ask = async (path: string) => {
  const response = await fetch(root.base + path, { headers })
  return { status: response.status, body: await response.json() }
}

const doors: Readonly<Record<string, readonly string[]>> = {
  finance_operations: [
    '/admin/reports/movements/',
    '/admin/reports/money/?from=2026-11-01&to=2026-11-30',
    '/admin/reports/subscribers/',
    '/admin/Abonents/finops_search/?q=4711',
    '/admin/Abonents/finops_fiscal_queue/?state=done',
    `/admin/Abonents/log/${client.id}/`,
  ],
  admin_accounts: ['/admin/reports/debts/'],
  radius_auth_log: ['/admin/radius/log/', '/admin/radius/log/reasons/', '/admin/radius/log/unknown/'],
  mailings: ['/admin/messages/mailing/'],
}

for (const [table, paths] of Object.entries(doors))
  t.test(`of ${table}`, async (t) => {
    const holder = await office.database.pool.connect()
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    const first = await Promise.all(paths.map(ask))
    await holder.query('COMMIT')
    holder.release()
    for (const [at, path] of paths.entries()) {
      t.same(first[at], { status: 202, body: { ok: true, counted: 0 } }, path)
      const answer = await untilAnswer(
        () => ask(path),
        ({ status }) => status !== 202,
      )
      t.same(answer, { status: 200, body: (await root.get(path)).body }, path)
    }
  })

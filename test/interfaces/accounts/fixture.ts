import { Caller, type Json, openOffice } from '../admin-office.ts'

export type { Json }
export { Caller }

export const base = '/admin/Abonents'

/** The office with one superuser, and what tests of the accounts need to make. */
export async function openAccountsOffice(...given: Parameters<typeof openOffice>) {
  const office = await openOffice(...given)
  const root = await office.staff('root')
  let contracts = 0

  const made = async (path: string, body: object): Promise<Json> => {
    const { status, body: record } = await root.post(path, body)
    if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
    return record
  }

  return {
    office,
    root,
    made,
    /** A subscriber with an account of its own. */
    client: (name: string, more: object = {}): Promise<Json> =>
      made('/rest_api/v2/Abonents/', { name, contract_number: `K-${++contracts}`, ...more }),
    /** A movement of whole rubles past the doors under test. */
    move: (account: number, rubles: number, type = rubles < 0 ? 9 : 7) =>
      made('/rest_api/v2/FinanceOperations/', {
        account,
        op_type: type,
        op_summa: Math.abs(rubles) * 10_000_000_000,
      }),
    /** The audit rows of an account, the oldest first. */
    audit: (account: number): Promise<Json[]> =>
      office.rows(
        `SELECT action, diff, user_name, organization_id::int AS organization FROM audit_operations
          WHERE table_name = 'ADMIN_ACCOUNTS' AND object_id = $1 ORDER BY id`,
        [String(account)],
      ),
  }
}

/** The same caller with one header more. */
export const withHeader = ({ base: address, headers }: Caller, name: string, value: string) =>
  new Caller(address, { ...headers, [name]: value })

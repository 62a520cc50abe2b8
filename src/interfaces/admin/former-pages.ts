import { page } from '../../platform/http/assets.ts'
import type { Call, Route } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'

/** The addresses of pages that are screens of the console now lead there. */
export const formerPageRoutes = (): Route[] => [
  page('/admin/watch', () => redirect('/admin/network/now/')),
  page('/admin/payments', () => redirect('/admin/money/not-credited/?resolved=0')),
  page('/admin/Abonents/AdminAccounts', (call) => redirect(accountsScreen(call))),
]

/** The list of accounts with the filters that were asked for, or with `edit` the card of one. */
export function accountsScreen({ query }: Call): string {
  const edit = query.get('edit')
  if (edit) return accountScreen(edit)
  const asked = new URLSearchParams([...query].filter(([name, value]) => filters.includes(name) && value !== ''))
  return asked.size === 0 ? accounts : `${accounts}?${asked}`
}

export const accountScreen = (id: string): string => `${accounts}${encodeURIComponent(id)}/`

const accounts = '/admin/money/accounts/'
const filters: readonly string[] = ['q', 'chip', 'sort']

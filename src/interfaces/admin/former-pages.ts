import { page } from '../../platform/http/assets.ts'
import type { Call, Route } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'

/** The addresses of pages that are screens of the console now lead there. */
export const formerPageRoutes = (): Route[] => [
  page('/admin/watch', () => redirect('/admin/network/now/')),
  page('/admin/radius/templates', (call) => redirect(templatesScreen(call))),
  page('/admin/api', () => redirect('/admin/system/api/')),
  page('/admin/payments', () => redirect('/admin/money/not-credited/?resolved=0')),
  page('/admin/Abonents/AdminAccounts', (call) => redirect(accountsScreen(call))),
  page('/admin/Abonents/FinanceOperations', (call) => redirect(operationsScreen(call))),
]

/** The list of accounts with the filters that were asked for, or with `edit` the card of one. */
export function accountsScreen({ query }: Call): string {
  const edit = query.get('edit')
  if (edit) return accountScreen(edit)
  return withFilters(accounts, query, filters)
}

/** The list of templates of answers, or with `edit` one of them: by its id, or what a type of NAS has built in. */
function templatesScreen({ query }: Call): string {
  const edit = query.get('edit') ?? ''
  if (/^\d+$/.test(edit)) return templateScreen(edit)
  return edit === '' ? templates : `${templates}built-in/${encodeURIComponent(edit)}/`
}

export const templateScreen = (id: string): string => `${templates}${encodeURIComponent(id)}/`

/** The list of operations as it was asked for, or with `edit` one operation. */
export function operationsScreen({ query }: Call): string {
  const edit = query.get('edit')
  return edit ? operationScreen(edit) : withFilters(operations, query, operationFilters)
}

export const operationScreen = (id: string): string => `${operations}${encodeURIComponent(id)}/`

export const payLogScreen = ({ query }: Call): string => withFilters('/admin/money/payments/', query, operationFilters)

function withFilters(screen: string, query: URLSearchParams, names: readonly string[]): string {
  const asked = new URLSearchParams([...query].filter(([name, value]) => names.includes(name) && value !== ''))
  return asked.size === 0 ? screen : `${screen}?${asked}`
}

export const accountScreen = (id: string): string => `${accounts}${encodeURIComponent(id)}/`

export const templates = '/admin/network/templates/'
const accounts = '/admin/money/accounts/'
const filters: readonly string[] = ['q', 'chip', 'sort']
const operations = '/admin/money/operations/'
const operationFilters: readonly string[] = [
  ...['q', 'op_type', 'source', 'cashier', 'tarif', 'organization_id', 'abonent_id', 'account_id'],
  ...['date_from', 'date_to'],
]

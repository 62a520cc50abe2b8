import type { Route } from '../../../platform/http/call.ts'
import type { PageLink } from '../../../platform/staff/sign-in-page.ts'
import { filesBehind } from '../pages.ts'

/** The pages that `/admin/` links to. */
export const adminPages: readonly PageLink[] = [
  { path: '/admin/watch/', title: 'Сеть сейчас' },
  { path: '/admin/Abonents/AdminAccounts/', title: 'Лицевые счета' },
  { path: '/admin/Abonents/FinanceOperations/', title: 'Финансовые операции' },
  { path: '/admin/reports/PayLog/', title: 'Журнал платежей' },
  { path: '/admin/payments/', title: 'Незачисленные платежи' },
  { path: '/admin/settings/payment/', title: 'Приём платежей' },
  { path: '/admin/radius/templates/', title: 'NAS: шаблоны ответов' },
  { path: '/admin/api/', title: 'Программный интерфейс' },
]

/** The script and the styles that all pages of the web admin share. */
export const homeRoutes = (): Route[] =>
  filesBehind('/admin', new URL('../house/', import.meta.url)).map((route) => ({ ...route, beforeSecondFactor: true }))

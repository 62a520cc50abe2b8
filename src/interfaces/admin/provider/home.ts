import { asset, page, styles } from '../../../platform/http/assets.ts'
import type { Route } from '../../../platform/http/call.ts'
import type { PageLink } from '../../../platform/staff/sign-in-page.ts'

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

/** The styles of every page of the web admin. */
export const homeRoutes = (): Route[] => [
  page('/admin/house.css', asset(new URL('./house.css', import.meta.url), styles)),
]

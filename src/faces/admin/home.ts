import type { PageLink } from '../../http/sign-in-page.ts'

/** Where an operator goes from `/admin/`. */
export const officePages: readonly PageLink[] = [
  { path: '/admin/watch/', title: 'Сеть сейчас' },
  { path: '/admin/Abonents/AdminAccounts/', title: 'Лицевые счета' },
  { path: '/admin/Abonents/FinanceOperations/', title: 'Финансовые операции' },
  { path: '/admin/reports/PayLog/', title: 'Журнал платежей' },
  { path: '/admin/settings/payment/', title: 'Приём платежей' },
  { path: '/admin/api/', title: 'Программный интерфейс' },
]

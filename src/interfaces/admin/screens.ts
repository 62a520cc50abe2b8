import type { Call, Route } from '../../platform/http/call.ts'
import {
  accountScreen,
  accountsScreen,
  operationScreen,
  operationsScreen,
  payLogScreen,
  templateScreen,
  templates,
} from './former-pages.ts'

/** A list as it was asked for: the page takes what it knows of the query. */
const list =
  (page: string) =>
  ({ query }: Call): string =>
    query.size === 0 ? page : `${page}?${query}`

/** The formats of a report that are no file. */
const shownFormats: ReadonlySet<string> = new Set(['', 'html'])

const account = ({ params }: Call): string => accountScreen(params.id ?? '')

/**
 * The JSON endpoints of which the web admin has a screen, by their paths. All others show their JSON in a browser too.
 */
const screens: Readonly<Record<string, NonNullable<Route['screen']>>> = {
  '/admin/Abonents/accounts_json': accountsScreen,
  '/admin/Abonents/accounts_get/:id': account,
  '/admin/Abonents/accounts_services/:id': account,
  '/admin/Abonents/accounts_payments_summary/:id': account,
  '/admin/Abonents/accounts_bank_ops/:id': account,
  '/admin/Abonents/finops_json': operationsScreen,
  '/admin/Abonents/finops_detail/:op_id': ({ params }) => operationScreen(params.op_id ?? ''),
  '/admin/reports/PayLog': (call) => (shownFormats.has(call.query.get('format') ?? '') ? payLogScreen(call) : null),
  '/admin/dictionary/FinTypes': () => '/admin/dictionaries/operation-types/',
  '/admin/jobs': () => '/admin/system/jobs/',
  '/admin/nodes': () => '/admin/system/nodes/',
  '/admin/doctor': () => '/admin/system/health/',
  '/admin/settings/tokens': () => '/admin/system/tokens/',
  '/admin/audit': list('/admin/system/audit/'),
  '/admin/settings/system': () => '/admin/system/settings/',
  '/admin/settings/payment': () => '/admin/system/payments/',
  '/admin/radius/templates_json': () => templates,
  '/admin/dictionary/nas_templates_crud': () => templates,
  '/admin/dictionary/nas_templates_crud/:id': ({ params }) => templateScreen(params.id ?? ''),
  '/admin/payments/problems': list('/admin/money/not-credited/'),
  '/admin/payments/problems/:id': ({ params }) => `/admin/money/not-credited/${encodeURIComponent(params.id ?? '')}/`,
  '/admin/messages': list('/admin/messages/sent/'),
  '/admin/messages/mailing': () => '/admin/messages/mailings/',
  '/admin/messages/mailing/:id': ({ params }) => `/admin/messages/mailings/${encodeURIComponent(params.id ?? '')}/`,
  '/admin/messages/template': () => '/admin/messages/templates/',
  '/admin/webhooks/endpoints': () => '/admin/system/webhooks/',
  '/admin/webhooks/endpoints/:id': ({ params }) => `/admin/system/webhooks/${encodeURIComponent(params.id ?? '')}/`,
}

/** The same routes; those of the table know their screen. */
export const withScreens = (routes: readonly Route[]): Route[] =>
  routes.map((route) => {
    const screen = route.method === 'GET' ? screens[route.path] : undefined
    return screen ? { ...route, screen } : route
  })

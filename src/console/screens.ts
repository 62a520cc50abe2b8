import type { ComponentType } from 'react'
import { plainNames } from './screens/dictionaries/plain/names.ts'

type Loaded = { readonly default: ComponentType }

export type Screen = {
  /** Behind `/admin`; of a screen within another, behind that one. `$name` is a part that differs. */
  readonly path: string
  /** The file of the screen, which a browser asks for when somebody goes there. */
  readonly load: () => Promise<Loaded>
  /** Screens that are shown within this one, where it says `<Outlet />`: tabs, or a form beside a list. */
  readonly within?: readonly Screen[]
}

const plainList = () => import('./screens/dictionaries/plain/plain-list.tsx')
const plainForm = () => import('./screens/dictionaries/plain/plain-form.tsx')

/** Every screen of the console. The entries of the rail stand in frame/places.ts. */
export const screens: readonly Screen[] = [
  { path: '/', load: () => import('./screens/summary/summary.tsx') },
  {
    path: '/account',
    load: () => import('./screens/account/account.tsx'),
    within: [
      { path: '/new-password', load: () => import('./screens/account/password-form.tsx') },
      { path: '/application', load: () => import('./screens/account/application-form.tsx') },
      { path: '/no-application', load: () => import('./screens/account/removal-form.tsx') },
      { path: '/recovery-codes', load: () => import('./screens/account/codes-form.tsx') },
      { path: '/passkey', load: () => import('./screens/account/passkey-form.tsx') },
      { path: '/no-passkey/$id', load: () => import('./screens/account/removal-form.tsx') },
    ],
  },
  { path: '/subscribers', load: () => import('./screens/subscribers/subscribers.tsx') },
  { path: '/subscribers/new', load: () => import('./screens/new-subscriber/new-subscriber.tsx') },
  { path: '/subscribers/import', load: () => import('./screens/import/import.tsx') },
  { path: '/subscribers/import/runs/$id', load: () => import('./screens/runs/run.tsx') },
  { path: '/subscribers/runs/$id', load: () => import('./screens/runs/run.tsx') },
  {
    path: '/subscribers/$id',
    load: () => import('./screens/subscriber/subscriber.tsx'),
    within: [
      { path: '/', load: () => import('./screens/subscriber/first-tab.tsx') },
      { path: '/overview', load: () => import('./screens/subscriber/overview.tsx') },
      {
        path: '/connection',
        load: () => import('./screens/subscriber/connection.tsx'),
        within: [
          { path: '/login/new', load: () => import('./screens/subscriber/logins/login-form.tsx') },
          { path: '/login/$login', load: () => import('./screens/subscriber/logins/login-form.tsx') },
          { path: '/login/$login/password', load: () => import('./screens/subscriber/logins/password-form.tsx') },
          { path: '/login/$login/mac', load: () => import('./screens/subscriber/logins/mac-form.tsx') },
        ],
      },
      {
        path: '/money',
        load: () => import('./screens/subscriber/money.tsx'),
        within: [
          { path: '/payment', load: () => import('./screens/subscriber/payment-form.tsx') },
          { path: '/promise', load: () => import('./screens/subscriber/promise-form.tsx') },
          { path: '/reversal/$op', load: () => import('./screens/reversal/reversal-form.tsx') },
        ],
      },
      {
        path: '/services',
        load: () => import('./screens/subscriber/services/services.tsx'),
        within: [
          { path: '/tariff', load: () => import('./screens/subscriber/services/tariff-form.tsx') },
          { path: '/give', load: () => import('./screens/subscriber/services/service-form.tsx') },
          { path: '/take/$link', load: () => import('./screens/subscriber/services/taking-form.tsx') },
        ],
      },
      {
        path: '/tickets',
        load: () => import('./screens/subscriber/tickets/tickets.tsx'),
        within: [{ path: '/new', load: () => import('./screens/subscriber/tickets/ticket-form.tsx') }],
      },
      { path: '/tickets/$ticket', load: () => import('./screens/subscriber/tickets/ticket.tsx') },
      { path: '/messages', load: () => import('./screens/subscriber/messages/messages.tsx') },
      { path: '/documents', load: () => import('./screens/subscriber/documents/documents.tsx') },
      { path: '/log', load: () => import('./screens/subscriber/log.tsx') },
    ],
  },
  {
    path: '/network/pools',
    load: () => import('./screens/pools/pools.tsx'),
    within: [{ path: '/new', load: () => import('./screens/pools/pool-form.tsx') }],
  },
  {
    path: '/network/pools/$id',
    load: () => import('./screens/pools/pool.tsx'),
    within: [{ path: '/edit', load: () => import('./screens/pools/pool-form.tsx') }],
  },
  { path: '/network/now', load: () => import('./screens/now/now.tsx') },
  {
    path: '/network/log',
    load: () => import('./screens/network/sign-ins.tsx'),
    within: [{ path: '/take', load: () => import('./screens/network/take-login.tsx') }],
  },
  {
    path: '/network/log/unknown',
    load: () => import('./screens/network/unknown-logins.tsx'),
    within: [{ path: '/take', load: () => import('./screens/network/take-login.tsx') }],
  },
  {
    path: '/network/nas',
    load: () => import('./screens/network/nas-list.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/network/nas-form.tsx') },
      { path: '/$id', load: () => import('./screens/network/nas-card.tsx') },
      { path: '/$id/edit', load: () => import('./screens/network/nas-form.tsx') },
      { path: '/$id/test', load: () => import('./screens/network/nas-test.tsx') },
    ],
  },
  {
    path: '/network/templates',
    load: () => import('./screens/reply-templates/templates.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/reply-templates/template-form.tsx') },
      { path: '/$id', load: () => import('./screens/reply-templates/template-form.tsx') },
      { path: '/built-in/$type', load: () => import('./screens/reply-templates/built-in.tsx') },
    ],
  },
  {
    path: '/money/cash',
    load: () => import('./screens/cash/cash-desk.tsx'),
    within: [{ path: '/close', load: () => import('./screens/cash/closing-form.tsx') }],
  },
  { path: '/money/cash/shifts', load: () => import('./screens/cash/shifts.tsx') },
  { path: '/money/cash/shifts/$id', load: () => import('./screens/cash/shift.tsx') },
  { path: '/money/accounts', load: () => import('./screens/accounts/accounts.tsx') },
  {
    path: '/money/accounts/$id',
    load: () => import('./screens/accounts/account.tsx'),
    within: [
      { path: '/payment', load: () => import('./screens/accounts/payment-form.tsx') },
      { path: '/terms', load: () => import('./screens/accounts/terms-form.tsx') },
      { path: '/link', load: () => import('./screens/accounts/link-form.tsx') },
      { path: '/reversal/$op', load: () => import('./screens/reversal/reversal-form.tsx') },
    ],
  },
  {
    path: '/money/operations',
    load: () => import('./screens/operations/operations.tsx'),
    within: [
      { path: '/$op', load: () => import('./screens/operations/operation.tsx') },
      { path: '/reversal/$op', load: () => import('./screens/reversal/reversal-form.tsx') },
    ],
  },
  {
    path: '/money/payments',
    load: () => import('./screens/operations/pay-log.tsx'),
    within: [
      { path: '/$op', load: () => import('./screens/operations/operation.tsx') },
      { path: '/reversal/$op', load: () => import('./screens/reversal/reversal-form.tsx') },
    ],
  },
  { path: '/money/reports', load: () => import('./screens/reports/money.tsx') },
  { path: '/money/reports/debts', load: () => import('./screens/reports/debts.tsx') },
  { path: '/money/reports/subscribers', load: () => import('./screens/reports/subscribers.tsx') },
  { path: '/network/sessions', load: () => import('./screens/network/sessions.tsx') },
  { path: '/tickets', load: () => import('./screens/tickets/inbox.tsx') },
  {
    path: '/tickets/templates',
    load: () => import('./screens/tickets/templates.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/tickets/template-form.tsx') },
      { path: '/$id', load: () => import('./screens/tickets/template-form.tsx') },
    ],
  },
  { path: '/tickets/$ticket', load: () => import('./screens/tickets/ticket.tsx') },
  { path: '/network/coa', load: () => import('./screens/network/coa.tsx') },
  { path: '/network/homes', load: () => import('./screens/network/by-house.tsx') },
  { path: '/messages/sent', load: () => import('./screens/messages/message-log.tsx') },
  { path: '/messages/mailings', load: () => import('./screens/messages/mailings.tsx') },
  { path: '/messages/mailings/new', load: () => import('./screens/messages/new-mailing.tsx') },
  { path: '/messages/mailings/$id', load: () => import('./screens/messages/mailing.tsx') },
  {
    path: '/messages/templates',
    load: () => import('./screens/messages/templates.tsx'),
    within: [{ path: '/$name', load: () => import('./screens/messages/template-form.tsx') }],
  },
  {
    path: '/dictionaries/tariffs',
    load: () => import('./screens/dictionaries/tariffs.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/dictionaries/tariff-form.tsx') },
      { path: '/$id', load: () => import('./screens/dictionaries/tariff-form.tsx') },
    ],
  },
  {
    path: '/dictionaries/services',
    load: () => import('./screens/dictionaries/services.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/dictionaries/service-form.tsx') },
      { path: '/$id', load: () => import('./screens/dictionaries/service-form.tsx') },
    ],
  },
  {
    path: '/dictionaries/addresses',
    load: () => import('./screens/dictionaries/addresses.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/dictionaries/address-form.tsx') },
      { path: '/$id', load: () => import('./screens/dictionaries/address-form.tsx') },
    ],
  },
  {
    path: '/dictionaries/switches',
    load: () => import('./screens/dictionaries/switches.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/dictionaries/switch-form.tsx') },
      { path: '/$id', load: () => import('./screens/dictionaries/switch-ports.tsx') },
      { path: '/$id/edit', load: () => import('./screens/dictionaries/switch-form.tsx') },
    ],
  },
  {
    path: '/money/not-credited',
    load: () => import('./screens/not-credited/not-credited.tsx'),
    within: [{ path: '/$id', load: () => import('./screens/not-credited/problem.tsx') }],
  },
  { path: '/money/refunds', load: () => import('./screens/refund/refunds.tsx') },
  { path: '/money/ledger', load: () => import('./screens/ledger/ledger.tsx') },
  { path: '/system/settings', load: () => import('./screens/settings/settings.tsx') },
  { path: '/system/payments', load: () => import('./screens/settings/gateways.tsx') },
  {
    path: '/system/staff',
    load: () => import('./screens/staff/staff.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/staff/staff-form.tsx') },
      { path: '/$id', load: () => import('./screens/staff/staff-form.tsx') },
    ],
  },
  {
    path: '/system/staff/roles',
    load: () => import('./screens/staff/roles.tsx'),
    within: [
      { path: '/new', load: () => import('./screens/staff/role-form.tsx') },
      { path: '/$name', load: () => import('./screens/staff/role-form.tsx') },
    ],
  },
  { path: '/system/staff/sessions', load: () => import('./screens/staff/sessions.tsx') },
  {
    path: '/system/tokens',
    load: () => import('./screens/tokens/tokens.tsx'),
    within: [{ path: '/new', load: () => import('./screens/tokens/token-form.tsx') }],
  },
  {
    path: '/system/webhooks',
    load: () => import('./screens/webhooks/webhooks.tsx'),
    within: [{ path: '/new', load: () => import('./screens/webhooks/endpoint-form.tsx') }],
  },
  {
    path: '/system/webhooks/$id',
    load: () => import('./screens/webhooks/endpoint.tsx'),
    within: [
      { path: '/edit', load: () => import('./screens/webhooks/endpoint-form.tsx') },
      { path: '/$delivery', load: () => import('./screens/webhooks/delivery.tsx') },
    ],
  },
  { path: '/system/audit', load: () => import('./screens/audit/audit.tsx') },
  { path: '/system/sorm', load: () => import('./screens/sorm/sorm.tsx') },
  { path: '/money/receipts', load: () => import('./screens/receipts/receipts.tsx') },
  { path: '/system/api', load: () => import('./screens/api/api.tsx') },
  { path: '/system/health', load: () => import('./screens/health/health.tsx') },
  { path: '/system/nodes', load: () => import('./screens/nodes/nodes.tsx') },
  { path: '/system/jobs', load: () => import('./screens/jobs/jobs.tsx') },
  { path: '/system/jobs/$name', load: () => import('./screens/jobs/job.tsx') },
  ...plainNames.map((name) => ({
    path: `/dictionaries/${name}`,
    load: plainList,
    within: [
      { path: '/new', load: plainForm },
      { path: '/$id', load: plainForm },
    ],
  })),
]

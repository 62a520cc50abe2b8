import type { Table } from '../entity.ts'
import * as accounts from './accounts.ts'
import * as clients from './clients.ts'
import * as network from './network.ts'
import * as organizations from './organizations.ts'
import * as payments from './payments.ts'
import * as program from './program.ts'
import * as reports from './reports.ts'
import * as services from './services.ts'
import * as subscribers from './subscribers.ts'
import * as traffic from './traffic.ts'
import * as webhooks from './webhooks.ts'

const subjects = [
  accounts,
  clients,
  network,
  organizations,
  payments,
  program,
  reports,
  services,
  subscribers,
  traffic,
  webhooks,
]

/** Every table, for MikroORM. */
export const entities: readonly Table[] = subjects.flatMap((subject) => Object.values<unknown>(subject).filter(isTable))

/** The files also export lists of columns. */
function isTable(exported: unknown): exported is Table {
  return typeof exported === 'function' && 'table' in exported
}

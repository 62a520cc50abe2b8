/** Every command but the demo. What one does is loaded when it is asked for. */
export const commands = {
  serve: () => import('./serve.ts'),
  migrate: () => import('./migrate.ts'),
  create_staff: () => import('./create-staff.ts'),
  backfill_abonent_org: async () => ({ default: (await import('./backfill.ts')).backfillAbonentOrg }),
  backfill_finops_org: async () => ({ default: (await import('./backfill.ts')).backfillFinopsOrg }),
  import_subscribers: () => import('./import-subscribers.ts'),
  import_from: () => import('./import-from.ts'),
  shadow: () => import('./shadow.ts'),
  check_schema: () => import('./check-schema.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  upgrade_database: () => import('./upgrade-database.ts'),
  secret_key: () => import('./secret-key.ts'),
  doctor: () => import('./doctor.ts'),
  verify_ledger: () => import('./verify-ledger.ts'),
} as const

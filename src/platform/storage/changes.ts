import type { Database } from './database.ts'

/** Tables whose rows are held in memory somewhere; triggers notify of their changes (migration change_notices). */
export const watchedTables = [
  'abonents',
  'abonents_block',
  'users',
  'admin_accounts',
  'tarifs',
  'uslugas',
  'users_uslugas',
  'nas',
  'nas_templates',
  'ip_pulls',
  'system_settings',
  'staff',
  'client_sessions',
  'phone_sessions',
] as const

type WatchedTable = (typeof watchedTables)[number]

/**
 * Rows that others than the ledger wrote: abonents_block and users_uslugas by subscriber, staff with their
 * organizations and sessions, ended sessions of clients by login. `*`: any of them. `settled`: the writer has evaluated
 * the debt of their accounts, so they are to be read and not swept (importing/creation.ts).
 */
export type Change = { table: WatchedTable; ids: readonly number[] | '*'; settled?: boolean }

/**
 * Rows that this program has written without the ledger. `signsOut`: of users, whose clients must sign in again
 * everywhere.
 */
export type WrittenRows = { readonly table: string; readonly ids: readonly number[]; readonly signsOut?: boolean }

/**
 * Calls the handler for every change, and with `*` for every table when the database was away, since what happened
 * meanwhile was missed. Watch first, then load. The returned function ends the watch.
 */
export function watchChanges(database: Database, handler: (change: Change) => void): () => void {
  const ends = [
    database.onNotice((payload) => {
      const change = readChange(payload)
      if (change) handler(change)
    }),
    database.onUp(() => {
      for (const table of watchedTables) handler({ table, ids: '*' })
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Anybody may write to the channel, so a payload that is not a change is ignored. */
function readChange(payload: string): Change | null {
  try {
    const { table, ids, settled } = JSON.parse(payload) as Partial<Change>
    if (!watchedTables.some((known) => known === table)) return null
    if (ids === '*') return { table: table as WatchedTable, ids }
    const areIds = Array.isArray(ids) && ids.every((id) => Number.isSafeInteger(id))
    return areIds ? { table: table as WatchedTable, ids, ...(settled === true && { settled }) } : null
  } catch {
    return null
  }
}

/**
 * A row of the log: what one statement of another node has committed. After rows of a kind that nobody here knows,
 * which are of a newer release, everything is read anew.
 */
export type LoggedRow = LoggedCommits & {
  readonly kind: string
  /** What the other kinds are about; the truth about it is in the tables. */
  readonly ids: readonly number[]
  /** What the tables do not say; mostly null. */
  readonly note: unknown
}

/** Of the kind `accounts`: commits account by account. */
export type LoggedCommits = { readonly accounts: readonly number[]; readonly commits: readonly string[] }

/** Finds the rows of the log that have become visible since the reading before. */
export type LogReading = {
  /** What is committed from now on will be found. Resolves with the time, as `Reading.atMs`. */
  open(): Promise<number>
  /** At most so many rows, in the order of their ids. They are found again unless `keep` is called. */
  read(most: number): Promise<Reading>
  /** There is no reading after it. */
  close(): void
}

export type Reading = {
  readonly rows: readonly ReadRow[]
  /**
   * The server is not the one of the reading before, or was started anew since. It may never have had what was read
   * there, and may give numbers of transactions again.
   */
  readonly isElsewhere: boolean
  /** By the clock of the server, which goes on while the machine of this program is suspended. */
  readonly atMs: number
  readonly keep: () => void
}

/** `age_ms`: how long ago its transaction began. */
export type ReadRow = LoggedRow & { readonly age_ms: number }

/** SQL: `Reading.atMs`. */
export const atMsSql = '(extract(epoch FROM statement_timestamp()) * 1000)::float8'

/**
 * SQL: which life of which server answers. A crash of one backend restarts the others without the postmaster; that
 * resets the statistics.
 */
export const serverSql = `concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
  inet_server_addr(), inet_server_port())`

/** SQL: a row of the log as JSON. */
export const rowSql = `json_build_object('id', id, 'node', node, 'kind', kind, 'accounts', accounts, 'commits', commits, 'ids', ids,
  'note', note, 'age_ms', extract(epoch FROM statement_timestamp() - at) * 1000)`

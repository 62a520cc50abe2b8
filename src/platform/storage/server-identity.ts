/** Where a server stands in the history of a database. */
export type ServerIdentity = {
  /** Of the cluster, the same for all that were copied from one. */
  readonly system: string
  /** Grows when a standby is promoted. */
  readonly timeline: string
  /** How much of the log of the server there is. */
  readonly position: bigint
}

type Row = { readonly system: string; readonly timeline: string; readonly position: string }

/** On a standby: of what it has replayed. */
export const identityText = `SELECT system_identifier::text AS system,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END AS timeline,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END - '0/0')::text AS position
  FROM pg_control_system()`

export const identityOf = ({ system, timeline, position }: Row): ServerIdentity => ({
  system,
  timeline,
  position: BigInt(position),
})

/**
 * Whether what was committed before may be missing on the server of now: it is another one, a promoted standby,
 * or a copy from before.
 */
export const mayHaveLost = (before: ServerIdentity, now: ServerIdentity): boolean =>
  now.system !== before.system || now.timeline !== before.timeline || now.position < before.position

/** After so many milliseconds without a heartbeat the others count a node as gone and take over what it left. */
export const leaseMs = 5_000

/** SQL: the node of this row is alive, by the clock of the database. */
export const isAliveSql = `(stopped_at IS NULL AND heartbeat_at > clock_timestamp() - interval '${leaseMs} milliseconds')`

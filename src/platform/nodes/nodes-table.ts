/** After so many milliseconds without a heartbeat the others count a node as gone and take over what it left. */
export const leaseMs = 5_000

/** SQL: the node of this row is alive, by the clock of the database. */
export const isAliveSql = `(stopped_at IS NULL AND heartbeat_at > clock_timestamp() - interval '${leaseMs} milliseconds')`

/** After so long without a heartbeat nothing that a node has said or promised counts any more. */
export const goneAfterMs = 15 * 60_000

/** SQL: the node of this row has not ended as far as is known, and may still answer requests of RADIUS. */
export const mayServeSql = `(stopped_at IS NULL AND heartbeat_at > clock_timestamp() - interval '${goneAfterMs} milliseconds')`

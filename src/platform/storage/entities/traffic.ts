import { bigint, boolean, bytes, id, int8, integer, moment, nodeOfConnection } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * How many octets logins have received and sent, and when (network/radius/traffic; decision 023). A block is of 32
 * logins, and a row has what one writing found out about a block: `part` tells such rows apart. Days are numbered from
 * 1970, in the setting's time zone. The tables of a kind take turns, so that old rows go by emptying a table.
 */
const series = <const Name extends string>(table: Name) =>
  entity(table, {
    columns: {
      block: integer().primary(),
      day: integer().primary(),
      part: int8().primary(),
      octets: bytes(),
    },
  })

/** As sessions reported them: by `day % 5`. */
export const TrafficSteps0 = series('traffic_steps_0')
export const TrafficSteps1 = series('traffic_steps_1')
export const TrafficSteps2 = series('traffic_steps_2')
export const TrafficSteps3 = series('traffic_steps_3')
export const TrafficSteps4 = series('traffic_steps_4')

/** By hour; by the number of the month, counted from 1970, `% 4`. */
export const TrafficHours0 = series('traffic_hours_0')
export const TrafficHours1 = series('traffic_hours_1')
export const TrafficHours2 = series('traffic_hours_2')
export const TrafficHours3 = series('traffic_hours_3')

/** By day; by `year % 5`. */
export const TrafficDays0 = series('traffic_days_0')
export const TrafficDays1 = series('traffic_days_1')
export const TrafficDays2 = series('traffic_days_2')
export const TrafficDays3 = series('traffic_days_3')
export const TrafficDays4 = series('traffic_days_4')

/** How far the live sessions of a block have been counted; written together with what was counted. */
export const TrafficMark = entity('traffic_marks', {
  columns: {
    block: integer().primary(),
    /** Sessions with this id or a later one, and without a mark, have not been counted at all. */
    next_id: int8(),
    sessions: bytes(),
  },
})

/**
 * How far a session had been counted that has grown after its end, or without being known in memory, until that growth
 * is counted too.
 */
export const TrafficLate = entity('traffic_late', {
  columns: {
    id: id(),
    session_id: int8(),
    user_id: int8(),
    input: bigint(),
    output: bigint(),
    at: moment(),
    /** Whose counting begins here, because it hears of the session from now on, or with `is_end` ends here. */
    node: nodeOfConnection().nullable(),
    is_end: boolean().default(false),
    /** What was before has been counted by another node. */
    is_taken: boolean().default(false),
  },
  indexes: { traffic_late_session: '(session_id)' },
})

/** The same as traffic_marks where there are several nodes: each has marks of the sessions that it hears of. */
export const TrafficNodeMark = entity('traffic_node_marks', {
  columns: {
    node: integer().primary(),
    block: integer().primary(),
    next_id: int8(),
    sessions: bytes(),
  },
})

/** As traffic_state, of each node. */
export const TrafficNode = entity('traffic_nodes', {
  columns: {
    node: integer().primary(),
    scanned_from: int8(),
  },
})

/** One row. */
export const TrafficState = entity('traffic_state', {
  columns: {
    id: integer().primary(),
    /** Every ended session with an earlier id has been counted, but for those with a mark. */
    scanned_from: int8(),
    /** The first day that is still in steps; null before the first start. */
    open_day: integer().nullable(),
    /** Blocks of that day before this one are in hours and days by now. */
    closing_block: integer().default(0),
    /** The first day that nodes still write steps of; null: none has been closed since there are nodes. */
    writable_from: integer().nullable(),
  },
})

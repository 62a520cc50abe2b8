import type { Column } from '../../../platform/storage/binary-arrays.ts'
import type { SessionChange } from './session-changes.ts'
import type { LoginOwner } from './stored-change.ts'

/** A change with the id that its row has, or gets if it becomes a new row. */
export type IdentifiedChange = { id: number; readonly change: SessionChange }

/** A change that the database judges, with what memory knows. */
export type JudgedChange = IdentifiedChange & {
  /** The login that a new session would belong to. */
  readonly ownerId: number | null
  /** The live session of that name. */
  readonly liveId: number | null
  /** Whether the change comes from the spool. */
  readonly isDrained: boolean
  /** What is the present to it (accounting-commit.ts); milliseconds since 1970. */
  readonly nowMs: number
}

/** The first change of a new session whose login is known. */
export type BegunChange = IdentifiedChange & { readonly owner: LoginOwner }

type SessionColumn<Row> = Column<Row> & {
  /** The type in the table where it is another than that of the parameter. */
  readonly cast?: string
}

export type SessionColumns<Row> = Readonly<Record<string, SessionColumn<Row>>>

/** The name of a session, which sessions of several NAS behind one proxy may share. */
export const nameColumns = {
  nas_id: { type: 'int8', of: ({ change }) => change.nasId },
  acct_session_id: { type: 'text', of: ({ change }) => change.acctSessionId },
  login: { type: 'text', of: ({ change }) => change.login },
} as const satisfies SessionColumns<IdentifiedChange>

/** What its packets say of their NAS; with the columns above this identifies a session. */
export const identityColumns = {
  nas_ip_address: { type: 'text', of: ({ change }) => change.nasIdentity.ipAddress },
  nas_ipv6_address: { type: 'text', of: ({ change }) => change.nasIdentity.ipv6Address },
  nas_identifier: { type: 'text', of: ({ change }) => change.nasIdentity.identifier },
} as const satisfies SessionColumns<IdentifiedChange>

/** Where its packets come from. */
export const sourceColumns = {
  nas_ip: { type: 'text', cast: 'inet', of: ({ change }) => change.nasIp },
} as const satisfies SessionColumns<IdentifiedChange>

/** The counters of a session, which only grow: of two values the greater one is kept. */
export const counterColumns = {
  session_time: { type: 'int8', of: ({ change }) => change.sessionTime },
  input_octets: { type: 'int8', of: ({ change }) => change.inputOctets },
  output_octets: { type: 'int8', of: ({ change }) => change.outputOctets },
  input_packets: { type: 'int8', of: ({ change }) => change.inputPackets },
  output_packets: { type: 'int8', of: ({ change }) => change.outputPackets },
} as const satisfies SessionColumns<IdentifiedChange>

/** What a packet may say about a session; the last value is kept. */
export const detailColumns = {
  framed_ip: { type: 'text', cast: 'inet', of: ({ change }) => change.ip },
  offered_ip: { type: 'text', cast: 'inet', of: ({ change }) => change.offeredIp ?? null },
  ipv6_prefix: { type: 'text', cast: 'cidr', of: ({ change }) => change.ipv6Prefix },
  delegated_ipv6_prefix: { type: 'text', cast: 'cidr', of: ({ change }) => change.delegatedIpv6Prefix },
  mac: { type: 'text', of: ({ change }) => change.mac },
  calling_station_id: { type: 'text', of: ({ change }) => change.callingStationId },
  called_station_id: { type: 'text', of: ({ change }) => change.calledStationId },
  nas_port: { type: 'int8', of: ({ change }) => change.nasPort },
  nas_port_id: { type: 'text', of: ({ change }) => change.nasPortId },
  class: { type: 'text', of: ({ change }) => change.className },
  terminate_cause: { type: 'text', of: ({ change }) => change.terminateCause },
} as const satisfies SessionColumns<IdentifiedChange>

/** Each column as an SQL expression. `of` gets its name, and its cast (`::inet`) or an empty text. */
export const expressionsOf = <Row>(
  columns: SessionColumns<Row>,
  of: (name: string, cast: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(columns).map(([name, { cast }]) => [name, of(name, cast ? `::${cast}` : '')]))

import { insertInto } from '../../../platform/storage/sql.ts'
import { isSameNasSql, mayBeSameNasSql } from './nas-identity.ts'
import { futureOfSql } from './session-terms.ts'

/**
 * The table of the last Accounting-On or -Off of each NAS. A record that happened before it and is stored after it,
 * from the spool of another node or from a socket that was read late, is about a session that has ended by then.
 */

/** Whether it takes the session with it: `isOne` is RebootScope.isOneNas, and both rows name their NAS. */
export const endsWithSql = (isOne: string, session: string, reboot: string): string =>
  `CASE WHEN ${isOne} THEN ${mayBeSameNasSql(session, reboot)} ELSE ${isSameNasSql(session, reboot)} END`

/** Whether some NAS of the record has started anew since, which is to be looked at closely then. */
export const mayBeBeforeRebootSql = (nasId: string, at: string): string =>
  `EXISTS (SELECT FROM nas_reboots r WHERE r.nas_id = ${nasId} AND r.at > ${at})`

/** `row` as the statement of judged changes has it, `source` where it comes from. One of the future says nothing. */
export const rebootedSinceSql = (row: string, source: string): string => `
  SELECT max(r.at) AS at FROM nas_reboots r
  WHERE r.nas_id = ${row}.nas_id AND r.at > ${row}.happened_at AND r.at <= ${futureOfSql(row, 'r')}
    AND ${endsWithSql('r.is_one_nas', row, 'r')} AND (r.nas_ip IS NULL OR ${source} = r.nas_ip)`

/**
 * Keeps a reboot, unless a later one is known. A later one of the future is of a clock that has been set back since.
 */
export const keepRebootSql = (values: {
  readonly nas_id: string
  readonly nas_ip_address: string
  readonly nas_ipv6_address: string
  readonly nas_identifier: string
  readonly is_one_nas: string
  readonly nas_ip: string
  readonly at: string
  readonly futureFrom: string
  readonly where: string
}): string => {
  const { futureFrom, where, ...columns } = values
  const isLast = `nas_reboots.at > ${futureFrom} OR excluded.at >= nas_reboots.at`
  return `${insertInto('nas_reboots', columns)} ${where}
    ON CONFLICT (nas_id, coalesce(nas_ip_address, nas_ipv6_address, nas_identifier, ''), coalesce(nas_ip, '0.0.0.0')) DO UPDATE SET
      at = CASE WHEN ${isLast} THEN excluded.at ELSE nas_reboots.at END,
      node = CASE WHEN ${isLast} THEN excluded.node ELSE nas_reboots.node END,
      nas_ip_address = excluded.nas_ip_address, nas_ipv6_address = excluded.nas_ipv6_address,
      nas_identifier = excluded.nas_identifier, is_one_nas = excluded.is_one_nas`
}

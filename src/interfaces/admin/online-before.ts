import { dayMs } from '../../domain/calendar.ts'
import { countBegunBy } from '../../network/radius/accounting/session-search.ts'
import type { SessionTable } from '../../network/radius/accounting/session-table.ts'
import type { Clock } from '../../platform/actors/clock.ts'
import type { VisibleOrganizations } from '../../platform/staff/visible-organizations.ts'
import { patientFor, reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import { Remembered } from './remembered.ts'

type Parts = TransactionScope & { readonly clock: Clock; readonly sessions: SessionTable }

type Counts = ReadonlyMap<number | null, number>

/** How far the moment that is asked about may lie before the day: what is counted of one moment holds for so long. */
const stepMs = 10 * 60_000

/** A day of a million sessions is counted. */
const patientMs = 8_000
const patient = patientFor(patientMs)

/**
 * How many sessions were live a day ago. Those that are live now are in memory; those that have ended since are read
 * from the tables. Both are counted by organization, once for all who ask, whatever organizations they see.
 */
export class OnlineBefore {
  readonly #clock: Clock
  readonly #counts: Remembered<Counts>

  constructor({ clock, sessions, ...scope }: Parts) {
    this.#clock = clock
    this.#counts = new Remembered(clock, (moment) => countLive(scope, sessions, new Date(moment)), stepMs)
  }

  /** At the last whole ten minutes of then. */
  async aDayAgo(visible: VisibleOrganizations): Promise<number> {
    const ms = Math.floor((this.#clock.now().getTime() - dayMs) / stepMs) * stepMs
    const counts = await this.#counts.get(new Date(ms).toISOString())
    const isSeen = (organization: number | null) =>
      visible === null || (organization !== null && visible.some((id) => id === organization))
    return [...counts].reduce((sum, [organization, count]) => (isSeen(organization) ? sum + count : sum), 0)
  }
}

async function countLive(scope: TransactionScope, sessions: SessionTable, moment: Date): Promise<Counts> {
  const counts = await countBegunBy(sessions, moment.getTime())
  await reading(
    scope,
    async (client) => {
      const query = patient({ text: endedSinceSql, values: [moment] })
      const { rows } = await client.query<{ organization: number | null; count: number }>(query)
      for (const { organization, count } of rows) counts.set(organization, (counts.get(organization) ?? 0) + count)
    },
    patientMs,
  )
  return counts
}

/** A session that goes on after a presumed end is still among the ended ones; it is counted with the live ones. */
const endedSinceSql = `SELECT session.organization_id::float8 AS organization, count(*)::int4 AS count
  FROM radius_ended_sessions AS known JOIN radius_sessions AS session ON session.id = known.session_id
  WHERE known.ended_at > $1::timestamptz AND session.started_at <= $1::timestamptz AND session.ended_at IS NOT NULL
  GROUP BY session.organization_id`

import type { Account } from '../domain/account.ts'
import type { Session } from '../domain/events.ts'
import type { OrganizationId, SubscriberId } from '../domain/ids.ts'
import type { StaffUser } from '../domain/staff-user.ts'
import { type FrameFields, sees, sessionFields, type Topic, type VisibleOrganizations } from './frames.ts'
import type { Recent } from './recent.ts'
import { accessFields, accountFields, subscriberOf } from './topics.ts'

/** The sources of snapshots. */
export type SnapshotSources = {
  /** Sessions that are open now. */
  sessions: { all(): Iterable<Session>; ofSubscriber(id: SubscriberId): Iterable<Session> }
  /**
   * The account of a subscriber; null when there is no such subscriber. May reject while the database is unavailable.
   */
  readonly accountOf: (id: SubscriberId) => Promise<Account | null>
  /** Subscribers by block, of some organizations or of all (null). */
  readonly blockCounts: (organizations: readonly OrganizationId[] | null) => Promise<BlockCounts>
  /** Tickets that are not closed, as far as the staff user sees them. */
  readonly ticketCounts: (staff: StaffUser) => Promise<TicketCounts>
}

type BlockCounts = { b_negbal: number; b_admin: number; b_own: number; b_sys: number; blocked: number }
type TicketCounts = { readonly open: number; readonly mine: number; readonly unread: number }

/** Who looks at a topic, and what they may see. */
export type Viewer = {
  readonly staff: StaffUser
  readonly visible: VisibleOrganizations
  /** How many sessions are listed; how many there are is told in any case. */
  readonly sessionsShown: number
}

/** What `live` itself remembers. */
export type SnapshotMemory = { recent: Recent; rates: FrameFields; system: FrameFields }

/** Whether the snapshot of a topic may have to wait for the database. */
export const isFromDatabase = (topic: Topic): boolean =>
  topic === 'blocks' || topic === 'tickets' || subscriberOf(topic) !== null

/**
 * The state behind a topic as far as the viewer may see it; null when it does not exist or the viewer may not see it.
 */
export function readSnapshot(
  topic: Topic,
  viewer: Viewer,
  sources: SnapshotSources,
  { recent, rates, system }: SnapshotMemory,
): FrameFields | Promise<FrameFields | null> {
  const { staff, visible, sessionsShown } = viewer
  switch (topic) {
    case 'sessions':
      return newestSessions(sources.sessions.all(), sessionsShown, ({ organizationId }) =>
        sees(visible, organizationId),
      )
    case 'blocks':
      return readBlocks(visible, sources, recent)
    case 'finance':
      return { recent: recent.shown('payment.credited', visible) }
    case 'radius':
      return { rates, rejected: recent.shown('access.rejected', visible), coa: recent.shown('coa.answered', visible) }
    case 'tickets':
      return sources.ticketCounts(staff).then((counts) => ({ counts }))
    case 'system':
      return system
    default:
      return readAbonent(subscriberOf(topic)!, viewer, sources)
  }
}

async function readBlocks(
  visible: VisibleOrganizations,
  { blockCounts }: SnapshotSources,
  recent: Recent,
): Promise<FrameFields> {
  // Counts are a convenience, so the snapshot is sent without them when the database is unavailable.
  const counts = await blockCounts(visible && [...visible]).catch(() => null)
  return { counts, recent: recent.shown('block.changed', visible) }
}

async function readAbonent(
  id: SubscriberId,
  { visible, sessionsShown }: Viewer,
  sources: SnapshotSources,
): Promise<FrameFields | null> {
  const account = await sources.accountOf(id)
  const subscriber = account?.subscribers.find((one) => one.id === id)
  if (!account || !subscriber || !sees(visible, subscriber.organizationId)) return null
  return {
    abonent_id: id,
    organization_id: subscriber.organizationId,
    account: accountFields(account),
    block: accessFields(subscriber),
    promise: { active: subscriber.promise !== null, promise_date_end: subscriber.promise?.until ?? null },
    ...newestSessions(sources.sessions.ofSubscriber(id), sessionsShown, () => true),
  }
}

/** One pass that never sorts more than twice what it shows: there may be a hundred thousand sessions. */
function newestSessions(all: Iterable<Session>, shown: number, isShown: (session: Session) => boolean): FrameFields {
  const newestFirst = (a: Session, b: Session) => b.startedAt.getTime() - a.startedAt.getTime()
  let newest: Session[] = []
  let total = 0
  for (const session of all) {
    if (session.endedAt || !isShown(session)) continue
    total++
    if (shown === 0) continue
    newest.push(session)
    if (newest.length >= shown * 2) newest = newest.sort(newestFirst).slice(0, shown)
  }
  return { total, sessions: newest.sort(newestFirst).slice(0, shown).map(sessionFields) }
}

import type { PoolClient } from 'pg'
import type { Account, Login, Subscriber } from '../../../../domain/account.ts'
import { dayMs } from '../../../../domain/calendar.ts'
import type { NasEntry } from '../../../../domain/nas.ts'
import type { SubscriberStatus } from '../../../../billing/accounts/subscribers.ts'
import type { LoginStanding } from '../../../../network/radius/access-preview.ts'
import type { ForeignCounters } from '../../../../network/radius/accounting/foreign-counters.ts'
import type { LiveSession } from '../../../../network/radius/accounting/live-session.ts'
import type { AuthRow } from '../../../../network/radius/auth-log/auth-row.ts'
import { errorCauses } from '../../../../network/radius/wire/attribute-types.ts'
import { toIdOrNull } from '../../../../platform/storage/int8.ts'
import { isNearLogin } from './near.ts'

/** One answer of RADIUS, of the log of sign-ins. */
export type Answered = {
  readonly at: Date
  readonly accepted: boolean
  readonly reason: string | null
  readonly login: string | null
  readonly mac: string | null
  readonly nasId: number | null
  readonly count: number
}

type EndedSession = { readonly at: Date; readonly nasId: number; readonly reason: string | null }

/** The last Disconnect or change of speed. */
type LastCoa = {
  readonly at: Date
  readonly nasId: number
  readonly request: 'disconnect' | 'coa'
  readonly result: 'ack' | 'nak' | 'no_answer' | null
  readonly errorCause: number | null
}

type BlockedBy = { readonly at: Date; readonly by: string | null }

/** How a NAS is doing (network/radius/health). */
export type NasReport = {
  readonly nas: Pick<NasEntry, 'id' | 'name' | 'enabled'>
  readonly state: 'ok' | 'silent' | 'never' | 'wrong_secret'
  readonly lastPacketAt: Date | null
}

/** An address that asked and got no answer, because no enabled record has it. */
type UnknownSource = { readonly address: string; readonly lastAtMs: number }

/** What is known about why a subscriber is online or not. */
export type Facts = {
  readonly now: Date
  readonly zone: string
  readonly account: Account
  readonly subscriber: Subscriber
  /** The login that is looked at: the one that is online, else the one that was heard of last. */
  readonly login: Login | null
  readonly standing: LoginStanding | null
  readonly session: LiveSession | null
  readonly ended: EndedSession | null
  readonly answered: Answered | null
  /** When the password of the login was set last. */
  readonly passwordSetAt: Date | null
  /** An unknown login that is spelled much like one of his, or came from one of his MAC addresses. */
  readonly near: Answered | null
  readonly blocked: BlockedBy | null
  readonly coa: LastCoa | null
  /** Every NAS that has a record. */
  readonly nas: readonly NasReport[]
  /** Addresses that asked within the last hour and that no enabled record has. */
  readonly unknownSources: readonly UnknownSource[]
}

export type FactSources = {
  readonly preview: { standingOf(login: string, now: Date): LoginStanding | null }
  readonly sessions: { ofSubscriber(id: number): LiveSession[] }
  readonly foreignCounters: Pick<ForeignCounters, 'of'>
  readonly authLog: { ofSubscriber(id: number): AuthRow[] }
  readonly nasHealth: { report(): readonly NasReport[]; unknown(): readonly UnknownSource[] }
}

/** `seesAll`: logins that are nobody's may be shown also where only their MAC address is his. */
export async function readFacts(
  client: PoolClient,
  sources: FactSources,
  { account, subscriber }: SubscriberStatus,
  { now, zone, seesAll }: { readonly now: Date; readonly zone: string; readonly seesAll: boolean },
): Promise<Facts> {
  const { preview, nasHealth, foreignCounters } = sources
  // When another node hears of a session, its row alone tells of the last report.
  const sessions = await foreignCounters.of(sources.sessions.ofSubscriber(subscriber.id))
  const [session = null] = [...sessions].sort((a, b) => +b.startedAt - +a.startedAt)
  const answered = await lastAnswer(client, sources.authLog.ofSubscriber(subscriber.id), subscriber.id, now)
  const ended = await lastEnded(client, subscriber.id)
  const login = loginOf(subscriber, session?.userLogin ?? null, answered?.login ?? null)
  return {
    now,
    zone,
    account,
    subscriber,
    login,
    standing: login && preview.standingOf(login.name, now),
    session,
    ended,
    answered,
    passwordSetAt: await passwordSetAt(client, login),
    near: await nearLogin(client, subscriber, nearSince(now, answered), seesAll),
    blocked: await blockedBy(client, subscriber.id),
    coa: await lastCoa(client, subscriber.id),
    nas: nasHealth.report(),
    unknownSources: nasHealth.unknown(),
  }
}

function loginOf({ logins }: Subscriber, online: string | null, asked: string | null): Login | null {
  const named = (name: string | null) => logins.find((login) => login.name === name)
  return named(online) ?? named(asked) ?? logins.find(({ disabledByHand }) => !disabledByHand) ?? logins[0] ?? null
}

/** What was answered longer ago says nothing about now. */
const answersMs = 7 * dayMs
const nearMs = dayMs
/** So many unknown logins are looked through, the latest ones. */
const unknownMax = 500

type AnsweredRow = {
  readonly at: Date
  readonly accepted: boolean
  readonly reason: string | null
  readonly login: string | null
  readonly mac: string | null
  readonly nas_id: string | null
  readonly count: number
}
const answeredColumns = 'at, accepted, reason, login, mac, nas_id, count'

const answeredOf = ({ nas_id: nasId, ...row }: AnsweredRow): Answered => ({ ...row, nasId: toIdOrNull(nasId) })

async function lastAnswer(
  client: PoolClient,
  counted: readonly AuthRow[],
  subscriber: number,
  now: Date,
): Promise<Answered | null> {
  const { rows } = await client.query<AnsweredRow>(
    `SELECT ${answeredColumns} FROM radius_auth_log WHERE abonent_id = $1 AND at > $2 ORDER BY at DESC, id DESC LIMIT 1`,
    [subscriber, new Date(+now - answersMs)],
  )
  const all = [...rows.map(answeredOf), ...counted.map(({ atMs, ...row }) => ({ ...row, at: new Date(atMs) }))]
  return all.sort((a, b) => +b.at - +a.at)[0] ?? null
}

/** What came before the last answer to one of his own logins explains nothing. */
const nearSince = (now: Date, answered: Answered | null): Date =>
  new Date(Math.max(+now - nearMs, +(answered?.at ?? 0)))

async function nearLogin(
  client: PoolClient,
  { id, logins }: Subscriber,
  since: Date,
  seesAll: boolean,
): Promise<Answered | null> {
  const { rows: own } = await client.query<{ mac: string }>(
    `SELECT mac::text FROM users WHERE abonent_id = $1 AND mac IS NOT NULL
      UNION SELECT mac FROM (SELECT mac FROM radius_sessions WHERE abonent_id = $1 ORDER BY started_at DESC LIMIT 3) AS held
      WHERE mac IS NOT NULL`,
    [id],
  )
  const { rows } = await client.query<AnsweredRow>(
    `(SELECT ${answeredColumns} FROM radius_auth_log WHERE reason = 'unknown_login' AND login IS NOT NULL AND at > $1
        ORDER BY at DESC LIMIT ${unknownMax})
      UNION ALL
      (SELECT ${answeredColumns} FROM radius_auth_log WHERE mac = ANY($2::text[]) AND abonent_id IS NULL AND NOT accepted AND at > $1
        ORDER BY at DESC LIMIT 1)`,
    [since, own.map(({ mac }) => mac)],
  )
  const macs = new Set(own.map(({ mac }) => mac))
  const isNear = ({ login, mac }: AnsweredRow): boolean =>
    login !== null &&
    (logins.some(({ name }) => isNearLogin(login, name)) || (seesAll && mac !== null && macs.has(mac)))
  const near = rows.filter(isNear).sort((a, b) => +b.at - +a.at)[0]
  return near ? answeredOf(near) : null
}

async function lastEnded(client: PoolClient, subscriber: number): Promise<EndedSession | null> {
  const { rows } = await client.query<{ at: Date; nas_id: string; end_reason: string | null }>(
    `SELECT ended_at AS at, nas_id, end_reason FROM (SELECT ended_at, nas_id, end_reason FROM radius_sessions
        WHERE abonent_id = $1 ORDER BY started_at DESC LIMIT 20) AS latest
      WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1`,
    [subscriber],
  )
  const [row] = rows
  return row ? { at: row.at, nasId: Number(row.nas_id), reason: row.end_reason } : null
}

async function blockedBy(client: PoolClient, subscriber: number): Promise<BlockedBy | null> {
  const { rows } = await client.query<BlockedBy>(
    `SELECT at, nullif(user_name, '') AS by FROM audit_operations
      WHERE table_name = 'ABONENTS_BLOCK' AND object_id = $1 AND action = 'block' ORDER BY at DESC LIMIT 1`,
    [String(subscriber)],
  )
  return rows[0] ?? null
}

/** Of one order only one NAS holds the session: all others say that they have none, which is told only of all. */
async function lastCoa(client: PoolClient, subscriber: number): Promise<LastCoa | null> {
  const { rows } = await client.query<Omit<LastCoa, 'nasId' | 'errorCause'> & { nas_id: string; error_cause: number }>(
    `SELECT sent_at AS at, nas_id, request, result, error_cause FROM (
        SELECT * FROM coa_requests WHERE subscriber_id = $1 ORDER BY id DESC LIMIT 50) AS latest
      ORDER BY (SELECT max(sent_at) FROM coa_requests AS same WHERE same.outbox_id = latest.outbox_id) DESC NULLS LAST,
        CASE WHEN result = 'ack' THEN 0 WHEN result = 'nak' AND error_cause = ${errorCauses.sessionContextNotFound} THEN 2 ELSE 1 END,
        id DESC LIMIT 1`,
    [subscriber],
  )
  const [row] = rows
  if (!row) return null
  const { nas_id: nasId, error_cause: errorCause, ...rest } = row
  return { ...rest, nasId: Number(nasId), errorCause }
}

async function passwordSetAt(client: PoolClient, login: Login | null): Promise<Date | null> {
  const { rows } = await client.query<{ at: Date }>(
    `SELECT at FROM audit_operations WHERE table_name = 'USERS' AND object_id = $1 AND diff ? 'password'
      ORDER BY at DESC LIMIT 1`,
    [String(login?.id ?? 0)],
  )
  return rows[0]?.at ?? null
}

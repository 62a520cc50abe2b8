import type { Pool } from 'pg'
import { dayOf, firstDay, monthOf, startOfDay } from '../../domain/calendar.ts'
import { copyIn } from '../../platform/storage/copy-in.ts'
import type { TrafficCounter } from '../../network/radius/traffic/traffic-counter.ts'
import type { Dice } from '../dice.ts'
import { ownAddress } from '../people.ts'
import { type DemoClient, type Provider, silentDays, silentNas } from '../provider.ts'
import { closedDays, historyDays, zone } from './past-commands.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** What a login received and sent between two reports of its session. */
type Span = {
  readonly loginId: number
  readonly fromMs: number
  readonly toMs: number
  readonly input: number
  readonly output: number
}

type Session = {
  readonly client: DemoClient
  readonly login: DemoClient['logins'][number]
  readonly nas: { readonly id: number; readonly ip: string }
  readonly ip: string
  readonly fromMs: number
  readonly toMs: number
  readonly cause: string
  readonly spans: readonly Span[]
}

/** Since when a login has been online, and what it has used by now, of those that are online. */
export type Online = ReadonlyMap<string, { readonly sinceMs: number; readonly input: number; readonly output: number }>

const causes = [
  'User-Request',
  'User-Request',
  'Lost-Carrier',
  'Lost-Carrier',
  'Idle-Timeout',
  'Session-Timeout',
  'NAS-Reboot',
]

/** Megabytes that a heavy client receives in an hour of the day: little at night, most in the evening. */
const usage = [
  500, 250, 120, 80, 60, 80, 150, 300, 450, 500, 520, 550, 600, 620, 650, 700, 800, 1_000, 1_400, 1_900, 2_300, 2_400,
  1_900, 1_000,
]

/** The demo's own sessions of the last quarter, which are over, and who is online by now. */
export function pastSessions(provider: Provider, now: Date, dice: Dice): { past: Session[]; online: Online } {
  const past: Session[] = []
  const online = new Map<string, { sinceMs: number; input: number; output: number }>()
  for (const client of provider.clients)
    for (const login of client.logins) {
      const until = endOf(client, now)
      const isOnline = until === now.getTime() && login.wrongPassword === null && dice.below(8) > 0
      const sinceMs = isOnline ? until - 5 * minute - dice.below(6 * 60) * minute : until
      past.push(...sessionsOf(client, login, provider, sinceMs - minute, now, dice))
      if (isOnline) online.set(login.login, { sinceMs, ...sumOf(spansOf(login, sinceMs, until, hour, dice)) })
    }
  past.sort((a, b) => a.fromMs - b.fromMs)
  return { past, online }
}

/** When the line was closed: of debtors with the charge of this month. */
function endOf({ person: { lot } }: DemoClient, now: Date): number {
  if (lot === 'debtor') return startOfDay(firstDay(monthOf(dayOf(now, zone))), zone).getTime()
  return now.getTime() - (closedDays[lot] ?? 0) * day
}

function* sessionsOf(
  client: DemoClient,
  login: DemoClient['logins'][number],
  provider: Provider,
  untilMs: number,
  now: Date,
  dice: Dice,
): Generator<Session> {
  const wasWest = client.person.house % 10 === 7
  let fromMs = Math.max(client.since.getTime() + hour, now.getTime() - historyDays * day + dice.below(day))
  while (fromMs < untilMs && login.wrongPassword === null) {
    const toMs = Math.min(untilMs, fromMs + (8 + dice.below(100)) * hour + dice.below(hour))
    const isWest = wasWest && toMs < now.getTime() - silentDays * day
    yield {
      client,
      login,
      nas: isWest ? { id: provider.silentNas, ip: silentNas.ip } : dice.pick(provider.nas),
      ip: login.address === 'own' ? ownAddress(client.person) : `10.64.${login.id >> 8}.${2 + (login.id % 250)}`,
      fromMs,
      toMs,
      cause: dice.pick(causes),
      spans: [...spansOf(login, fromMs, toMs, stepAt(now.getTime() - toMs), dice)],
    }
    fromMs = toMs + minute + dice.below(dice.below(6) === 0 ? 8 * hour : 10 * minute)
  }
}

/** Recent days are looked at in blocks of five minutes and by hour, older ones by day. */
const stepAt = (agoMs: number): number => (agoMs < 4 * day ? 30 * minute : agoMs < 14 * day ? 3 * hour : 8 * hour)

function* spansOf(
  login: DemoClient['logins'][number],
  fromMs: number,
  toMs: number,
  step: number,
  dice: Dice,
): Generator<Span> {
  for (let begin = fromMs; begin < toMs; ) {
    const end = Math.min(toMs, begin + step)
    // Moscow is three hours ahead of UTC all the year.
    const atHour = new Date((begin + end) / 2 + 3 * hour).getUTCHours()
    const megabytes = (usage[atHour]! * login.appetite * (20 + dice.below(160)) * (end - begin)) / hour / 4_000
    const output = Math.round(megabytes * 1e6)
    yield { loginId: login.id, fromMs: begin, toMs: end, input: Math.round(output / (6 + dice.below(12))), output }
    begin = end
  }
}

function sumOf(spans: Iterable<Span>): { input: number; output: number } {
  const sum = { input: 0, output: 0 }
  for (const { input, output } of spans) {
    sum.input += input
    sum.output += output
  }
  return sum
}

const columns = [
  'login',
  'user_id',
  'abonent_id',
  'organization_id',
  'nas_id',
  'nas_ip',
  'nas_ip_address',
  'acct_session_id',
  'framed_ip',
  'mac',
  'calling_station_id',
  'nas_port',
  'started_at',
  'updated_at',
  'session_time',
  'input_octets',
  'output_octets',
  'input_packets',
  'output_packets',
  'terminate_cause',
  'ended_at',
  'end_reason',
] as const

/** So that a busy machine is done before the pool's patience is over. */
const rowsAtOnce = 1_000

/** Sessions have no links to other tables, so they are written as a NAS reported them. */
export async function insertSessions(pool: Pool, sessions: readonly Session[]): Promise<void> {
  const rows = sessions.map(({ client, login, nas, ip, fromMs, toMs, cause, spans }, index) => {
    const { input, output } = sumOf(spans)
    return [
      login.login,
      login.id,
      client.subscriber,
      1,
      nas.id,
      nas.ip,
      nas.ip,
      (0x10_0000 + index).toString(16),
      ip,
      login.station.replaceAll('-', ':').toLowerCase(),
      login.station,
      1 + (login.id % 48),
      new Date(fromMs),
      new Date(toMs),
      Math.round((toMs - fromMs) / 1000),
      input,
      output,
      Math.round(input / 300),
      Math.round(output / 1_100),
      cause,
      new Date(toMs),
      cause,
    ]
  })
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await copyIn(pool, { table: 'radius_sessions', columns }, rows.slice(from, from + rowsAtOnce), 30_000)
}

/** Counts what the sessions reported, as the counter of traffic is told of every report. */
export function countTraffic(counter: Pick<TrafficCounter, 'count'>, sessions: readonly Session[]): void {
  for (const { spans } of sessions)
    for (const { loginId, fromMs, toMs, input, output } of spans)
      counter.count(loginId, fromMs, toMs, BigInt(input), BigInt(output))
}

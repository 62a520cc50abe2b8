import type { Pool } from 'pg'
import Type, { type Static } from 'typebox'
import { readDate } from '../../../domain/iso-dates.ts'
import {
  beginsOf,
  keptSince,
  pointsMax,
  readUsage,
  type UsageStep,
  usageSteps,
} from '../../../network/radius/traffic/usage.ts'
import { LocalDays } from '../../../network/radius/traffic/local-days.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { choice, id, moment, someText } from '../../../platform/http/fields.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import { visibleSql } from '../../../platform/staff/visible-organizations.ts'
import { notFoundReply, visibleTo } from '../../../platform/staff/visible-records.ts'
import { isRefused, type Refused, readQuery, refused, trimmed } from '../body.ts'
import { answers, get } from '../doors.ts'

export type UsageParts = {
  readonly database: { readonly pool: Pool }
  readonly timeZone: () => string
  readonly clock: { now(): Date }
}

/** How much a login or all logins of a subscriber received and sent, by time (contract section 8). */
export const usageRoutes = (parts: UsageParts): Route[] => [
  get('/admin/radius/usage', doc, (call) => usage(parts, call)),
]

async function usage({ database: { pool }, timeZone, clock }: UsageParts, call: Call): Promise<Reply> {
  const read = readQuery(doc.query, trimmed(call.query))
  if (isRefused(read)) return read.refused
  const { abonent, login, from, to, step } = read.values
  if ((abonent === undefined) === (login === undefined))
    return refused(400, 'name_one', 'Name a subscriber (abonent) or a login, one of the two.')
  const loginIds = await findLogins(pool, abonent ?? login!, call)
  if (loginIds === null) return notFoundReply()
  if (loginIds.length > loginsMax)
    return refused(400, 'too_many_logins', `The subscriber has more than ${loginsMax} logins; ask for one login.`)
  const days = new LocalDays(timeZone())
  const period = await readPeriod(pool, { from, to, step }, days, clock.now())
  if (isRefused(period)) return period.refused
  const points = await readUsage(pool, { loginIds, step: period.step }, period.begins, days)
  const shown = points.map(({ at, input, output }) => ({
    at: new Date(at * 1000).toISOString(),
    in: octetsOf(input),
    out: octetsOf(output),
  }))
  return json({ ok: true, step: period.step, points: shown } satisfies { ok: true; step: UsageStep; points: Point[] })
}

/** Beyond 2^53 as decimal digits. */
const octetsOf = (octets: bigint): number | string =>
  octets <= Number.MAX_SAFE_INTEGER ? Number(octets) : String(octets)

/** A few kilobytes are read for each login and day. */
const loginsMax = 50

/** The logins of a subscriber, or the one of that name; null when there is none that the caller may see. */
async function findLogins(pool: Pool, sought: number | string, call: Call): Promise<number[] | null> {
  const isLogin = typeof sought === 'string'
  const text = `SELECT users.id FROM abonents LEFT JOIN users ON users.abonent_id = abonents.id
    WHERE ${isLogin ? 'users.login = $1' : 'abonents.id = $1::int8'} AND ${visibleSql('organization_id', '$2')}
    ORDER BY users.id LIMIT ${loginsMax + 1}`
  const { rows } = await pool.query<{ id: string | null }>(text, [sought, visibleTo(call)])
  return rows.length === 0 ? null : rows.flatMap((row) => (row.id === null ? [] : [Number(row.id)]))
}

type Sent = {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly step: UsageStep | undefined
}
type Period = { readonly step: UsageStep; readonly begins: readonly number[] }

const daySeconds = 86_400

async function readPeriod(pool: Pool, sent: Sent, days: LocalDays, now: Date): Promise<Period | Refused> {
  const refuse = (code: string, sentence: string) => ({ refused: refused(400, code, sentence) })
  const nowSeconds = Math.ceil(now.getTime() / 1000)
  const asked = await momentsOf(pool, sent, days)
  const to = Math.min(asked.to ?? nowSeconds, nowSeconds)
  const from = asked.from ?? to - daySeconds
  if (from >= to) return refuse('empty_period', 'from must be before to, and before now.')
  const step = sent.step ?? finestStep(from, to, days, now)
  const since = keptSince(step, days, now)
  if (from < since) {
    const begin = new Date(since * 1000).toISOString()
    return refuse('too_old', `Steps of ${words[step]} are kept since ${begin}; ask for longer steps or a later from.`)
  }
  const begins = beginsOf(step, from, to, days)
  return begins === null
    ? refuse('too_many_points', `These are more than ${pointsMax} steps; ask for longer steps or a shorter time.`)
    : { step, begins }
}

const words = { '5m': 'five minutes', hour: 'an hour', day: 'a day' } as const satisfies Record<UsageStep, string>

/** Two days of five minutes, or two months of hours, are some hundred points. */
function finestStep(from: number, to: number, days: LocalDays, now: Date): UsageStep {
  const isKept = (step: UsageStep) => from >= keptSince(step, days, now)
  if (to - from <= 2 * daySeconds && isKept('5m')) return '5m'
  return to - from <= 62 * daySeconds && isKept('hour') ? 'hour' : 'day'
}

/** In seconds since 1970. A day as `to` is included; what names no offset is in the setting's time zone. */
async function momentsOf(pool: Pool, { from, to }: Sent, days: LocalDays): Promise<{ from?: number; to?: number }> {
  const [fromDay, toDay] = [from && readDate(from), to && readDate(to)]
  const values = [from, to].map((text) => text ?? null)
  const secondsOf = (text: string | undefined, at: number) =>
    `extract(epoch FROM ${text && hasOffset(text) ? `$${at}::timestamptz` : `$${at}::timestamp AT TIME ZONE $3`})::float8`
  const { rows } = await pool.query<{ from: number | null; to: number | null }>(
    `SELECT ${secondsOf(from, 1)} AS "from", ${secondsOf(to, 2)} AS "to", $3::text AS zone`,
    [...values, days.zone],
  )
  const { from: fromSeconds, to: toSeconds } = rows[0]!
  return {
    ...(fromSeconds !== null && { from: fromDay ? days.startOf(days.dayAt(fromSeconds)) : Math.floor(fromSeconds) }),
    ...(toSeconds !== null && { to: toDay ? days.startOf(days.dayAt(toSeconds) + 1) : Math.ceil(toSeconds) }),
  }
}

const hasOffset = (moment: string): boolean => /(Z|[+-]\d{2}(:?\d{2})?)$/.test(moment.slice(10))

const octets = Type.Union([schemas.integer, Type.String({ pattern: '^\\d+$' })], {
  description: 'A string of digits beyond 2^53.',
})
const point = Type.Object({
  at: Type.With(schemas.moment, { description: 'When the step begins' }),
  in: Type.With(octets, { description: 'Acct-Input-Octets: what the client sent. A string of digits beyond 2^53.' }),
  out: Type.With(octets, {
    description: 'Acct-Output-Octets: what the client received. A string of digits beyond 2^53.',
  }),
})
type Point = Static<typeof point>

const doc = {
  tag: 'Network',
  summary: 'Traffic of a login, or of all logins of a subscriber, by time',
  description: `What sessions reported is spread evenly over the time since their last report, and is here some minutes after it. Every step of the time is answered, also those without traffic, at most ${pointsMax}. Steps of five minutes are kept for today and two days, hours for this month and two more, days for this year and three more. Hours and days begin in TIME_ZONE.`,
  query: {
    abonent: { doc: 'The subscriber; either this or `login`', schema: id },
    login: { doc: 'As the record spells it', schema: someText(253) },
    from: { doc: 'Without it, a day before `to`', schema: moment },
    to: { doc: 'A day is included; without it, now', schema: moment },
    step: { doc: 'Without it, the shortest that suits the time', schema: choice(usageSteps) },
  },
  answers: answers(
    'The steps in order',
    { step: Type.Enum([...usageSteps]), points: Type.Array(point) },
    {
      400: 'A parameter is wrong. `code` tells: name_one, too_many_logins, empty_period, too_old, too_many_points.',
      404: 'There is no such subscriber or login',
    },
  ),
} as const satisfies RouteDoc

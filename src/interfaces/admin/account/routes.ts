import { page } from '../../../platform/http/assets.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { readCookie } from '../../../platform/http/cookies.ts'
import { csrfCookie } from '../../../platform/http/csrf.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { readFields } from '../../../platform/http/form.ts'
import { redirect } from '../../../platform/http/reply.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import { localPath } from '../../../platform/staff/local-path.ts'
import type { SecondFactors } from '../../../platform/staff/second-factors.ts'
import { sessionCookies } from '../../../platform/staff/session-cookies.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import { recoveryCodesLeft } from '../../../platform/staff/recovery-codes.ts'
import { hasSecondFactor } from '../../../platform/staff/staff-table.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { retryAfter } from '../confirmation.ts'
import { filesBehind } from '../pages.ts'
import { accountDoors } from './doors.ts'
import { type FactorChange, renewCodes, setUpTotp, takeAway } from './factor.ts'
import { accountPage, type Note, type ShownFactor } from './page.ts'
import { passkeyRoutes } from './passkeys.ts'
import { changeOwnPassword, type PasswordChange, passwordFaultText } from './password.ts'

export type AccountParts = TransactionScope & {
  readonly secrets: Sealing
  readonly signIn: SignIn
  readonly factors: SecondFactors
}

const path = '/admin/account'

/** What staff users change of their own: every role may, and no API token. */
export const ownAccountRoutes = (parts: AccountParts): Route[] =>
  [
    page(
      path,
      bySession((call) => show(parts, call)),
    ),
    form('new_password', (call, fields) => takePassword(parts, call, fields)),
    form('totp_on', (call, { password = '', secret = '', code = '' }) =>
      takeFactor(parts, call, 'Второй фактор включён.', setUpTotp(parts, call, { password, secret, code }), secret),
    ),
    form('totp_off', (call, { password = '', code = '' }) => {
      const proof = code === '' ? null : ({ kind: 'code', code } as const)
      return takeFactor(parts, call, 'Приложение отключено.', takeAway(parts, call, 'totp', { password, proof }))
    }),
    form('recovery_codes', (call, { password = '' }) =>
      takeFactor(parts, call, 'Прежние коды восстановления больше не действуют.', renewCodes(parts, call, password)),
    ),
    ...accountDoors(parts),
    ...passkeyRoutes(parts),
    ...filesBehind(path, new URL('./', import.meta.url)),
  ].map((route) => ({ ...route, beforeSecondFactor: true }))

type Fields = Readonly<Record<string, string>>

/** A form of the page. */
const form = (name: string, take: (call: Call, fields: Fields) => Promise<Reply>): Route => ({
  method: 'POST',
  path: `${path}/${name}`,
  door: 'page',
  right: 'view',
  handler: bySession(async (call) => {
    const read = readFields(call)
    if (read.kind === 'refused') return refusal('page', read.status, read.detail)
    const texts = Object.entries(read.fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    return take(call, Object.fromEntries(texts))
  }),
})

const bySession = (handler: (call: Call) => Promise<Reply>) => async (call: Call) =>
  call.staff?.byToken
    ? refusal('page', 403, 'An API token cannot do this; sign in with name and password.')
    : handler(call)

type Shown = {
  readonly note?: Note
  readonly status?: number
  readonly headers?: NonNullable<Reply['headers']>
  readonly csrfToken?: string
  readonly codes?: readonly string[]
  /** The secret that was proposed before, so that a wrong code does not need another scan. */
  readonly secret?: string
}

async function show(parts: AccountParts, call: Call, shown: Shown = {}): Promise<Reply> {
  const { csrfToken = readCookie(call.header('cookie'), csrfCookie), codes, secret, ...more } = shown
  const next = call.query.get('next')
  return accountPage({
    username: call.staff!.username,
    csrfToken,
    factor: { ...(await factorOf(parts, call, secret)), codes },
    note: arrivalNote(call),
    next: next === null ? undefined : localPath(next),
    ...more,
  })
}

/** Why the sign-in or the gate led here. */
function arrivalNote({ query, method }: Call): Note | undefined {
  if (method !== 'GET') return undefined
  if (query.get('weak') === '1') return bad('Ваш пароль короткий или слишком известный. Смените его.')
  return query.get('enrol') === '1'
    ? bad('Ваша роль требует второго фактора. Включите его, чтобы продолжить.')
    : undefined
}

async function factorOf({ database, factors }: AccountParts, { staff }: Call, secret?: string): Promise<ShownFactor> {
  const { id, username, isSuperuser } = staff!
  const { rows } = await database.pool.query(
    `SELECT role, totp_secret IS NOT NULL AS has_totp, ${hasSecondFactor()} AS has_factor FROM staff WHERE id = $1`,
    [id],
  )
  const { role = '', has_totp: hasTotp = false, has_factor: has = false } = rows[0] ?? {}
  return {
    mode: factors.modeOf({ isSuperuser, role }),
    hasTotp,
    codesLeft: has ? await recoveryCodesLeft(database.pool, id) : null,
    proposed: factors.propose(username, secret),
  }
}

const bad = (text: string): Note => ({ kind: 'bad', text })

async function takePassword(parts: AccountParts, call: Call, fields: Fields): Promise<Reply> {
  const { password = '', new_password: wanted = '', repeated_password: repeated = '' } = fields
  const changed = await changeOwnPassword(parts, call, { password, wanted, repeated })
  if (changed.kind === 'refused') return refuse(parts, call, changed.fault)
  const { sessions, tokens } = changed.ended
  const text = `Пароль изменён. Завершено сеансов: ${sessions}, отозвано токенов: ${tokens}.`
  // Whoever has stolen the key of this session is out too.
  const session = await parts.signIn.sessions.start(
    call.staff!.id,
    changed.passwordHash,
    call.address,
    call.header('user-agent'),
  )
  // An administrator has changed it once more, or disabled the user.
  if (!session) return redirect('/admin/')
  const { csrfToken } = session
  return show(parts, call, { note: { kind: 'good', text }, headers: sessionCookies(call, session), csrfToken })
}

type Fault = Extract<PasswordChange | FactorChange, { kind: 'refused' }>['fault']

function refuse(parts: AccountParts, call: Call, fault: Fault, shown: Shown = {}): Promise<Reply> {
  const kind = typeof fault === 'string' ? fault : fault.kind
  const status = statuses[kind] ?? 400
  const headers = typeof fault !== 'string' && fault.kind === 'throttled' ? [retryAfter(fault)] : []
  return show(parts, call, { note: bad(faultText[kind]), status, headers, ...shown })
}

const statuses: Readonly<Record<string, number>> = { wrong: 403, unproven: 403, missing: 404, throttled: 429 }

const faultText = {
  ...passwordFaultText,
  wrongCode: 'Код неверен. Проверьте часы телефона и введите следующий код.',
  unproven: 'Чтобы отключить последний второй фактор, введите его код или код восстановления.',
  missing: 'Этот второй фактор уже отключён.',
  refusedPasskey: 'Ключ доступа не принят.',
} as const

async function takeFactor(
  parts: AccountParts,
  call: Call,
  done: string,
  change: Promise<FactorChange>,
  secret?: string,
): Promise<Reply> {
  const outcome = await change
  if (outcome.kind === 'changed') {
    const { codes, sessions } = outcome
    const text = sessions > 0 ? `${done} Завершено других сеансов: ${sessions}.` : done
    return show(parts, call, { note: { kind: 'good', text }, ...(codes.length > 0 && { codes }) })
  }
  // What is no secret of ours is proposed anew.
  const kept = secret !== undefined && parts.factors.isSecret(secret) ? { secret } : {}
  return refuse(parts, call, outcome.fault, kept)
}

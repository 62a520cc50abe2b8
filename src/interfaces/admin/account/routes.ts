import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { page } from '../../../platform/http/assets.ts'
import { readCookie } from '../../../platform/http/cookies.ts'
import { csrfCookie } from '../../../platform/http/csrf.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { readFields } from '../../../platform/http/form.ts'
import { localPath } from '../../../platform/staff/local-path.ts'
import { sessionCookies } from '../../../platform/staff/session-cookies.ts'
import type { SignIn } from '../../../platform/staff/sign-in.ts'
import type { Sealing } from '../../../platform/secrets/secrets.ts'
import type { TransactionScope } from '../../../platform/storage/transactions.ts'
import { filesBehind } from '../pages.ts'
import { accountPage, type Note } from './page.ts'
import { changeOwnPassword, passwordFaultText } from './password.ts'

export type AccountParts = TransactionScope & { readonly secrets: Sealing; readonly signIn: SignIn }

const path = '/admin/account'

/** What staff users change of their own: every role may, and no API token. */
export const ownAccountRoutes = (parts: AccountParts): Route[] => [
  page(
    path,
    bySession((call) => show(call)),
  ),
  form('password', (call, fields) => takePassword(parts, call, fields)),
  ...filesBehind(path, new URL('./', import.meta.url)),
]

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

const bySession = (handler: (call: Call) => Reply | Promise<Reply>) => (call: Call) =>
  call.staff?.byToken
    ? refusal('page', 403, 'An API token cannot do this; sign in with name and password.')
    : handler(call)

type Shown = { readonly note?: Note; readonly status?: number; readonly headers?: NonNullable<Reply['headers']> }

function show(call: Call, { note, ...shown }: Shown = {}, csrfToken = csrfOf(call)): Reply {
  const next = call.query.get('next')
  const isWeak = call.query.get('weak') === '1' && call.method === 'GET'
  const weak: Note = { kind: 'bad', text: 'Ваш пароль короткий или слишком известный. Смените его.' }
  return accountPage({
    username: call.staff!.username,
    csrfToken,
    note: note ?? (isWeak ? weak : undefined),
    next: next === null ? undefined : localPath(next),
    ...shown,
  })
}

const csrfOf = (call: Call): string => readCookie(call.header('cookie'), csrfCookie)

async function takePassword(parts: AccountParts, call: Call, fields: Fields): Promise<Reply> {
  const { password = '', new_password: wanted = '', repeated_password: repeated = '' } = fields
  const changed = await changeOwnPassword(parts, call, { password, wanted, repeated })
  if (changed.kind === 'refused')
    return show(call, { note: { kind: 'bad', text: passwordFaultText[changed.fault] }, status: changed.status })
  const { sessions, tokens } = changed.ended
  const text = `Пароль изменён. Завершено сеансов: ${sessions}, отозвано токенов: ${tokens}.`
  const headers = sessionCookies(call, changed.session)
  return show(call, { note: { kind: 'good', text }, headers }, changed.session.csrfToken)
}

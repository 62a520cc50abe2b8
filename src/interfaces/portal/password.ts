import { changePassword, type PasswordFault, passwordTerms } from '../../billing/clients/password.ts'
import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import type { User } from '../../platform/storage/entities/network.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { csrfField, errorNote, type FormError, renderPage, successNote } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import type { Texts } from './texts/ru.ts'
import { authorOfVisit, formTexts, visitOf } from './visit.ts'

const path = '/lk/password/'

/** GET /lk/password/: the form that changes the client's password. */
export async function showPassword(parts: PortalParts, call: Call, error: FormError | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { password: words } = visit.texts
  const { rows } = await parts.pool.query<RowOf<typeof User, 'login'>>('SELECT login FROM users WHERE id = $1', [
    call.client!.loginId,
  ])
  if (!rows[0]) return redirectToSignIn(call)
  const field = (name: string, label: string, autocomplete: string) =>
    markup`<label for="${name}">${label}</label><input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" required${
      autocomplete === 'new-password' && markup` minlength="${passwordTerms.charactersMin}"`
    }>`
  const body = markup`${error ? errorNote(error.text) : call.query.get('done') === 'saved' && successNote(words.saved)}
<form class="card" method="post" action="${path}">${csrfField(visit)}<p class="soft">${words.what}</p>
<label for="login">${words.login}</label><input id="login" autocomplete="username" readonly value="${rows[0].login}">
${field('current_password', words.current, 'current-password')}${field('new_password', words.wanted, 'new-password')}
${field('confirm_password', words.again, 'new-password')}<button>${words.save}</button></form>`
  const { status = 200, headers = [] } = error ?? {}
  return renderPage(visit, { title: words.title, body, section: null, status, headers })
}

/** POST /lk/password/ {current_password, new_password, confirm_password}. */
export async function takePassword(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const sent = formTexts(call)
  const passwords = {
    current: sent('current_password'),
    wanted: sent('new_password'),
    again: sent('confirm_password'),
  }
  const outcome = await changePassword(parts, call.client!, passwords, authorOfVisit(visit))
  if (outcome.kind === 'changed') return redirect(`${path}?done=saved`)
  if (outcome.kind === 'refused')
    return showPassword(parts, call, { status: 400, text: faultText(visit.texts, outcome.fault) })
  const headers = [['Retry-After', String(outcome.retryAfterSeconds)]] as const
  return showPassword(parts, call, { status: 429, text: visit.texts.signIn.throttled, headers })
}

function faultText({ password: { faults } }: Texts, fault: PasswordFault): string {
  const text = faults[fault]
  return typeof text === 'string' ? text : text(passwordTerms.charactersMin)
}

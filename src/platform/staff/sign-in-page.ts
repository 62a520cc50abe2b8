import { type Markup, markup } from '../formats/html.ts'
import { htmlDocument } from '../http/reply.ts'

/** The sign-in form, which needs no scripts. `next` is the page that the browser asked for. */
export const signInPage = (values: {
  csrfToken: string
  username: string
  next: string
  error: string | null
}): string =>
  htmlDocument(
    'Tollgate',
    markup`<h1>Tollgate</h1>${values.error !== null && markup`<p class="error" role="alert">${values.error}</p>`}<form method="post" action="/admin/">
<input type="hidden" name="csrfmiddlewaretoken" value="${values.csrfToken}"><input type="hidden" name="next" value="${values.next}">
<label>Логин <input name="username" autocomplete="username" required autofocus value="${values.username}"></label>
<label>Пароль <input name="password" type="password" autocomplete="current-password" required></label>
<button>Войти</button></form>`,
  )

export type SecondStep = {
  readonly csrfToken: string
  readonly challenge: string
  readonly next: string
  readonly error: string | null
  readonly hasPasskeys: boolean
}

const secondStepFields = ({ csrfToken, next, challenge }: SecondStep): Markup =>
  markup`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}"><input type="hidden" name="next" value="${next}">
<input type="hidden" name="challenge" value="${challenge}">`

/** Shown by its script where the browser knows passkeys. */
const passkeyForm = (step: SecondStep): Markup =>
  markup`<form id="passkey" method="post" action="/admin/second_factor/" hidden>${secondStepFields(step)}
<input type="hidden" name="passkey"><button>Войти с ключом доступа</button><p class="error" role="alert"></p></form>
<script type="module" src="/admin/passkey.js"></script>`

/** The second factor that comes after the password. */
export const secondStepPage = (step: SecondStep): string =>
  htmlDocument(
    'Tollgate',
    markup`<h1>Tollgate</h1>${step.error !== null && markup`<p class="error" role="alert">${step.error}</p>`}${step.hasPasskeys && passkeyForm(step)}
<form method="post" action="/admin/second_factor/">${secondStepFields(step)}
<label>Код из приложения или код восстановления <input name="code" autocomplete="one-time-code" required autofocus></label>
<button>Войти</button></form><p><a href="/admin/">Начать заново</a></p>`,
  )

export type PageLink = { readonly path: string; readonly title: string }

export const startPage = (username: string, pages: readonly PageLink[]): string =>
  htmlDocument(
    'Tollgate',
    markup`<h1>Tollgate</h1><p>${username}</p><ul>${pages.map(
      ({ path, title }) => markup`<li><a href="${path}">${title}</a></li>`,
    )}</ul><p><a href="/admin/account/">Моя учётная запись</a></p><p><a href="/admin/logout">Выйти</a></p>`,
  )

/** Asks whether to sign out: somebody else's page may have led here. */
export const signOutPage = (csrfToken: string): string =>
  htmlDocument(
    'Tollgate',
    markup`<h1>Tollgate</h1><form method="post" action="/admin/logout">
<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}"><button>Выйти</button></form><p><a href="/admin/">Остаться</a></p>`,
  )

import { markup } from '../formats/html.ts'
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

/** The form for the code that comes after the password. */
export const codePage = (values: {
  csrfToken: string
  challenge: string
  next: string
  error: string | null
}): string =>
  htmlDocument(
    'Tollgate',
    markup`<h1>Tollgate</h1>${values.error !== null && markup`<p class="error" role="alert">${values.error}</p>`}<form method="post" action="/admin/second_factor/">
<input type="hidden" name="csrfmiddlewaretoken" value="${values.csrfToken}"><input type="hidden" name="next" value="${values.next}">
<input type="hidden" name="challenge" value="${values.challenge}">
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

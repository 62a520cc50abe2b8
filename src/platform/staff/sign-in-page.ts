import { catalogue, type Language } from '../../domain/language.ts'
import { Markup, markup } from '../formats/html.ts'

const wordsOf = catalogue({
  ru: {
    username: 'Логин',
    password: 'Пароль',
    signIn: 'Войти',
    byPasskey: 'Войти с ключом доступа',
    code: 'Код из приложения или код восстановления',
    again: 'Начать заново',
    signOut: 'Выйти',
    stay: 'Остаться',
    faults: {
      wrong: 'Неверный логин или пароль.',
      throttled: 'Слишком много неудачных попыток, повторите позже.',
      over: 'Вход занял слишком много времени, начните заново.',
      code: 'Неверный код.',
      passkey: 'Ключ доступа не подошёл.',
    },
  },
  en: {
    username: 'User name',
    password: 'Password',
    signIn: 'Sign in',
    byPasskey: 'Sign in with a passkey',
    code: 'Code of the application, or a recovery code',
    again: 'Begin again',
    signOut: 'Sign out',
    stay: 'Stay',
    faults: {
      wrong: 'Wrong user name or password.',
      throttled: 'Too many failed sign-ins; try again later.',
      over: 'The sign-in has expired; begin again.',
      code: 'Wrong code.',
      passkey: 'This passkey was not accepted.',
    },
  },
})

/** Why a sign-in did not succeed. */
export type SignInFault = keyof (typeof wordsOf)['en']['faults']

type Shown = { readonly language: Language; readonly csrfToken: string }

/** In the colours of the console, and without scripts. */
const document = (language: Language, body: Markup): string =>
  markup`<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Tollgate</title>${style}</head><body><main><h1>Tollgate</h1>${body}</main></body></html>`
    .text

const style = new Markup(`<style>:root{color-scheme:light dark}*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f7f8fa,#101215);color:light-dark(#1a1d23,#e4e7eb);font:15px/1.45 system-ui}
main{width:min(22rem,100vw - 2rem);padding:1.5rem;border:1px solid light-dark(#e3e6eb,#2a2f36);border-radius:10px;background:light-dark(#fff,#16191d)}
h1{margin:0 0 1rem;font-size:1.25rem;font-weight:650}form{display:grid;gap:.8rem}label{display:grid;gap:.25rem;font-weight:500}
input{font:inherit;min-height:44px;padding:.4rem .7rem;border:1px solid light-dark(#8b929d,#6b7480);border-radius:6px;background:light-dark(#fff,#1f2329);color:inherit}
button{font:inherit;font-weight:600;min-height:44px;border:0;border-radius:6px;background:light-dark(#1f5fa8,#2f6fbd);color:#fff;cursor:pointer}
input:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid light-dark(#1f5fa8,#82b6f0);outline-offset:2px}
.error{margin:0 0 .8rem;color:light-dark(#b3261e,#ff8f86)}.error:empty{display:none}[hidden]{display:none}form+form{margin-top:1rem}
a{color:light-dark(#1f5fa8,#82b6f0)}</style>`)

const faultOf = (language: Language, fault: SignInFault | null): Markup | false =>
  fault !== null && markup`<p class="error" role="alert">${wordsOf[language].faults[fault]}</p>`

/** The sign-in form, which needs no scripts. `next` is the page that the browser asked for. */
export function signInPage({
  language,
  csrfToken,
  username,
  next,
  fault,
}: Shown & { readonly username: string; readonly next: string; readonly fault: SignInFault | null }): string {
  const words = wordsOf[language]
  return document(
    language,
    markup`${faultOf(language, fault)}<form method="post" action="/admin/">
<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}"><input type="hidden" name="next" value="${next}">
<label>${words.username} <input name="username" autocomplete="username" required autofocus value="${username}"></label>
<label>${words.password} <input name="password" type="password" autocomplete="current-password" required></label>
<button>${words.signIn}</button></form>`,
  )
}

export type SecondStep = Shown & {
  readonly challenge: string
  readonly next: string
  readonly fault: SignInFault | null
  readonly hasPasskeys: boolean
}

const secondStepFields = ({ csrfToken, next, challenge }: SecondStep): Markup =>
  markup`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}"><input type="hidden" name="next" value="${next}">
<input type="hidden" name="challenge" value="${challenge}">`

/** Shown by its script where the browser knows passkeys. */
const passkeyForm = (step: SecondStep): Markup =>
  markup`<form id="passkey" method="post" action="/admin/second_factor/" hidden>${secondStepFields(step)}
<input type="hidden" name="passkey"><button>${wordsOf[step.language].byPasskey}</button><p class="error" role="alert"></p></form>
<script type="module" src="/admin/passkey.js"></script>`

/** The second factor that comes after the password. */
export function secondStepPage(step: SecondStep): string {
  const { language, fault, hasPasskeys } = step
  const words = wordsOf[language]
  return document(
    language,
    markup`${faultOf(language, fault)}${hasPasskeys && passkeyForm(step)}
<form method="post" action="/admin/second_factor/">${secondStepFields(step)}
<label>${words.code} <input name="code" autocomplete="one-time-code" required autofocus></label>
<button>${words.signIn}</button></form><p><a href="/admin/">${words.again}</a></p>`,
  )
}

/** Asks whether to sign out: somebody else's page may have led here. */
export const signOutPage = ({ language, csrfToken }: Shown): string =>
  document(
    language,
    markup`<form method="post" action="/admin/logout">
<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}"><button>${wordsOf[language].signOut}</button></form>
<p><a href="/admin/">${wordsOf[language].stay}</a></p>`,
  )

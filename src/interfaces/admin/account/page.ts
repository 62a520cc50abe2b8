import { type Markup, markup, type Piece } from '../../../platform/formats/html.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { html } from '../../../platform/http/reply.ts'
import { passwordSignsMin } from '../../../platform/staff/password-rules.ts'

/** What a form of the page has done, or why it has not. */
export type Note = { readonly kind: 'good' | 'bad'; readonly text: string }

export type AccountPage = {
  readonly username: string
  readonly csrfToken: string
  readonly note?: Note | undefined
  /** The page that was asked for before the sign-in led here. */
  readonly next?: string | undefined
  readonly status?: number
  readonly headers?: NonNullable<Reply['headers']>
}

/** `/admin/account/`: one's own password. It works without scripts. */
export function accountPage(page: AccountPage): Reply {
  const { username, note, next, status = 200, headers = [] } = page
  const document = markup`<!doctype html><html lang="ru"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Моя учётная запись</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/admin/house.css"><link rel="stylesheet" href="/admin/account/account.css"></head>
<body class="forms"><header><h1>Моя учётная запись</h1><p>${username}</p><nav><a href="/admin/">Начало</a></nav></header>
<main>${note && noteOf(note)}${next !== undefined && markup`<p><a href="${next}">Продолжить без изменений</a></p>`}
${passwordSection(page)}</main></body></html>`
  return html(document.text, status, [['Cache-Control', 'no-store'], ...headers])
}

const noteOf = ({ kind, text }: Note): Markup =>
  markup`<p class="${kind}" role="${kind === 'good' ? 'status' : 'alert'}">${text}</p>`

const csrfField = ({ csrfToken }: Pick<AccountPage, 'csrfToken'>): Markup =>
  markup`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}">`

/** A labelled password field. */
const passwordField = (name: string, label: string, more: Piece): Markup =>
  markup`<label>${label}<input name="${name}" type="password" required ${more}></label>`

function passwordSection(page: AccountPage): Markup {
  const wanted = markup`autocomplete="new-password" minlength="${passwordSignsMin}"`
  return markup`<section><h2>Пароль</h2><form method="post" action="/admin/account/password/">${csrfField(page)}
<input type="hidden" name="username" autocomplete="username" value="${page.username}">
${passwordField('password', 'Нынешний пароль', markup`autocomplete="current-password"`)}
${passwordField('new_password', `Новый пароль, не короче ${passwordSignsMin} знаков`, wanted)}
${passwordField('repeated_password', 'Новый пароль ещё раз', wanted)}
<p class="quiet">Новый пароль завершит все сеансы и отзовёт все токены, кроме этого сеанса.</p>
<button>Сменить пароль</button></form></section>`
}

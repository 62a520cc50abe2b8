import { renderSVG } from 'uqr'
import { Markup, markup, type Piece } from '../../../platform/formats/html.ts'
import type { Reply } from '../../../platform/http/call.ts'
import { html } from '../../../platform/http/reply.ts'
import { passwordSignsMin } from '../../../platform/staff/password-rules.ts'
import { type ScopeName, scopeNames } from '../../../platform/staff/roles.ts'
import type { FactorMode } from '../../../platform/staff/second-factor-modes.ts'

/** What a form of the page has done, or why it has not. */
export type Note = { readonly kind: 'good' | 'bad'; readonly text: string }

/** What the page says of the second factor. */
export type ShownFactor = {
  readonly mode: FactorMode
  readonly hasTotp: boolean
  /** Null: there is no second factor. */
  readonly codesLeft: number | null
  readonly proposed: { readonly secret: string; readonly uri: string }
  /** Recovery codes that were just made, and are never shown again. */
  readonly codes?: readonly string[] | undefined
}

export type AccountPage = {
  readonly username: string
  readonly csrfToken: string
  readonly factor: ShownFactor
  readonly note?: Note | undefined
  /** The page that was asked for before the sign-in led here. */
  readonly next?: string | undefined
  readonly status?: number
  readonly headers?: NonNullable<Reply['headers']>
}

/**
 * `/admin/account/`: one's own password, second factor and API tokens. Password and application work without scripts;
 * passkeys and tokens are filled in by account.js.
 */
export function accountPage(page: AccountPage): Reply {
  const { username, note, next, status = 200, headers = [] } = page
  const document = markup`<!doctype html><html lang="ru"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Моя учётная запись</title>
<link rel="stylesheet" href="/admin/house.css"><link rel="stylesheet" href="/admin/account/account.css">
<script type="module" src="/admin/account/account.js"></script></head>
<body class="forms" data-username="${username}"><header><h1>Моя учётная запись</h1><p>${username}</p><nav><a href="/admin/">Начало</a></nav></header>
<main>${note && noteOf(note)}${next !== undefined && markup`<p><a href="${next}">Продолжить без изменений</a></p>`}
${passwordSection(page)}${factorSection(page)}${passkeySection(page)}${tokenSection}</main></body></html>`
  return html(document.text, status, [['Cache-Control', 'no-store'], ...headers])
}

const noteOf = ({ kind, text }: Note): Markup =>
  markup`<p class="${kind}" role="${kind === 'good' ? 'status' : 'alert'}">${text}</p>`

const csrfField = ({ csrfToken }: Pick<AccountPage, 'csrfToken'>): Markup =>
  markup`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}">`

/** A labelled password field. */
const passwordField = (name: string, label: string, more: Piece): Markup =>
  markup`<label>${label}<input name="${name}" type="password" required ${more}></label>`

const presentPassword = passwordField('password', 'Нынешний пароль', markup`autocomplete="current-password"`)

const form = (page: AccountPage, name: string, fields: Piece): Markup =>
  markup`<form method="post" action="/admin/account/${name}/">${csrfField(page)}${fields}</form>`

function passwordSection(page: AccountPage): Markup {
  const wanted = markup`autocomplete="new-password" minlength="${passwordSignsMin}"`
  const fields = markup`<input type="hidden" name="username" autocomplete="username" value="${page.username}">
${presentPassword}${passwordField('new_password', `Новый пароль, не короче ${passwordSignsMin} знаков`, wanted)}
${passwordField('repeated_password', 'Новый пароль ещё раз', wanted)}
<p class="quiet">Новый пароль завершит все сеансы и отзовёт все токены, кроме этого сеанса.</p>
<button>Сменить пароль</button>`
  return markup`<section id="password"><h2>Пароль</h2>${form(page, 'new_password', fields)}</section>`
}

function factorSection(page: AccountPage): Markup {
  const { mode, codesLeft, codes, hasTotp } = page.factor
  const state = codesLeft === null ? (mode === 'off' ? offText : '') : recoveryState(page, codesLeft)
  const totp = hasTotp ? totpOffForm(page) : codesLeft === null && mode === 'off' ? '' : setUpForm(page)
  return markup`<section id="factor"><h2>Второй фактор</h2>${codes && shownCodes(codes)}${state}${totp}</section>`
}

const offText = markup`<p class="quiet">Второй фактор отключён настройкой STAFF_SECOND_FACTOR.</p>`

function setUpForm(page: AccountPage): Markup {
  const { secret, uri } = page.factor.proposed
  const qr = new Markup(renderSVG(uri))
  const fields = markup`<input type="hidden" name="secret" value="${secret}">${presentPassword}
<label>Код из приложения<input name="code" inputmode="numeric" autocomplete="one-time-code" required pattern="\\d{6}"></label>
<button>Включить</button>`
  return markup`<h3>Приложение</h3><p>Отсканируйте код приложением для одноразовых паролей или введите в него ключ, затем введите код, который оно покажет.</p>
<div class="qr">${qr}</div><p><code>${secret}</code></p>${form(page, 'totp_on', fields)}`
}

function recoveryState(page: AccountPage, codesLeft: number): Markup {
  const renew = markup`${presentPassword}<button>Новые коды восстановления</button>`
  return markup`<p>Включён. Кодов восстановления осталось: ${codesLeft}.</p>${form(page, 'recovery_codes', renew)}`
}

function totpOffForm(page: AccountPage): Markup {
  const fields = markup`${presentPassword}
<label>Код из приложения или код восстановления<input name="code" autocomplete="one-time-code"></label>
<button>Отключить приложение</button>`
  return markup`<h3>Приложение</h3>${form(page, 'totp_off', fields)}`
}

const passwordOfScript = passwordField('current_password', 'Нынешний пароль', markup`autocomplete="current-password"`)
const needsScript = markup`<noscript><p class="quiet">Для этого нужен JavaScript.</p></noscript>`

function passkeySection({ factor: { mode, codesLeft } }: AccountPage): Markup | false {
  return (
    (mode !== 'off' || codesLeft !== null) &&
    markup`<section id="passkeys"><h2>Ключи доступа</h2>
<p class="quiet">Вход отпечатком, лицом или ключом USB вместо кода. Новый ключ завершает остальные сеансы.</p>${needsScript}
<ul class="records"></ul><form><label>Название<input name="name" required maxlength="100"></label>
${passwordOfScript}<button>Добавить ключ доступа</button></form><p class="outcome" role="status"></p></section>`
  )
}

const scopeNotes = {
  read: 'чтение',
  write: 'изменения',
  money: 'деньги',
  system: 'настройки и персонал',
} as const satisfies Record<ScopeName, string>

const tokenSection = markup`<section id="tokens"><h2>Токены API</h2>
<p class="quiet">Для программ, которые работают от вашего имени: <code>Authorization: Bearer tg_…</code></p>${needsScript}
<ul class="records"></ul><form><label>Название<input name="name" required maxlength="200"></label>
<fieldset><legend>Что можно</legend>${scopeNames.map(
  (scope) => markup`<label><input type="checkbox" name="scopes" value="${scope}"> ${scopeNotes[scope]}</label>`,
)}</fieldset><label>Действует по<input name="expires" type="date"></label>
${passwordOfScript}<button>Создать токен</button></form><p class="outcome" role="status"></p></section>`

const shownCodes = (codes: readonly string[]): Markup =>
  markup`<p class="good">Коды восстановления. Сохраните их: каждый один раз заменит код из приложения или ключ доступа, и больше они не будут показаны.</p>
<ul class="codes">${codes.map((code) => markup`<li><code>${code}</code></li>`)}</ul>`

import { languages } from '../../domain/language.ts'
import { type Markup, markup, type Piece } from '../../platform/formats/html.ts'
import type { Reply } from '../../platform/http/call.ts'
import { stylesheet } from './assets.ts'
import { texts as textsByLanguage, type Visit } from './visit.ts'

/** The sections that the menu leads to. */
type Section = 'home' | 'pay' | 'history'

export type Page = {
  readonly title: string
  readonly body: Piece
  readonly status?: number
  /**
   * The section that the menu marks as current. null: the page belongs to no section but shows the menu. Absent: the
   * page is for people who are not signed in and has no menu.
   */
  readonly section?: Section | null
  /** Other sites that forms of this page may be sent to, as source expressions of the Content-Security-Policy. */
  readonly formAction?: readonly string[]
  /** The browser reloads the page after so many seconds. */
  readonly refreshSeconds?: number
  /** The address of a script of the portal. */
  readonly script?: string
  readonly headers?: NonNullable<Reply['headers']>
}

/** Renders a whole page. Its Content-Security-Policy lets the browser load and run only what this server serves. */
export function renderPage(visit: Visit, page: Page): Reply {
  const { texts, language } = visit
  const refresh = page.refreshSeconds && markup`<meta http-equiv="refresh" content="${page.refreshSeconds}">`
  const script = page.script && markup`<script src="${page.script}" defer></script>`
  const document = markup`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${page.title} · ${texts.site}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${stylesheet.address}">${refresh}${script}</head>
<body><a class="skip" href="#content">${texts.skip}</a>
<header><a class="site" href="/lk/">${texts.site}</a>${page.section !== undefined && menu(visit, page.section)}</header>
<main id="content"><h1>${page.title}</h1>
${page.body}</main>
<footer>${support(visit)}${languageLinks(visit)}${page.section !== undefined && signOut(visit)}</footer></body></html>
`
  return {
    status: page.status ?? 200,
    contentType: 'text/html; charset=utf-8',
    headers: [
      ['Content-Security-Policy', policy(page.formAction ?? [])],
      ['Referrer-Policy', 'same-origin'],
      ['Cache-Control', 'no-store'],
      ['Vary', 'Accept-Language, Cookie'],
      ...visit.cookies,
      ...(page.headers ?? []),
    ],
    body: document.text,
  }
}

const policy = (formAction: readonly string[]): string =>
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; " +
  `form-action ${["'self'", ...formAction].join(' ')}`

const addresses = { home: '/lk/', pay: '/lk/payments/pay/', history: '/lk/payments/' } as const satisfies Record<
  Section,
  string
>

function menu({ texts }: Visit, here: Section | null): Markup {
  const titles = { home: texts.home.title, pay: texts.home.topUp, history: texts.history.title }
  const links = (Object.keys(addresses) as Section[]).map(
    (section) =>
      markup`<a href="${addresses[section]}"${section === here && markup` aria-current="page"`}>${titles[section]}</a>`,
  )
  return markup`<nav aria-label="${texts.menu}">${links}</nav>`
}

/** Links to the same page in the other languages. */
function languageLinks({ call, language, texts }: Visit): Markup {
  // A malformed address was not decoded into a path, so its page links to the home page.
  const here = call.path.startsWith('/lk') ? call.path : '/lk'
  const links = languages.map((other) => {
    const query = new URLSearchParams(call.query)
    query.delete('done')
    query.set('lang', other)
    return other === language
      ? markup`<span lang="${other}" aria-current="true">${textsByLanguage[other].language}</span>`
      : markup`<a lang="${other}" hreflang="${other}" href="${here}/?${String(query)}">${textsByLanguage[other].language}</a>`
  })
  return markup`<nav aria-label="${texts.languages}">${links}</nav>`
}

/** Whom to call or to write to; nothing where the settings name neither. */
function support({ provider: { name, phone, email } }: Visit): Markup | null {
  if (phone === '' && email === '') return null
  const call = phone !== '' && markup`<a href="tel:${phone.replace(/[^\d+]/g, '')}">${phone}</a>`
  const write = email !== '' && markup`<a href="mailto:${email}">${email}</a>`
  return markup`<address><span>${name}</span>${call}${write}</address>`
}

const signOut = (visit: Visit): Markup => markup`<form method="post" action="/lk/logout/">${csrfField(visit)}
<button class="plain">${visit.texts.signIn.leave}</button></form>`

export const csrfField = ({ csrfToken }: Visit): Markup =>
  markup`<input type="hidden" name="csrfmiddlewaretoken" value="${csrfToken}">`

/** Why a form was refused, shown above it. */
export type FormError = {
  readonly status: number
  readonly text: string
  readonly headers?: NonNullable<Reply['headers']>
}

/** Messages about the outcome of an action. Their roles make screen readers read them out at once. */
export const successNote = (text: string): Markup => markup`<p class="note good" role="status">${text}</p>`
export const errorNote = (text: string): Markup => markup`<p class="note bad" role="alert">${text}</p>`

/** A list of terms with their values; terms without a value are left out. */
export function facts(pairs: readonly (readonly [term: string, value: Piece])[]): Markup {
  const shown = pairs.filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false)
  return markup`<dl>${shown.map(([term, value]) => markup`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}

import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import { markup } from '../../../platform/formats/html.ts'
import { page, script, styles } from '../../../platform/http/assets.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { readCookie } from '../../../platform/http/cookies.ts'
import { csrfCookie } from '../../../platform/http/csrf.ts'
import { html, htmlDocument, htmlUnder, text } from '../../../platform/http/reply.ts'
import { csrfHeader } from '../../../platform/staff/session-cookies.ts'
import { newCsrfToken } from '../../../platform/staff/sessions.ts'
import type { HomePage } from '../../../platform/staff/sign-in-routes.ts'
import { type BuiltConsole, readBuiltFile } from './built.ts'

const assets = '/admin/assets'

/** The wings of the console: every address in them is one of its screens. `/admin/` itself is that of the sign-in. */
const wings = ['subscribers', 'money', 'network', 'tickets', 'messages', 'dictionaries', 'system'] as const

/** Wings whose own address is a JSON door too; the screens are the addresses below it. */
const doorsToo: readonly string[] = ['messages'] satisfies readonly (typeof wings)[number][]

/**
 * The pages of the operators' console: one document for all of them, whose script shows the screen of the address. The
 * files have no secrets, so whoever asks gets them; their names change with their content.
 */
export function consoleRoutes(built: BuiltConsole | null): Route[] {
  // Writes need the token of this cookie, which the sign-in has set; a browser may have lost it since.
  const show = (call: Call) =>
    shellReply(built, readCookie(call.header('cookie'), csrfCookie) === '' ? [csrfHeader(call, newCsrfToken())] : [])
  return [
    { method: 'GET', path: `${assets}/:name`, door: 'public', handler: (call) => assetReply(built, call) },
    // Where a second factor is set up by who may do nothing before.
    ...['/admin/account', '/admin/account/*rest'].map((path) => ({ ...page(path, show), beforeSecondFactor: true })),
    ...wings.flatMap((wing) => [
      ...(doorsToo.includes(wing) ? [] : [page(`/admin/${wing}`, show)]),
      page(`/admin/${wing}/*rest`, show),
    ]),
  ]
}

/** What `/admin/` shows to who is signed in: the first screen. */
export const homePage =
  (built: BuiltConsole | null): HomePage =>
  (headers) =>
    shellReply(built, headers)

/**
 * The document. Styles that the script makes carry the nonce of this answer; nothing else that is not from this server
 * is run, loaded or shown.
 */
function shellReply(built: BuiltConsole | null, headers: NonNullable<Reply['headers']> = []): Reply {
  if (!built) return notBuiltReply(headers)
  const nonce = randomBytes(16).toString('base64')
  const policy = `default-src 'self'; style-src 'self' 'nonce-${nonce}'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
  return htmlUnder(policy, documentOf(built, nonce), 200, [['Cache-Control', 'no-store'], ...headers])
}

function documentOf({ boot, script, styles, preloads }: BuiltConsole, nonce: string): string {
  return markup`<!doctype html><html lang="ru"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>Tollgate</title><meta property="csp-nonce" nonce="${nonce}"><script src="${assets}/${boot}"></script>
${styles.map((name) => markup`<link rel="stylesheet" href="${assets}/${name}">`)}
${preloads.map((name) => markup`<link rel="modulepreload" href="${assets}/${name}">`)}
<script type="module" src="${assets}/${script}"></script></head>
<body><div id="root"></div><noscript>Консоль работает только с JavaScript. The console needs JavaScript.</noscript></body></html>`
    .text
}

const notBuiltReply = (headers: NonNullable<Reply['headers']>): Reply =>
  html(
    htmlDocument(
      'Tollgate',
      markup`<h1>Tollgate</h1><p>Консоль не собрана: <code>npm ci &amp;&amp; npm run console</code>. Всё остальное работает.</p>
<p><a href="/admin/logout">Выйти</a></p>`,
    ),
    503,
    [['Cache-Control', 'no-store'], ...headers],
  )

const types: Readonly<Record<string, string>> = { '.js': script, '.css': styles, '.svg': 'image/svg+xml' }

/** A file of the build in the best form that the client takes. Its name has a hash of its content: it never changes. */
function assetReply(built: BuiltConsole | null, call: Call): Reply {
  const name = call.params.name ?? ''
  const contentType = types[extname(name)]
  if (!built?.files.includes(name) || contentType === undefined) return text('Not found.\n', 404)
  const accepted = call.header('accept-encoding')
  for (const [coding, ending] of codings) {
    const body = takes(accepted, coding) ? fileOf(name, ending) : null
    if (body) return { status: 200, headers: [...lasting, ['Content-Encoding', coding]], contentType, body }
  }
  const body = fileOf(name, '')
  return body ? { status: 200, headers: lasting, contentType, body } : text('Not found.\n', 404)
}

const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const lasting: NonNullable<Reply['headers']> = [
  ['Cache-Control', 'public, max-age=31536000, immutable'],
  ['Vary', 'Accept-Encoding'],
]

/** Whether Accept-Encoding names a coding without refusing it (RFC 9110 section 12.5.3). */
const takes = (accepted: string, coding: string): boolean =>
  accepted.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** The whole build is some megabytes, and a browser asks for each file once. */
const kept = new Map<string, Buffer | null>()

function fileOf(name: string, ending: '' | '.br' | '.gz'): Buffer | null {
  const key = `${name}${ending}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const read = readBuiltFile(name, ending)
  kept.set(key, read)
  return read
}

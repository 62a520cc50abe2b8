import type { Route } from '../../../platform/http/call.ts'
import { html } from '../../../platform/http/reply.ts'
import { type PageLink, startPage } from '../../../platform/staff/sign-in-page.ts'
import type { HomePage } from '../../../platform/staff/sign-in-routes.ts'
import type { BuiltConsole } from '../console/built.ts'
import { shellReply } from '../console/shell.ts'
import { filesBehind } from '../pages.ts'

/** `/admin/`: the first screen of the console, and where it was not built the links to the pages that need none. */
export const homePage =
  (built: BuiltConsole | null): HomePage =>
  (username, headers) =>
    built ? shellReply(built, headers) : html(startPage('ru', username, pages), 200, headers)

const pages: readonly PageLink[] = [
  { path: '/admin/radius/templates/', title: 'NAS: шаблоны ответов' },
  { path: '/admin/api/', title: 'Программный интерфейс' },
]

/** The script and the styles that all pages of the web admin share. */
export const homeRoutes = (): Route[] =>
  filesBehind('/admin', new URL('../house/', import.meta.url)).map((route) => ({ ...route, beforeSecondFactor: true }))

import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusalText } from '../../platform/http/errors.ts'
import { errorNote, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { visitOf } from './visit.ts'

/** The page shown to a client whose request was refused before it reached a handler, has no route, or failed. */
export function problemPage(
  parts: Pick<PortalParts, 'settings'>,
  call: Call,
  status: number,
  sentence: string,
  headers: Reply['headers'] = [],
): Reply {
  const visit = visitOf(parts, call)
  const { problems: words, back } = visit.texts
  const byStatus: Readonly<Record<number, string>> = { 403: words.csrf, 404: words.notFound, 503: words.unavailable }
  const text = sentence === refusalText.readOnly ? words.readOnly : (byStatus[status] ?? words.other)
  const body = markup`${errorNote(text)}<p><a href="/lk/">${back}</a></p>`
  return renderPage(visit, { title: words.title, body, status, headers })
}

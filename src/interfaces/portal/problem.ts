import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { refusalText } from '../../platform/http/errors.ts'
import { bad, sheet } from './layout.ts'
import { visitOf } from './visit.ts'

/** What the client sees of a request that did not come to a page: refused before, unknown, or failed. */
export function problemPage(call: Call, status: number, sentence: string, headers: Reply['headers'] = []): Reply {
  const visit = visitOf(call)
  const { problems: words, back } = visit.texts
  const text =
    sentence === refusalText.readOnly
      ? words.readOnly
      : status === 403
        ? words.csrf
        : status === 404
          ? words.notFound
          : status === 503
            ? words.unavailable
            : words.other
  const body = markup`${bad(text)}<p><a href="/lk/">${back}</a></p>`
  return sheet(visit, { title: words.title, body, status, headers })
}

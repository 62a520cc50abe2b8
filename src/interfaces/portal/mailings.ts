import { clientAuthor } from '../../billing/clients/author.ts'
import { readOptOut, setOptOut } from '../../billing/messages/mailing/opt-out.ts'
import { dayText } from '../../domain/wording.ts'
import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import { csrfField, errorNote, renderPage, successNote } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { authorOfVisit, formTexts, visitOf } from './visit.ts'

const path = '/lk/mailings/'

/** GET /lk/mailings/: whether the client gets mailings. */
export async function showMailings(parts: PortalParts, call: Call, problem: string | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { mailings: words } = visit.texts
  const optOut = await readOptOut(parts.pool, call.client!.subscriberId)
  const done = call.query.get('done')
  const note = problem !== null ? errorNote(problem) : (done === 'on' || done === 'off') && successNote(words[done])
  const state = optOut ? words.refusedSince(dayText(optOut.at, parts.settings.get('TIME_ZONE'))) : words.what
  const body = markup`${note}<section><p>${state}</p><p class="soft">${words.always}</p>
<form method="post" action="${path}">${csrfField(visit)}<button name="enable" value="${optOut ? '1' : '0'}">${optOut ? words.agree : words.refuse}</button></form></section>`
  return renderPage(visit, { title: words.title, body, section: null, status: problem === null ? 200 : 400 })
}

/** POST /lk/mailings/ {enable: 1 or 0}: wants mailings, or wants none. */
export async function takeMailings(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const enable = formTexts(call)('enable')
  if (enable !== '1' && enable !== '0') return showMailings(parts, call, visit.texts.problems.other)
  await setOptOut(parts.pool, call.client!.subscriberId, enable === '0', authorOfVisit(visit))
  return redirect(`${path}?done=${enable === '1' ? 'on' : 'off'}`)
}

/**
 * GET /lk/unsubscribe/?token=: what the link in an e-mail shows to a person. Nothing changes by it, because programs
 * that look through mail follow links.
 */
export function showUnsubscribe(parts: PortalParts, call: Call): Reply {
  const visit = visitOf(parts, call)
  const { mailings: words } = visit.texts
  const token = call.query.get('token') ?? ''
  if (parts.optOutLinks.subscriberOf(token) === null) return unknownLink(parts, call)
  const address = `/lk/unsubscribe/?token=${encodeURIComponent(token)}`
  const body = markup`<section><p>${words.always}</p>
<form method="post" action="${address}"><button>${words.refuse}</button></form></section>`
  return renderPage(visit, { title: words.title, body })
}

/**
 * POST /lk/unsubscribe/?token=: the form of that page, or the one click of a mail program (RFC 8058), which sends no
 * cookie and no Origin; the token alone says who it is.
 */
export async function takeUnsubscribe(parts: PortalParts, call: Call): Promise<Reply> {
  const { pool, optOutLinks } = parts
  const visit = visitOf(parts, call)
  const { mailings: words } = visit.texts
  const id = optOutLinks.subscriberOf(call.query.get('token') ?? '')
  if (id === null) return unknownLink(parts, call)
  await setOptOut(pool, id, true, clientAuthor('e-mail', id, call.address))
  return renderPage(visit, { title: words.title, body: successNote(words.off) })
}

function unknownLink(parts: PortalParts, call: Call): Reply {
  const visit = visitOf(parts, call)
  const { mailings: words } = visit.texts
  return renderPage(visit, { title: words.title, body: errorNote(words.linkUnknown), status: 404 })
}

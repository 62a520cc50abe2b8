import { openTicket, readTicket, readTickets, replyToTicket, ticketTerms } from '../../billing/clients/tickets.ts'
import { readId } from '../../domain/ids.ts'
import { readText } from '../../domain/text.ts'
import type { ClientTicket } from '../../domain/ticket.ts'
import { dayText, momentText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import type { EntityManager } from '../../platform/storage/orm.ts'
import { persisting } from '../../platform/storage/transactions.ts'
import { csrfField, errorNote, renderPage, successNote } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { formTexts, type Visit, visitOf } from './visit.ts'

const path = '/lk/tickets/'
const { subjectMax, bodyMax } = ticketTerms

/** What was typed into a form that is refused. */
type Typed = { readonly subject: string; readonly body: string }

/**
 * GET /lk/tickets/: the client's tickets and the form of a new one. With `?id=` one of them, whose replies are read
 * with this, except in READ_ONLY_MODE.
 */
export function showTickets(parts: PortalParts, call: Call, refused: Typed | null = null): Promise<Reply> {
  const visit = visitOf(parts, call)
  const asked = call.query.get('id')
  return asked === null ? showList(parts, visit, refused) : showThread(parts, visit, readId(asked) ?? 0, refused)
}

/** POST /lk/tickets/ {subject, body}: opens a ticket; with `?id=` {body}: writes to that one. */
export async function takeTickets(parts: PortalParts, call: Call): Promise<Reply> {
  const sent = formTexts(call)
  // Browsers end the lines of a form by two characters.
  const typed = { subject: sent('subject'), body: sent('body').replaceAll('\r\n', '\n') }
  const [subject, body] = [readText(typed.subject, subjectMax), readText(typed.body, bodyMax)]
  const asked = call.query.get('id')
  if (!body || (asked === null && !subject)) return showTickets(parts, call, typed)
  const { subscriberId } = call.client!
  const write = <T>(work: (manager: EntityManager) => Promise<T>) => persisting(parts, (_, manager) => work(manager))
  if (asked === null) {
    const id = await write((manager) => openTicket(manager, subscriberId, subject ?? '', body))
    return redirect(`${path}?id=${id}&done=opened`)
  }
  const id = readId(asked) ?? 0
  const isTheirs = await write((manager) => replyToTicket(manager, subscriberId, id, body))
  return isTheirs ? redirect(`${path}?id=${id}&done=sent`) : missing(visitOf(parts, call))
}

async function showList(parts: PortalParts, visit: Visit, refused: Typed | null): Promise<Reply> {
  const { tickets: words } = visit.texts
  const tickets = await readTickets(parts.pool, visit.call.client!.subscriberId)
  const zone = parts.settings.get('TIME_ZONE')
  const items = tickets.map(
    (ticket) =>
      markup`<li><a href="${path}?id=${ticket.id}">${ticket.subject}<small>${dayText(ticket.create_date, zone)}, ${stateOf(visit, ticket)}</small></a></li>`,
  )
  const { subject = '', body = '' } = refused ?? {}
  const page = markup`${refused && errorNote(words.wrong(subjectMax, bodyMax))}
${items.length > 0 && markup`<section><ul class="actions">${items}</ul></section>`}
<form class="card" method="post" action="${path}">${csrfField(visit)}<h2>${words.another}</h2>
<label for="subject">${words.subject}</label><input id="subject" name="subject" maxlength="${subjectMax}" required value="${subject}">
${textField(words.body, body)}<button>${words.open}</button></form>`
  return renderPage(visit, { title: words.title, body: page, section: null, status: refused ? 400 : 200 })
}

/** The number of replies that have not been read, else how far the ticket is. */
const stateOf = ({ texts: { tickets: words } }: Visit, { unread, status }: ClientTicket): string =>
  unread > 0 ? words.unread(unread) : words.states[status]

async function showThread(parts: PortalParts, visit: Visit, id: number, refused: Typed | null): Promise<Reply> {
  const { call, texts } = visit
  const { tickets: words } = texts
  const opens = call.method === 'GET' && !parts.isReadOnly()
  const ticket = await readTicket(parts.pool, call.client!.subscriberId, id, { opens })
  if (!ticket) return missing(visit)
  const zone = parts.settings.get('TIME_ZONE')
  const messages = ticket.messages.map(
    ({ author, body, create_date }) =>
      markup`<li><small>${words.authors[author]}, ${momentText(create_date, zone)}</small><p class="typed">${body}</p></li>`,
  )
  const done = (['opened', 'sent'] as const).find((name) => name === call.query.get('done'))
  const page = markup`${refused ? errorNote(words.wrongReply(bodyMax)) : done && successNote(words[done])}
<section><p class="soft">${words.number(id)}, ${words.states[ticket.status]}</p><ul class="entries">${messages}</ul></section>
<form class="card" method="post" action="${path}?id=${id}">${csrfField(visit)}${ticket.status === 'closed' && markup`<p class="soft">${words.reopens}</p>`}
${textField(words.reply, refused?.body ?? '')}<button>${words.send}</button></form><p><a href="${path}">${words.all}</a></p>`
  return renderPage(visit, { title: ticket.subject, body: page, section: null, status: refused ? 400 : 200 })
}

const textField = (label: string, body: string): Markup =>
  markup`<label for="body">${label}</label><textarea id="body" name="body" rows="5" maxlength="${bodyMax}" required>
${body}</textarea>`

function missing(visit: Visit): Reply {
  const { tickets: words } = visit.texts
  const body = markup`${errorNote(words.missing)}<p><a href="${path}">${words.all}</a></p>`
  return renderPage(visit, { title: words.title, body, section: null, status: 404 })
}

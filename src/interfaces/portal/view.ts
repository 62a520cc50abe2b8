import type { ClientView, ClientViews } from '../../billing/clients/client-views.ts'
import { isLanguage } from '../../domain/language.ts'
import { type LoginId, loginId, type SubscriberId } from '../../domain/ids.ts'
import { momentText } from '../../domain/wording.ts'
import { markup } from '../../platform/formats/html.ts'
import type { Call, Reply, Route } from '../../platform/http/call.ts'
import { staffOf } from '../../platform/staff/author.ts'
import { findVisible, visibleTo } from '../../platform/staff/visible-records.ts'
import type { TransactionScope } from '../../platform/storage/transactions.ts'
import { stylesheet } from './assets.ts'
import { showBlock } from './block.ts'
import { showHistory } from './history.ts'
import { showHome } from './home.ts'
import { errorNote, renderPage } from './layout.ts'
import { showMailings } from './mailings.ts'
import type { PortalParts } from './parts.ts'
import { showPassword } from './password.ts'
import { showPay } from './pay.ts'
import { showPromise } from './promise.ts'
import { showServices } from './services.ts'
import { showTariff } from './tariff.ts'
import { showTickets } from './tickets.ts'
import { type Visit, visitOf } from './visit.ts'

export type ViewParts = PortalParts & Pick<TransactionScope, 'database'> & { readonly views: Pick<ClientViews, 'find'> }

type Page = (parts: PortalParts, call: Call) => Reply | Promise<Reply>

/** The pages that only show something, by their addresses behind /lk/. */
const pages: Readonly<Record<string, Page>> = {
  '': showHome,
  payments: showHistory,
  'payments/pay': showPay,
  promise: (parts, call) => showPromise(parts, call),
  block: (parts, call) => showBlock(parts, call),
  tariff: (parts, call) => showTariff(parts, call),
  services: (parts, call) => showServices(parts, call),
  tickets: (parts, call) => showTickets(parts, call),
  password: (parts, call) => showPassword(parts, call),
  mailings: (parts, call) => showMailings(parts, call),
}

/** What pages of the portal may be asked; an amount, which would begin a payment, is not among it. */
const parameters = ['kind', 'period', 'page', 'id', 'lang']

/**
 * The portal as a client sees it, for staff who have begun a view (interfaces/admin/subscribers/as-client.ts). There is
 * no session of the client: every page is asked for by the session of the staff user, and has only GET. A page is made
 * by the handler that the client gets, of parts that cannot write and a call without cookies; of its answer nothing but
 * the document is passed on, with forms that cannot be sent and links to other pages of the view.
 */
export const viewRoutes = (parts: ViewParts): Route[] =>
  Object.entries(pages).map(([page, show]) => ({
    method: 'GET',
    path: `/admin/as_client/:key${page && `/${page}`}`,
    door: 'page',
    right: 'change',
    handler: (call) => showAsClient(parts, call, page, show),
  }))

async function showAsClient(parts: ViewParts, call: Call, page: string, show: Page): Promise<Reply> {
  const { key = '' } = call.params
  const view = parts.views.find(key, staffOf(call))
  // The organizations of a user may have changed since it began.
  const isVisible =
    view && (await findVisible(parts.database.pool, 'subscriber', view.subscriberId, visibleTo(call))) !== null
  if (!view || !isVisible) return over(parts, call)
  const login = await firstLogin(parts, view.subscriberId)
  const clients = callOf(call, view, login, page)
  const shown = await show(withoutWrites(parts), clients)
  if (shown.status !== 200 || typeof shown.body !== 'string') return over(parts, call)
  const lang = call.query.get('lang') ?? ''
  return inert(shown.body, {
    base: `/admin/as_client/${key}/`,
    lang: isLanguage(lang) ? lang : null,
    note: noteOf(parts, visitOf(parts, clients), view),
  })
}

/** The password page names a login; a client without one has no page to show it on. */
async function firstLogin({ pool }: ViewParts, subscriber: SubscriberId): Promise<LoginId> {
  const text = 'SELECT id FROM users WHERE abonent_id = $1 ORDER BY id LIMIT 1'
  const { rows } = await pool.query<{ id: string }>(text, [subscriber])
  return loginId(rows[0]?.id ?? 0)
}

/** Parts by which a page can be shown, and nothing be done, whatever its handler tries. */
const withoutWrites = ({ subscribers, payments, ...parts }: ViewParts): PortalParts => ({
  ...parts,
  subscribers: {
    status: (id) => subscribers.status(id),
    promiseProspect: (id, path) => subscribers.promiseProspect(id, path),
    ask: refuseToWrite,
  },
  payments: { orders: payments.orders, startPayment: refuseToWrite },
  isReadOnly: () => true,
})

const refuseToWrite = (): never => {
  throw new Error('A view of staff cannot do anything in the name of a client.')
}

/** The call of the client for this page: of the browser of the staff user it has the language, and no cookie. */
const callOf = (call: Call, { subscriberId }: ClientView, login: LoginId, page: string): Call => {
  const query = new URLSearchParams([...call.query].filter(([name]) => parameters.includes(name)))
  return {
    ...{
      id: call.id,
      startedMs: call.startedMs,
      method: 'GET',
      path: page === '' ? '/lk' : `/lk/${page}`,
      address: call.address,
    },
    ...{ queryText: String(query), query, secure: call.secure, body: Buffer.alloc(0), params: {}, staff: null },
    header: (name) => (name === 'accept-language' ? call.header(name) : ''),
    client: { subscriberId, loginId: login, session: '' },
  }
}

function noteOf({ settings }: ViewParts, { texts }: Visit, { until }: ClientView): string {
  const end = momentText(until, settings.get('TIME_ZONE'))
  return markup`<p class="note" role="note">${texts.view.note(end)}</p>`.text
}

/** A view that is over, or was never this user's. */
function over(parts: Pick<PortalParts, 'settings'>, call: Call): Reply {
  const visit = visitOf(parts, call)
  const body = errorNote(visit.texts.view.over)
  const { body: page } = renderPage(visit, { title: visit.texts.problems.title, body })
  return inert(page as string, { base: '/admin/', status: 404 })
}

type Inert = {
  /** Where links of the page lead. */
  readonly base: string
  readonly lang?: string | null
  readonly note?: string
  readonly status?: number
}

const policy = [
  `default-src 'none'`,
  `style-src 'self'`,
  `img-src data:`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/**
 * A page as a client would be sent it, that can only be looked at. Texts are escaped, so tags and attributes are those
 * of our own pages. Nothing else of the answer counts, such as its cookies.
 */
function inert(page: string, { base, lang = null, note = '', status = 200 }: Inert): Reply {
  const body = page
    .replace('<main id="content">', `<main id="content">${note}`)
    .replace(/<form\b([^>]*?) method="post" action="[^"]*"/g, '<form$1 inert')
    .replace(/<input type="hidden"[^>]*>/g, '')
    .replace(/href="\/lk\/([^"]*)"/g, (whole, to: string) =>
      whole === `href="${stylesheet.address}"` ? whole : `href="${addressOf(base, to, lang)}"`,
    )
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    headers: [
      ['Content-Security-Policy', policy],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-store'],
    ],
    body,
  }
}

/** A language that was chosen is kept in the address, because no cookie is. */
const addressOf = (base: string, to: string, lang: string | null): string =>
  lang === null || to.includes('lang=') ? `${base}${to}` : `${base}${to}${to.includes('?') ? '&amp;' : '?'}lang=${lang}`

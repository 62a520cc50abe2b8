import type { Order } from '../../billing/payments/orders.ts'
import { readId } from '../../domain/ids.ts'
import { amountText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { portalCookie } from '../../platform/http/client-user.ts'
import { readCookie } from '../../platform/http/cookies.ts'
import { portalSignIn } from '../../platform/http/errors.ts'
import { redirect } from '../../platform/http/reply.ts'
import { isSameText } from '../../platform/same-text.ts'
import { payPath } from './addresses.ts'
import { renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { type Visit, visitOf } from './visit.ts'

/** How often the page of an unpaid order reloads itself, by the age of the order. Older orders are not reloaded. */
const refreshSchedule = [
  { withinMs: 2 * 60_000, seconds: 2 },
  { withinMs: 15 * 60_000, seconds: 15 },
] as const

/**
 * GET /lk/payments/result/?order=&result=&token=: where gateways send the browser back to. The state of the order
 * decides; `result` counts only while the outcome is unknown, because anybody can write it. The order's client sees it
 * all; whoever carries its token, such as the client in a browser where he is not signed in, only whether it was paid.
 * To everybody else it is as unknown as an order that does not exist.
 */
export async function showResult(parts: PortalParts, call: Call): Promise<Reply> {
  const { portal, payments, clock } = parts
  const visit = visitOf(parts, call)
  const session = await portal.find(readCookie(call.header('cookie'), portalCookie(call)))
  const id = readId(call.query.get('order'))
  const found = id === null ? null : await payments.orders.find(id)
  const isOwn = session !== null && found?.subscriberId === session.client.subscriberId
  const token = found?.resultToken ?? null
  const isCarried = token !== null && isSameText(call.query.get('token') ?? '', token)
  const order = isOwn || isCarried ? found : null
  const outcome = outcomeOf(order, call.query.get('result'))
  const ageMs = order ? clock.now().getTime() - order.createdAt.getTime() : Number.POSITIVE_INFINITY
  const refresh =
    outcome === 'waiting' || outcome === 'declined'
      ? refreshSchedule.find(({ withinMs }) => ageMs < withinMs)
      : undefined
  return renderPage(visit, {
    title: visit.texts.result.title,
    body: bodyOf(visit, outcome, isOwn ? order : null, refresh !== undefined, session !== null),
    ...(session && { section: null }),
    ...(refresh && { refreshSeconds: refresh.seconds }),
  })
}

/**
 * Redirects the POST that some gateways make the browser send: a cross-site POST carries no cookie, the following GET
 * does.
 */
export const returnByGet = (call: Call): Reply => {
  const query = new URLSearchParams(call.query)
  for (const name of call.query.keys()) if (!resultFields.has(name)) query.delete(name)
  return redirect(`/lk/payments/result/?${String(query)}`)
}

const resultFields: ReadonlySet<string> = new Set(['order', 'result', 'token'])

type Outcome = 'paid' | 'waiting' | 'declined' | 'failed' | 'unknown'

function outcomeOf(order: Order | null, result: string | null): Outcome {
  if (!order) return result === 'fail' ? 'declined' : 'unknown'
  if (order.state === 'paid') return 'paid'
  if (order.state === 'failed' || order.state === 'expired') return 'failed'
  return result === 'fail' ? 'declined' : 'waiting'
}

function bodyOf(
  visit: Visit,
  outcome: Outcome,
  order: Order | null,
  isRefreshing: boolean,
  isSignedIn: boolean,
): Markup {
  const { result: words } = visit.texts
  const hints = {
    paid: order ? words.paidAmount(amountText(order.credit, visit.language)) : '',
    waiting: isRefreshing ? words.waitingHint : words.waitingLong,
    declined: words.declinedHint,
    failed: words.failedHint,
    unknown: words.unknownHint,
  } as const satisfies Record<Outcome, string>
  const tone = { paid: 'good', waiting: '', declined: 'bad', failed: 'bad', unknown: '' }[outcome]
  const canRetry = outcome === 'declined' || outcome === 'failed'
  return markup`<section><div class="note ${tone}" role="status"><h2>${words[outcome]}</h2><p>${hints[outcome]}</p></div>
${isSignedIn && canRetry && markup`<a class="button" href="${payPath}">${words.again}</a>`}
<a class="button${isSignedIn && canRetry && ' second'}" href="${isSignedIn ? '/lk/' : portalSignIn}">${isSignedIn ? words.home : words.signIn}</a></section>`
}

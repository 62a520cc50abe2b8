import type { AccountRefusal } from '../../billing/accounts/messages.ts'
import type { PromiseProspect, SubscriberStatus } from '../../billing/accounts/subscribers.ts'
import { inDebt } from '../../domain/account.ts'
import { formatRubles, type Money, moneyFromUnits, plus, zero } from '../../domain/money.ts'
import { amountText, dayText, momentText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { redirect } from '../../platform/http/reply.ts'
import type { Usluga } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { amountMarkup } from './amounts.ts'
import { errorNote, csrfField, facts, successNote, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import { authorOfVisit, formTexts, type Visit, visitOf } from './visit.ts'

const path = '/lk/promise/'
const done = ['activated', 'activatedClosed', 'cancelled', 'changed'] as const

/** GET /lk/promise/: the active promise payment, or the offer, or the reason why there is no offer. */
export async function showPromise(
  parts: PortalParts,
  call: Call,
  refusal: AccountRefusal | null = null,
): Promise<Reply> {
  const visit = visitOf(parts, call)
  const { promise: words } = visit.texts
  const id = call.client!.subscriberId
  const [status, prospect] = await Promise.all([parts.subscribers.status(id), parts.subscribers.promiseProspect(id)])
  if (!status || !prospect || status.subscriber.deleted) return redirectToSignIn(call)
  const note = refusal === null ? done.find((name) => name === call.query.get('done')) : undefined
  const { promise } = status.subscriber
  const body = markup`${note && (note === 'changed' || note === 'activatedClosed' ? errorNote(words[note]) : successNote(words[note]))}
${refusal && errorNote(refusalText(parts, visit, refusal, prospect))}
${promise ? active(parts, visit, promise) : await offer(parts, visit, status, prospect, refusal !== null)}`
  return renderPage(visit, { title: words.title, body, section: null, status: refusal ? 400 : 200 })
}

/** POST /lk/promise/ {deed: activate or cancel; limit: the limit that the page showed, when activating}. */
export async function takePromise(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const sent = formTexts(call)
  const subscriberId = call.client!.subscriberId
  const author = authorOfVisit(visit)
  if (sent('deed') === 'cancel') {
    const command = { kind: 'endPromise', subscriberId, why: 'cancelled', only: null } as const
    const outcome = await parts.subscribers.ask(command, author)
    // If there is no promise payment any more, the client has what they asked for.
    const isOver = outcome.kind !== 'refused' || outcome.reason === 'noPromise'
    return isOver ? redirect(`${path}?done=cancelled`) : showPromise(parts, call, outcome.reason)
  }
  const prospect = await parts.subscribers.promiseProspect(subscriberId)
  if (!prospect) return redirectToSignIn(call)
  if (prospect.kind === 'refused') return showPromise(parts, call, prospect.reason)
  // The client agreed to the limit that the page showed; if it has changed since, they must see the new one first.
  if (sent('limit') !== formatRubles(prospect.offer.limit)) return redirect(`${path}?done=changed`)
  const terms = { path: 'client', limit: prospect.offer.limit, until: prospect.offer.until } as const
  const outcome = await parts.subscribers.ask({ kind: 'activatePromise', subscriberId, ...terms }, author)
  if (outcome.kind === 'refused') return showPromise(parts, call, outcome.reason)
  return redirect(`${path}?done=${inDebt(outcome.account, parts.clock.now()) ? 'activatedClosed' : 'activated'}`)
}

function active(parts: PortalParts, visit: Visit, { limit, until }: { limit: Money; until: Date }): Markup {
  const { promise: words } = visit.texts
  const end = momentText(until, parts.settings.get('TIME_ZONE'))
  return markup`<section><p>${words.active(amountText(limit, visit.language), end)}</p><p class="soft">${words.cancelWhat}</p>
<form method="post" action="${path}">${csrfField(visit)}<button class="second" name="deed" value="cancel">${words.cancel}</button></form></section>`
}

async function offer(
  parts: PortalParts,
  visit: Visit,
  { account }: SubscriberStatus,
  prospect: PromiseProspect,
  isRefusalShown: boolean,
): Promise<Markup> {
  const { promise: words } = visit.texts
  if (prospect.kind === 'refused') {
    return markup`<section><p>${words.what}</p>${!isRefusalShown && markup`<p class="note">${refusalText(parts, visit, prospect.reason, prospect)}</p>`}</section>`
  }
  const { limit, until, days, uslugaId } = prospect.offer
  const fee = await dailyFee(parts, uslugaId)
  const staysShut = inDebt({ ...account, balance: plus(account.balance, limit) }, parts.clock.now())
  return markup`<section><p>${words.what}</p>${facts([
    [words.amount, amountMarkup(limit, visit.language)],
    [words.term, words.days(days, momentText(until, parts.settings.get('TIME_ZONE')))],
    [words.daily, fee > zero && amountMarkup(fee, visit.language)],
  ])}${staysShut && markup`<p class="note bad">${words.insufficient}</p>`}
<form method="post" action="${path}">${csrfField(visit)}<input type="hidden" name="limit" value="${formatRubles(limit)}">
<button name="deed" value="activate">${words.activate}</button></form></section>`
}

/** The daily fee of the service in rubles; zero unless LK_PROMISE_PAY_DAILY_CHARGE is on (specification 3.1). */
async function dailyFee({ pool, settings }: PortalParts, uslugaId: number): Promise<Money> {
  if (!settings.get('LK_PROMISE_PAY_DAILY_CHARGE')) return zero
  const { rows } = await pool.query<RowOf<typeof Usluga, 'price'>>('SELECT price FROM uslugas WHERE id = $1', [
    uslugaId,
  ])
  return moneyFromUnits(rows[0]?.price ?? 0)
}

function refusalText(
  { settings }: PortalParts,
  { texts, language }: Visit,
  reason: AccountRefusal,
  { cooldownUntil }: PromiseProspect,
): string {
  const { refusals: words } = texts.promise
  switch (reason) {
    case 'promiseActive':
      return words.promiseActive
    case 'promiseMinDebt':
      return words.promiseMinDebt(amountText(settings.get('LK_PROMISE_PAY_MIN_DEBT'), language))
    case 'promiseMinAge':
      return words.promiseMinAge(settings.get('LK_PROMISE_PAY_MIN_AGE_DAYS'))
    case 'promiseCooldown':
      return cooldownUntil
        ? words.promiseCooldown(dayText(cooldownUntil, settings.get('TIME_ZONE')))
        : words.unavailable
    default:
      return words.unavailable
  }
}

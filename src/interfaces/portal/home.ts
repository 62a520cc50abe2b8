import { type ClientStatus, clientStatus } from '../../billing/clients/status.ts'
import { amountText, momentText, shownDay } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { amountMarkup } from './amounts.ts'
import { facts, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import { type Visit, visitOf } from './visit.ts'

/** GET /lk/: the state of the account and what the client can do about it. */
export async function showHome(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const status = await clientStatus(parts, call.client!.subscriberId, visit.language)
  if (!status) return redirectToSignIn(call)
  const blocks = (await parts.subscribers.status(status.abonent_id))?.subscriber.blocks
  const body = markup`${status.notification !== '' && markup`<p class="note">${status.notification}</p>`}
${balance(visit, status)}${actions(visit, blocks?.client ?? false)}${contract(visit, status, parts.settings.get('TIME_ZONE'))}`
  return renderPage(visit, { title: visit.texts.home.title, body, section: 'home' })
}

function balance({ texts: { home }, language }: Visit, status: ClientStatus): Markup {
  const reason =
    status.block_reason && markup`: ${status.block_reason.charAt(0).toLowerCase() + status.block_reason.slice(1)}`
  const until = status.balance_until_date
  return markup`<section aria-labelledby="balance"><h2 id="balance" class="soft">${home.balance}</h2>
<p class="balance${status.balance.startsWith('-') && ' minus'}">${amountMarkup(status.balance, language)}</p>
<p class="state ${status.is_blocked ? 'closed' : 'open'}">${status.is_blocked ? home.closed : home.open}${status.is_blocked && reason}</p>
${until && markup`<p class="soft">${home.lastsUntil(shownDay(until))}</p>`}
<a class="button" href="/lk/payments/pay/">${home.topUp}</a></section>`
}

function actions({ texts: { home } }: Visit, isSuspended: boolean): Markup {
  const links = [
    ['/lk/promise/', home.takePromise, home.takePromiseHint],
    ['/lk/block/', isSuspended ? home.resume : home.suspend, isSuspended ? '' : home.suspendHint],
    ['/lk/tariff/', home.changeTariff, ''],
    ['/lk/services/', home.addServices, ''],
    ['/lk/tickets/', home.tickets, home.ticketsHint],
    ['/lk/password/', home.changePassword, home.changePasswordHint],
    ['/lk/mailings/', home.mailings, home.mailingsHint],
  ] as const
  return markup`<section aria-labelledby="actions"><h2 id="actions">${home.services}</h2><ul class="actions">${links.map(
    ([address, title, hint]) =>
      markup`<li><a href="${address}">${title}${hint && markup`<small>${hint}</small>`}</a></li>`,
  )}</ul></section>`
}

function contract({ texts: { home }, language }: Visit, status: ClientStatus, zone: string): Markup {
  const { last_payment: payment, promise_pay_end: promiseEnd } = status
  return markup`<section aria-labelledby="contract"><h2 id="contract">${status.name}</h2>${facts([
    [home.contract, status.contract_number],
    [home.tariff, status.tariff_name || home.noTariff],
    [home.speed, status.speed_mbit !== null && home.megabits(String(status.speed_mbit))],
    [home.monthlyCost, amountMarkup(status.monthly_cost, language)],
    [home.promise, promiseEnd && momentText(promiseEnd, zone)],
    [home.lastPayment, payment && markup`${amountText(payment.amount, language)}, ${payment.date}`],
    [home.address, status.address],
    [home.phone, status.sms],
    [home.email, status.email],
  ])}</section>`
}

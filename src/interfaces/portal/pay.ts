import { missingToOpen } from '../../billing/clients/status.ts'
import { type CommissionRate, payableFor, readRate } from '../../billing/payments/commission.ts'
import { missingFor, protocolOf } from '../../billing/payments/gateways.ts'
import { type GatewayName, isGatewayName } from '../../billing/payments/notice.ts'
import { amountMax, type StartedPayment } from '../../billing/payments/start.ts'
import { formatRubles, type Money, moneyFromUnits, parseTypedRubles, rubles, zero } from '../../domain/money.ts'
import { amountText, percentText, wholeAmountText } from '../../domain/wording.ts'
import { type Markup, markup } from '../../platform/formats/html.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { isSentByOthers } from '../../platform/http/csrf.ts'
import { redirect } from '../../platform/http/reply.ts'
import { payPath } from './addresses.ts'
import { submitScript } from './assets.ts'
import { errorNote, csrfField, renderPage } from './layout.ts'
import type { PortalParts } from './parts.ts'
import { redirectToSignIn } from './sign-in.ts'
import { formTexts, type Visit, visitOf } from './visit.ts'

/**
 * GET /lk/payments/pay/: with an amount, redirects to the gateway at once (specification 4.4); without one, shows the
 * form. A link from another site, or from another host of ours, only fills in the form, so that no other page can start
 * a payment for the client. So does the choice of a language on such a page, and `confirm` after a sign-in, because the
 * Content-Security-Policy of the sign-in page forbids its form to end at another host.
 */
export function showPay(parts: PortalParts, call: Call): Promise<Reply> {
  const visit = visitOf(parts, call)
  const amount = call.query.get('amount')
  const isForm = ['confirm', 'lang'].some((name) => call.query.has(name))
  const needsConfirmation = isForm || isSentByOthers(call, parts.publicOrigin)
  if (amount === null || needsConfirmation) {
    return form(parts, visit, { amount, system: call.query.get('system') ?? '' })
  }
  // Starting a payment creates an order, so READ_ONLY_MODE forbids it although the method is GET.
  if (parts.isReadOnly()) {
    return form(parts, visit, { amount, system: '', error: visit.texts.problems.readOnly, status: 403 })
  }
  return start(parts, visit, amount, call.query.get('system') ?? '')
}

/** POST /lk/payments/pay/ {amount, system}. */
export async function takePay(parts: PortalParts, call: Call): Promise<Reply> {
  const sent = formTexts(call)
  return start(parts, visitOf(parts, call), sent('amount'), sent('system'))
}

async function start(parts: PortalParts, visit: Visit, amountSent: string, system: string): Promise<Reply> {
  const { pay: words } = visit.texts
  const filled = { amount: amountSent, system }
  const amount = parseTypedRubles(amountSent.replace(/\s/g, ''))
  const wrongAmount = words.wrongAmount(amountText(amountMax, visit.language))
  if (amount === null) return form(parts, visit, { ...filled, error: wrongAmount, status: 400 })
  if (system !== '' && !isGatewayName(system)) {
    return form(parts, visit, { ...filled, error: words.wrongSystem, status: 400 })
  }
  const gateway = system === '' ? null : system
  const started = await parts.payments.startPayment(visit.call.client!.subscriberId, amount, gateway, null)
  switch (started.kind) {
    case 'redirect':
      return redirect(started.url, visit.cookies)
    case 'formPost':
      return autoSubmitPage(visit, started)
    case 'unavailable':
      return form(parts, visit, { ...filled, error: words.unavailable, status: 503 })
    default:
      return started.reason === 'subscriberMissing'
        ? redirectToSignIn(visit.call)
        : form(parts, visit, { ...filled, error: wrongAmount, status: 400 })
  }
}

/** A form that submits itself to the gateway. Without scripts, the client presses its button. */
function autoSubmitPage(visit: Visit, { action, fields }: Extract<StartedPayment, { kind: 'formPost' }>): Reply {
  const { pay: words } = visit.texts
  const inputs = Object.entries(fields).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  )
  const body = markup`<form class="card" method="post" action="${action}" accept-charset="utf-8" data-submit>${inputs}
<p>${words.sendingHint}</p><button>${words.go}</button></form>`
  const formAction = sourcesOf(action)
  return renderPage(visit, { title: words.sending, body, section: null, formAction, script: submitScript.address })
}

/** `amount`: as it was sent; null: nothing was, and what opens the line is proposed. */
type Filled = { amount: string | null; system: string; error?: string; status?: number }

async function form(parts: PortalParts, visit: Visit, filled: Filled): Promise<Reply> {
  const { settings } = parts
  const { texts, language } = visit
  const { pay: words } = texts
  const preset = settings.get('LK_PAYMENT_SYSTEM')
  const usable = (['gwa', 'gwb'] as const).filter(
    (name) => missingFor(protocolOf(name, settings), settings).length === 0,
  )
  const chosen = isGatewayName(filled.system) ? filled.system : preset
  const share = settings.get('LK_PAYMENT_COMMISSION')
  const percent = percentText(share, language)
  const rate = readRate(share)
  const { debt, sums } = await suggestedAmounts(parts, visit)
  const amount = filled.amount ?? (debt > zero ? formatRubles(debt) : '')
  const body = markup`${filled.error !== undefined && errorNote(filled.error)}
${usable.length === 0 && filled.error === undefined && errorNote(words.unavailable)}
<form class="card" method="post" action="${payPath}">${csrfField(visit)}
<label for="amount">${words.amount}</label>
<input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="16" required value="${amount}" aria-describedby="commission">
<p id="commission" class="soft">${percent === '0' ? words.noCommission : words.commission(percent)}${totalText(visit, parseTypedRubles(amount), rate)}</p>
${usable.length > 1 && choice(visit, usable, chosen)}<button>${words.go}</button>
${quickAmounts(visit, sums, rate)}</form>`
  const formAction = usable.flatMap((name) => targetsOf(name, settings))
  const { status = 200 } = filled
  return renderPage(visit, { title: words.title, body, status, section: 'pay', formAction })
}

const choice = ({ texts: { pay: words } }: Visit, usable: readonly GatewayName[], chosen: GatewayName): Markup =>
  markup`<fieldset><legend>${words.system}</legend>${usable.map(
    (name) =>
      markup`<label><input type="radio" name="system" value="${name}"${name === chosen && markup` checked`}>${words.systems[name]}</label>`,
  )}</fieldset>`

/** What is paid for the amount in the field, with the commission; '' where there is none of either. */
function totalText({ texts, language }: Visit, amount: Money | null, rate: CommissionRate): string {
  if (amount === null || amount <= zero || amount > amountMax || rate === 0n) return ''
  return ` ${texts.pay.total(amountText(amount, language), amountText(payableFor(amount, rate), language))}`
}

/** `debt`: what would lift the block for debt. `sums`: that, the price of a month, and two round sums, each once. */
async function suggestedAmounts({ pool, subscribers, clock }: PortalParts, visit: Visit) {
  const id = visit.call.client!.subscriberId
  const [status, { rows }] = await Promise.all([
    subscribers.status(id),
    pool.query<{ price: string }>(
      `SELECT price FROM abonents JOIN tarifs ON tarifs.id = tarif_id WHERE abonents.id = $1`,
      [id],
    ),
  ])
  const debt = wholeRubles(status ? missingToOpen(status.account, clock.now()) : zero)
  const all = [debt, wholeRubles(moneyFromUnits(rows[0]?.price ?? 0)), rubles(500), rubles(1000)]
  const sums = [...new Set(all)].filter((sum) => sum > zero && sum <= amountMax).sort((a, b) => (a < b ? -1 : 1))
  return { debt, sums }
}

/** The suggested amounts as links to the gateway, with what is paid for each. */
function quickAmounts(visit: Visit, sums: readonly Money[], rate: CommissionRate): Markup {
  const { texts, language } = visit
  const links = sums.map((sum) => {
    const address = `${payPath}?amount=${formatRubles(sum)}`
    const payable = rate > 0n && texts.pay.toPay(wholeAmountText(payableFor(sum, rate), language))
    return markup`<li><a href="${address}" rel="nofollow">${wholeAmountText(sum, language)}${payable && markup`<small>${payable}</small>`}</a></li>`
  })
  return markup`<ul class="chips" aria-label="${visit.texts.pay.quick}">${links}</ul>`
}

const wholeRubles = (amount: Money): Money => rubles((amount + rubles(1) - 1n) / rubles(1))

/**
 * Sources to which a payment form may redirect: browsers check every redirect of a posted form against `form-action`.
 */
function targetsOf(gateway: GatewayName, settings: PortalParts['settings']): readonly string[] {
  if (gateway === 'gwb') return sourcesOf(settings.get('LK_GWB_FORM_URL'))
  return sourcesOf(settings.get(protocolOf('gwa', settings) === 'rest' ? 'LK_GWA_API_URL' : 'LK_GWA_FORM_URL'))
}

/**
 * Source expressions for an address of a gateway. A gateway redirects to hosts that it does not publish, so every https
 * host is allowed; a simulator on plain HTTP is allowed by its own origin only.
 */
function sourcesOf(address: string): readonly string[] {
  const url = URL.parse(address)
  if (!url) return []
  return url.protocol === 'https:' ? ['https:'] : [url.origin]
}

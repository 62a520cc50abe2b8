import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { firstAsciiEmail, firstPhone } from '../../domain/contacts.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { type Money, minus, rubles, zero } from '../../domain/money.ts'
import type { Log } from '../../platform/log.ts'
import { isSafeAddress } from '../../platform/outgoing/destinations.ts'
import { type Client, findClient } from './clients.ts'
import { payableFor, readRate } from './commission.ts'
import type { GatewayAClient } from './gateway-a-client.ts'
import * as gatewayAHttp from './gateway-a-http.ts'
import { creationBody, currency, isSignedBy, type Metadata } from './gateway-a-rest.ts'
import * as gatewayB from './gateway-b.ts'
import { missingFor, type PaymentSettings, protocolOf } from './gateways.ts'
import type { GatewayName, Protocol } from './notice.ts'
import type { NewOrder, Order, Orders } from './orders.ts'
import { contactFor, httpReceipt, type ReceiptLine, restReceipt } from './receipt.ts'

export type StartParts = {
  readonly pool: Pick<Pool, 'query'>
  readonly orders: Orders
  readonly gatewayA: Pick<GatewayAClient, 'create'>
  readonly settings: PaymentSettings
  /** Our public address: `https://billing.example`. */
  readonly publicUrl: () => string
  readonly log: Log
}

export type RequestedPayment = {
  readonly subscriberId: SubscriberId
  /** The amount to be credited; the commission is added to it. */
  readonly amount: Money
  /** Null: the gateway in LK_PAYMENT_SYSTEM. */
  readonly gateway: GatewayName | null
  /**
   * Where the client returns afterwards. When it is null or not allowed, a page from the settings or our own page is
   * used.
   */
  readonly returnUrl: string | null
}

export type StartedPayment =
  | { kind: 'redirect'; orderId: number; url: string }
  | { kind: 'formPost'; orderId: number; action: string; fields: Readonly<Record<string, string>> }
  | { kind: 'refused'; reason: 'amountWrong' | 'subscriberMissing' }
  /** 503: the gateway is not configured or cannot be reached now. The request may be repeated without paying twice. */
  | { kind: 'unavailable' }

export const amountMax = rubles(1_000_000)

/** Stores an order and returns how the client pays it. Rejects with Unavailable when the database is away. */
export async function startPayment(parts: StartParts, requested: RequestedPayment): Promise<StartedPayment> {
  const { pool, settings, log } = parts
  if (requested.amount <= zero || requested.amount > amountMax) return { kind: 'refused', reason: 'amountWrong' }
  const client = await findClient(pool, requested.subscriberId)
  if (!client || client.deleted) return { kind: 'refused', reason: 'subscriberMissing' }
  const gateway = requested.gateway ?? settings.get('LK_PAYMENT_SYSTEM')
  const protocol = protocolOf(gateway, settings)
  const missing = missingFor(protocol, settings)
  if (missing.length > 0) {
    log.warn('nobody can pay: the gateway is not set up', { gateway, missing })
    return { kind: 'unavailable' }
  }
  const order = {
    client,
    gateway,
    protocol,
    ...amountsOf(requested.amount, settings),
    returnUrl: returnUrlOf(requested, settings),
    resultToken: randomBytes(16).toString('base64url'),
  }
  return protocol === 'rest' ? startRest(parts, order) : startForm(parts, order)
}

type Draft = {
  readonly client: Client
  readonly gateway: GatewayName
  readonly protocol: Protocol
  readonly credit: Money
  readonly payable: Money
  readonly commission: Money
  readonly returnUrl: string | null
  readonly resultToken: string
}

function amountsOf(credit: Money, settings: PaymentSettings) {
  const payable = payableFor(credit, readRate(settings.get('LK_PAYMENT_COMMISSION')))
  return { credit, payable, commission: minus(payable, credit) }
}

/** Contract section 5a: https, or a scheme of the provider's own application. */
function returnUrlOf({ returnUrl }: RequestedPayment, settings: PaymentSettings): string | null {
  const url = returnUrl === null || returnUrl.length > 1000 ? null : URL.parse(returnUrl)
  if (!url) return null
  const schemes = settings
    .get('LK_MOBILE_SCHEMES')
    .split(',')
    .map((scheme) => `${scheme.trim()}:`)
  return ['https:', ...schemes].includes(url.protocol) ? url.href : null
}

const newOrder = (id: number, { client, ...draft }: Draft, request: string | null): NewOrder => ({
  id,
  ...draft,
  subscriberId: client.id,
  accountId: client.accountId,
  organizationId: client.organizationId,
  idempotenceKey: randomUUID(),
  request,
})

async function startRest(parts: StartParts, draft: Draft): Promise<StartedPayment> {
  const { orders, gatewayA, settings, log } = parts
  const order = (await repeatable(orders, draft, settings)) ?? (await storeRest(parts, draft))
  const { id, request, idempotenceKey } = order
  const creation = await gatewayA.create(request ?? '', idempotenceKey)
  if (creation.kind === 'created') {
    const { id: gatewayId, confirmationUrl, amount, currency: code } = creation.payment
    if (confirmationUrl !== null && isSafeAddress(confirmationUrl) && amount === order.payable && code === currency) {
      await orders.sent(id, gatewayId, confirmationUrl)
      return { kind: 'redirect', orderId: id, url: confirmationUrl }
    }
    log.error('the gateway made another payment than was asked', { order: id, gatewayId })
    await orders.closed(id, 'failed', 'The gateway made another payment than was asked.')
    return { kind: 'unavailable' }
  }
  log.warn('the gateway made no payment', { order: id, outcome: creation.kind, detail: creation.detail })
  if (creation.kind === 'refused') await orders.closed(id, 'failed', creation.detail)
  else await orders.unknown(id, creation.detail)
  return { kind: 'unavailable' }
}

/**
 * An unanswered order that may be sent again. It must be the same request, because the gateway refuses another one
 * under a known idempotency key.
 */
async function repeatable(
  orders: Orders,
  { client, ...draft }: Draft,
  settings: PaymentSettings,
): Promise<Order | null> {
  const order = await orders.unanswered({ subscriberId: client.id, ...draft })
  if (!order || order.request === null) return null
  const { metadata } = JSON.parse(order.request) as { metadata: Metadata }
  return isSignedBy(metadata, settings.get('LK_GWA_SECRET_KEY')) ? order : null
}

async function storeRest(parts: StartParts, draft: Draft): Promise<NewOrder> {
  const { orders, settings } = parts
  const { client } = draft
  const id = await orders.newId()
  const contact = receiptContact(parts, client, id)
  const body = creationBody(
    { orderId: id, subscriberId: client.id, ...draft },
    {
      secretKey: settings.get('LK_GWA_SECRET_KEY'),
      description: descriptionOf(client),
      returnUrl: (draft.returnUrl ?? settings.get('LK_GWA_SUCCESS_URL')) || ownPage(parts, id, draft, 'success'),
      receipt: contact && restReceipt(contact, receiptLine(draft, settings)),
    },
  )
  const order = newOrder(id, draft, JSON.stringify(body))
  await orders.store(order, 'created')
  return order
}

async function startForm(parts: StartParts, draft: Draft): Promise<StartedPayment> {
  const { orders, settings } = parts
  const id = await orders.newId()
  const form = draft.protocol === 'http' ? httpForm(parts, draft, id) : formOfB(parts, draft, id)
  await orders.store(newOrder(id, draft, null), 'sent')
  const action = settings.get(draft.protocol === 'http' ? 'LK_GWA_FORM_URL' : 'LK_GWB_FORM_URL')
  return { kind: 'formPost', orderId: id, action, fields: form }
}

function httpForm(parts: StartParts, draft: Draft, orderId: number): Readonly<Record<string, string>> {
  const { settings } = parts
  const { client } = draft
  const contact = receiptContact(parts, client, orderId)
  return gatewayAHttp.formFields({
    shopId: settings.get('LK_GWA_SHOP_ID'),
    scid: settings.get('LK_GWA_SCID'),
    payable: draft.payable,
    subscriberId: client.id,
    orderId,
    successUrl: (draft.returnUrl ?? settings.get('LK_GWA_SUCCESS_URL')) || ownPage(parts, orderId, draft, 'success'),
    failUrl: (draft.returnUrl ?? settings.get('LK_GWA_FAIL_URL')) || ownPage(parts, orderId, draft, 'fail'),
    email: firstAsciiEmail(client.email) ?? '',
    phone: firstPhone(client.phone) ?? '',
    receipt: contact && httpReceipt(contact, receiptLine(draft, settings)),
  })
}

function formOfB(parts: StartParts, draft: Draft, orderId: number): Readonly<Record<string, string>> {
  const { settings } = parts
  const { client } = draft
  const signable = (text: string | null) => (text !== null && gatewayB.mayBeSigned(text) ? text : '')
  const returnUrl = signable(draft.returnUrl)
  const pageOf = (set: string, outcome: 'success' | 'fail') =>
    returnUrl || signable(set) || ownPage(parts, orderId, draft, outcome)
  return gatewayB.formFields(
    {
      merchantId: settings.get('LK_GWB_MERCHANT_ID'),
      payable: draft.payable,
      currencyId: settings.get('LK_GWB_CURRENCY'),
      description: descriptionOf(client),
      subscriberId: client.id,
      orderId,
      successUrl: pageOf(settings.get('LK_GWB_SUCCESS_URL'), 'success'),
      failUrl: pageOf(settings.get('LK_GWB_FAIL_URL'), 'fail'),
      email: signable(firstAsciiEmail(client.email)),
    },
    settings.get('LK_GWB_SECRET_KEY'),
  )
}

const descriptionOf = (client: Client): string => `Пополнение лицевого счёта по договору ${client.contract}`

const ownPage = (
  { publicUrl }: StartParts,
  orderId: number,
  { resultToken }: Draft,
  outcome: 'success' | 'fail',
): string => `${publicUrl()}/lk/payments/result/?order=${orderId}&result=${outcome}&token=${resultToken}`

/** Null: receipts are disabled, or there is no address for one; the latter is logged for the operator. */
function receiptContact({ settings, log }: StartParts, client: Client, order: number) {
  if (!settings.get('LK_GWA_RECEIPT_ENABLED')) return null
  const contact = contactFor(client, settings.get('LK_GWA_RECEIPT_FALLBACK_EMAIL'))
  if (!contact) log.warn('a payment goes without a receipt: nobody can be sent one', { order, subscriber: client.id })
  return contact
}

const receiptLine = ({ client, payable }: Draft, settings: PaymentSettings): ReceiptLine => ({
  contract: client.contract,
  payable,
  vatCode: settings.get('LK_GWA_VAT_CODE'),
  paymentSubject: settings.get('LK_GWA_PAYMENT_SUBJECT'),
  paymentMode: settings.get('LK_GWA_PAYMENT_MODE'),
})

import { createHash, randomUUID } from 'node:crypto'
import { type Delivered, type Notice, SimulatedGateway } from './gateway.ts'
import { SimulatedRefunds } from './refunds.ts'
import { type Answered, type Asked, fault, json, payPage, redirect } from './site.ts'

export type GatewayAShop = {
  shopId: string
  /** Of REST v3. */
  secretKey: string
  /** Of the HTTP protocol. */
  shopPassword: string
  webhook: string
}

type Payment = {
  id: string
  status: 'pending' | 'succeeded' | 'canceled'
  amount: { value: string; currency: string }
  description: string
  metadata: Record<string, string>
  returnUrl: string
  createdAt: string
  receipt?: object
}

/** A payment of the HTTP protocol: what the browser posted, with the number the gateway gave it. */
type Invoice = { id: string; form: URLSearchParams }

/** Gateway A as a shop sees it: REST v3 and the HTTP protocol, with a page where the client pays. */
export class SimulatedGatewayA extends SimulatedGateway<GatewayAShop> {
  /** Bodies of creations by their Idempotence-Key. */
  readonly creations = new Map<string, { body: string; id: string }>()
  readonly #payments = new Map<string, Payment>()
  readonly refunds = new SimulatedRefunds((id) => this.#payments.get(id))
  readonly #invoices = new Map<string, Invoice>()
  #invoiceNumber = 2_000_000_000_000 + Math.floor(Math.random() * 1e9)

  /** For LK_GWA_API_URL. */
  get apiUrl(): string {
    return this.address
  }

  /** For LK_GWA_FORM_URL. */
  get formUrl(): string {
    return `${this.address}/eshop.xml`
  }

  get payments(): readonly Payment[] {
    return [...this.#payments.values()]
  }

  protected override answer(asked: Asked): Promise<Answered | null> | Answered | null {
    const { method, path } = asked
    if (path.startsWith('/v3/')) return this.#api(asked)
    if (path === '/eshop.xml') return method === 'POST' ? this.#order(asked) : { status: 200, body: 'Gateway A' }
    const [, page, id = ''] = path.split('/')
    if (page === 'pay') return this.#payPage(id, asked)
    if (page === 'invoice') return this.#invoicePage(id, asked)
    return { status: 404 }
  }

  #api(asked: Asked): Answered | null {
    const { method, path, query, headers, body } = asked
    const credentials = Buffer.from(`${this.shop.shopId}:${this.shop.secretKey}`).toString('base64')
    if (headers.authorization !== `Basic ${credentials}`) return fault(401, 'invalid_credentials')
    if (/^\/v3\/refunds(\/|$)/.test(path)) return this.refunds.answer(asked, this.behaviour)
    if (method === 'POST' && path === '/v3/payments') return this.#create(headers, body)
    if (method === 'GET' && path === '/v3/payments') return json(this.#listed(query))
    const payment = this.#payments.get(decodeURIComponent(path.slice('/v3/payments/'.length)))
    const { reading } = this.behaviour
    if (reading === 'error') return fault(500, 'internal_server_error')
    if (reading === 'missing' || !payment) return fault(404, 'not_found')
    if (reading === 'pending') return json({ ...this.#shown(payment), status: 'pending' })
    return json({ ...this.#shown(payment), ...(reading === 'otherSum' && { amount: oneRuble }) })
  }

  /** Two on a page, whatever the limit, so that paging is exercised. */
  #listed(query: URLSearchParams): object {
    const from = Number(query.get('cursor') ?? 0)
    const since = query.get('created_at.gte') ?? ''
    const status = query.get('status')
    const found = this.payments.filter((one) => one.createdAt >= since && (status === null || one.status === status))
    const items = found.slice(from, from + 2).map((one) => this.#shown(one))
    return { type: 'list', items, ...(found.length > from + 2 && { next_cursor: String(from + 2) }) }
  }

  #create(headers: Asked['headers'], body: Buffer): Answered | null {
    const { creation } = this.behaviour
    if (creation === 'silence') return null
    if (creation === 'error') return fault(503, 'service_unavailable')
    if (creation === 'refused') return fault(400, 'invalid_request')
    if (creation === 'garbage') return { status: 200, type: 'application/json', body: '{"id":' }
    const key = String(headers['idempotence-key'] ?? '')
    if (key === '') return fault(400, 'invalid_request')
    const known = this.creations.get(key)
    if (known && known.body !== body.toString()) return fault(400, 'invalid_request')
    const payment = known ? this.#payments.get(known.id)! : this.#newPayment(JSON.parse(body.toString()))
    this.creations.set(key, { body: body.toString(), id: payment.id })
    return creation === 'lost' ? fault(500, 'internal_server_error') : json(this.#shown(payment))
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever the shop has sent
  #newPayment(order: any): Payment {
    const payment: Payment = {
      id: randomUUID(),
      status: 'pending',
      amount: order.amount,
      description: order.description,
      metadata: order.metadata,
      returnUrl: order.confirmation.return_url,
      createdAt: new Date().toISOString(),
      ...(order.receipt && { receipt: order.receipt }),
    }
    this.#payments.set(payment.id, payment)
    return payment
  }

  #shown({ id, status, amount, description, metadata, createdAt }: Payment): object {
    const confirmation = { type: 'redirect', confirmation_url: `${this.address}/pay/${id}` }
    return {
      ...{ id, status, paid: status === 'succeeded', amount, description, metadata, created_at: createdAt },
      recipient: { account_id: this.shop.shopId, gateway_id: '1' },
      ...(status === 'pending' && { confirmation }),
    }
  }

  async #payPage(id: string, { method, body }: Asked): Promise<Answered> {
    const payment = this.#payments.get(id)
    if (!payment) return { status: 404 }
    if (method !== 'POST')
      return payPage('Шлюз A', payment.amount.value, payment.description, `${this.address}/pay/${id}`)
    if (new URLSearchParams(body.toString()).get('act') === 'cancel') payment.status = 'canceled'
    else payment.status = 'succeeded'
    await this.notify(id)
    return redirect(payment.returnUrl)
  }

  /** Notifies the shop of the state of a payment. */
  async notify(id: string): Promise<void> {
    const payment = this.#payments.get(id)!
    const { behaviour } = this
    if (behaviour.silent) return
    const shown = { ...this.#shown(payment), ...(behaviour.wrongSum && { amount: oneRuble }) }
    const notice = (event: string, object: object): Notice => ({
      contentType: 'application/json',
      body: JSON.stringify({ type: 'notification', event, object }),
    })
    const isPaid = payment.status === 'succeeded'
    const forged = this.forged((sum) => {
      const metadata = { ...payment.metadata, credit_amount: sum }
      return notice('payment.succeeded', { ...shown, id: randomUUID(), status: 'succeeded', metadata })
    })
    const before = notice('payment.waiting_for_capture', { ...shown, status: 'waiting_for_capture' })
    const last = notice(isPaid ? 'payment.succeeded' : 'payment.canceled', shown)
    for (const one of behaviour.wrongOrder ? [last, before] : [before, last])
      await this.deliver(one, one === last ? forged : [], ({ status }) => status === 200)
  }

  /** Takes the form that the browser posted, and leads the client to the payment page. */
  #order({ body }: Asked): Answered {
    const form = new URLSearchParams(body.toString())
    if (form.get('shopId') !== this.shop.shopId) return { status: 400, body: 'Unknown shop' }
    const id = String(this.#invoiceNumber++)
    this.#invoices.set(id, { id, form })
    return redirect(`${this.address}/invoice/${id}`)
  }

  async #invoicePage(id: string, { method, body }: Asked): Promise<Answered> {
    const invoice = this.#invoices.get(id)
    if (!invoice) return { status: 404 }
    const { form } = invoice
    const sum = form.get('sum') ?? ''
    if (method !== 'POST')
      return payPage('Шлюз A', sum, `Заказ ${form.get('orderNumber')}`, `${this.address}/invoice/${id}`)
    const isPaid = new URLSearchParams(body.toString()).get('act') !== 'cancel' && (await this.callBack(invoice))
    return redirect(form.get(isPaid ? 'shopSuccessURL' : 'shopFailURL') ?? '/')
  }

  /** checkOrder, and when the shop agrees, paymentAviso. True: the shop took the payment. */
  async callBack(invoice: Invoice): Promise<boolean> {
    if (this.behaviour.silent) return true
    const isFine = ({ text }: Delivered) => text.includes('code="0"')
    const order: ('checkOrder' | 'paymentAviso')[] = ['checkOrder', 'paymentAviso']
    for (const action of this.behaviour.wrongOrder ? order.reverse() : order) {
      const fakes = this.forged((forgedSum) => this.#callback(action, invoice, forgedSum, 'not the password'))
      const sum = this.behaviour.wrongSum ? '1.00' : (invoice.form.get('sum') ?? '')
      const notice = this.#callback(action, invoice, sum, this.shop.shopPassword)
      if (!(await this.deliver(notice, fakes, isFine))) return false
    }
    return true
  }

  /** The body of a signed callback for a payment with a customer but without an order. */
  signedCallback(action: string, customerNumber: string, sum: string): string {
    const invoice = { id: String(this.#invoiceNumber++), form: new URLSearchParams({ customerNumber }) }
    return String(this.#callback(action, invoice, sum, this.shop.shopPassword).body)
  }

  #callback(action: string, { id, form }: Invoice, sum: string, password: string): Notice {
    const signed = {
      action,
      orderSumAmount: sum,
      orderSumCurrencyPaycash: '643',
      orderSumBankPaycash: '1001',
      shopId: this.shop.shopId,
      invoiceId: id,
      customerNumber: form.get('customerNumber') ?? '',
    }
    const md5 = createHash('md5')
      .update([...Object.values(signed), password].join(';'))
      .digest('hex')
      .toUpperCase()
    const fields = {
      requestDatetime: new Date().toISOString(),
      ...signed,
      md5,
      orderCreatedDatetime: new Date().toISOString(),
      orderNumber: form.get('orderNumber') ?? '',
      shopSumAmount: sum,
      paymentPayerCode: '42007148320',
      paymentType: 'AC',
    }
    return { contentType: 'application/x-www-form-urlencoded', body: String(new URLSearchParams(fields)) }
  }
}

const oneRuble = { value: '1.00', currency: 'RUB' }

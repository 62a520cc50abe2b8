import { createHash } from 'node:crypto'
import { type Delivered, type Notice, SimulatedGateway } from './gateway.ts'
import { type Answered, type Asked, payPage, redirect } from './site.ts'

export type GatewayBShop = { merchantId: string; secretKey: string; webhook: string }

type Invoice = { id: string; form: URLSearchParams; purpose: string }

/**
 * Gateway B as a shop sees it: a signed form comes in, the client pays on a page, a notice in windows-1251 goes out.
 */
export class SimulatedGatewayB extends SimulatedGateway<GatewayBShop> {
  readonly #invoices = new Map<string, Invoice>()
  #number = 340_000_000_000 + Math.floor(Math.random() * 1e9)

  /** For LK_GWB_FORM_URL. */
  get formUrl(): string {
    return `${this.address}/checkout`
  }

  protected override answer(asked: Asked): Promise<Answered> | Answered {
    if (asked.path === '/checkout')
      return asked.method === 'POST' ? this.#order(asked) : { status: 200, body: 'Gateway B' }
    const [, page, id = ''] = asked.path.split('/')
    return page === 'invoice' ? this.#invoicePage(id, asked) : { status: 404 }
  }

  /** A form that was not signed with the merchant's key is refused. */
  #order({ body }: Asked): Answered {
    const form = new URLSearchParams(body.toString())
    const { merchantId, secretKey } = this.shop
    if (form.get('WMI_MERCHANT_ID') !== merchantId) return { status: 400, body: 'Unknown merchant' }
    const fields = Object.fromEntries(form)
    if (fields.WMI_SIGNATURE !== signature(fields, secretKey)) return { status: 400, body: 'Wrong signature' }
    const id = String(this.#number++)
    const description = fields.WMI_DESCRIPTION ?? ''
    const purpose = description.startsWith('BASE64:')
      ? Buffer.from(description.slice(7), 'base64').toString()
      : description
    this.#invoices.set(id, { id, form, purpose })
    return redirect(`${this.address}/invoice/${id}`)
  }

  async #invoicePage(id: string, { method, body }: Asked): Promise<Answered> {
    const invoice = this.#invoices.get(id)
    if (!invoice) return { status: 404 }
    const { form, purpose } = invoice
    if (method !== 'POST')
      return payPage('Шлюз B', form.get('WMI_PAYMENT_AMOUNT') ?? '', purpose, `${this.address}/invoice/${id}`)
    const isPaid = new URLSearchParams(body.toString()).get('act') !== 'cancel'
    await this.notify(invoice, isPaid ? 'Accepted' : 'Rejected')
    return redirect(form.get(isPaid ? 'WMI_SUCCESS_URL' : 'WMI_FAIL_URL') ?? '/')
  }

  async notify(invoice: Invoice, state: string): Promise<void> {
    const { behaviour, shop } = this
    if (behaviour.silent) return
    const isTaken = ({ text }: Delivered) => text === 'WMI_RESULT=OK'
    const states = state === 'Accepted' ? ['Created', state] : [state]
    for (const one of behaviour.wrongOrder ? states.reverse() : states) {
      const amount = behaviour.wrongSum ? '1.00' : (invoice.form.get('WMI_PAYMENT_AMOUNT') ?? '')
      const forged = this.forged((sum) => this.#notice(invoice, 'Accepted', sum, 'not the key'))
      await this.deliver(this.#notice(invoice, one, amount, shop.secretKey), forged, isTaken)
    }
  }

  /** The body of a signed notice for a payment without an order. */
  signedNotice(number: string, amount: string): string {
    const form = new URLSearchParams({ WMI_PAYMENT_NO: number, WMI_CURRENCY_ID: '643' })
    const invoice = { id: String(this.#number++), form, purpose: 'Пополнение счёта' }
    return String(this.#notice(invoice, 'Accepted', amount, this.shop.secretKey).body)
  }

  #notice({ id, form, purpose }: Invoice, state: string, amount: string, key: string): Notice {
    const fields: Record<string, string> = {
      WMI_AUTO_ACCEPT: '1',
      WMI_COMMISSION_AMOUNT: '0.00',
      WMI_CREATE_DATE: '2026-11-21 10:00:00',
      WMI_CURRENCY_ID: form.get('WMI_CURRENCY_ID') ?? '',
      WMI_DESCRIPTION: purpose,
      WMI_LAST_NOTIFY_DATE: '2026-11-21 10:00:01',
      WMI_MERCHANT_ID: this.shop.merchantId,
      WMI_NOTIFY_COUNT: '1',
      WMI_ORDER_ID: id,
      WMI_ORDER_STATE: state,
      WMI_PAYMENT_AMOUNT: amount,
      WMI_PAYMENT_NO: form.get('WMI_PAYMENT_NO') ?? '',
      WMI_PAYMENT_TYPE: 'CreditCardRUB',
      WMI_UPDATE_DATE: '2026-11-21 10:00:01',
    }
    const signed = { ...fields, WMI_SIGNATURE: signature(fields, key) }
    const body = Object.entries(signed).map(([name, value]) => `${name}=${percentEncoded(windows1251(value))}`)
    return { contentType: 'application/x-www-form-urlencoded', body: body.join('&') }
  }
}

function signature(fields: Readonly<Record<string, string>>, key: string): string {
  const names = Object.keys(fields).filter((name) => name.startsWith('WMI_') && name !== 'WMI_SIGNATURE')
  const values = names.sort().map((name) => fields[name] ?? '')
  return createHash('md5')
    .update(windows1251(values.join('') + key))
    .digest('base64')
}

const percentEncoded = (bytes: Buffer): string =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Cyrillic letters are contiguous in windows-1251. Characters that it does not have become question marks. */
const windows1251 = (text: string): Buffer =>
  Buffer.from(
    [...text].map((sign) => {
      const code = sign.codePointAt(0)!
      if (code < 0x80) return code
      if (code >= 0x410 && code <= 0x44f) return code - 0x350
      return { ё: 0xb8, Ё: 0xa8, '№': 0xb9, '«': 0xab, '»': 0xbb }[sign] ?? 0x3f
    }),
  )

import { SimulatedGatewayA } from '../../../src/demo/gateways/gateway-a.ts'
import { SimulatedGatewayB } from '../../../src/demo/gateways/gateway-b.ts'
import { Site } from '../../../src/demo/gateways/site.ts'
import type { Json } from '../../support/program.ts'
import { ruble } from '../../support/provider.ts'
import { type HttpAnswer, http, shortly } from '../door.ts'
import { type Answered, answeredNow, mayBeLost } from '../losses.ts'
import { between, chance } from '../plan.ts'
import type { DoorName, Stage } from '../stage.ts'

const shop = { id: '100500', key: 'test_key_of_the_chaos_shop' }
export const webhookPath = '/lk/payments/webhook/'

/** Every notice three times at once, with a forged one beside it, and again until it is taken. */
const behaviour = { repeats: 3, forged: 1, retries: 100_000, retryMs: 400 }

/** Both gateways. Their notices pass through us, so that the webhook is seen as a door. */
export class Gateways {
  readonly a: SimulatedGatewayA
  readonly b: SimulatedGatewayB
  readonly #relay: Site
  stage: Stage | null = null
  /** By the number of a payment: its notices that were taken. */
  readonly #taken = new Map<string, Answered[]>()

  private constructor(relay: Site, a: SimulatedGatewayA, b: SimulatedGatewayB) {
    this.#relay = relay
    this.a = a
    this.b = b
  }

  /** Notices that are not taken are repeated no more: of an order that is lost none ever is. */
  giveUp(): void {
    this.a.behaviour.retries = this.b.behaviour.retries = 0
  }

  static async start(): Promise<Gateways> {
    const relay = new Site(async ({ path, headers, body }) => {
      const door: DoorName = path === '/gwa' ? 'webhook gwa rest' : 'webhook gwb'
      const type = String(headers['content-type'])
      const init = { method: 'POST', headers: { 'Content-Type': type }, body: new Uint8Array(body) }
      const says = ({ text }: { text: string }) => text.startsWith('WMI_RESULT=RETRY') && !/signature/i.test(text)
      const askedMs = performance.now()
      const answer = await gateways.stage!.use(door, webhookPath, init, says)
      if (answer) gateways.#took(body.toString(), answer, answeredNow(askedMs))
      return answer ? { status: answer.status, type: 'text/plain', body: answer.text } : { status: 503 }
    })
    await relay.start()
    const a = new SimulatedGatewayA(
      { shopId: shop.id, secretKey: shop.key, shopPassword: shop.key, webhook: `${relay.address}/gwa` },
      behaviour,
    )
    const b = new SimulatedGatewayB(
      { merchantId: shop.id, secretKey: shop.key, webhook: `${relay.address}/gwb` },
      behaviour,
    )
    const gateways = new Gateways(relay, a, b)
    await a.start()
    await b.start()
    return gateways
  }

  /** What makes the program know them. */
  get settings(): Readonly<Record<string, string>> {
    return {
      LK_GWA_API_URL: this.a.apiUrl,
      LK_GWA_SHOP_ID: shop.id,
      LK_GWA_SECRET_KEY: shop.key,
      LK_GWA_RECEIPT_ENABLED: '0',
      LK_GWB_FORM_URL: this.b.formUrl,
      LK_GWB_MERCHANT_ID: shop.id,
      LK_GWB_SECRET_KEY: shop.key,
      LK_PAYMENT_COMMISSION: '0',
    }
  }

  /**
   * A client with what `finance/pay` answered: to the gateway's page, and the button. Resolves when the gateway was
   * believed.
   */
  async pay(
    stage: Stage,
    client: { account: number; subscriber: number },
    rubles: number,
    { started, ...ordered }: Answered & { readonly started: Json },
  ): Promise<void> {
    const amount = BigInt(rubles) * BigInt(ruble)
    const page = started.redirect_url ?? (await this.#order(started.form_post))
    if (page === null) return
    const gateway = started.redirect_url ? 'gwa' : 'gwb'
    const movement = stage.book.ask({
      key: `${gateway}:${page.split('/').at(-1)}`,
      ...onlyIds(client),
      amount,
      ordered,
    })
    // The gateway answers when every copy of the notice was taken.
    const answer = await http(page, { method: 'POST', body: new URLSearchParams({ act: 'pay' }) }, 600_000)
    if (answer?.status !== 302) return
    const notices = this.#taken.get(page.split('/').at(-1)!) ?? []
    if (notices.length === 0 && !mayBeLost(ordered, stage.book.losses))
      stage.book.violate('a payment was never taken', movement)
    for (const taken of notices) stage.book.acknowledge(movement, null, taken)
  }

  #took(body: string, { status, text }: HttpAnswer, answered: Answered): void {
    const form = new URLSearchParams(body)
    const paid = status === 200 && /"event":"payment\.succeeded","object":{"id":"([^"]+)"/.exec(body)?.[1]
    const isAccepted = text === 'WMI_RESULT=OK' && form.get('WMI_ORDER_STATE') === 'Accepted'
    const id = isAccepted ? form.get('WMI_ORDER_ID') : paid
    if (id) this.#taken.set(id, [...(this.#taken.get(id) ?? []), answered])
  }

  async #order(form: Json): Promise<string | null> {
    const answer = await http(form.action, { method: 'POST', body: new URLSearchParams(form.fields) })
    return answer?.headers.get('location') ?? null
  }

  async stop(): Promise<void> {
    await this.a.stop()
    await this.b.stop()
    await this.#relay.stop()
  }
}

const onlyIds = ({ account, subscriber }: { account: number; subscriber: number }) => ({ account, subscriber })

/** Payments of the HTTP protocol of gateway A that nobody ordered here: asked about, told, told again, and forged. */
export async function payByCallback(stage: Stage, gateways: Gateways): Promise<void> {
  const dice = stage.dice('gwa http')
  while (!stage.isOver) {
    const client = dice.pick(stage.clients)
    const rubles = between(dice, 1, 300)
    const told = gateways.a.signedCallback('paymentAviso', String(client.subscriber), `${rubles}.00`)
    const key = `gwa:${new URLSearchParams(told).get('invoiceId')}`
    const isForged = chance(dice, 20)
    const movement = stage.book.ask(
      { key, ...onlyIds(client), amount: BigInt(rubles) * BigInt(ruble) },
      isForged ? 'forged' : 'asked',
    )
    const body = isForged ? told.replace(/md5=\w{4}/, 'md5=0BAD') : told
    let repeats = chance(dice, 30) ? 3 : 1
    while (repeats > 0) {
      const says = ({ text }: { text: string }) => text.includes('code="100"')
      const init = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body }
      const askedMs = performance.now()
      const answer = await stage.use('webhook gwa http', webhookPath, init, says)
      if (answer?.text.includes('code="0"')) stage.book.acknowledge(movement, null, answeredNow(askedMs))
      if (answer) repeats--
      else await shortly(300)
    }
    await shortly(between(dice, 100, 500))
  }
}

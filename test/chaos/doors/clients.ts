import { Browser } from '../../support/browser.ts'
import type { LivePhone, Phone, PhoneAnswer } from '../../support/phone.ts'
import { type Client, linePassword } from '../../support/provider.ts'
import { isUnserved, shortly, within } from '../door.ts'
import { answeredNow } from '../losses.ts'
import { between, chance } from '../plan.ts'
import type { DoorName, Stage } from '../stage.ts'
import type { Gateways } from './gateways.ts'

export const contractOf = ({ login }: Client): string => login.replace('line', '').padStart(6, '0')

/** Some clients with the telephone application: status, payments, promises, and the live socket, come and gone. */
export async function usePhones(
  stage: Stage,
  gateways: Gateways,
  first: Phone,
  clients: readonly Client[],
): Promise<void> {
  const dice = stage.dice(`phone ${clients[0]!.login}`)
  const phones = clients.map((client) => ({ client, phone: first.another(), isIn: false }))
  const paying = new Set<Promise<void>>()
  for (let n = 0; !stage.isOver; n++) {
    await shortly(between(dice, 60, 500))
    const one = dice.pick(phones)
    const { client, phone } = one
    if (!one.isIn) one.isIn = (await use(stage, () => phone.signIn(contractOf(client), linePassword)))?.status === 200
    if (!one.isIn) continue
    const wish = dice.below(100)
    let answer: PhoneAnswer | null
    if (wish < 40) answer = await use(stage, () => phone.get('/account/status'))
    else if (wish < 70) {
      const rubles = between(dice, 10, 300)
      const system = dice.pick(['gwa', 'gwb'])
      const askedMs = performance.now()
      answer = await use(stage, () => phone.post('/finance/pay', { amount: `${rubles}.00`, system }))
      if (answer?.status === 200) {
        const paid = gateways.pay(stage, client, rubles, { ...answeredNow(askedMs), started: answer.body })
        paying.add(paid)
        void paid.finally(() => paying.delete(paid))
      }
    } else if (wish < 80) {
      stage.book.askPromise(client.subscriber)
      const askedMs = performance.now()
      answer = await use(stage, () =>
        phone.post('/finance/promise_pay', undefined, { 'Idempotency-Key': `promise-${client.login}-${n}` }),
      )
      if (answer?.status === 201) stage.book.gavePromise(client.subscriber, answeredNow(askedMs))
    } else if (wish < 87) answer = await use(stage, () => phone.delete('/finance/promise_pay'))
    else if (wish < 92) answer = await use(stage, () => phone.refresh())
    else answer = await watch(stage, phone.live(), between(dice, 100, 3_000))
    if (answer?.status === 401) one.isIn = false
  }
  await Promise.all(paying)
}

/** An answer that the document does not promise is a violation. */
async function use(stage: Stage, deed: () => Promise<PhoneAnswer>): Promise<PhoneAnswer | null> {
  const beganMs = stage.nowMs
  let answer: PhoneAnswer | null = null
  try {
    answer = await deed()
  } catch (error) {
    // Nobody there, or cut off in the middle.
    if (!(error instanceof TypeError))
      stage.book.violate('a phone got what the document does not promise', String(error))
  }
  const isServed = answer !== null && !isUnserved(answer)
  stage.doors.phone.took(!isServed ? 'unserved' : answer!.status >= 400 ? 'refused' : 'served', beganMs, stage.nowMs)
  return isServed ? answer : null
}

async function watch(stage: Stage, live: LivePhone, forMs: number): Promise<null> {
  const beganMs = stage.nowMs
  live.socket.on('error', () => {})
  const isSeen = await within(5_000, live.status()).catch(() => false)
  stage.doors.live.took(isSeen ? 'served' : 'unserved', beganMs, stage.nowMs)
  if (isSeen) await shortly(forMs)
  live.socket.terminate()
  return null
}

/** A client at the pages of the portal. */
export async function usePortal(stage: Stage, clients: readonly Client[]): Promise<void> {
  const dice = stage.dice('portal')
  while (!stage.isOver) {
    const client = dice.pick(clients)
    const browser = new Browser(stage.base)
    const signIn = await page(stage, () => browser.signIn(contractOf(client), linePassword))
    for (let visits = between(dice, 1, 6); signIn?.status === 302 && visits > 0 && !stage.isOver; visits--) {
      await page(stage, () => browser.get(dice.pick(['/lk/', '/lk/payments/', '/lk/payments/pay/'])))
      const offer = await page(stage, () => browser.get('/lk/promise/'))
      const limit = /name="limit" value="([^"]+)"/.exec(offer?.text ?? '')?.[1]
      if (limit && chance(dice, 30)) {
        stage.book.askPromise(client.subscriber)
        const askedMs = performance.now()
        const given = await page(stage, () => browser.post('/lk/promise/', { deed: 'activate', limit }))
        if (given?.location?.includes('done=activated')) stage.book.gavePromise(client.subscriber, answeredNow(askedMs))
      } else if (offer?.text.includes('value="cancel"'))
        await page(stage, () => browser.post('/lk/promise/', { deed: 'cancel' }))
      await shortly(between(dice, 50, 300))
    }
    await shortly(between(dice, 100, 400))
  }
}

async function page<T extends { status: number; text: string }>(
  stage: Stage,
  visit: () => Promise<T>,
): Promise<T | null> {
  const door: DoorName = 'portal'
  const beganMs = stage.nowMs
  const shown = await visit().catch(() => null)
  if (shown?.status === 500) stage.book.violate('an answer of 500', { door, text: shown.text.slice(0, 500) })
  const isServed = shown !== null && !isUnserved(shown)
  stage.doors[door].took(!isServed ? 'unserved' : shown.status >= 400 ? 'refused' : 'served', beganMs, stage.nowMs)
  return isServed ? shown : null
}

import type { Dice } from '../../../src/demo/dice.ts'
import { ruble } from '../../support/provider.ts'
import type { Movement } from '../book.ts'
import { answeredNow } from '../losses.ts'
import { shortly } from '../door.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'

const path = '/rest_api/v2/FinanceOperations/'

/** An integrator who moves money by REST v2, each movement under a key of its own, until it is answered. */
export async function moveByRest(stage: Stage, number: number): Promise<void> {
  const dice = stage.dice(`rest ${number}`)
  for (let n = 0; !stage.isOver; n++) {
    const client = dice.pick(stage.clients)
    const isReceipt = chance(dice, 55)
    const rubles = between(dice, 1, 400)
    const name = `chaos-${number}-${n}`
    const amount = BigInt(rubles) * BigInt(ruble)
    const { account, subscriber } = client
    const movement = stage.book.ask({ key: `rest:${name}`, account, subscriber, amount: isReceipt ? amount : -amount })
    const byHeader = chance(dice, 40)
    const body = {
      account,
      abonent: subscriber,
      op_type: isReceipt ? 7 : 9,
      op_summa: rubles * ruble,
      descr: name,
      ...(!byHeader && { txn: name }),
    }
    const headers: Record<string, string> = byHeader ? { 'Idempotency-Key': name } : {}
    await moved(stage, dice, movement, body, headers)
    await shortly(between(dice, 20, 160))
  }
}

/** Some are given up unanswered; some are sent again although they were answered. */
async function moved(
  stage: Stage,
  dice: Dice,
  movement: Movement,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isGivenUp = chance(dice, 4)
  let repeats = chance(dice, 15) ? 2 : 1
  while (repeats > 0) {
    const askedMs = performance.now()
    const answer = await stage.useAsStaff('rest money', 'POST', path, body, headers)
    if (answer && (answer.status === 201 || answer.status === 200)) {
      const { op_id } = JSON.parse(answer.text) as { op_id: number }
      stage.book.acknowledge(movement, op_id, answeredNow(askedMs))
      repeats--
    } else if (answer) {
      stage.book.violate('money was refused', { movement, status: answer.status, text: answer.text.slice(0, 300) })
      return
    } else if (isGivenUp) return
    else await shortly(250)
  }
}

/** Somebody who looks: lists, records, balances. */
export async function readByRest(stage: Stage): Promise<void> {
  const dice = stage.dice('rest read')
  while (!stage.isOver) {
    const { account, subscriber } = dice.pick(stage.clients)
    const read = dice.pick([
      `/rest_api/v2/Abonents/${subscriber}/`,
      `/rest_api/v2/AdminAccounts/${account}/`,
      `${path}?account=${account}&limit=20`,
      '/rest_api/v2/Users/?limit=10',
      '/admin/jobs/',
    ])
    const answer = await stage.useAsStaff('rest read', 'GET', read)
    if (answer && answer.status !== 200)
      stage.book.violate('a read was refused', { read, status: answer.status, text: answer.text.slice(0, 300) })
    await shortly(between(dice, 20, 200))
  }
}

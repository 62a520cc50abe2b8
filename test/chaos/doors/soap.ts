import { cashDesk } from '../../support/program.ts'
import { ruble } from '../../support/provider.ts'
import { answerOf, envelope, fiscalNamespace, hashOf, userNamespace } from '../../support/soap.ts'
import { shortly } from '../door.ts'
import { answeredNow } from '../losses.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'
import { contractOf } from './clients.ts'

/** A cash desk: signs in by hash, pays, and repeats what it had no answer to under the same PAY_ID_STR. */
export async function payBySoap(stage: Stage): Promise<void> {
  const dice = stage.dice('soap')
  let hashKey = ''
  for (let n = 0; !stage.isOver; n++) {
    const client = dice.pick(stage.clients)
    const rubles = between(dice, 1, 300)
    const name = `desk-${n}`
    const { account, subscriber } = client
    const movement = stage.book.ask({
      key: `soap:${name}`,
      account,
      subscriber,
      amount: BigInt(rubles) * BigInt(ruble),
    })
    const contract = contractOf(client)
    let repeats = chance(dice, 20) ? 2 : 1
    while (repeats > 0) {
      if (hashKey === '') hashKey = (await ask(stage, '/api/', signIn))?.result ?? ''
      const parameters = {
        ...{ hash_key: hashKey, ACT: 'PAY', CONTRACT_NUMBER: contract, SUM_IN: String(rubles) },
        ...{ PAY_OPERATOR: 'Chaos', PAY_ID_STR: name },
      }
      const pay = envelope('pay_usr_act2', fiscalNamespace, parameters)
      const askedMs = performance.now()
      const said = hashKey === '' ? null : await ask(stage, '/api/fiscal/', pay)
      if (said?.result?.startsWith('OK;')) {
        stage.book.acknowledge(movement, Number(said.result.split(';')[1]), answeredNow(askedMs))
        repeats--
      } else if (said && said.code === 'Client.NotSignedIn') hashKey = ''
      else if (said) {
        stage.book.violate('a payment by SOAP was refused', { movement, code: said.code, reason: said.reason })
        return
      } else await shortly(250)
    }
    await shortly(between(dice, 60, 300))
  }
}

const signIn = envelope('get_user_hash', userNamespace, {
  username: cashDesk.username,
  hash: hashOf(cashDesk.password),
})

/** Null: not served, to be asked again. */
async function ask(stage: Stage, path: string, body: string) {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8' }
  const saysAgain = ({ text }: { text: string }) => /<faultcode>[^<]*Server\./.test(text)
  const answer = await stage.use('soap', path, { method: 'POST', headers, body }, saysAgain)
  return answer && answerOf(answer.status, answer.text)
}

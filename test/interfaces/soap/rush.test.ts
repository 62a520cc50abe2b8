import { Agent, request } from 'node:http'
import t from 'tap'
import { envelope, fiscalNamespace, openSoapFixture } from './fixture.ts'

/**
 * The last day of the month: fifty cash desks, each on a connection of its own, and half of the answers are lost and
 * asked again.
 */
const desks = 50
const payers = 12
const payments = 200
const fixture = await openSoapFixture(t)
const hash_key = await fixture.staff('cashdesk', 'cashier')
const clients = await Promise.all(
  Array.from({ length: payers }, (_, n) => fixture.subscriber(`00${100 + n}`, `Клиент Номер ${n}`)),
)

type Errand = { readonly act: 'CHECK' | 'PAY'; readonly contract: string; readonly id: number; readonly sum: string }

const sumOf = (id: number): bigint => BigInt(100 + (id % 7) * 25)

/** Every payment three times in a row or far apart, now with leading zeros and now without, and a CHECK before each. */
function errands(): Errand[] {
  const all = Array.from({ length: payments }, (_, id) => ({
    id,
    contract: `${100 + (id % payers)}`,
    sum: `${sumOf(id)}`,
  }))
  const once = all.flatMap((one): Errand[] => [
    { ...one, act: 'CHECK' },
    { ...one, act: 'PAY', contract: `00${one.contract}`, sum: `${one.sum},00` },
    { ...one, act: 'PAY', sum: `${one.sum}.0` },
  ])
  const later = all.toReversed().map((one): Errand => ({ ...one, act: 'PAY' }))
  const mixed: Errand[] = []
  for (let at = 0; at < once.length; at++) {
    mixed.push(once[at]!)
    if (at % 3 === 0) mixed.push(later[at / 3]!)
  }
  return mixed
}

function ask(agent: Agent, { act, contract, id, sum }: Errand): Promise<string> {
  const said = {
    hash_key,
    ACT: act,
    CONTRACT_NUMBER: contract,
    SUM_IN: sum,
    PAY_OPERATOR: 'Касса',
    PAY_ID_STR: `rush-${id}`,
  }
  const body = envelope('pay_usr_act2', fiscalNamespace, said)
  const headers = { 'Content-Type': 'text/xml', 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request(`${fixture.base}/api/fiscal/`, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve(/pay_usr_act2Result>([^<]*)</.exec(text)?.[1] ?? text))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

t.test('a rush of CHECK and PAY from fifty connections credits every payment once', async (t) => {
  const queue = errands()
  const answers = new Map<number, Set<string>>()
  const odd: string[] = []
  await Promise.all(
    Array.from({ length: desks }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let errand = queue.shift(); errand; errand = queue.shift()) {
        let answer = await ask(agent, errand)
        // A machine that does much else may be too busy for fifty; it says so, and a desk asks again.
        while (/<faultcode>\w+:Server\.Unavailable</.test(answer)) answer = await ask(agent, errand)
        if (!answer.startsWith('OK;')) odd.push(answer)
        if (errand.act === 'PAY') answers.set(errand.id, (answers.get(errand.id) ?? new Set()).add(answer))
      }
      agent.destroy()
    }),
  )
  t.same(odd, [], 'everybody was served')
  t.equal(answers.size, payments)
  t.same(
    [...answers].filter(([, said]) => said.size !== 1),
    [],
    'every repeat had the answer of the first',
  )
  const operations = [...answers.values()].map(([answer]) => answer!.split(';')[1])
  t.equal(new Set(operations).size, payments, 'no two payments are one')
  const [count] = await fixture.rows('SELECT count(*)::int AS operations FROM finance_operations')
  t.equal(count.operations, payments)
  for (const [n, { account }] of clients.entries()) {
    const paid = Array.from({ length: payments }, (_, id) => id).filter((id) => id % payers === n)
    const sum = paid.reduce((total, id) => total + sumOf(id), 0n)
    t.equal(await fixture.balance(account), String(sum * 10_000_000_000n), `client ${n}`)
  }
})

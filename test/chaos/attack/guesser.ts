import { cashDesk } from '../../support/program.ts'
import { answerOf, envelope, hashOf, userNamespace } from '../../support/soap.ts'
import { shortly } from '../door.ts'
import { contractOf } from '../doors/clients.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'
import type { Stranger } from './stranger.ts'

type Guess = (from: Stranger, word: string) => Promise<{ what: string; isIn: boolean }>

const burst = 60

/** Guesses at passwords of staff, clients and the System API: one after the other, and many at once. */
export async function guessPasswords(stage: Stage, strangers: readonly Stranger[]): Promise<void> {
  const dice = stage.dice('guesser')
  for (let n = 0; !stage.isOver; n++) {
    await stage.whileAttackerRests()
    const guess = dice.pick(guesses)(stage, n)
    const count = chance(dice, 3) ? burst : 1
    const all = await Promise.all(
      Array.from({ length: count }, (_, at) => guess(dice.pick(strangers), `guess-${n}-${at}`)),
    )
    for (const { what, isIn } of all) if (isIn) stage.book.violate('a guess was let in', what)
    await shortly(between(dice, 10, 150))
  }
}

const json = { 'Content-Type': 'application/json' }

const staffNames = ['admin', 'root', cashDesk.username]

const guesses: readonly ((stage: Stage, n: number) => Guess)[] = [
  (_, n) => async (from, word) => {
    const name = staffNames[n % staffNames.length]!
    const answer = await from.ask('GET', `/admin/?api=1&username=${name}&password=${word}&format=json`)
    return { what: `staff ${name}`, isIn: answer?.status === 200 }
  },
  (_, n) => async (from, word) => {
    const answer = await from.ask('GET', `/admin/?api=1&username=nobody-${n}-${word}&password=${word}&format=json`)
    return { what: 'an invented name', isIn: answer?.status === 200 }
  },
  () => async (from, word) => {
    const parameters = { username: cashDesk.username, hash: hashOf(word) }
    const body = envelope('get_user_hash', userNamespace, parameters)
    const answer = await from.ask('POST', '/api/', { 'Content-Type': 'text/xml; charset=utf-8' }, body)
    return { what: 'SOAP', isIn: answer !== null && answerOf(answer.status, answer.text).result !== null }
  },
  ({ clients }, n) =>
    async (from, password) => {
      const contract = `${'0'.repeat(n % 3)}${contractOf(clients[n % clients.length]!)}`
      const answer = await from.ask('POST', '/mobile-api/v1/auth/login', json, JSON.stringify({ contract, password }))
      return { what: `client ${contract}`, isIn: answer?.status === 200 }
    },
  () => async (from, word) => {
    const answer = await from.ask('GET', '/system_api/status/', { 'X-System-Password': word })
    return { what: 'the System API', isIn: answer?.status === 200 }
  },
]

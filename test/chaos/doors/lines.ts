import type { Client } from '../../support/provider.ts'
import { linePassword } from '../../support/provider.ts'
import { shortly } from '../door.ts'
import { between, chance } from '../plan.ts'
import type { Stage } from '../stage.ts'

export const stationOf = ({ login }: Client): string => `02-00-00-00-${login}`

/**
 * A modem at home: signs in somewhere, stays a while, leaves; sometimes with a wrong password. Some stay when the load
 * is over.
 */
export async function dialIn(stage: Stage, client: Client): Promise<void> {
  const dice = stage.dice(`line ${client.login}`)
  const door = stage.doors['radius auth']
  const station = stationOf(client)
  while (!stage.isOver) {
    await shortly(between(dice, 100, 1_500))
    const nas = dice.pick(stage.nas)
    const isWrong = chance(dice, 15)
    const method = chance(dice, 50) ? 'pap' : 'chap'
    const staysMs = between(dice, 500, 6_000)
    const leaves = chance(dice, 80)
    if (stage.isOver || nas.isBooting || nas.weather.silent || stage.nas.some((one) => one.liveOf(client.login)))
      continue
    const beganMs = stage.nowMs
    const { verdict, answer } = await nas.ask(client.login, isWrong ? 'not this one' : linePassword, method, station)
    // A NAS that heard nothing because nothing could be heard says nothing of the server.
    const isFoul = nas.weather.silent || nas.weather.lost > 0 || nas.isBooting
    if (verdict !== 'silence') door.took(verdict === 'accepted' ? 'served' : 'refused', beganMs, stage.nowMs)
    else if (!isFoul) door.took('unserved', beganMs, stage.nowMs)
    if (verdict !== 'accepted') continue
    if (isWrong) stage.book.violate('a wrong password was let in', { login: client.login, method })
    if (nas.isBooting || nas.weather.silent) continue
    const session = nas.begin(client.login, station, answer!)
    await shortly(staysMs)
    if (leaves && !stage.isOver) nas.end(session)
  }
}

import type { Stage } from '../stage.ts'
import { sendBodies } from './bodies.ts'
import { forgePackets } from './forger.ts'
import { guessPasswords } from './guesser.ts'
import { holdConnections, neverReadScreen } from './slow.ts'
import { networkOfRun, Stranger } from './stranger.ts'

const strangersCount = 12
const slowConnections = 30

/** Everything that somebody does who wants to get in, or to keep others out, as parts of the load. */
export function attack(stage: Stage): Promise<void>[] {
  const strangers = Array.from({ length: strangersCount }, (_, n) => new Stranger(`${networkOfRun}.1.${n + 1}`, stage))
  return [
    forgePackets(stage, `${networkOfRun}.1.200`),
    guessPasswords(stage, strangers),
    sendBodies(stage, strangers),
    neverReadScreen(stage),
    ...Array.from({ length: slowConnections }, (_, n) => holdConnections(stage, strangers, n)),
  ]
}

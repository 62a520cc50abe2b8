import type { RunningProgram } from '../../test/support/program.ts'
import { AccessClient } from '../access-client.ts'
import { alone, type Figure, figureAtMost } from '../figures.ts'
import { nasFirst, secret } from '../radius/subscribers.ts'
import { becomes, type Fleet, passwordOf, within } from './fleet.ts'

const caughtUpSeconds = 3
const runMs = 120_000
const patienceMs = 60_000
const spread = 30
/** A opens them in the order of their ids, many at a time. */
const last = 30
/** One socket tells so many questions apart. */
const askedAtOnce = 200

/**
 * B stands still while A opens everybody whom the operator has blocked, a few to a commit, and goes on. Until B accepts
 * those whom A has opened last and some of all; then everybody is asked for.
 */
export async function measureMissed(fleet: Fleet, { a, b }: Record<'a' | 'b', RunningProgram>): Promise<Figure[]> {
  const { open, blocked } = fleet.options
  const what = `${blocked.toLocaleString('en')} changes missed`
  const all = Array.from({ length: blocked }, (_, n) => open + 1 + n)
  const nas = await AccessClient.open(b.address.authPort, secret, nasFirst)
  try {
    b.signal('SIGSTOP')
    const tookSeconds = await openAll(fleet, a)
    let waiting = all.filter((_, n) => n % Math.ceil(blocked / spread) === 0 || n >= blocked - last)
    const sinceMs = performance.now()
    b.signal('SIGCONT')
    const areAccepted = async () => {
      waiting = await refusedOf(nas, waiting)
      return waiting.length === 0
    }
    await becomes(patienceMs, 'B accepts everybody', areAccepted, 10)
    const seconds = (performance.now() - sinceMs) / 1000
    const refused = await refusedOf(nas, all)
    return [
      alone(`${what}: caught up after`, 's', seconds, figureAtMost(caughtUpSeconds)),
      alone(`${what}: decided otherwise then`, 'logins', refused.length, figureAtMost(0)),
      alone(`${what}: A took for them`, 's', tookSeconds),
    ]
  } finally {
    b.signal('SIGCONT')
    nas.close()
  }
}

/** Seconds that it took. */
async function openAll({ database, options: { blocked } }: Fleet, a: RunningProgram): Promise<number> {
  const sinceMs = performance.now()
  const { status, body } = await a.rest('POST', '/admin/Abonents/block_many/', {
    on: false,
    filter: { show: 'blocked' },
  })
  if (status !== 202 && status !== 200) throw new Error(`The run was refused: ${JSON.stringify(body)}`)
  const isDone = async () => (await database.query('SELECT FROM abonents_block WHERE b_admin LIMIT 1')).rowCount === 0
  await becomes(runMs, `A opens ${blocked} subscribers`, isDone, 250)
  return (performance.now() - sinceMs) / 1000
}

async function refusedOf(nas: AccessClient, users: readonly number[]): Promise<number[]> {
  const refused: number[] = []
  for (let at = 0; at < users.length; at += askedAtOnce) {
    const piece = users.slice(at, at + askedAtOnce)
    const asked = Promise.all(piece.map((user) => nas.ask(`user${user}`, passwordOf(user)) ?? Promise.resolve(false)))
    const answers = await within(patienceMs, 'RADIUS at B', asked)
    refused.push(...piece.filter((_, n) => !answers[n]))
  }
  return refused
}

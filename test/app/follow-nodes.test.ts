import t from 'tap'
import { followLog } from '../../src/app/follow-nodes.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { NodeLogFollower } from '../../src/platform/nodes/node-log.ts'

type Parts = Parameters<typeof followLog>

/** What is read anew when a node finds that it has missed some of the log. `isUp`: notices of the primary are heard. */
async function rereadBy({ isEdge, isUp }: { readonly isEdge: boolean; readonly isUp: boolean }): Promise<string[]> {
  const read: string[] = []
  const stops: (() => unknown)[] = []
  const database = (name: string) => ({
    isUp: () => isUp,
    reread: () => read.push(`what ${name} has told`),
    heard: () => {},
    onUp: () => () => {},
    onReplaced: () => () => {},
  })
  const primary = database('the primary')
  const parts = {
    database: primary,
    reads: isEdge ? database('the standby') : primary,
    accounting: { followAll: async () => void read.push('sessions'), follow: async () => {} },
    metrics: { node: {} },
    log: silentLog,
    onStop: (stop: () => unknown) => stops.push(stop),
  }
  let follower: NodeLogFollower | null = null
  const nodes = {
    membership: { fenced: null, others: 1, drain: () => {}, tell: () => {} },
    log: {
      start: async (one: NodeLogFollower) => {
        follower = one
      },
      stop: async () => {},
      forget: () => {},
      lagMs: 0,
    },
  }
  await followLog(...([parts, nodes, {}] as unknown as Parts))
  await follower!.missed()
  for (const stop of stops) await stop()
  return read
}

t.test('who has missed some of the log reads everything anew from where it reads', async (t) => {
  for (const isUp of [true, false])
    t.strictSame(
      await rereadBy({ isEdge: false, isUp }),
      ['what the primary has told', 'sessions'],
      'also where the log can be read before notices are heard again',
    )
  t.strictSame(await rereadBy({ isEdge: true, isUp: true }), ['what the standby has told', 'sessions'])
  t.strictSame(
    await rereadBy({ isEdge: true, isUp: false }),
    ['what the standby has told'],
    'an edge reads sessions from the primary, and anew when that is back',
  )
})

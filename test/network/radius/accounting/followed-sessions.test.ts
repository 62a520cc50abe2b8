import t from 'tap'
import { FollowedSessions } from '../../../../src/network/radius/accounting/followed-sessions.ts'
import { silentLog } from '../../../../src/platform/log.ts'

t.test('a session of which is told while it is read is read once more, and waited for', async (t) => {
  const read: number[][] = []
  const row = { ids: [7, 8], note: null }
  const followed: FollowedSessions = new FollowedSessions({
    nodes: {
      read: async (ids: number[]) => {
        read.push(ids)
        if (read.length === 1) followed.add([{ ids: [7], note: null }])
        return []
      },
    },
    sessions: { view: { slots: 0, numbers: {} } },
    isUp: () => true,
    log: silentLog,
  } as unknown as ConstructorParameters<typeof FollowedSessions>[0])
  followed.add([row])
  let isPlayed = false
  const played = followed.played().then(() => {
    isPlayed = true
  })
  t.equal(await followed.play(), 2)
  t.same([followed.waiting, isPlayed], [1, false])
  t.equal(await followed.play(), 1)
  await played
  t.same([read, followed.waiting], [[[7, 8], [7]], 0])
})

// runs alone: what it sets in the environment is for all that follows
import t from 'tap'
import { loadAddon } from '../../../../src/network/radius/udp/addon.ts'

/** The tests of the protocol once more through node:dgram; by themselves they run in batches. */
const loaded = loadAddon()
if ('missing' in loaded) t.pass(`Left out, since all tests run so: ${loaded.missing}.`)
else {
  process.env.TOLLGATE_RADIUS_UDP = 'dgram'
  await import('../protocol.test.ts')
  await import('../nas-places.test.ts')
}

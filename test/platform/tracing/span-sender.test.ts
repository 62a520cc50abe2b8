import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { silentLog } from '../../../src/platform/log.ts'
import { openOtlp } from '../../../src/platform/tracing/otlp.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

t.test('a collector that takes a batch and never answers does not hold up the stop of the program', async (t) => {
  let batches = 0
  const collector = createServer(() => {
    batches++
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    collector.closeAllConnections()
    collector.close()
  })
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const order = { headers: {}, share: 1, service: 'tollgate', version: '0', node: 'one', log: silentLog }
  const tracing = openOtlp({ ...order, url: `http://127.0.0.1:${port}/v1/traces` })
  const asked = once(collector, 'request')
  tracing.done('RADIUS Access-Request', Date.now(), 1, {})
  await asked
  tracing.done('RADIUS Access-Request', Date.now(), 1, {})
  const clock = new SteadyClock()
  const begunMs = clock.elapsedMs()
  await tracing.stop()
  t.ok(clock.elapsedMs() - begunMs < 4_000, 'it has six seconds for everything')
  t.equal(batches, 1, 'and nothing more is asked of that collector')
})

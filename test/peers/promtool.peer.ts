// needs promtool from prometheus
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { fillEveryMetric } from '../platform/metrics/filled.ts'

t.test('promtool finds nothing to complain of in /metrics', async (t) => {
  const metrics = createMetrics({ version: '1.2.3' })
  fillEveryMetric(metrics)
  const input = await metrics.text()
  t.match(input, /^tollgate_radius_requests_total\{/m)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
})

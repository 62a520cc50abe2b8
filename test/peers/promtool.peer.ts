// needs promtool from prometheus
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { fillEveryMetric } from '../platform/metrics/filled.ts'

t.test('promtool takes the configurations, with the alerts beside them', async (t) => {
  for (const name of ['prometheus.yml', 'compose.yml']) {
    const file = new URL(`../../grafana/prometheus/${name}`, import.meta.url)
    const { status, stdout } = spawnSync('promtool', ['check', 'config', fileURLToPath(file)], { encoding: 'utf8' })
    t.match(stdout, /SUCCESS: \d+ rules found/, name)
    t.equal(status, 0)
  }
})

t.test('promtool finds nothing to complain of in /metrics', async (t) => {
  const metrics = createMetrics({ version: '1.2.3' })
  fillEveryMetric(metrics)
  const input = await metrics.text()
  t.match(input, /^tollgate_radius_requests_total\{/m)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
})

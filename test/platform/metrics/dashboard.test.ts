import { readFileSync } from 'node:fs'
import t from 'tap'
import { labelValues } from '../../../src/platform/metrics/labels.ts'
import { createMetrics } from '../../../src/platform/metrics/metrics.ts'
import { fillEveryMetric, seriesOf } from './filled.ts'

const read = (name: string) => readFileSync(new URL(`../../../grafana/${name}`, import.meta.url), 'utf8')

const dashboard = JSON.parse(read('dashboards/tollgate.json')) as {
  panels: { title: string; type: string; targets?: { expr: string; legendFormat: string }[] }[]
  templating: { list: { query: string | { query: string } }[] }
}

const panelExpressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
)
/** The expressions of the rules, folded ones too; the file is flat enough to do without a YAML parser. */
const alertExpressions = [
  ...read('prometheus/alerts.yml').matchAll(/- alert: (\w+)\n\s+expr: ([\s\S]*?)\n\s+(?:for|labels):/g),
].map((match) => [match[1]!, match[2]!] as const)
const expressions = [...panelExpressions, ...alertExpressions]

const namesIn = (expression: string): string[] => expression.match(/\b(?:tollgate|nodejs|process)_\w+/g) ?? []

/** Names as exported, and the labels of each. */
async function exported(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics()
  fillEveryMetric(metrics)
  const names = new Map<string, Set<string>>()
  for (const series of (await seriesOf(metrics)).keys()) {
    const name = series.split('{')[0]!
    const labels = names.get(name) ?? new Set()
    for (const match of series.matchAll(/[{,](\w+)="/g)) labels.add(match[1]!)
    names.set(name, labels)
  }
  return names
}

t.test('every metric that the dashboard and the alerts name is exported', async (t) => {
  const names = await exported()
  t.ok(panelExpressions.length > 40)
  t.equal(alertExpressions.length, read('prometheus/alerts.yml').match(/- alert:/g)?.length)
  for (const [where, expression] of expressions) {
    const used = namesIn(expression)
    t.ok(used.length > 0 || /up\{/.test(expression), `${where} names a metric`)
    for (const name of used) t.ok(names.has(name), `${where}: ${name}`)
  }
})

t.test('every metric of ours is on the dashboard', async (t) => {
  const shown = new Set(panelExpressions.flatMap(([, expression]) => namesIn(expression)))
  for (const name of (await exported()).keys()) {
    if (!name.startsWith('tollgate_')) continue
    const family = name.replace(/_(bucket|sum|count)$/, '')
    t.ok(
      [...shown].some((one) => one === name || one.startsWith(family)),
      name,
    )
  }
})

t.test('labels are selected, grouped and shown as they are exported', async (t) => {
  const names = await exported()
  const labels = new Set([...names.values()].flatMap((of) => [...of]))
  for (const [where, expression] of expressions) {
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) => match[1]!.split(/,\s*/))
    for (const label of grouped) t.ok(labels.has(label), `${where} groups by ${label}`)
    for (const match of expression.matchAll(/(\w+)\{([^}]*)\}/g)) {
      for (const [, label, , value] of match[2]!.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)) {
        if (match[1] === 'up') continue
        t.ok(names.get(match[1]!)?.has(label!), `${where}: ${match[1]} has the label ${label}`)
        const known: readonly string[] | undefined = labelValues[label as keyof typeof labelValues]
        for (const one of known ? value!.split('|') : []) t.ok(known?.includes(one), `${where}: ${label} can be ${one}`)
      }
    }
  }
  for (const { title, targets = [] } of dashboard.panels) {
    for (const { legendFormat } of targets) {
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        t.ok(labels.has(label!), `${title} shows ${label}`)
    }
  }
})

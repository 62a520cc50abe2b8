import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { signatureOf } from '../../src/billing/payments/gateway-b.ts'
import { subscriberId } from '../../src/domain/ids.ts'
import { parseRubles } from '../../src/domain/money.ts'
import { emptyFolder } from '../app/processes.ts'
import { freeTcpPort } from '../support/gateways.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { until, untilAnswer } from '../support/until.ts'

// needs prometheus from prometheus

const read = (name: string) => readFileSync(new URL(`../../grafana/${name}`, import.meta.url), 'utf8')

const text = { type: 'string', minLength: 1 }
const attributes = {
  type: 'array',
  items: {
    type: 'object',
    required: ['key', 'value'],
    additionalProperties: false,
    properties: {
      key: text,
      value: {
        type: 'object',
        minProperties: 1,
        maxProperties: 1,
        additionalProperties: false,
        properties: {
          stringValue: { type: 'string' },
          boolValue: { type: 'boolean' },
          intValue: { type: 'string', pattern: '^-?\\d+$' },
          doubleValue: { type: 'number' },
        },
      },
    },
  },
}
const spanSchema = {
  type: 'object',
  required: ['traceId', 'spanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'status'],
  additionalProperties: false,
  properties: {
    traceId: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    spanId: { type: 'string', pattern: '^[0-9a-f]{16}$' },
    parentSpanId: { type: 'string', pattern: '^[0-9a-f]{16}$' },
    name: text,
    kind: { enum: [1, 2] },
    startTimeUnixNano: { type: 'string', pattern: '^\\d{19}$' },
    endTimeUnixNano: { type: 'string', pattern: '^\\d{19}$' },
    attributes,
    status: { type: 'object', properties: { code: { const: 2 }, message: text }, additionalProperties: false },
  },
}
const listOf = (items: object, ...required: string[]) => ({
  type: 'array',
  minItems: 1,
  items: { type: 'object', required, additionalProperties: false, properties: items },
})
/** ExportTraceServiceRequest of opentelemetry-proto 1.x in JSON: lower camel case, ids in hex, int64 as text. */
const isExport = new Ajv({ allErrors: true }).compile({
  type: 'object',
  required: ['resourceSpans'],
  additionalProperties: false,
  properties: {
    resourceSpans: listOf(
      {
        resource: { type: 'object', required: ['attributes'], properties: { attributes } },
        scopeSpans: listOf(
          {
            scope: { type: 'object', required: ['name', 'version'], properties: { name: text, version: text } },
            spans: { type: 'array', minItems: 1, items: spanSchema },
          },
          'scope',
          'spans',
        ),
      },
      'resource',
      'scopeSpans',
    ),
  },
})

type Attribute = { key: string; value: Record<string, unknown> }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number }
}
type Export = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }

const factsOf = (span: { attributes: Attribute[] }) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Takes OTLP over HTTP as a collector does, and keeps what it got. */
async function startCollector(t: Test) {
  const exports: Export[] = []
  const keys = new Set<unknown>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      exports.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
      keys.add(request.headers['api-key'])
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { exports, keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The fields that the gateway posts once an order is paid. */
function noticeOf(fields: Readonly<Record<string, string>>, key: string): URLSearchParams {
  const notice = {
    WMI_MERCHANT_ID: fields.WMI_MERCHANT_ID!,
    WMI_PAYMENT_NO: fields.WMI_PAYMENT_NO!,
    WMI_PAYMENT_AMOUNT: fields.WMI_PAYMENT_AMOUNT!,
    WMI_CURRENCY_ID: fields.WMI_CURRENCY_ID!,
    WMI_ORDER_ID: '305421309635',
    WMI_ORDER_STATE: 'Accepted',
  }
  const signed = Object.entries(notice).map(([name, value]) => ({ name, value: Buffer.from(value) }))
  return new URLSearchParams({ ...notice, WMI_SIGNATURE: signatureOf(signed, key) })
}

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'

/** A debtor in the walled garden pays by gateway B, and is let out of it. */
async function payOutOfTheGarden(t: Test, program: OpenedProgram): Promise<void> {
  const cut: string[] = []
  const nas = await simulateNas(program, '127.0.0.41', (login) => cut.push(login))
  t.teardown(() => nas.stop())
  const [client] = await signUp(program, 1)
  const shop = { LK_GWB_FORM_URL: 'https://wl.example/', LK_GWB_MERCHANT_ID: '100500', LK_GWB_SECRET_KEY: 'a key' }
  await program.rest('POST', '/admin/settings/payment/', shop)
  await program.rest('PATCH', '/rest_api/v2/Tarif/1/', { walled_garden: true })
  const debt = { account: client!.account, op_type: 9, op_summa: ruble }
  await program.rest('POST', '/rest_api/v2/FinanceOperations/', debt)
  const debtor = await untilAnswer(
    () => nas.signIn(client!.login, linePassword, 'station'),
    ({ kind }) => kind === 'accepted',
  )
  if (debtor.kind !== 'accepted') throw new Error('Access-Accept expected')
  await nas.account('start', debtor.session)
  const started = await program.parts.payments.startPayment(
    subscriberId(client!.subscriber),
    parseRubles('100')!,
    'gwb',
  )
  if (started.kind !== 'formPost') throw new Error(`Not started: ${started.kind}`)
  const paid = await fetch(`${program.address.http}/lk/payments/webhook/`, {
    method: 'POST',
    headers: { traceparent: `00-${callersTrace}-${callersSpan}-01` },
    body: noticeOf(started.fields, 'a key'),
  })
  t.equal(await paid.text(), 'WMI_RESULT=OK')
  await until(() => cut.length > 0)
  // By nobody's request.
  await program.parts.outbox.order({ kind: 'disconnect', subscriberId: null, logins: ['nobody'] })
}

/** Debian's Prometheus on the program, with the rules of ours, until it has been asked and has judged the rules. */
async function startPrometheus(t: Test, metrics: string) {
  const folder = emptyFolder(t)
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'alerts.yml'), read('prometheus/alerts.yml'))
  const config = read('prometheus/prometheus.yml')
    .replaceAll('10s', '1s')
    .replace('127.0.0.1:9464', new URL(metrics).host)
  writeFileSync(join(folder, 'prometheus.yml'), config)
  const port = await freeTcpPort()
  const files = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  const prometheus = spawn('prometheus', [...files, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  t.teardown(() => prometheus.kill('SIGKILL'))
  const ask = async (path: string, query: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`)
    return (await response.json()) as { status: string; error?: string; data: never }
  }
  const isUp = async () => {
    const { data } = await ask('query', { query: 'up' }).catch(() => ({ data: { result: [] } }))
    return (data as { result: { value: [number, string] }[] }).result[0]?.value[1] === '1'
  }
  await until(isUp)
  return ask
}

type Rule = { name: string; query: string; health: string; lastError?: string }

async function queriesHold(t: Test, ask: Awaited<ReturnType<typeof startPrometheus>>): Promise<void> {
  const rulesOf = async () =>
    ((await ask('rules')).data as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules)
  await until(async () => (await rulesOf()).every(({ health }) => health !== 'unknown'))
  const rules = await rulesOf()
  t.equal(rules.length, read('prometheus/alerts.yml').match(/- alert:/g)?.length)
  t.strictSame(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  )
  const metadata = (await ask('metadata')).data as Readonly<Record<string, unknown>>
  const { panels } = JSON.parse(read('dashboards/tollgate.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[]
  }
  const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr })))
  t.ok(shown.length > 40)
  const unknown: string[] = []
  let answered = 0
  for (const { where, expr } of [...shown, ...rules.map(({ name, query }) => ({ where: name, expr: query }))]) {
    // What Grafana puts in place of its variables.
    const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h').replaceAll('$nas', '.*')
    const { status, error, data } = await ask('query', { query })
    t.equal(status, 'success', `${where}: ${error ?? query}`)
    if ((data as { result: unknown[] } | undefined)?.result.length) answered++
    for (const [name] of query.matchAll(/\b(?:tollgate|nodejs|process)_\w+/g))
      if (!(name in metadata) && !(name.replace(/_(bucket|sum|count)$/, '') in metadata))
        unknown.push(`${where}: ${name}`)
  }
  t.strictSame(unknown, [], 'no expression without a metric of the program that runs')
  t.ok(answered > 40, `${answered} expressions have values`)
}

/** A span of the payment's trace by its name, and those right below it. */
function tracesHold(t: Test, exports: readonly Export[]): void {
  for (const one of exports) t.ok(isExport(one), JSON.stringify(isExport.errors))
  const spans = exports.flatMap(({ resourceSpans }) => resourceSpans[0]!.scopeSpans[0]!.spans)
  const trace = spans.filter(({ traceId }) => traceId === callersTrace)
  const below = (id: string) => trace.filter(({ parentSpanId }) => parentSpanId === id)
  const [webhook] = below(callersSpan)
  t.match(webhook, { name: 'POST /lk/payments/webhook', kind: 2, status: {} })
  t.match(factsOf(webhook!), { 'http.response.status_code': '200', 'http.route': '/lk/payments/webhook' })
  const named = (id: string) => below(id).map(({ name }) => name)
  const only = (id: string, name: string) => below(id).find((span) => span.name === name)!
  t.strictSame(named(webhook!.spanId).sort(), ['account', 'order'])
  t.match(factsOf(only(webhook!.spanId, 'order')), { 'tollgate.outcome': 'open' })
  const account = only(webhook!.spanId, 'account')
  t.match(factsOf(account), { 'tollgate.command': 'post', 'tollgate.outcome': 'done' })
  t.strictSame(named(account.spanId), ['turn'])
  const turn = only(account.spanId, 'turn')
  t.strictSame(named(turn.spanId).sort(), ['commit', 'effect disconnect', 'effect notify'])
  t.match(factsOf(only(turn.spanId, 'commit')), { 'tollgate.outcome': 'committed' })
  t.match(factsOf(only(turn.spanId, 'effect disconnect')), { 'tollgate.finished': true })
  for (const { startTimeUnixNano, endTimeUnixNano } of trace) t.ok(startTimeUnixNano <= endTimeUnixNano)
  const packet = spans.find(({ name }) => name === 'RADIUS Access-Request')
  t.match(packet && factsOf(packet), { 'tollgate.nas': 'nas 127.0.0.41', 'tollgate.outcome': 'accept' })
  const alone = spans.filter(({ name, parentSpanId }) => name.startsWith('effect ') && !parentSpanId)
  t.strictSame(
    alone.map(({ name }) => name),
    ['effect disconnect'],
    'an effect that no traced request has ordered has a trace of its own',
  )
  t.notOk(JSON.stringify(exports).includes(linePassword))
}

t.test('a program as Prometheus and a collector of traces see it', async (t) => {
  const collector = await startCollector(t)
  const program = await openProgram(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
  })
  await payOutOfTheGarden(t, program)
  await queriesHold(t, await startPrometheus(t, program.address.metrics))
  await program.stop()
  tracesHold(t, collector.exports)
  t.strictSame([...collector.keys], ['a key'])
})

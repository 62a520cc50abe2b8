import type { SpanFacts } from '../../domain/span.ts'
import { faultOf, type OutgoingHttp } from '../outgoing/outgoing-http.ts'
import type { TracingOrder } from './tracing.ts'

export type FinishedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  readonly kind: 'internal' | 'server'
  /** Milliseconds since 1970, with parts of them. */
  readonly beganAtMs: number
  readonly endedAtMs: number
  readonly facts: SpanFacts
  /** What went wrong, in a word. */
  readonly fault: string | null
}

const batchMax = 512
/** Beyond it spans are lost: they are for looking at, and must not fill the memory. */
const waitingMax = 4_096
const gatherMs = 1_000
const timeoutMs = 10_000
/** The stop of the program has little time, and a collector that is away would take all of it. */
const stopMs = 1_000
/** A collector that is away is asked again after so long, and told of in the log no more often than this. */
const awayMs = 30_000

/** Sends finished spans to a collector, a batch at a time, as JSON of OTLP over HTTP. Never throws. */
export class SpanSender {
  readonly #order: TracingOrder
  readonly #http: OutgoingHttp
  #waiting: FinishedSpan[] = []
  #lost = 0
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null
  readonly #stopping = new AbortController()
  #awayUntilMs = 0

  constructor(order: TracingOrder, http: OutgoingHttp) {
    this.#order = order
    this.#http = http
  }

  add(span: FinishedSpan): void {
    if (this.#waiting.length >= waitingMax) this.#lost++
    else this.#waiting.push(span)
    this.#timer ??= setTimeout(() => this.#flush(), gatherMs).unref()
  }

  /** Sends what waits, as far as the collector takes it at once. */
  async stop(): Promise<void> {
    const giveUp = setTimeout(() => this.#stopping.abort(), stopMs)
    await this.#sending
    if (!this.#stopping.signal.aborted) {
      this.#awayUntilMs = 0
      this.#flush()
      await this.#sending
    }
    clearTimeout(giveUp)
  }

  #flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#flush(), gatherMs).unref()
    })
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && performance.now() >= this.#awayUntilMs) {
      const batch = this.#waiting.slice(0, batchMax)
      const fault = await this.#send(batch)
      if (fault === null || !fault.mayPass) this.#waiting.splice(0, batch.length)
      if (fault === null) continue
      this.#awayUntilMs = performance.now() + awayMs
      this.#order.log.warn('Traces could not be sent.', { reason: fault.reason, waiting: this.#waiting.length })
      return
    }
    if (this.#lost === 0) return
    this.#order.log.warn('Some traces are lost, because the collector did not take them in time.', {
      count: this.#lost,
    })
    this.#lost = 0
  }

  /** Null: taken. `mayPass`: the same may be taken later (specification of OTLP, "Failures"). */
  async #send(batch: readonly FinishedSpan[]): Promise<{ reason: string; mayPass: boolean } | null> {
    const { url, headers } = this.#order
    try {
      const { status } = await this.#http.request(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(exportOf(this.#order, batch)),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal]),
        answerBytesMax: 65_536,
      })
      if (status >= 200 && status < 300) return null
      return { reason: `The collector answered ${status}.`, mayPass: [429, 502, 503, 504].includes(status) }
    } catch (error) {
      return { reason: faultOf(error), mayPass: true }
    }
  }
}

/** ExportTraceServiceRequest of opentelemetry/proto/collector/trace/v1, in its form of JSON. */
function exportOf({ service, version, node }: TracingOrder, spans: readonly FinishedSpan[]): object {
  const resource = { 'service.name': service, 'service.version': version, 'service.instance.id': node }
  const scope = { name: 'tollgate', version }
  return {
    resourceSpans: [
      { resource: { attributes: attributesOf(resource) }, scopeSpans: [{ scope, spans: spans.map(spanOf) }] },
    ],
  }
}

const kinds = { internal: 1, server: 2 } as const
const statusError = 2

const spanOf = ({ traceId, spanId, parentId, name, kind, beganAtMs, endedAtMs, facts, fault }: FinishedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(beganAtMs),
  endTimeUnixNano: nanoseconds(endedAtMs),
  attributes: attributesOf(facts),
  status: fault === null ? {} : { code: statusError, message: fault },
})

/** Whole microseconds are as exact as the clock is; as text, because the number has 61 bits. */
const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`

const attributesOf = (facts: SpanFacts) =>
  Object.entries(facts).map(([key, value]) => ({ key, value: anyValue(value) }))

function anyValue(value: SpanFacts[string]): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

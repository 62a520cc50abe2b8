import { randomBytes } from 'node:crypto'
import type { Span, SpanFacts } from '../../domain/span.ts'
import { Destinations } from '../outgoing/destinations.ts'
import { OutgoingHttp } from '../outgoing/outgoing-http.ts'
import { type FinishedSpan, SpanSender } from './span-sender.ts'
import type { Tracing, TracingOrder } from './tracing.ts'

/** The trace that a span belongs to and the span above it; null: it is the first one. */
type Place = { readonly traceId: string; readonly parentId: string | null }

/** Spans of what is in the sample, sent as OTLP (https://opentelemetry.io/docs/specs/otlp/). */
export function openOtlp(order: TracingOrder): Tracing {
  const { share } = order
  // The operator of this machine has named the collector, which is mostly beside us.
  const http = new OutgoingHttp(new Destinations(['0.0.0.0/0', '::/0']))
  const sender = new SpanSender(order, http)
  const begin = (name: string, kind: FinishedSpan['kind'], facts: SpanFacts, place: Place, beganAtMs: number) =>
    new RecordedSpan(sender, { ...place, spanId: newId(8), name, kind, beganAtMs, facts })
  const first = (): Place | null => (Math.random() < share ? { traceId: newId(16), parentId: null } : null)
  return {
    share,
    request(name, traceparent, startedMs, facts) {
      const caller = readTraceparent(traceparent)
      const place = caller ? (caller.isSampled ? caller : null) : first()
      return place && begin(name, 'server', facts, place, performance.timeOrigin + startedMs)
    },
    work(name, facts) {
      const place = first()
      return place && begin(name, 'internal', facts, place, nowMs())
    },
    done(name, beganAtMs, tookMs, facts) {
      const place = { traceId: newId(16), parentId: null, spanId: newId(8) }
      sender.add({ ...place, name, kind: 'server', beganAtMs, endedAtMs: beganAtMs + tookMs, facts, fault: null })
    },
    stop: () => sender.stop(),
  }
}

/** Milliseconds since 1970, with parts of them. */
const nowMs = (): number => performance.timeOrigin + performance.now()

/** Random, and never all zeros, which W3C Trace Context forbids: that would come once in 2 to the 64. */
const newId = (bytes: number): string => randomBytes(bytes).toString('hex')

/** https://www.w3.org/TR/trace-context/#traceparent-header; what is wrong counts as absent. */
export function readTraceparent(text: string): (Place & { readonly isSampled: boolean }) | null {
  const [, version, traceId, parentId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text) ?? []
  if (!traceId || !parentId || !flags || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return null
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

class RecordedSpan implements Span {
  readonly #sender: SpanSender
  readonly #begun: Omit<FinishedSpan, 'endedAtMs' | 'fault'>

  constructor(sender: SpanSender, begun: Omit<FinishedSpan, 'endedAtMs' | 'fault'>) {
    this.#sender = sender
    this.#begun = begun
  }

  child(name: string, facts: SpanFacts = {}): Span {
    const { traceId, spanId: parentId } = this.#begun
    const begun = { traceId, parentId, spanId: newId(8), name, kind: 'internal', beganAtMs: nowMs(), facts } as const
    return new RecordedSpan(this.#sender, begun)
  }

  end(facts: SpanFacts = {}, fault: string | null = null): void {
    const begun = this.#begun
    this.#sender.add({ ...begun, facts: { ...begun.facts, ...facts }, endedAtMs: nowMs(), fault })
  }
}

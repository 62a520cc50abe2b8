import type { Span, SpanFacts } from '../../domain/span.ts'
import type { Log } from '../log.ts'

/** Where traces go, and of how many. */
export type TracingOrder = {
  /** The whole address that takes OTLP over HTTP. */
  readonly url: string
  /** What the collector wants to be told, such as a key. */
  readonly headers: Readonly<Record<string, string>>
  /** From 0 to 1: how much of what begins here is in the sample. */
  readonly share: number
  readonly service: string
  readonly version: string
  /** This program among others on one database. */
  readonly node: string
  readonly log: Log
}

/** Begins what is traced. Null in place of a span: it is not in the sample. */
export type Tracing = {
  /** How much of what RADIUS answers is in the sample; its threads choose for themselves. */
  readonly share: number
  /**
   * A request from outside, which began at `startedMs` of performance.now(). Where the caller's `traceparent` (W3C
   * Trace Context) can be read, the request is part of that trace, and is in the sample if the caller says so.
   */
  request(name: string, traceparent: string, startedMs: number, facts: SpanFacts): Span | null
  /** What the program does by itself. */
  work(name: string, facts: SpanFacts): Span | null
  /** What was chosen and done already, such as a RADIUS request of another thread; `beganAtMs` since 1970. */
  done(name: string, beganAtMs: number, tookMs: number, facts: SpanFacts): void
  /** Sends what waits, as far as that is possible at once. */
  stop(): Promise<void>
}

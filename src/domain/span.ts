/** What is said of a piece of work. No secrets, and nothing by which a person is known but ids of ours. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/**
 * A piece of work as it is shown outside by OpenTelemetry, handed on with what is done on its behalf. There is none
 * unless traces are switched on and this work is in the sample, so everything for it stands behind `?.`.
 */
export type Span = {
  child(name: string, facts?: SpanFacts): Span
  /** Called once, when the work is done. `fault`: what went wrong, in a word. */
  end(facts?: SpanFacts, fault?: string): void
}

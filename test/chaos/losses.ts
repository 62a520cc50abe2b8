/** Something that was asked and then answered, by `performance.now()`. */
export type Answered = { readonly askedMs: number; readonly answeredMs: number }

/**
 * A server is gone whose standby may not have heard of everything: what was answered before `sinceMs` it had surely
 * heard, and what was asked from `untilMs` on was asked of the server that followed. Accounting that was answered since
 * `spooledSinceMs` was in the spool of a node then, and may have been stored and lost since. By `performance.now()`.
 */
export type Loss = { readonly sinceMs: number; readonly untilMs: number; readonly spooledSinceMs?: number }

export const answeredNow = (askedMs: number): Answered => ({ askedMs, answeredMs: performance.now() })

/** Whether what was answered may be on none of the servers that are left. */
export const mayBeLost = ({ askedMs, answeredMs }: Answered, losses: readonly Loss[]): boolean =>
  losses.some(({ sinceMs, untilMs }) => answeredMs >= sinceMs && askedMs < untilMs)

/** The same of a record of accounting. */
export const mayRecordBeLost = (answered: Answered, losses: readonly Loss[]): boolean =>
  mayBeLost(
    answered,
    losses.map(({ sinceMs, untilMs, spooledSinceMs = sinceMs }) => ({
      sinceMs: Math.min(sinceMs, spooledSinceMs),
      untilMs,
    })),
  )

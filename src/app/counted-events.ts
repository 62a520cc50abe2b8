import { flowOf } from '../platform/metrics/flows.ts'
import type { Metrics } from '../platform/metrics/metrics.ts'
import type { Followers } from './event-followers.ts'

/** The events that the metrics count. */
export const countedEvents = (metrics: Metrics): NonNullable<Followers['metrics']> => ({
  accountCommitted({ operations, isForeign }) {
    // The node that has committed it counts it.
    if (isForeign) return
    for (const operation of operations) {
      const flow = flowOf(operation)
      if (flow) metrics.money.moved(flow, operation.amount)
    }
  },
  coaAnswered: ({ request, result, tookMs }) => metrics.coa.answered(request, result, tookMs / 1000),
})

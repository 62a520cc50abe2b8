import type { Door, Route } from './call.ts'
import type { Exchange } from './exchange.ts'
import type { CopiedRequest } from './request.ts'

/** The state of a request while the server handles it. */
export class RequestContext {
  readonly request: CopiedRequest
  readonly exchange: Exchange
  /** Determines the form of refusals, even before the route is known. */
  door: Door = 'public'
  route: Route | null = null
  /** The pattern of the route, or `unknown`, for the metrics. */
  routePath = 'unknown'
  /** When the whole request had been read, by `steadyMs`. */
  readMs = 0
  isFinished = false

  constructor(request: CopiedRequest, exchange: Exchange) {
    this.request = request
    this.exchange = exchange
  }
}

import type { Door, Route } from './call.ts'
import type { Exchange } from './exchange.ts'
import type { CopiedRequest } from './request.ts'

/** One request on its way through the server. */
export class RequestContext {
  readonly request: CopiedRequest
  readonly exchange: Exchange
  /** Gives refusals their shape, also before a route is found. */
  door: Door = 'public'
  route: Route | null = null
  /** The pattern of the route, or `unknown`. */
  routePath = 'unknown'
  isFinished = false

  constructor(request: CopiedRequest, exchange: Exchange) {
    this.request = request
    this.exchange = exchange
  }
}

import type { Log } from '../log.ts'
import type { CopiedRequest } from './request.ts'

/**
 * `routePath` is a route pattern or `unknown`, and `method` a known method or `OTHER`, so both can be labels of a
 * metric.
 */
export type Observe = (method: string, routePath: string, status: number, seconds: number) => void

/** Writes answered requests to the log and the metrics. */
export class AccessLog {
  readonly #log: Log
  readonly #observe: Observe | undefined

  constructor(log: Log, observe: Observe | undefined) {
    this.#log = log
    this.#observe = observe
  }

  /** Adds an answered request. The query is never logged, because the sign-in by `?api=1` has the password in it. */
  add(request: CopiedRequest, routePath: string, status: number): void {
    const ms = performance.now() - request.startedMs
    if (this.writes(request, status)) {
      this.#log[isQuiet(request, status) ? 'debug' : 'info']('http', {
        requestId: request.id,
        method: request.shownMethod,
        path: request.rawPath,
        status,
        ms: Math.round(ms * 100) / 100,
        address: request.address,
        ...(request.staff && { staff: request.staff.username }),
      })
    }
    this.#observe?.(request.shownMethod, routePath, status, ms / 1000)
  }

  /** Whether a request answered with this status will be logged. */
  writes(request: CopiedRequest, status: number): boolean {
    return !isQuiet(request, status) || this.#log.writes('debug')
  }
}

const isQuiet = ({ method }: CopiedRequest, status: number): boolean =>
  status < 400 && (method === 'GET' || method === 'HEAD')

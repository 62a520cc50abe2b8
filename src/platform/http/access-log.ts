import type { Log } from '../log.ts'
import type { CopiedRequest } from './request.ts'

/** `routePath` is the pattern of the route or `unknown`, `method` a known one or `OTHER`: both are fit for metric labels. */
export type Observe = (method: string, routePath: string, status: number, seconds: number) => void

/** The log and the metrics of answered requests. */
export class AccessLog {
  readonly #log: Log
  readonly #observe: Observe | undefined

  constructor(log: Log, observe: Observe | undefined) {
    this.#log = log
    this.#observe = observe
  }

  /** Never writes the query: sign-in by `?api=1` carries a password in it. */
  add(request: CopiedRequest, routePath: string, status: number): void {
    const ms = performance.now() - request.startedMs
    if (this.writes(request, status)) {
      this.#log[isQuiet(request, status) ? 'debug' : 'info']('http', {
        requestId: request.id,
        method: request.shownMethod,
        path: request.shownPath,
        status,
        ms: Math.round(ms * 100) / 100,
        address: request.address,
        ...(request.staff && { staff: request.staff.username }),
      })
    }
    this.#observe?.(request.shownMethod, routePath, status, ms / 1000)
  }

  /** Whether an answer of this status will be a line of the log. */
  writes(request: CopiedRequest, status: number): boolean {
    return !isQuiet(request, status) || this.#log.writes('debug')
  }
}

const isQuiet = ({ method }: CopiedRequest, status: number): boolean =>
  status < 400 && (method === 'GET' || method === 'HEAD')

import { readFileSync } from 'node:fs'
import type { Handler, Reply, Route } from './call.ts'
import { clientHas, tagOf } from './conditional.ts'

/** The route of a page for browsers. Whoever is not signed in is redirected to the sign-in. */
export const page = (path: string, handler: Handler): Route => ({ method: 'GET', path, door: 'page', handler })

/**
 * Serves a static file. Browsers revalidate it at each use and get 304 while it is the same, so that they see a new
 * version at once.
 */
export function asset(file: URL, contentType: string): Handler {
  const body = readFileSync(file, 'utf8')
  const tag = tagOf(body)
  const headers: Reply['headers'] = [
    ['Cache-Control', 'no-cache'],
    ['ETag', tag],
  ]
  return (call) => (clientHas(call, tag) ? { status: 304, headers } : { status: 200, headers, contentType, body })
}

export const script = 'text/javascript; charset=utf-8'
export const styles = 'text/css; charset=utf-8'

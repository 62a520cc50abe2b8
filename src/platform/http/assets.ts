import { readFileSync } from 'node:fs'
import type { Handler, Reply, Route } from './call.ts'
import { isHeld, tagOf } from './conditional.ts'

/** A page that a browser shows; without a sign-in it leads there. */
export const page = (path: string, handler: Handler): Route => ({ method: 'GET', path, door: 'page', handler })

/** A file beside the page's source, asked for again each time and answered 304 while it is the same, so that a new version is seen at once. */
export function asset(file: URL, contentType: string): Handler {
  const body = readFileSync(file, 'utf8')
  const tag = tagOf(body)
  const headers: Reply['headers'] = [
    ['Cache-Control', 'no-cache'],
    ['ETag', tag],
  ]
  return (call) => (isHeld(call, tag) ? { status: 304, headers } : { status: 200, headers, contentType, body })
}

export const script = 'text/javascript; charset=utf-8'
export const styles = 'text/css; charset=utf-8'

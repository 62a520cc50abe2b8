import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Handler, Reply, Route } from './call.ts'

/** A page that a browser shows; without a sign-in it leads there. */
export const page = (path: string, handler: Handler): Route => ({ method: 'GET', path, door: 'page', handler })

/** A file beside the page's source, asked for again each time and answered 304 while it is the same, so that a new version is seen at once. */
export function asset(file: URL, contentType: string): Handler {
  const body = readFileSync(file, 'utf8')
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers: Reply['headers'] = [
    ['Cache-Control', 'no-cache'],
    ['ETag', tag],
  ]
  return (call) =>
    call.header('if-none-match') === tag ? { status: 304, headers } : { status: 200, headers, contentType, body }
}

export const script = 'text/javascript; charset=utf-8'
export const styles = 'text/css; charset=utf-8'
